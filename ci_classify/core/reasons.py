"""Why an output runs or is skipped: a closed union. A decision is an output and one of these.

Whether an output runs follows from the type of its reason, so that the two can't disagree.
"""

from enum import StrEnum

from ci_classify.core.model import ChangeType, Pattern
from ci_classify.core.record import Record


class ReasonCode(StrEnum):
    """The names of reasons in outputs and JSON."""

    INPUTS_CHANGED = "inputs-changed"
    ANY_CHANGE = "any-change"
    ALWAYS = "always"
    LABEL = "label"
    UNCLAIMED = "unclaimed"
    CONTROL_CHANGED = "control-changed"
    EMPTY_DIFF = "empty-diff"
    CONSUMER_RUNS = "consumer-runs"
    FALLBACK = "fallback"
    CANARY = "canary"
    NO_INPUT_CHANGED = "no-input-changed"
    ONLY_DOCUMENTATION = "only-documentation"
    NEVER = "never"
    NO_CONSUMER_RUNS = "no-consumer-runs"


class EvidenceItem(Record):
    """One change behind a reason, with the pattern that caught it (None where any change counts)."""

    path: str
    change: ChangeType
    pattern: Pattern | None


class Evidence(Record):
    """The first changes behind a reason in diff order, and how many more there are."""

    items: tuple[EvidenceItem, ...]
    more: int


class InputsChanged(Record):
    """Run: a change that the suite sees is in its inputs."""

    evidence: Evidence


class AnyChange(Record):
    """Run: the event runs the suite for any change that it sees."""

    evidence: Evidence


class Always(Record):
    """Run: the event always runs the suite."""


class LabelSelects(Record):
    """Run: a label asks for the suite."""

    label: str


class UnclaimedChange(Record):
    """Run: a change belongs to no suite, and the policy runs this one then."""

    evidence: Evidence


class ControlChanged(Record):
    """Run: a file that decides CI itself changed."""

    evidence: Evidence


class EmptyDiffRuns(Record):
    """Run: no path differs, and the suite runs then."""


class ConsumerRuns(Record):
    """Run: outputs that need this producer run."""

    consumers: tuple[str, ...]


class FallbackRuns(Record):
    """Run: the change could not be classified."""


class CanaryRuns(Record):
    """Run: it is tried whether the rules skip too much; ``instead`` says why they would skip it."""

    instead: "SkipReason"


class NoInputChanged(Record):
    """Skip: no change that the suite sees is in its inputs."""


class OnlyDocumentation(Record):
    """Skip: every change is documentation, which the suite does not see."""


class EmptyDiffSkips(Record):
    """Skip: no path differs, and the suite is skipped then."""


class Never(Record):
    """Skip: the event never runs the suite."""


class LabelSkips(Record):
    """Skip: a label takes the suite out."""

    label: str


class NoConsumerRuns(Record):
    """Skip: nothing that needs this producer runs."""


RunReason = (
    InputsChanged
    | AnyChange
    | Always
    | LabelSelects
    | UnclaimedChange
    | ControlChanged
    | EmptyDiffRuns
    | ConsumerRuns
    | FallbackRuns
    | CanaryRuns
)
SkipReason = NoInputChanged | OnlyDocumentation | EmptyDiffSkips | Never | LabelSkips | NoConsumerRuns
Reason = RunReason | SkipReason

_CODES: dict[type[Reason], ReasonCode] = {
    InputsChanged: ReasonCode.INPUTS_CHANGED,
    AnyChange: ReasonCode.ANY_CHANGE,
    Always: ReasonCode.ALWAYS,
    LabelSelects: ReasonCode.LABEL,
    UnclaimedChange: ReasonCode.UNCLAIMED,
    ControlChanged: ReasonCode.CONTROL_CHANGED,
    EmptyDiffRuns: ReasonCode.EMPTY_DIFF,
    ConsumerRuns: ReasonCode.CONSUMER_RUNS,
    FallbackRuns: ReasonCode.FALLBACK,
    CanaryRuns: ReasonCode.CANARY,
    NoInputChanged: ReasonCode.NO_INPUT_CHANGED,
    OnlyDocumentation: ReasonCode.ONLY_DOCUMENTATION,
    EmptyDiffSkips: ReasonCode.EMPTY_DIFF,
    Never: ReasonCode.NEVER,
    LabelSkips: ReasonCode.LABEL,
    NoConsumerRuns: ReasonCode.NO_CONSUMER_RUNS,
}


def code(reason: Reason) -> ReasonCode:
    """Return the name of a reason. Whether it runs is told beside it, since a few names serve both."""
    return _CODES[type(reason)]


def runs(reason: Reason) -> bool:
    """Return whether an output with this reason is true."""
    return isinstance(reason, RunReason)


def evidence_of(reason: Reason) -> Evidence:
    """Return the changes behind a reason; empty for reasons that no change caused."""
    match reason:
        case InputsChanged() | AnyChange() | UnclaimedChange() | ControlChanged():
            return reason.evidence
        case _:
            return Evidence(items=(), more=0)
