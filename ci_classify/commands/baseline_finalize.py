"""``ci-classify baseline finalize``: make a recording of which every phase is valid usable, by its manifest."""

from pathlib import Path

from ci_classify.commands.baselines import answer, declared, show
from ci_classify.commands.exits import OK
from ci_classify.commands.recorded import artifact_of, check_phase
from ci_classify.core.baseline import BaselineError, ErrorCode
from ci_classify.core.baseline_validation import check_source, is_generation
from ci_classify.core.record import Record
from ci_classify.edges import files, recordings
from ci_classify.formats.manifest_file import read_identity_of, text


class BaselineFinalizeRequest(Record):
    """The options of the command, as given."""

    name: str
    directory: str
    identity: str
    source_ref: str
    source_sha: str
    generation: str
    repo: str = "."
    rules: str | None = None


def run(request: BaselineFinalizeRequest) -> int:
    """Write the manifest, last and whole; without one a recording is never valid."""
    return answer(lambda: _run(request))


def _run(request: BaselineFinalizeRequest) -> int:
    baseline = declared(request.repo, request.rules, request.name)
    artifact_of(baseline)
    wrong = check_source(baseline, request.source_ref, request.source_sha)
    if wrong is not None:
        raise BaselineError(ErrorCode.INVALID_SOURCE_OR_GENERATION, f"{wrong.code}: {wrong.detail}")
    if not is_generation(request.generation):
        raise BaselineError(
            ErrorCode.INVALID_SOURCE_OR_GENERATION, f"the generation {request.generation!a} is not RUN-ATTEMPT"
        )
    identity = read_identity_of(baseline, files.read(Path(request.identity)), request.identity)
    directory = Path(request.directory)
    for phase in baseline.phases:
        refusal = check_phase(directory, baseline, phase, None)
        if refusal is not None:
            raise BaselineError(ErrorCode.INCOMPLETE_PHASE, f"{refusal.code}: {refusal.detail}")
    manifest = {
        "schema": baseline.schema,
        "generation": request.generation,
        "source_ref": request.source_ref,
        "source_sha": request.source_sha,
        "created_at": recordings.now(),
        "contract": identity.contract,
        "reported": identity.reported,
        "diagnostics": identity.diagnostics,
    }
    files.write_whole(directory / recordings.MANIFEST, text(manifest))
    show({"ok": True, "reason": "finalized", "generation": request.generation, "digest": identity.digest})
    return OK
