"""The identity of a bucket on a platform: the contract that must hold, what is only reported, what is only noted.

Two contracts are equal when their canonical forms are: JSON with sorted keys, in ASCII, without spaces. The
digest is SHA-256 of that form.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from ci_classify.core.baseline import Baseline, BaselineError, ErrorCode
from ci_classify.core.baseline_bucket import Bucket, prefix
from ci_classify.core.baseline_inputs import GroupInputs
from ci_classify.core.record import Record
from ci_classify.core.tree import SUBMODULE, Tree, TreeEntry

Json = Mapping[str, object]
Maps = Mapping[str, Mapping[str, str]]  # group -> path -> "MODE ID", or the extracted text

DIGEST_IN_KEY = 12  # hexadecimal digits


class BaselineIdentity(Record):
    """What a bucket depends on. ``contract`` and ``reported`` are in the shape of their JSON."""

    baseline: str
    schema: int
    prefix: str
    tree: str
    contract: Json
    reported: Maps
    diagnostics: Mapping[str, str]

    @property
    def digest(self) -> str:
        """The digest of the contract."""
        return digest(self.contract)

    @property
    def exact_prefix(self) -> str:
        """The start of the keys of recordings with exactly this contract."""
        return exact_prefix(self.prefix, self.contract)

    @property
    def as_json(self) -> Json:
        """The identity as it is printed."""
        return {
            "schema": self.schema,
            "baseline": self.baseline,
            "prefix": self.prefix,
            "exact_prefix": self.exact_prefix,
            "digest": self.digest,
            "tree": self.tree,
            "contract": self.contract,
            "reported": self.reported,
            "diagnostics": self.diagnostics,
        }


def identity(
    baseline: Baseline,
    bucket: Bucket,
    platform: str,
    tree: Tree,
    inputs: Iterable[GroupInputs],
    contents: Mapping[str, bytes],
    diagnostics: Mapping[str, str],
) -> BaselineIdentity:
    """Return the identity of a bucket, given its inputs and the contents, by id, of what ``to_extract`` names."""
    invalidating: dict[str, dict[str, str]] = {}
    reported: dict[str, dict[str, str]] = {}
    for found in inputs:
        maps = reported if found.group.reports_only else invalidating
        maps[found.group.name] = {entry.path: _value(found, entry, contents) for entry in found.entries}
    decisive = {path for paths in invalidating.values() for path in paths}
    contract = {
        "schema": baseline.schema,
        "tool": {"name": baseline.tool.name, "version": baseline.tool.version},
        "platform": platform,
        "bucket": bucket.path,
        "kind": bucket.kind.value,
        "hash_scheme": "git-sha256" if len(tree.commit) == 64 else "git-sha1",
        "inputs": invalidating,
    }
    return BaselineIdentity(
        baseline=baseline.name,
        schema=baseline.schema,
        prefix=prefix(baseline, bucket.path, platform),
        tree=tree.id,
        contract=contract,
        reported={
            name: {path: value for path, value in paths.items() if path not in decisive}
            for name, paths in reported.items()
        },
        diagnostics=diagnostics,
    )


def to_extract(inputs: Iterable[GroupInputs]) -> tuple[TreeEntry, ...]:
    """Return the entries of which the content must be read."""
    return tuple(entry for found in inputs if found.group.extract is not None for entry in found.entries)


def _value(found: GroupInputs, entry: TreeEntry, contents: Mapping[str, bytes]) -> str:
    pattern = found.group.extract
    if pattern is None:
        return f"{entry.mode} {entry.oid}"
    content = b"" if entry.mode == SUBMODULE else contents[entry.oid]
    text = content.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    captured = [match[1] or "" for match in re.finditer(pattern, text, re.MULTILINE)]
    if not captured:
        raise BaselineError(
            ErrorCode.EXTRACT_EMPTY, f"nothing in {entry.path!a} matches the expression of {found.group.name}"
        )
    return "\n".join(captured)


def canonical(value: object) -> str:
    """Return the canonical form of a JSON value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(contract: Json) -> str:
    """Return the digest of a contract."""
    return hashlib.sha256(canonical(contract).encode("ascii")).hexdigest()


def exact_prefix(start: str, contract: Json) -> str:
    """Return a prefix with the digest of a contract behind it."""
    return f"{start}{digest(contract)[:DIGEST_IN_KEY]}-"


class Difference(Record):
    """How two maps of inputs differ, as paths by group. A group that is only on one side differs by name as well."""

    added: Mapping[str, Sequence[str]]
    removed: Mapping[str, Sequence[str]]
    edited: Mapping[str, Sequence[str]]
    groups: Sequence[str]

    @property
    def by_group(self) -> dict[str, list[str]]:
        """All paths that differ by group, and each group that differs."""
        found: dict[str, set[str]] = {name: set() for name in self.groups}
        for part in (self.added, self.removed, self.edited):
            for name, paths in part.items():
                found.setdefault(name, set()).update(paths)
        return {name: sorted(found[name]) for name in sorted(found)}


def difference(old: object, new: object) -> Difference:
    """Return how two maps differ, of which the old one may be any JSON value."""
    before, after = _maps(old), _maps(new)
    added, removed, edited = {}, {}, {}
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name, {}), after.get(name, {})
        added[name] = sorted(other.keys() - one.keys())
        removed[name] = sorted(one.keys() - other.keys())
        edited[name] = sorted(path for path in one.keys() & other.keys() if one[path] != other[path])
    parts = ({name: paths for name, paths in part.items() if paths} for part in (added, removed, edited))
    return Difference(
        **dict(zip(("added", "removed", "edited"), parts, strict=True)), groups=sorted(before.keys() ^ after.keys())
    )


def _maps(value: object) -> dict[str, dict[str, object]]:
    groups = value.items() if isinstance(value, Mapping) else ()
    return {str(name): dict(paths) if isinstance(paths, Mapping) else {} for name, paths in groups}
