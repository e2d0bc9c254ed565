"""The canary in ``check-required-ci``: which failed jobs the rules would have skipped."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ci_classify.commands import showing
from ci_classify.commands.exits import UsageError
from ci_classify.commands.run import RunRequest, situation
from ci_classify.core.canary import CanaryJob, CanaryRecord, canary_jobs
from ci_classify.core.errors import CannotClassifyError
from ci_classify.core.model import Rules
from ci_classify.core.required import Circumstances, JobFailure, RequiredCheck
from ci_classify.edges import files, github
from ci_classify.formats.canary_file import canary_bytes
from ci_classify.formats.job_results import WrittenPlan
from ci_classify.render.canaries import unsafe_text


def no_canary(check: RequiredCheck, plan: WrittenPlan | None) -> list[JobFailure]:
    """Return the failure of a detector whose plan is no canary's."""
    if plan is not None and plan.canary is not None:
        return []
    why = (
        "without it nobody knows what the rules would have skipped; run the detector with --canary, and pass `plan` on"
    )
    return [JobFailure(job=check.detector, expected="a canary's plan", got="another or none", why=why)]


def tell(
    check: RequiredCheck,
    circumstances: Circumstances,
    plan: WrittenPlan,
    results: Mapping[str, str],
    record_to: str | None,
) -> tuple[CanaryJob, ...]:
    """Return the unsafe skips of a run, and record what would have been skipped."""
    jobs = canary_jobs(check, circumstances, results, plan.outputs, plan.canary or {})
    if record_to is not None:
        record = CanaryRecord(event=circumstances.event, head=plan.head, jobs=jobs)
        try:
            files.write_whole(Path(record_to), canary_bytes(record))
        except files.FileProblemError as error:
            raise UsageError(str(error), "give --canary-record the name of a file that can be written") from None
    return tuple(job for job in jobs if job.is_unsafe)


def show(rules: Rules, unsafe: Sequence[CanaryJob], repo: str, event: str, here: github.Runner) -> list[str]:
    """Print each unsafe skip as an error, with the rule that is missing, and return the texts."""
    paths = _changed(repo, event, here) if unsafe else []
    positions = {output.name: output.position for output in rules.decided}
    texts = [unsafe_text(job, f"{rules.file}:{positions[job.output][0]}", paths) for job in unsafe]
    for text in texts:
        showing.error(text)
    return texts


def _changed(repo: str, event: str, here: github.Runner) -> list[str]:
    """Return what changed, as far as this checkout can tell."""
    try:
        _, compare = situation(RunRequest(repo=repo, event=event), here)
        return list(compare().changes.paths)
    except (CannotClassifyError, UsageError):
        return []
