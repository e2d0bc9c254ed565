"""What a terminal of 80 columns shows, by running the command on a real one."""

import os
import pty
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support import history
from support.step import COMMAND, Step

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_LONG = "src/" + "a-name-that-goes-on-" * 5 + "end.py"


def on_terminal(step: Step, *paths: str, variables: Mapping[str, str] | None = None) -> str:
    """Return what a run outside of CI writes to a terminal."""
    (step.directory / "list").write_bytes(b"\0".join(path.encode("utf-8", "surrogateescape") for path in paths) + b"\0")
    words = ("run", "--paths-from", str(step.directory / "list"))
    return command_on_terminal(step.repository, words, variables=variables or {})


def command_on_terminal(
    directory: Path, command: Sequence[str], *, variables: Mapping[str, str], with_errors: bool = False
) -> str:
    """Return what a command outside of CI writes to a terminal, to standard error too if that is one."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "50", **variables}
    stderr = theirs if with_errors else None
    with subprocess.Popen(
        [*COMMAND, *command], stdout=theirs, stderr=stderr, stdin=subprocess.DEVNULL, env=environment, cwd=directory
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:  # the last writer has left
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    assert process.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_shows_colours_and_the_same_words_as_a_file(step: Step) -> None:
    shown = on_terminal(step, "src/a.py")
    assert "\x1b[1;32mrun" in shown
    assert "\x1b[33mskip" in shown
    plain = step.run("--paths-from", str(step.directory / "list"), variables=dict.fromkeys(step.variables("push"), ""))
    assert _ESCAPE.sub("", shown) == plain.stdout


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_can_be_turned_off(step: Step, variables: Mapping[str, str]) -> None:
    shown = on_terminal(step, "src/a.py", variables=variables)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown)
    assert "run   Unit tests  run-unit" in _ESCAPE.sub("", shown)


def test_long_lines_go_on_deeper_than_they_begin_and_lose_nothing(step: Step) -> None:
    lines = _ESCAPE.sub("", on_terminal(step, _LONG, "gpu/x")).splitlines()
    assert max(map(len, lines)) <= 80
    start = next(number for number, line in enumerate(lines) if line.startswith("        src/"))
    rest = [line for line in lines[start + 1 :] if line.startswith(" " * 12)]
    assert "".join([lines[start], *rest]).replace(" ", "") == f"{_LONG}modifiedby/src/rules.yaml:6"


def test_no_path_controls_the_terminal(step: Step) -> None:
    shown = on_terminal(step, "src/\x1b]0;title\x07\x1b[2J[bold]x[/bold]:smile:")
    assert "src/\\x1b]0;title\\x07\\x1b[2J[bold]x[/bold]:smile:" in _ESCAPE.sub("", shown).replace("\n            ", "")


def test_a_replay_shows_a_bar_and_a_page_of_80_columns(tmp_path: Path) -> None:
    built = history.build(tmp_path / "long", 300)
    (tmp_path / "old.yaml").write_text(history.OLD_RULES, encoding="utf-8")
    words = ("replay", "main", "--against", str(tmp_path / "old.yaml"))
    shown = command_on_terminal(built.directory, words, variables={}, with_errors=True)
    assert "Replaying" in shown
    assert "100%" in shown
    assert "\x1b[33mnewly skipped\x1b[0m: run-gpu." in shown
    page = _ESCAPE.sub("", command_on_terminal(built.directory, words, variables={"NO_COLOR": "1"}))
    assert page.startswith("300 changes as pull_request.")
    assert max(map(len, page.splitlines())) <= 80
