"""Trees as values, without git: what each path holds, and what differs between two of them."""

import hashlib
from collections.abc import Mapping

from ci_classify.core.model import ChangeKind, Changes, ChangeType
from ci_classify.core.tree import SUBMODULE, Tree

FILE, EXECUTABLE, LINK = "100644", "100755", "120000"
MODES = (FILE, EXECUTABLE, LINK, SUBMODULE)

Stored = tuple[str, str]  # mode and content
Files = Mapping[str, Stored]


def tree(files: Files) -> Tree:
    """Return a tree as git would list it; the id of an object is made from its content alone."""
    ordered = sorted(files.items(), key=lambda item: item[0].encode("utf-8", "surrogateescape"))
    records = [f"{_object(*stored)}\t{path}" for path, stored in ordered]
    text = repr(ordered).encode("utf-8", "surrogateescape")
    return Tree(commit="c" * 40, id=_id(text), paths=[path for path, _ in ordered], records=records)


def _object(mode: str, content: str) -> str:
    return f"{mode} {'commit' if mode == SUBMODULE else 'blob'} {_id(content.encode())}"


def _id(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


def changes(old: Files, new: Files) -> Changes:
    """Return what git says about the difference of two trees."""
    found = []
    for path in sorted(old.keys() | new.keys()):
        before, after = old.get(path), new.get(path)
        if before != after:
            found.append((path, _kind(before, after)))
    return Changes(paths=[path for path, _ in found], kinds=[kind for _, kind in found])


def _kind(before: Stored | None, after: Stored | None) -> ChangeKind:
    if before is None:
        type_ = ChangeType.ADDED
    elif after is None:
        type_ = ChangeType.DELETED
    else:
        same_kind = before[0][:3] == after[0][:3]  # 100644 and 100755 are both files
        type_ = ChangeType.MODIFIED if same_kind else ChangeType.TYPE_CHANGED
    return ChangeKind(
        type=type_,
        old_is_submodule=before is not None and before[0] == SUBMODULE,
        new_is_submodule=after is not None and after[0] == SUBMODULE,
    )
