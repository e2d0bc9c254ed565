"""The raw format in which git prints differences with ``-z``: a record, NUL, a path, NUL, and so on.

A record is ":100644 100755 OLD-ID NEW-ID M": two modes, two objects, and how they differ. Source: git-diff-tree(1).
"""

import re

from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.model import ChangeKind, Changes, ChangeType
from ci_classify.core.tree import SUBMODULE

_RECORD = re.compile(r":([0-7]{6}) ([0-7]{6}) ([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (.+)")
_TYPES = {
    "A": ChangeType.ADDED,
    "M": ChangeType.MODIFIED,
    "D": ChangeType.DELETED,
    "T": ChangeType.TYPE_CHANGED,
}


class RawDiff:
    """Reads differences in blocks, cut anywhere. What isn't understood raises CannotClassifyError."""

    def __init__(self) -> None:
        self._rest = b""  # of a record or path
        self._record: list[str] = []  # one whose path has not come yet
        self._lengths: set[int] = set()  # of records that were understood
        self._known = _Kinds()
        self._paths: list[str] = []
        self._kinds: list[ChangeKind] = []

    def read(self, block: bytes) -> None:
        """Take in the next bytes."""
        whole, end, rest = block.rpartition(b"\0")
        if not end:
            self._rest += block
            return
        text = (self._rest + whole).decode("utf-8", "surrogateescape")
        self._rest = rest
        parts = [*self._record, *text.split("\0")]
        self._record = [parts.pop()] if len(parts) % 2 else []
        records, paths = parts[::2], parts[1::2]
        if not all(paths):
            raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, "git printed an empty path")
        for length in set(map(len, records)) - self._lengths:
            kind_of(next(record for record in records if len(record) == length))
            self._lengths.add(length)
        self._paths += paths
        # Modes and letter say what kind of change it is; there are a handful of kinds in 100,000 changes.
        self._kinds += [self._known[record[:15] + record[-2:]] for record in records]

    def changes(self) -> Changes:
        """Return all changes in the order in which they came, at the end of the output."""
        if self._rest or self._record:
            raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, "the output of git ends within a record")
        return Changes(paths=self._paths, kinds=self._kinds)


def parse_raw(output: bytes) -> Changes:
    """Return the changes in a whole output."""
    reader = RawDiff()
    reader.read(output)
    return reader.changes()


def kind_of(record: str) -> ChangeKind:
    """Return what a record says of a change, or raise CannotClassifyError where it is not understood."""
    match = _RECORD.fullmatch(record)
    if match is None or match[5] not in _TYPES:
        raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, f"git printed the record {record[:200]!r}")
    return _kind(match[1], match[2], match[5])


def _kind(old_mode: str, new_mode: str, letter: str) -> ChangeKind:
    return ChangeKind(
        type=_TYPES[letter],
        old_is_submodule=old_mode == SUBMODULE,
        new_is_submodule=new_mode == SUBMODULE,
    )


class _Kinds(dict[str, ChangeKind]):
    """Kinds by the modes and the letter of a record, ":100644 100755 " and " M" together."""

    def __missing__(self, key: str) -> ChangeKind:
        """Understand another kind."""
        kind = self[key] = kind_of(f"{key[:15]}{'0' * 40} {'0' * 40}{key[15:]}")
        return kind
