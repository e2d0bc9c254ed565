"""Sentences: what a reason, a fallback cause and its remedy mean to somebody who has not read the rules.

Plain words and names only; how they are marked up is the business of ``render``.
"""

from ci_classify.core.annotations import assert_never
from ci_classify.core.errors import FallbackCause
from ci_classify.core.plan import Plan
from ci_classify.core.reasons import (
    Always,
    AnyChange,
    CanaryRuns,
    ConsumerRuns,
    ControlChanged,
    EmptyDiffRuns,
    EmptyDiffSkips,
    FallbackRuns,
    InputsChanged,
    LabelSelects,
    LabelSkips,
    Never,
    NoConsumerRuns,
    NoInputChanged,
    OnlyDocumentation,
    Reason,
    ReasonCode,
    UnclaimedChange,
)

_FULL_HISTORY = "check out with `fetch-depth: 0`"
REMEDIES: dict[FallbackCause, str] = {
    FallbackCause.PAYLOAD_MISSING: "run inside GitHub Actions, or give --base and --head",
    FallbackCause.PAYLOAD_INVALID: "give --base and --head, or report the payload",
    FallbackCause.NOTHING_TO_COMPARE: "say in `events:` what this event runs, such as `schedule: always`",
    FallbackCause.NEW_BRANCH: "nothing; the next push to the branch is compared",
    FallbackCause.DELETED_BRANCH: "nothing, or leave deletions out of the workflow's trigger",
    FallbackCause.TAG: "nothing, or say in `events:` what a push of a tag runs",
    FallbackCause.FORCED_PUSH: "nothing; the next push to the branch is compared",
    FallbackCause.REVISION_INVALID: "give a branch, a tag or a commit id",
    FallbackCause.COMMIT_MISSING: f"{_FULL_HISTORY}, or give --fetch",
    FallbackCause.HISTORY_INCOMPLETE: _FULL_HISTORY,
    FallbackCause.NO_MERGE_BASE: f"{_FULL_HISTORY}; unrelated histories always run everything",
    FallbackCause.OBJECTS_MISSING: "check out without `filter`, or with `filter: blob:none`",
    FallbackCause.NOT_A_REPOSITORY: "check out before classifying, give --repo, or mark it as a safe.directory",
    FallbackCause.GIT_MISSING: "install git on the runner",
    FallbackCause.GIT_FAILED: "run the named git command in the checkout to see more",
    FallbackCause.GIT_TIMEOUT: "look at the runner's disk and load, then run the job again",
    FallbackCause.DIFF_UNREADABLE: "report this with the version of git",
    FallbackCause.PATHS_UNREADABLE: "give --paths-from a file of paths, or - for standard input",
    FallbackCause.RULES_INVALID: "run `ci-classify test` and correct what it names",
    FallbackCause.INTERNAL_ERROR: "report this as a bug of ci-classify",
}


# Why an output is false, by the code of its reason, where the plan itself is gone.
SKIPPED: dict[str, str] = {
    ReasonCode.NO_INPUT_CHANGED: "none of its inputs changed",
    ReasonCode.ONLY_DOCUMENTATION: "every changed path is documentation",
    ReasonCode.EMPTY_DIFF: "no path differs",
    ReasonCode.NEVER: "the event never runs it",
    ReasonCode.LABEL: "a label skips it",
    ReasonCode.NO_CONSUMER_RUNS: "nothing that needs it runs",
}


def headline(plan: Plan) -> str:
    """Return what was classified, in one sentence."""
    if plan.fallback is not None and not plan.fallback.is_by_event:
        return f"The change could not be classified ({plan.fallback.cause}): {plan.fallback.detail}. Everything runs."
    if plan.fallback is not None:
        return f"{_capital(plan.fallback.detail)}, so that suites which look at changes run."
    running = sum(decision.runs for decision in plan.outputs)
    outputs = f"{running} of {_count(len(plan.outputs), 'output')} run."
    if plan.canary:
        outputs += f" As a canary: {len(plan.would_skip)} of them would be skipped."
    if not plan.comparison.needed:
        return f"{_an_event(plan)} decides without a look at what changed; {outputs}"
    what = f"{_count(plan.total_changes, 'path')} changed"
    if plan.documentation_changes:
        what += f", {plan.documentation_changes:,} of them documentation"
    return f"{what}; {outputs}"


def remedy(cause: FallbackCause) -> str:
    """Return what to do about a fallback."""
    return REMEDIES[cause]


def sentence(reason: Reason, plan: Plan) -> str:
    """Return why, in one sentence without its evidence."""
    match reason:
        case InputsChanged():
            return "Its inputs changed."
        case AnyChange():
            return f"{_an_event(plan)} runs it for every change that it sees, though none of its inputs changed."
        case Always():
            return f"{_an_event(plan)} always runs it."
        case LabelSelects(label=label):
            return f'The label "{label}" selects it.'
        case UnclaimedChange():
            return "A path changed that no suite claims, and such a change runs it."
        case ControlChanged():
            return "A file that decides CI itself changed, so everything runs."
        case EmptyDiffRuns():
            return "No path differs, and it runs then."
        case ConsumerRuns(consumers=consumers):
            return f"Needed by {', '.join(consumers)}."
        case FallbackRuns():
            return _fallback_sentence(plan)
        case CanaryRuns(instead=instead):
            return f"It runs as a canary. Else it would be skipped: {_small(sentence(instead, plan))}"
        case NoInputChanged():
            return "None of its inputs changed."
        case OnlyDocumentation():
            return "Every changed path is documentation."
        case EmptyDiffSkips():
            return "No path differs, and it is skipped then."
        case Never():
            return f"{_an_event(plan)} never runs it."
        case LabelSkips(label=label):
            return f'The label "{label}" skips it.'
        case NoConsumerRuns():
            return "Nothing that needs it runs."
        case _:
            assert_never(reason)


def _fallback_sentence(plan: Plan) -> str:
    if plan.fallback is not None and plan.fallback.is_by_event:
        return f"{_capital(plan.fallback.detail)}, so it runs."
    cause = f" ({plan.fallback.cause})" if plan.fallback else ""
    return f"The change could not be classified{cause}, so everything runs."


def _an_event(plan: Plan) -> str:
    if not plan.event:
        return "An event without a name"
    return f"{'An' if plan.event[0] in 'aeiou' else 'A'} {plan.event} event"


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
