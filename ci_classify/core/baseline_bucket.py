"""Buckets: the parts of a test suite that have a baseline each, and the prefix of the keys of their baselines."""

import hashlib
from enum import StrEnum

from ci_classify.core.baseline import Baseline, BaselineError, ErrorCode
from ci_classify.core.record import Record

GLOB_SIGNS = frozenset("*?[")


class BucketKind(StrEnum):
    """What the path of a bucket stands for."""

    DIRECTORY = "directory"
    GLOB = "glob"
    FILE = "file"


class Bucket(Record):
    """A bucket whose path was checked. Its scoped files are at the ancestors of the anchor, at it, perhaps below it."""

    path: str
    kind: BucketKind

    @property
    def anchor(self) -> str:
        """The directory itself; of a glob the leading components without signs; of a file its parent."""
        parts = self.path.split("/")
        match self.kind:
            case BucketKind.DIRECTORY:
                return self.path
            case BucketKind.FILE:
                return "/".join(parts[:-1])
            case BucketKind.GLOB:
                first = next(number for number, part in enumerate(parts) if not GLOB_SIGNS.isdisjoint(part))
                return "/".join(parts[:first])

    @property
    def takes_what_lies_below(self) -> bool:
        """Whether scoped files below the anchor count too."""
        return self.kind is not BucketKind.FILE


def check_path(path: str, root: str) -> str | None:
    """Return what is wrong with the path of a bucket below a root, or None."""
    if not path:
        return "it is empty"
    if not path.isprintable():
        return "it holds a control character or one that can't be seen"
    if "\\" in path:
        return "it holds a backslash"
    if path.startswith("/"):
        return "it is absolute"
    if any(part in {"", ".", ".."} for part in path.split("/")):
        return "it is not normalised: no component may be empty, . or .."
    if not lies_at_or_below(path, root):
        return f"it lies outside of {root}"
    return None


def lies_at_or_below(path: str, directory: str) -> bool:
    """Return whether a path is a directory or lies below it; components count, not characters."""
    return not directory or path == directory or path.startswith(f"{directory}/")


def bucket_of(baseline: Baseline, path: str, kind: BucketKind) -> Bucket:
    """Return a bucket of a baseline, or raise BaselineError."""
    check_bucket(baseline, path)
    if is_glob(path) != (kind is BucketKind.GLOB):
        what = "holds none of * ? [" if kind is BucketKind.GLOB else "holds * ? or ["
        raise BaselineError(ErrorCode.BUCKET_KIND_MISMATCH, f"the bucket {path!a} is no {kind}: it {what}")
    return Bucket(path=path, kind=kind)


def check_bucket(baseline: Baseline, path: str) -> None:
    """Raise BaselineError unless a path may be a bucket of a baseline."""
    wrong = check_path(path, baseline.bucket_root)
    if wrong is not None:
        raise BaselineError(ErrorCode.INVALID_BUCKET, f"the bucket {path!a} is refused: {wrong}")
    if baseline.bucket_names and path not in baseline.bucket_names:
        raise BaselineError(ErrorCode.INVALID_BUCKET, f"the policy of {baseline.name} names no bucket {path!a}")


def is_glob(path: str) -> bool:
    """Return whether a path holds a sign of globs."""
    return not GLOB_SIGNS.isdisjoint(path)


def check_platform(baseline: Baseline, platform: str) -> None:
    """Raise BaselineError unless a platform is declared, exactly so."""
    if platform not in baseline.platforms:
        raise BaselineError(
            ErrorCode.UNSUPPORTED_PLATFORM,
            f"{baseline.name} has no platform {platform!a}; it has {', '.join(baseline.platforms) or 'none'}",
        )


def prefix(baseline: Baseline, bucket: str, platform: str) -> str:
    """Return the start of the keys of all recordings of a bucket on a platform; content has no influence."""
    branch = baseline.branch.rpartition("/")[2]
    bucket_id = hashlib.sha256(bucket.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{baseline.namespace}-v{baseline.schema}-{branch}-{platform}-{bucket_id}-"


def named_buckets(baseline: Baseline) -> tuple[str, ...]:
    """Return the buckets that a policy names: its list, else those of its groups and of ``never``."""
    if baseline.bucket_names:
        return baseline.bucket_names
    found = [name for group in baseline.groups for name in group.buckets or ()]
    return tuple(dict.fromkeys((*found, *(name.rstrip("/") for name in baseline.selective.never))))
