"""Why an output runs or is skipped: a closed union. A decision is an output and one of these.

Whether an output runs follows from the type of its reason, so that the two can't disagree.
"""

from dataclasses import dataclass
from enum import StrEnum

from ci_classify.core.model import ChangeType, Pattern


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
    NO_INPUT_CHANGED = "no-input-changed"
    ONLY_DOCUMENTATION = "only-documentation"
    NEVER = "never"
    NO_CONSUMER_RUNS = "no-consumer-runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceItem:
    """One change behind a reason, with the pattern that caught it (None where any change counts)."""

    path: str
    change: ChangeType
    pattern: Pattern | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The first changes behind a reason in diff order, and how many more there are."""

    items: tuple[EvidenceItem, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InputsChanged:
    """Run: a change that the suite sees is in its inputs."""

    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyChange:
    """Run: the event runs the suite for any change that it sees."""

    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Always:
    """Run: the event always runs the suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSelects:
    """Run: a label asks for the suite."""

    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnclaimedChange:
    """Run: a change belongs to no suite, and the policy runs this one then."""

    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlChanged:
    """Run: a file that decides CI itself changed."""

    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyDiffRuns:
    """Run: no path differs, and the suite runs then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerRuns:
    """Run: outputs that need this producer run."""

    consumers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackRuns:
    """Run: the change could not be classified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoInputChanged:
    """Skip: no change that the suite sees is in its inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyDocumentation:
    """Skip: every change is documentation, which the suite does not see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyDiffSkips:
    """Skip: no path differs, and the suite is skipped then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """Skip: the event never runs the suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSkips:
    """Skip: a label takes the suite out."""

    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoConsumerRuns:
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
