"""``ci-classify baseline mode``: run in full, selectively, or record."""

from ci_classify.commands.baselines import answer, declared, show, write_outputs
from ci_classify.commands.exits import OK, USAGE
from ci_classify.core.baseline_bucket import check_bucket
from ci_classify.core.baseline_mode import Mode, Situation, Wanted, choose
from ci_classify.core.record import Record


class BaselineModeRequest(Record):
    """The options of the command, as given."""

    name: str
    event: str
    ref: str
    repository: str
    bucket: str | None = None
    labels: tuple[str, ...] = ()
    labels_unknown: bool = False
    default: str | None = None
    force_full: bool = False
    wanted: str = "auto"
    validation: str = ""
    changed_list: str | None = None
    repo: str = "."
    rules: str | None = None


def run(request: BaselineModeRequest) -> int:
    """Print the mode, and write it as outputs in CI; a job that may not record fails."""
    return answer(lambda: _run(request))


def _run(request: BaselineModeRequest) -> int:
    baseline = declared(request.repo, request.rules, request.name)
    if request.bucket is not None:
        check_bucket(baseline, request.bucket)
    choice = choose(
        baseline,
        Situation(
            event=request.event,
            ref=request.ref,
            repository=request.repository,
            bucket=request.bucket,
            labels=None if request.labels_unknown else request.labels,
            default=request.default,
            force_full=request.force_full,
            wanted=Wanted(request.wanted),
            validation=request.validation,
            changed_list=request.changed_list,
        ),
    )
    write_outputs(
        {
            "mode": choice.mode.value,
            "requested": "true" if choice.requested else "false",
            "eligible": "true" if choice.eligible else "false",
            "reason": choice.reason,
        }
    )
    show(
        {
            "mode": choice.mode.value,
            "requested": choice.requested,
            "eligible": choice.eligible,
            "reason": choice.reason,
        }
    )
    return USAGE if choice.mode is Mode.ERROR else OK
