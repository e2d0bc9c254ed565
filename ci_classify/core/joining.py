"""Changes of several comparisons, or of one and what lies about beside it, as one list in order of path."""

from collections.abc import Iterable, Sequence

from ci_classify.core.model import ChangeKind, Changes, ChangeType


def union(parts: Sequence[Changes]) -> Changes:
    """Return the changes of all parts; a path that differs in several ways counts in each."""
    if len(parts) == 1:
        return parts[0]
    return _sorted({pair for part in parts for pair in zip(part.paths, part.kinds, strict=True)})


def _sorted(pairs: Iterable[tuple[str, ChangeKind]]) -> Changes:
    ordered = sorted(pairs, key=lambda pair: (pair[0].encode("utf-8", "surrogateescape"), pair[1].type))
    return Changes(paths=[path for path, _ in ordered], kinds=[kind for _, kind in ordered])


def with_untracked(tracked: Changes, listed: Sequence[str]) -> Changes:
    """Return changes with those that adding untracked paths would make.

    A repository inside of this one, which git lists as a directory, would become a submodule. What is tracked
    at the base and only lies about here is on both sides.
    """
    new = {path.removesuffix("/"): path.endswith("/") for path in listed}
    known = set(zip(tracked.paths, tracked.kinds, strict=True))
    old = {path: kind.old_is_submodule for path, kind in known if path in new}
    pairs = {(path, kind) for path, kind in known if path not in new}
    for path, is_submodule in new.items():
        type_ = ChangeType.MODIFIED if path in old else ChangeType.ADDED
        was_submodule = old.get(path, False)
        pairs.add((path, ChangeKind(type=type_, old_is_submodule=was_submodule, new_is_submodule=is_submodule)))
    return _sorted(pairs)
