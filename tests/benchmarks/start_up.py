"""What a detector costs before it has decided anything: one file of a pull request in a repository of 3,000."""

import json
import os
import shutil
import sys
from pathlib import Path

from benchmarks.measuring import COMMAND, Process, Row, medians
from support.repository import BuiltRepository

PROJECT = Path(__file__).resolve().parents[2]
FILES = 3_000
ROUNDS = 25

# Stands in for git once, and notes each call as a line of JSON.
_RECORDER = """#!{python}
import json, os, sys
stdin = sys.stdin.buffer.read().decode("latin-1")
call = {{"words": sys.argv[1:], "directory": os.getcwd(), "environment": dict(os.environ), "stdin": stdin}}
with open({log!r}, "a") as log:
    log.write(json.dumps(call) + "\\n")
reading, writing = os.pipe()
os.write(writing, stdin.encode("latin-1"))
os.close(writing)
os.dup2(reading, 0)
os.execv({git!r}, ["git", *sys.argv[1:]])
"""


def measure(directory: Path) -> list[Row]:
    """Return the row: a whole run, against the bare interpreter and the calls of git that the run makes."""
    run = _run(directory, _repository(directory / "repository"))
    calls = _calls_of_git(run, directory)
    bare = Process(words=[sys.executable, "-c", "pass"], directory=directory)

    def bare_with_git() -> None:
        bare.run()
        for call in calls:
            call.run()

    mine, other = medians([run.run, bare_with_git], ROUNDS)
    return [
        Row(
            work=f"`run`, one file of a pull request, {FILES:,} files",
            against=f"`python -c pass` and the {len(calls)} calls of git",
            amount=mine,
            other=other,
            bound=3,
        )
    ]


def _repository(directory: Path) -> tuple[BuiltRepository, dict[str, str]]:
    """Return a repository with the test merge of a pull request checked out, and the ids of its commits."""
    tree = (PROJECT / "tests/cases/nvx-tree.txt").read_text(encoding="utf-8").split("\n")
    names = [name for name in tree if name and not name.startswith(("#", "openvmm"))]
    names += [f"crates/part{number % 60}/src/module{number}.rs" for number in range(FILES - len(names) - 1)]
    rules = (PROJECT / "rules.yaml").read_text(encoding="utf-8")
    repository = BuiltRepository(directory)
    base = repository.commit({**dict.fromkeys(names, "1\n"), "rules.yaml": rules})
    head = repository.commit({"scripts/nvx_tools/performance.py": "2\n"}, base)
    merge = repository.commit({"scripts/nvx_tools/performance.py": "2\n"}, base, head)
    repository.check_out(merge)
    return repository, {"base": base, "head": head}


def _run(directory: Path, built: tuple[BuiltRepository, dict[str, str]]) -> Process:
    """Return the command as a step runs it, with its modules compiled as an installation leaves them."""
    repository, ids = built
    sides = {side: {"ref": side, "sha": commit} for side, commit in ids.items()}
    payload = directory / "event.json"
    payload.write_text(json.dumps({"action": "synchronize", "pull_request": {**sides, "labels": []}}), encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
    environment = {
        **kept,
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(payload),
        "GITHUB_OUTPUT": str(directory / "output"),
        "GITHUB_STEP_SUMMARY": str(directory / "summary.md"),
        "PYTHONPYCACHEPREFIX": str(directory / "bytecode"),
    }
    words = [COMMAND, "run"]
    return Process(words=words, directory=repository.directory, environment=environment)


def _calls_of_git(run: Process, directory: Path) -> list[Process]:
    """Return the calls of git that a run makes, noted by a program of that name in front of the real one."""
    git = shutil.which("git")
    if git is None:
        raise FileNotFoundError("git")
    log = directory / "calls"
    recorder = directory / "bin" / "git"
    recorder.parent.mkdir()
    recorder.write_text(_RECORDER.format(python=sys.executable, log=str(log), git=git), encoding="utf-8")
    recorder.chmod(0o755)
    path = f"{recorder.parent}{os.pathsep}{run.environment['PATH']}"
    Process(words=run.words, directory=run.directory, environment={**run.environment, "PATH": path}).run()
    calls = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [
        Process(
            words=[git, *call["words"]],
            directory=Path(call["directory"]),
            environment={**call["environment"], "PATH": run.environment["PATH"]},
            stdin=call["stdin"].encode("latin-1"),
        )
        for call in calls
    ]
