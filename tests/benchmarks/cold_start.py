"""What the action's step costs on a runner that has never seen it: nothing installed, no byte code, bash included."""

import sys
from pathlib import Path

from benchmarks import start_up
from benchmarks.measuring import Process, Row, medians
from support import action
from support.wheels import lock_installed

ROUNDS = 25
ROUNDS_OF_PIP = 3

_WITH_PIP = """\
"$1" -I -m venv --clear "$2"
"$2/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-input --no-index --find-links "$3" \\
  --require-hashes --only-binary=:all: --no-deps --requirement "$3/requirements.lock"
"""


def measure(directory: Path) -> list[Row]:
    """Return the rows: a step from a copy of the action that is new each time, against warm runs, and against pip."""
    warm = start_up.command(directory)
    bare = Process(words=[sys.executable, "-c", "pass"], directory=directory)
    steps = [_step(directory / f"action{number}", warm) for number in range(ROUNDS + 1)]
    cold, once, start = medians([lambda: steps.pop().run(), warm.run, bare.run], ROUNDS)
    (with_pip,) = medians([_pip(directory).run], ROUNDS_OF_PIP)
    return [
        Row(
            work="the same as the action's step, from a cold start",
            against="2 warm runs and `python -c pass`",
            amount=cold,
            other=2 * once + start,
            bound=1,
        ),
        Row(
            work="the same",
            against="a warm run after `venv` and `pip install` from files",
            amount=cold,
            other=with_pip + once,
            bound=0.1,
        ),
    ]


def _step(place: Path, run: Process) -> Process:
    """Return the action's step, with a copy of the action that no Python has seen."""
    action.lay_out(place)
    script = place / "script.sh"
    script.write_text(action.SCRIPT, encoding="utf-8")
    kept = {name: value for name, value in run.environment.items() if not name.startswith("PYTHON")}
    variables = action.variables(place, {"python": sys.executable})
    return Process(words=[*action.WORDS, str(script)], directory=run.directory, environment={**kept, **variables})


def _pip(directory: Path) -> Process:
    """Return a set-up by pip, with all packages at hand as files."""
    wheels = directory / "wheels"
    wheels.mkdir()
    lock = lock_installed(action.TOP / "requirements.lock", wheels)
    (wheels / "requirements.lock").write_text(lock, encoding="utf-8")
    words = [*action.WORDS, "-c", _WITH_PIP, "pip", sys.executable, str(directory / "venv"), str(wheels)]
    return Process(words=words, directory=directory)
