"""A phase of a recording: the facts about its files, and what the checks say about them."""

from collections.abc import Sequence
from pathlib import Path

from ci_classify.core.annotations import assert_never
from ci_classify.core.baseline import Artifact, Baseline, BaselineError, ErrorCode, OpaqueArtifact, SqliteArtifact
from ci_classify.core.baseline_identity import Json
from ci_classify.core.baseline_validation import (
    DatabaseFacts,
    FileFacts,
    NoObject,
    Refusal,
    check_artifact,
    check_metadata,
)
from ci_classify.edges import files, recordings
from ci_classify.edges.sqlite_files import database_facts
from ci_classify.formats.manifest_file import read_object


def artifact_of(baseline: Baseline) -> Artifact:
    """Return the artifact of a baseline, or raise BaselineError where it stores none."""
    if baseline.artifact is None:
        raise BaselineError(ErrorCode.INVALID_POLICY, f"{baseline.name} declares no phases and no artifact")
    return baseline.artifact


def artifact_facts(directory: Path, artifact: Artifact) -> DatabaseFacts | Sequence[FileFacts]:
    """Return what is seen of an artifact in the directory of its phase."""
    match artifact:
        case SqliteArtifact():
            return database_facts(directory, artifact.file)
        case OpaqueArtifact():
            return [recordings.file_facts(directory, name) for name in artifact.files]
        case _:
            assert_never(artifact)


def check_phase(directory: Path, baseline: Baseline, phase: str, runtime: Json | None) -> Refusal | None:
    """Return the first refusal of a phase, or None."""
    artifact = artifact_of(baseline)
    metadata = recordings.metadata(directory, phase)
    refusal = check_metadata(baseline, phase, metadata, runtime)
    if refusal is not None or isinstance(metadata, NoObject):
        return refusal
    return check_artifact(artifact, artifact_facts(directory / phase, artifact), phase, metadata.get("sha256"))


def read_runtime(name: str) -> Json:
    """Return the runtime that a file describes, or raise BaselineError."""
    found = read_object(files.read(Path(name), limit=recordings.MAX_JSON_BYTES))
    if found is None:
        raise BaselineError(ErrorCode.INVALID_INPUT, f"{name} holds no JSON object")
    return found
