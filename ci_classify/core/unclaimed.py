"""Some paths of a tree by directory: as few directories as can tell them from the others."""

from collections import defaultdict
from collections.abc import Sequence

from ci_classify.core.record import Record

_FIRST = 3


class Group(Record):
    """Marked paths of one directory: all that lie below it (``whole``), or some of its own files."""

    directory: str
    count: int
    whole: bool
    first: tuple[str, ...]


def directories(paths: Sequence[str], marked: Sequence[bool]) -> list[Group]:
    """Return the marked paths in groups, in order of the directories; "" is the top."""
    total: dict[str, int] = defaultdict(int)
    count: dict[str, int] = defaultdict(int)
    for path, is_marked in zip(paths, marked, strict=True):
        for directory in _above(path):
            total[directory] += 1
            count[directory] += is_marked
    found: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for path, is_marked in zip(paths, marked, strict=True):
        if is_marked:
            above = _above(path)
            whole = next((directory for directory in above if count[directory] == total[directory]), None)
            found[(above[-1], False) if whole is None else (whole, True)].append(path)
    return [
        Group(
            directory=directory,
            count=len(group),
            whole=whole,
            first=tuple(path.rpartition("/")[2] for path in group[:_FIRST]),
        )
        for (directory, whole), group in sorted(found.items())
    ]


def _above(path: str) -> list[str]:
    """Return the directories of a path, from the top."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(len(parts) + 1)]
