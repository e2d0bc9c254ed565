"""The plan: all decisions of one event, and what they were made from."""

from ci_classify.core.errors import FallbackCause
from ci_classify.core.reasons import CanaryRuns, Reason, code, runs
from ci_classify.core.record import Record


class Decision(Record):
    """Run or skip, for one output. ``emitted`` is false for an internal suite."""

    name: str
    title: str
    reason: Reason
    emitted: bool = True

    @property
    def runs(self) -> bool:
        """Whether the output is true."""
        return runs(self.reason)


class Fallback(Record):
    """Why the change could not be classified."""

    cause: FallbackCause
    detail: str

    @property
    def is_by_event(self) -> bool:
        """Whether nothing went wrong: the event compares no commits, so that only modes can decide."""
        return self.cause is FallbackCause.NOTHING_TO_COMPARE


class Comparison(Record):
    """What was compared: full ids, or None where no commits were; ``notes`` says what a reader must know.

    ``needed`` is false where no decision about the event depends on what changed.
    """

    base: str | None = None
    head: str | None = None
    needed: bool = True
    notes: tuple[str, ...] = ()


class Plan(Record):
    """All decisions of one event in the order of the rules file."""

    event: str
    comparison: Comparison
    fallback: Fallback | None
    total_changes: int
    documentation_changes: int
    decisions: tuple[Decision, ...]
    canary: bool = False

    @property
    def would_skip(self) -> dict[str, str]:
        """The outputs that run as a canary only, each with the code of the reason why they would be skipped."""
        reasons = {decision.name: decision.reason for decision in self.outputs}
        return {name: code(reason.instead).value for name, reason in reasons.items() if isinstance(reason, CanaryRuns)}

    @property
    def outputs(self) -> tuple[Decision, ...]:
        """The decisions that are written as outputs."""
        return tuple(decision for decision in self.decisions if decision.emitted)
