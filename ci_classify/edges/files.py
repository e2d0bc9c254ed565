"""Reading files of bounded size, appending to files in one write, and writing files whole or not at all.

Refuses: to follow a name beyond a regular file where a file is meant.
"""

import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress

from ci_classify.edges.places import AnyPath

MAX_FILE_BYTES = 64 << 20


class FileProblemError(Exception):
    """A file can't be read or written; the message names it and says why."""


_EMPTY = "''"  # a name that would not show
_NOT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOREIGN = _NOT_WAITING | getattr(os, "O_NOFOLLOW", 0)


def not_waiting(path: str, _: int) -> int:
    """Open a file for reading, as ``opener``: a pipe does not wait for a writer."""
    return os.open(path, _NOT_WAITING)


def foreign(path: str, _: int) -> int:
    """Open a file of unknown origin for reading, as ``opener``: a link fails, and a pipe does not wait for a writer."""
    return os.open(path, _FOREIGN)


def read(path: AnyPath, *, limit: int = MAX_FILE_BYTES, opener: Callable[[str, int], int] = not_waiting) -> bytes:
    """Return the bytes of a regular file, or raise FileProblemError."""
    try:
        with open(path, "rb", opener=opener) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileProblemError(f"{path} is no regular file")
            content = file.read(limit + 1)
    except OSError as error:
        raise FileProblemError(f"{path or _EMPTY} can't be read: {error.strerror or error}") from None
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


def append(path: AnyPath, content: bytes) -> None:
    """Append to a file in one write, behind a line end, or raise FileProblemError.

    A regular file that can't take all of it is as it was.
    """
    try:
        with open(path, "ab", buffering=0) as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            before = file.tell() if is_regular else 0
            rest = content if not before or _ends_a_line(path) else b"\n" + content
            try:
                while rest:
                    rest = rest[file.write(rest) :]
            except OSError:
                if is_regular:
                    file.truncate(before)
                raise
    except OSError as error:
        raise FileProblemError(f"{path} can't be written: {error.strerror or error}") from None


def write_whole(path: AnyPath, content: bytes) -> None:
    """Write a file so that either the old or the new content is there, whatever happens, or raise FileProblemError."""
    temporary = None
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a device must not become a file
            raise FileProblemError(f"{path} can't be written: it is no regular file")
        import tempfile  # noqa: PLC0415 -- a run in CI only appends

        descriptor, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=os.path.dirname(path) or ".")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode())
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
        raise FileProblemError(f"{path} can't be written: {error.strerror or error}") from None


def _mode() -> int:
    """Return the permissions of a file that anybody else would have made; a temporary one has fewer."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _ends_a_line(path: AnyPath) -> bool:
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def size(path: AnyPath) -> int:
    """Return the size of a file in bytes, 0 where there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
