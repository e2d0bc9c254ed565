"""Full, selective, or recording: a pure function of what is asked for, who asks, and what was found.

Anything that is unknown, missing or failed means a full run and says so. Only recording is refused instead:
a full run that was to record and quietly did not would leave everyone without a baseline.
"""

import re
from enum import StrEnum

from ci_classify.core.baseline import Baseline, ErrorCode, Recorder
from ci_classify.core.baseline_bucket import lies_at_or_below
from ci_classify.core.baseline_validation import COMPATIBLE
from ci_classify.core.record import Record

LONGEST_REF = 1000  # characters; a longer one is not looked at by a regular expression
COMPLETE_LISTS = frozenset({"complete", "empty"})
_LIST_STATES = frozenset({"incomplete", "wrong-commit", "too-many"})
_NO_IDENTITY = frozenset(
    {
        "identity-error",
        "missing",
        "unknown",
        ErrorCode.UNSUPPORTED_PLATFORM,
        ErrorCode.INVALID_BUCKET,
        ErrorCode.BUCKET_KIND_MISMATCH,
        ErrorCode.SYMLINKED_INPUT,
        ErrorCode.INVALID_INPUT,
        ErrorCode.INVALID_POLICY,
        ErrorCode.REPORT_NEEDS_FULL_GATE,
        ErrorCode.EXTRACT_EMPTY,
    }
)


class Mode(StrEnum):
    """How tests run."""

    FULL = "full"
    SELECTIVE = "selective"
    BASELINE = "baseline"
    ERROR = "error"


class Wanted(StrEnum):
    """What a job asks for: what the policy gives, a full run, or to record."""

    AUTO = "auto"
    FULL = "full"
    BASELINE = "baseline"


class Situation(Record):
    """Who asks, for what, and what was found. ``labels`` is None where they could not be looked up.

    ``validation`` is "compatible" or why not; ``changed_list`` is the state of a list of changed files, None where
    the job uses none.
    """

    event: str
    ref: str
    repository: str
    bucket: str | None = None
    labels: tuple[str, ...] | None = ()
    default: str | None = None
    force_full: bool = False
    wanted: Wanted = Wanted.AUTO
    validation: str = ""
    changed_list: str | None = None


class Choice(Record):
    """The mode with its reason. A request stays visible whatever a guard says."""

    mode: Mode
    requested: bool
    eligible: bool
    reason: str


def choose(baseline: Baseline, situation: Situation) -> Choice:
    """Return how tests run."""
    requested = _requested(baseline, situation)
    obstacle = _obstacle(baseline, situation, requested=requested)
    if situation.wanted is Wanted.BASELINE:
        refused = _recording_refused(baseline.recorder, situation)
        mode, reason = (Mode.BASELINE, "producer") if refused is None else (Mode.ERROR, refused)
    else:
        reason = obstacle or _found(situation) or "compatible-baseline"
        mode = Mode.SELECTIVE if reason == "compatible-baseline" else Mode.FULL
    return Choice(mode=mode, requested=requested, eligible=obstacle is None, reason=reason)


def _requested(baseline: Baseline, situation: Situation) -> bool:
    policy = baseline.selective
    labels = situation.labels or ()
    if policy.disable_label in labels:
        return False
    by_default = policy.default_value is not None and situation.default == policy.default_value
    return by_default or policy.enable_label in labels


def _obstacle(baseline: Baseline, situation: Situation, *, requested: bool) -> str | None:
    """Return what stands in the way of selection before any recording is looked at, or None."""
    policy = baseline.selective
    labels = situation.labels
    if situation.event in policy.always_full:
        return "event-always-full"
    if situation.event not in policy.events:
        return "event-not-eligible"
    if len(situation.ref) > LONGEST_REF or not any(re.fullmatch(ref, situation.ref) for ref in policy.refs):
        return "ref-not-eligible"
    if labels is None:
        return "labels-unknown"
    if policy.disable_label in labels:
        return "disabled-by-label"
    if not requested:
        return "not-requested"
    if any(label in labels for label in policy.full_labels):
        return "full-label"
    if situation.force_full or situation.wanted is Wanted.FULL:
        return "forced-full"
    bucket = situation.bucket
    if bucket is not None and any(lies_at_or_below(bucket, name.rstrip("/")) for name in policy.never):
        return "bucket-never-selective"
    return None


def _found(situation: Situation) -> str | None:
    """Return why what was found can't be used, or None."""
    validation = _code(situation.validation)
    if validation != COMPATIBLE:
        return f"baseline:{validation}"
    state = situation.changed_list
    if state is None or state in COMPLETE_LISTS:
        return None
    return f"changed-list:{state if state in _LIST_STATES else 'unknown'}"


def _code(text: str) -> str:
    """Return a code that may stand in an output: anything else is missing or unknown."""
    if re.fullmatch(r"[a-z][a-z0-9-]{0,63}", text):
        return text
    return "unknown" if text else "missing"


def _recording_refused(recorder: Recorder | None, situation: Situation) -> str | None:
    """Return why this job may not record, or None."""
    if recorder is None or situation.ref != recorder.ref:
        return "producer-ref"
    if situation.event not in recorder.events:
        return "producer-event"
    if situation.repository != recorder.repository:
        return "producer-repository"
    validation = _code(situation.validation)
    return f"baseline:{validation}" if validation in _NO_IDENTITY else None
