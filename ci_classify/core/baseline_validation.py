"""Is a restored recording valid for the current identity? The first check that fails says why not.

The order of the checks is the specification (docs/baselines.md, "Validation"). Facts come in, a refusal or
nothing comes out: whatever a manifest or a database holds, there is an answer.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from ci_classify.core.annotations import assert_never
from ci_classify.core.baseline import Artifact, Baseline, OpaqueArtifact, SqliteArtifact
from ci_classify.core.baseline_bucket import lies_at_or_below
from ci_classify.core.baseline_identity import (
    BaselineIdentity,
    Json,
    canonical,
    difference,
    exact_prefix,
)
from ci_classify.core.baseline_inputs import directories_of
from ci_classify.core.commit_ids import is_commit_id
from ci_classify.core.record import Record

COMPATIBLE = "compatible"


class RefusalCode(StrEnum):
    """Why a recording is not valid."""

    CACHE_MISS = "cache-miss"
    MANIFEST_MISSING = "manifest-missing"
    MANIFEST_INVALID = "manifest-invalid"
    INVALID_GENERATION = "invalid-generation"
    KEY_MISMATCH = "key-mismatch"
    SCHEMA_MISMATCH = "schema-mismatch"
    IDENTITY_MISSING = "identity-missing"
    MAPPED_SOURCE_CHANGED = "mapped-source-changed"
    INPUTS_CHANGED = "inputs-changed"
    WRONG_SOURCE_REF = "wrong-source-ref"
    WRONG_SOURCE_SHA = "wrong-source-sha"
    MISSING_CREATED_AT = "missing-created-at"
    NAIVE_CREATED_AT = "naive-created-at"
    INVALID_CREATED_AT = "invalid-created-at"
    INCOMPLETE_PHASE = "incomplete-phase"
    RUNTIME_INVALID = "runtime-invalid"
    RUNTIME_CHANGED = "runtime-changed"
    DATABASE_MISSING = "database-missing"
    DATABASE_UNCHECKPOINTED = "database-uncheckpointed"
    DATABASE_CORRUPT = "database-corrupt"
    DATABASE_SCHEMA = "database-schema"
    DATABASE_CHECKSUM = "database-checksum"


class Refusal(Record):
    """Why a recording is not valid: a code, a sentence, and the inputs that changed, by group."""

    code: RefusalCode
    detail: str
    changed: Mapping[str, Sequence[str]]


class FileFacts(Record):
    """A file of an artifact, its size in bytes. ``damage`` says why it can't be read; None where it can."""

    name: str
    exists: bool
    damage: str | None
    size: int
    sha256: str


class DatabaseFacts(Record):
    """A database: its file, whether a log beside it is not written back, what it holds."""

    file: FileFacts
    has_log: bool
    user_version: int
    tables: frozenset[str]


class NoObject(StrEnum):
    """There is no JSON object: no file, or a file that holds something else."""

    ABSENT = "absent"
    UNREADABLE = "unreadable"


def _refuse(code: RefusalCode, detail: str, changed: Mapping[str, Sequence[str]] | None = None) -> Refusal:
    return Refusal(code=code, detail=detail, changed=changed or {})


# -- the manifest (checks 1 to 8) --------------------------------------------------------------------


def check_manifest(
    baseline: Baseline, identity: BaselineIdentity, matched_key: str, manifest: Json | NoObject
) -> Refusal | None:
    """Return the first refusal of what holds for a recording as a whole, or None."""
    if not matched_key:
        return _refuse(RefusalCode.CACHE_MISS, "no recording was found")
    if manifest is NoObject.ABSENT:
        return _refuse(RefusalCode.MANIFEST_MISSING, "there is no manifest.json")
    if isinstance(manifest, NoObject):
        return _refuse(RefusalCode.MANIFEST_INVALID, "manifest.json is no readable JSON object")
    return (
        _check_key(identity, matched_key, manifest)
        or _check_contract(baseline, identity, manifest)
        or check_source(baseline, manifest.get("source_ref"), manifest.get("source_sha"))
        or _check_time(manifest)
    )


