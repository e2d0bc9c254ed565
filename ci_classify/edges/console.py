"""Printing: with colours and wrapping on a terminal (by rich), as plain text elsewhere.

rich is imported on a terminal only: a detector in CI never pays for it.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

Span = tuple[str, str]  # printable text, and how rich names its style
Line = tuple[int, Sequence[Span]]  # indentation in columns, and what stands behind it


def prepare() -> None:
    """Make every character printable on any terminal, escaped where its encoding lacks it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def in_ci() -> bool:
    """Return whether GitHub reads what is printed, and with it workflow commands."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def show(lines: Iterable[Line]) -> None:
    """Print lines, on a terminal with colours and wrapped behind their indentation."""
    if not sys.stdout.isatty():
        write(plain_text(lines))
        return
    from rich.console import Console  # noqa: PLC0415 -- see above
    from rich.padding import Padding  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    terminal = Console(highlight=False, markup=False, emoji=False)
    for indent, spans in lines:
        terminal.print(Padding(Text.assemble(*spans), (0, 0, 0, indent)))


def plain_text(lines: Iterable[Line]) -> str:
    """Return lines without colours and without wrapping."""
    return "".join(" " * indent + "".join(text for text, _ in spans) + "\n" for indent, spans in lines)


def write(text: str) -> None:
    """Write text to standard output."""
    _write(sys.stdout, text)


def say(lines: Iterable[str]) -> None:
    """Write lines to standard error."""
    _write(sys.stderr, "".join(f"{line}\n" for line in lines))


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # The reader has left, which is no error. Python flushes again when it ends; that has to work.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
