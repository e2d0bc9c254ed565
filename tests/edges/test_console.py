"""What a terminal of 80 columns shows, by running the command on a real one."""

import os
import pty
import re
import subprocess
from collections.abc import Mapping

import pytest
from support.step import COMMAND, Step

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_LONG = "src/" + "a-name-that-goes-on-" * 5 + "end.py"


def on_terminal(step: Step, *paths: str, variables: Mapping[str, str] | None = None) -> str:
    """Return what a run outside of CI writes to a terminal."""
    (step.directory / "list").write_bytes(b"\0".join(path.encode("utf-8", "surrogateescape") for path in paths) + b"\0")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "50", **(variables or {})}
    words = [*COMMAND, "run", "--paths-from", str(step.directory / "list")]
    with subprocess.Popen(
        words, stdout=theirs, stdin=subprocess.DEVNULL, env=environment, cwd=step.repository
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
