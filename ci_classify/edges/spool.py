"""Text that may be long and that is shown only once it is whole: in memory first, then in a file without a name."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Self

from ci_classify.edges import console

_IN_MEMORY = 1 << 20
_BLOCK = 1 << 20


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise console.UnwritableError(f"no temporary file can be written: {error.strerror or error}") from None


class Spool:
    """Collects text."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8")  # noqa: SIM115 -- closed below

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Drop the text."""
        with suppress(OSError):  # what could not be written was told
            self._file.close()

    def add(self, text: str) -> None:
        """Take in text, or raise UnwritableError."""
        with _told():
            self._file.write(text)

    def show(self) -> None:
        """Write all of it to standard output."""
        with _told():
            self._file.seek(0)
        while block := self._file.read(_BLOCK):
            console.write(block)
