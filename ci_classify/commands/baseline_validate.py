"""``ci-classify baseline validate``: may a restored recording stand in for a full run? Nothing is changed."""

from pathlib import Path

from ci_classify.commands.baselines import answer, declared, show, write_outputs, write_summary
from ci_classify.commands.exits import FINDINGS, OK
from ci_classify.commands.recorded import artifact_of, check_phase, read_runtime
from ci_classify.core.baseline import Baseline
from ci_classify.core.baseline_identity import BaselineIdentity, difference
from ci_classify.core.baseline_validation import COMPATIBLE, Refusal, check_manifest
from ci_classify.core.record import Record
from ci_classify.edges import console, files, recordings
from ci_classify.formats.manifest_file import read_identity_of
from ci_classify.render.baselines import Validated, validation_markdown, validation_sentence


class BaselineValidateRequest(Record):
    """The options of the command, as given."""

    name: str
    directory: str
    identity: str
    matched_key: str = ""
    runtime: str | None = None
    repo: str = "."
    rules: str | None = None
    as_json: bool = True


def run(request: BaselineValidateRequest) -> int:
    """Print whether the recording is valid: 0 valid, 1 not, which is normal and means a full run."""
    return answer(lambda: _run(request))


def _run(request: BaselineValidateRequest) -> int:
    baseline = declared(request.repo, request.rules, request.name)
    artifact_of(baseline)
    identity = read_identity_of(baseline, files.read(Path(request.identity)), request.identity)
    found = _validated(request, baseline, identity)
    write_outputs({"ok": "true" if found.ok else "false", "reason": found.reason})
    write_summary(validation_markdown(found))
    if request.as_json:
        show({"ok": found.ok, "reason": found.reason, "detail": found.detail, "changed": found.changed})
    else:
        console.write(validation_sentence(found) + "\n")
    return OK if found.ok else FINDINGS


def _validated(request: BaselineValidateRequest, baseline: Baseline, identity: BaselineIdentity) -> Validated:
    runtime = None if request.runtime is None else read_runtime(request.runtime)
    directory = Path(request.directory)
    manifest = recordings.manifest(directory)
    refusal: Refusal | None = check_manifest(baseline, identity, request.matched_key, manifest)
    for phase in baseline.phases:
        refusal = refusal or check_phase(directory, baseline, phase, runtime)
    if refusal is not None:
        return Validated(
            baseline=baseline.name, ok=False, reason=refusal.code, detail=refusal.detail, changed=refusal.changed
        )
    recorded = manifest.get("reported") if isinstance(manifest, dict) else None
    changed = difference(recorded, identity.reported).by_group
    detail = f"reused although {', '.join(changed)} changed" if changed else "nothing that counts changed"
    return Validated(baseline=baseline.name, ok=True, reason=COMPATIBLE, detail=detail, changed=changed)
