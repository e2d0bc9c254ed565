"""The inputs of a bucket: groups of a policy become sets of patterns, which the one matcher looks for in a tree.

So a baseline's inputs are sets like those of a suite, and a change of them is what would select a suite with
these terms. Refuses: symbolic links, since what they lead to is not what is stored.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from ci_classify.core.baseline import Baseline, BaselineError, ErrorCode, InputGroup
from ci_classify.core.baseline_bucket import GLOB_SIGNS, Bucket, BucketKind, check_platform, lies_at_or_below
from ci_classify.core.identity import places_by_set
from ci_classify.core.model import PathSet, Pattern, Rules, Term
from ci_classify.core.patterns import literal_pattern
from ci_classify.core.record import Record
from ci_classify.core.set_evaluator import SetEvaluator
from ci_classify.core.tree import LINK, Tree, TreeEntry

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)\}")

_BYTE_CODE = ("*.pyc", "*.pyo")
_CACHES = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache")


class GroupInputs(Record):
    """A group that applies to a bucket, and the entries of a tree that are its inputs."""

    group: InputGroup
    entries: tuple[TreeEntry, ...]


def inputs_of(baseline: Baseline, bucket: Bucket, platform: str, tree: Tree) -> tuple[GroupInputs, ...]:
    """Return the inputs of a bucket by group, in the order of the policy, or raise BaselineError."""
    check_platform(baseline, platform)
    _check_kind(bucket, tree)
    values = baseline.platforms[platform]
    groups = [group for group in baseline.groups if applies(group, bucket, platform)]
    _refuse_links_above(bucket, groups, values, tree)
    evaluator = SetEvaluator(Rules(file=""), [path_set(group, bucket, values) for group in groups])
    found = places_by_set(evaluator, tree, len(groups), lambda mask: evaluator.containing(mask, None))
    result = []
    for group, runs in zip(groups, found, strict=True):
        entries = tuple(tree.entry(place) for run in runs for place in run)
        link = next((entry.path for entry in entries if entry.mode == LINK), None)
        if link is not None:
            raise BaselineError(ErrorCode.SYMLINKED_INPUT, f"{link!a}, an input of {group.name}, is a symbolic link")
        result.append(GroupInputs(group=group, entries=entries))
    return tuple(result)


def applies(group: InputGroup, bucket: Bucket, platform: str) -> bool:
    """Return whether a group is not limited to other platforms or buckets."""
    return (group.platforms is None or platform in group.platforms) and (
        group.buckets is None or bucket.path in group.buckets
    )


def path_set(group: InputGroup, bucket: Bucket, values: Mapping[str, str]) -> PathSet:
    """Return a group as the set of the paths that it means for a bucket on a platform with these values."""
    texts = [
        *(text for path in directories_of(group, values) for text in _directory(path)),
        *(_filled_glob(glob, values) for glob in group.globs),
        *(literal_pattern(filled(path, values)) for path in group.files),
        *(text for name in group.scoped for text in _scoped(name, group.scope_root, bucket)),
    ]
    return PathSet(terms=tuple(_term(text) for text in texts))


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a declared path with the values of a platform in place of ``{placeholders}``."""
    return PLACEHOLDER.sub(lambda match: values[match[1]], text)


def directories_of(group: InputGroup, values: Mapping[str, str]) -> list[str]:
    """Return the directories that a group takes whole, each behind those above it."""
    return sorted(filled(path, values) for path in group.directories)


def _filled_glob(glob: str, values: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: literal_pattern(values[match[1]])[1:], glob)


def _term(text: str) -> Term:
    return Term(matches=Pattern(text=text.removeprefix("!"), line=0), positive=not text.startswith("!"))


def _directory(path: str) -> Iterator[str]:
    """Return terms for a directory without byte code and caches; a directory that is named like byte code stays."""
    top = literal_pattern(path)
    yield top
    yield from (f"!{top}/**/{name}" for name in _BYTE_CODE)
    yield from (f"{top}/**/{name}/" for name in _BYTE_CODE)
    yield from (f"!{top}/**/{name}/" for name in _CACHES)


def _scoped(name: str, root: str, bucket: Bucket) -> Iterator[str]:
    """Return terms for files of a name from a root down to the anchor of a bucket, and below it where that counts."""
    anchor = bucket.anchor
    if lies_at_or_below(anchor, root):
        yield from (_at(directory, name) for directory in above(anchor) if lies_at_or_below(directory, root))
    if bucket.takes_what_lies_below:
        deepest = anchor if lies_at_or_below(anchor, root) else root
        if lies_at_or_below(deepest, anchor):
            yield _at(deepest, name, "/**")


def above(path: str) -> Iterator[str]:
    """Return the directories above a path from the top of the repository, which is empty text, and the path itself."""
    yield ""
    if path:
        yield from accumulate(path.split("/"), lambda directory, part: f"{directory}/{part}")


def _at(directory: str, name: str, between: str = "") -> str:
    top = literal_pattern(directory) if directory else ""
    return f"{top}{between}{literal_pattern(name)}"


def _check_kind(bucket: Bucket, tree: Tree) -> None:
    """Refuse a bucket that is something else in the tree; one that is not there has its scoped files all the same."""
    if bucket.kind is BucketKind.DIRECTORY and bucket.path in tree.paths:
        raise BaselineError(ErrorCode.BUCKET_KIND_MISMATCH, f"the bucket {bucket.path!a} is a file, no directory")
    if bucket.kind is BucketKind.FILE and _has_below(tree.paths, bucket.path):
        raise BaselineError(ErrorCode.BUCKET_KIND_MISMATCH, f"the bucket {bucket.path!a} is a directory, no file")


def kind_in(tree: Tree, path: str) -> BucketKind:
    """Return what a path is by its signs, else in a tree, or raise BaselineError where it is not there."""
    if not GLOB_SIGNS.isdisjoint(path):
        return BucketKind.GLOB
    if _has_below(tree.paths, path):
        return BucketKind.DIRECTORY
    if path in tree.paths:
        return BucketKind.FILE
    raise BaselineError(ErrorCode.INVALID_BUCKET, f"the bucket {path!a} is not in the tree; say what it is by --kind")


def _has_below(paths: Iterable[str], directory: str) -> bool:
    return any(path.startswith(f"{directory}/") for path in paths)


def _refuse_links_above(bucket: Bucket, groups: Iterable[InputGroup], values: Mapping[str, str], tree: Tree) -> None:
    """Raise BaselineError where a declared path leads through a symbolic link, so that nothing would match."""
    links = {tree.paths[place] for place in tree.places_of(LINK)}
    if not links:
        return
    for path in (bucket.anchor, *(path for group in groups for path in _leading_to(group, values))):
        link = next((directory for directory in above(path) if directory in links), None)
        if link is not None:
            raise BaselineError(ErrorCode.SYMLINKED_INPUT, f"{link!a}, on the way to {path!a}, is a symbolic link")


def _leading_to(group: InputGroup, values: Mapping[str, str]) -> Iterator[str]:
    yield from (filled(path, values) for path in (*group.files, *group.directories))
    yield group.scope_root
    for glob in group.globs:
        leading = _filled_glob(glob, values).removeprefix("/")
        parts = leading.removesuffix("/").split("/")
        if "/" in glob.removesuffix("/") and not glob.startswith("!"):
            plain = next((n for n, part in enumerate(parts) if not GLOB_SIGNS.isdisjoint(part)), len(parts))
            yield "/".join(part.replace("\\", "") for part in parts[:plain])