def is_generation(value: object) -> bool:
    """Return whether a value is the number of a run and of its attempt."""
    return isinstance(value, str) and re.fullmatch(r"[0-9]+-[0-9]+", value) is not None


def _check_key(identity: BaselineIdentity, matched_key: str, manifest: Json) -> Refusal | None:
    generation = manifest.get("generation")
    if not is_generation(generation):
        return _refuse(RefusalCode.INVALID_GENERATION, f"the generation is {_shown(generation)}")
    # A key may carry the digest of the recording's own contract, which then tells what changed.
    contract = manifest.get("contract")
    recorded = {exact_prefix(identity.prefix, contract)} if isinstance(contract, Mapping) else set()
    if matched_key not in {f"{start}{generation}" for start in {identity.prefix, identity.exact_prefix} | recorded}:
        return _refuse(
            RefusalCode.KEY_MISMATCH,
            f"the key {_shown(matched_key)} is not that of generation {_shown(generation)} of this bucket",
        )
    return None


def _check_contract(baseline: Baseline, identity: BaselineIdentity, manifest: Json) -> Refusal | None:
    if canonical(manifest.get("schema")) != canonical(baseline.schema):
        return _refuse(
            RefusalCode.SCHEMA_MISMATCH, f"the schema is {_shown(manifest.get('schema'))}, not {baseline.schema}"
        )
    contract = manifest.get("contract")
    if not isinstance(contract, Mapping):
        return _refuse(RefusalCode.IDENTITY_MISSING, "the manifest holds no contract")
    if canonical(contract) == canonical(identity.contract):
        return None
    changed = difference(contract.get("inputs"), identity.contract.get("inputs")).by_group
    mapped = _mapped(baseline, identity, changed)
    if mapped:
        return _refuse(RefusalCode.MAPPED_SOURCE_CHANGED, f"changed: {_listed(mapped)}", changed)
    terms = sorted(
        name
        for name in contract.keys() | identity.contract.keys()
        if name != "inputs" and canonical(contract.get(name)) != canonical(identity.contract.get(name))
    )
    paths = [path for listed in changed.values() for path in listed]
    names = [*terms, *paths, *(name for name, listed in changed.items() if not listed)]
    return _refuse(RefusalCode.INPUTS_CHANGED, f"changed: {_listed(names or ['inputs'])}", changed)


