"""``ci-classify baseline record``: after a phase succeeded, make what it left a part of a recording."""

from pathlib import Path

from ci_classify.commands.baselines import answer, declared, show
from ci_classify.commands.exits import OK
from ci_classify.commands.recorded import artifact_facts, artifact_of, read_runtime
from ci_classify.core.baseline import Artifact, Baseline, BaselineError, ErrorCode, SqliteArtifact
from ci_classify.core.baseline_identity import Json
from ci_classify.core.baseline_validation import DatabaseFacts, check_artifact, check_metadata, checksums
from ci_classify.core.record import Record
from ci_classify.edges import files, recordings
from ci_classify.edges.sqlite_files import write_log_back
from ci_classify.formats.manifest_file import text


class BaselineRecordRequest(Record):
    """The options of the command, as given."""

    name: str
    directory: str
    phase: str
    runtime: str
    repo: str = "."
    rules: str | None = None


def run(request: BaselineRecordRequest) -> int:
    """Write a database's log back, check what is there, then write the metadata of the phase."""
    return answer(lambda: _run(request))


def _run(request: BaselineRecordRequest) -> int:
    baseline = declared(request.repo, request.rules, request.name)
    artifact = artifact_of(baseline)
    if request.phase not in baseline.phases:
        known = ", ".join(baseline.phases)
        raise BaselineError(ErrorCode.UNSUPPORTED_PHASE, f"there is no phase {request.phase!a}; there are {known}")
    runtime = read_runtime(request.runtime)
    directory = Path(request.directory)
    # A manifest that is there belongs to what was recorded before, and no longer holds.
    recordings.forget_manifest(directory)
    sha256 = _checksums(directory / request.phase, request.phase, artifact)
    metadata = {
        "schema": baseline.schema,
        "phase": request.phase,
        "complete": True,
        "runtime": runtime,
        "sha256": sha256,
    }
    _refuse_other_runtime(baseline, request.phase, metadata)
    files.write_whole(directory / request.phase / recordings.METADATA, text(metadata))
    show({"ok": True, "reason": "recorded", "phase": request.phase, "sha256": sha256})
    return OK


def _checksums(directory: Path, phase: str, artifact: Artifact) -> str | dict[str, str]:
    """Return the checksums of an artifact that was found good, or raise BaselineError."""
    if isinstance(artifact, SqliteArtifact) and recordings.file_facts(directory, artifact.file).damage is None:
        failed = write_log_back(directory / artifact.file)
        if failed is not None and recordings.file_facts(directory, artifact.file).exists:
            raise BaselineError(ErrorCode.INCOMPLETE_PHASE, f"the log of {phase}/{artifact.file} stays: {failed}")
    facts = artifact_facts(directory, artifact)
    found = checksums([facts.file] if isinstance(facts, DatabaseFacts) else facts)
    refusal = check_artifact(artifact, facts, phase, found)
    if refusal is not None:
        raise BaselineError(ErrorCode.INCOMPLETE_PHASE, f"{refusal.code}: {refusal.detail}")
    return found


def _refuse_other_runtime(baseline: Baseline, phase: str, metadata: Json) -> None:
    refusal = check_metadata(baseline, phase, metadata)
    if refusal is not None:
        raise BaselineError(ErrorCode.INCOMPLETE_PHASE, f"{refusal.code}: {refusal.detail}")
