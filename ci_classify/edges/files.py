"""Reading files of bounded size, and appending to files in one write.

Refuses: to follow a name beyond a regular file where a file is meant.
"""

import os
import stat
import sys
from pathlib import Path

MAX_FILE_BYTES = 64 << 20


class FileProblemError(Exception):
    """A file can't be read or written; the message names it and says why."""


def read(path: Path, *, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return the bytes of a regular file, or raise FileProblemError."""
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileProblemError(f"{path} is no regular file")
            content = file.read(limit + 1)
    except OSError as error:
        raise FileProblemError(f"{path} can't be read: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in the name
        raise FileProblemError(f"{str(path)!r} can't be read: {error}") from None
    if len(content) > limit:
        raise FileProblemError(f"{path} is larger than {limit >> 20} MiB")
    return content


def read_standard_input(*, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return the bytes of standard input, or raise FileProblemError."""
    if sys.stdin is None:
        raise FileProblemError("standard input is closed")
    try:
        content = sys.stdin.buffer.read(limit + 1)
    except OSError as error:
        raise FileProblemError(f"standard input can't be read: {error.strerror or error}") from None
    if len(content) > limit:
        raise FileProblemError(f"standard input is larger than {limit >> 20} MiB")
    return content


def append(path: Path, content: bytes) -> None:
    """Append to a file in one write, behind a line end, or raise FileProblemError."""
    try:
        with path.open("ab") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode) and file.tell() and not _ends_a_line(path):
                content = b"\n" + content
            file.write(content)
    except OSError as error:
        raise FileProblemError(f"{path} can't be written: {error.strerror or error}") from None


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def size(path: Path) -> int:
    """Return the size of a file in bytes, 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