def _mapped(baseline: Baseline, identity: BaselineIdentity, changed: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the changed paths that lie in directories of their group."""
    values = baseline.platforms.get(str(identity.contract.get("platform")), {})
    directories = {group.name: directories_of(group, values) for group in baseline.groups if group.name in changed}
    return [
        path
        for name, paths in changed.items()
        for path in paths
        if any(lies_at_or_below(path, directory) for directory in directories.get(name, ()))
    ]


def check_source(baseline: Baseline, ref: object, sha: object) -> Refusal | None:
    """Return why a recording can't come from this ref and commit, or None."""
    if ref != baseline.branch:
        return _refuse(RefusalCode.WRONG_SOURCE_REF, f"the source is {_shown(ref)}, not {baseline.branch}")
    if not isinstance(sha, str) or not is_commit_id(sha):
        return _refuse(RefusalCode.WRONG_SOURCE_SHA, f"the source commit is {_shown(sha)}, no full id")
    return None


def _check_time(manifest: Json) -> Refusal | None:
    created = manifest.get("created_at")
    if created is None:
        return _refuse(RefusalCode.MISSING_CREATED_AT, "the manifest says no time")
    try:
        time = datetime.fromisoformat(created) if isinstance(created, str) else None
    except ValueError:
        time = None
    if time is None:
        return _refuse(RefusalCode.INVALID_CREATED_AT, f"the time is {_shown(created)}")
    if time.tzinfo is None:
        return _refuse(RefusalCode.NAIVE_CREATED_AT, f"the time {_shown(created)} has no offset from UTC")
    return None


# -- each phase (checks 9 to 11) ---------------------------------------------------------------------


def check_metadata(
    baseline: Baseline, phase: str, metadata: Json | NoObject, runtime: object | None = None
) -> Refusal | None:
    """Return why the metadata of a phase is refused, or None. A runtime that is given must be the recorded one."""
    if isinstance(metadata, NoObject):
        return _refuse(RefusalCode.INCOMPLETE_PHASE, f"{phase} has no readable metadata.json")
    expected = {"schema": baseline.schema, "phase": phase, "complete": True}
    for name, value in expected.items():
        if canonical(metadata.get(name)) != canonical(value):
            return _refuse(
                RefusalCode.INCOMPLETE_PHASE, f"{name} of {phase} is {_shown(metadata.get(name))}, not {_shown(value)}"
            )
    recorded = metadata.get("runtime")
    tool = recorded.get("tool") if isinstance(recorded, Mapping) else None
    if not isinstance(tool, Mapping):
        return _refuse(RefusalCode.RUNTIME_INVALID, f"{phase} records no runtime with its tool")
    found = {"name": tool.get("name"), "version": tool.get("version")}
    wanted = {"name": baseline.tool.name, "version": baseline.tool.version}
    if found != wanted:
        return _refuse(RefusalCode.RUNTIME_INVALID, f"{phase} was recorded by {_shown(found)}, not {_shown(wanted)}")
    if runtime is not None and canonical(runtime) != canonical(recorded):
        return _refuse(
            RefusalCode.RUNTIME_CHANGED, f"{phase} was recorded in another runtime: {_other(recorded, runtime)}"
        )
    return None


def check_artifact(
    artifact: Artifact, facts: DatabaseFacts | Sequence[FileFacts], phase: str, sha256: object
) -> Refusal | None:
    """Return why the artifact of a phase is refused, or None; ``sha256`` is what its metadata says."""
    match artifact:
        case SqliteArtifact():
            if not isinstance(facts, DatabaseFacts):
                raise TypeError("facts of a database")
            return _check_database(artifact, facts, phase) or _check_files([facts.file], phase, sha256)
        case OpaqueArtifact():
            if isinstance(facts, DatabaseFacts):
                raise TypeError("facts of files")
            return _check_files(facts, phase, sha256)
        case _:
            assert_never(artifact)


def _check_database(artifact: SqliteArtifact, facts: DatabaseFacts, phase: str) -> Refusal | None:
    name = f"{phase}/{artifact.file}"
    if not facts.file.exists:
        return _refuse(RefusalCode.DATABASE_MISSING, f"there is no {name}")
    if facts.has_log:
        return _refuse(RefusalCode.DATABASE_UNCHECKPOINTED, f"{name} has a log that was not written back")
    if facts.file.damage is not None:
        return _refuse(RefusalCode.DATABASE_CORRUPT, f"{name} can't be read: {facts.file.damage}")
    missing = [table for table in artifact.tables if table not in facts.tables]
    if facts.user_version != artifact.user_version or missing:
        what = f"has no table {missing[0]}" if missing else f"has user version {facts.user_version}"
        return _refuse(RefusalCode.DATABASE_SCHEMA, f"{name} {what}")
    return None


def _check_files(facts: Sequence[FileFacts], phase: str, sha256: object) -> Refusal | None:
    for file in facts:
        name = f"{phase}/{file.name}"
        if not file.exists:
            return _refuse(RefusalCode.DATABASE_MISSING, f"there is no {name}")
        if file.damage is not None:
            return _refuse(RefusalCode.DATABASE_CORRUPT, f"{name} can't be read: {file.damage}")
    if canonical(sha256) != canonical(checksums(facts)):
        return _refuse(RefusalCode.DATABASE_CHECKSUM, f"the artifact of {phase} is not what was recorded")
    return None


def checksums(facts: Sequence[FileFacts]) -> str | dict[str, str]:
    """Return what metadata says about files: the checksum of the only one, or those of several by name."""
    return facts[0].sha256 if len(facts) == 1 else {file.name: file.sha256 for file in facts}


def _other(recorded: object, runtime: object) -> str:
    if not isinstance(recorded, Mapping) or not isinstance(runtime, Mapping):
        return "it is no JSON object"
    names = recorded.keys() | runtime.keys()
    return _listed(sorted(n for n in names if canonical(recorded.get(n)) != canonical(runtime.get(n))))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _shown(value: object) -> str:
    text = canonical(value)
    return text if len(text) <= 200 else f"{text[:200]}..."
