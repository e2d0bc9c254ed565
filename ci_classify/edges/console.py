"""Printing: with colours and wrapping on a terminal (by rich), as plain text elsewhere.

rich is imported on a terminal only: a detector in CI never pays for it.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from ci_classify.core.annotations import TYPE_CHECKING, NoReturn, TextIO

Span = tuple[str, str]  # printable text, and how rich names its style
_HANGING = 4  # columns by which the rest of a long line is indented
_NARROWEST = 20
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")
Line = tuple[int, Sequence[Span]]  # indentation in columns, and what stands behind it


class UnwritableError(Exception):
    """Standard output can't be written; the message says why."""


def prepare() -> None:
    """Make every character printable on any terminal, escaped where its encoding lacks it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def in_ci() -> bool:
    """Return whether GitHub reads what is printed, and with it workflow commands."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def show(lines: Iterable[Line]) -> None:
    """Print lines; on a terminal with colours, and wrapped a little deeper than they begin."""
    if sys.stdout is None or not sys.stdout.isatty():
        write(plain_text(lines))
        return
    from rich.console import Console  # noqa: PLC0415 -- see above
    from rich.text import Text  # noqa: PLC0415

    terminal = Console(highlight=False, markup=False, emoji=False)
    for indent, spans in lines:
        line = Text.assemble(*spans)
        room = terminal.width - indent
        fits = line.cell_len <= room
        for number, part in enumerate([line] if fits else line.wrap(terminal, max(room - _HANGING, _NARROWEST))):
            part.rstrip()
            terminal.print(Text(" " * (indent + _HANGING * bool(number))) + part, soft_wrap=True)


def plain_text(lines: Iterable[Line]) -> str:
    """Return lines without colours and without wrapping."""
    return "".join(" " * indent + "".join(text for text, _ in spans) + "\n" for indent, spans in lines)


def write(text: str) -> None:
    """Write text to standard output."""
    _write(sys.stdout, text)


def say(lines: Iterable[str]) -> None:
    """Write lines to standard error."""
    _write(sys.stderr, "".join(f"{line}\n" for line in lines))


def progress(items: "Iterable[T]", total: Callable[[], int], what: str) -> "Iterator[T]":
    """Go through items, with a bar on standard error where that is a terminal; only then is the total asked for."""
    if sys.stderr is None or not sys.stderr.isatty() or in_ci():
        yield from items
        return
    from rich.console import Console  # noqa: PLC0415 -- see above
    from rich.progress import track  # noqa: PLC0415

    terminal = Console(stderr=True, highlight=False, markup=False, emoji=False)
    yield from track(items, description=what, total=total(), console=terminal, transient=True)


def leave(code: int) -> NoReturn:
    """End the process at once: everything is written, and taking the interpreter apart costs as much as git does."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            if stream is not None:
                stream.flush()
    os._exit(code)


def _write(stream: TextIO | None, text: str) -> None:
    """Write and flush. A stream that was closed takes everything; so does one whose reader has left."""
    if stream is None:
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # What is left in the stream's buffer has to go somewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            raise UnwritableError(f"standard output can't be written: {error.strerror}") from None
