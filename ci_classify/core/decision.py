"""Decide: rules, an event and its changes become one decision for each output.

The order of the steps is the specification (docs/rules.md, "Deciding"):

1. The change can't be determined: everything runs.
2. A control file changed: everything runs.
3. Documentation is dropped.
4. Each suite by its mode.
5. Unclaimed changes, by policy.
6. Labels.
7. Producers are the OR of their consumers.

A suite whose mode for the event is ``never`` stays out of steps 1 and 2; only a label that names it raises it.
Total and pure: every output gets exactly one decision, whatever comes in.
"""

from collections.abc import Iterable, Mapping
from operator import itemgetter

from ci_classify.core.annotations import assert_never
from ci_classify.core.branches import branch_matches
from ci_classify.core.matching import EVIDENCE, Group, Matcher
from ci_classify.core.model import (
    BUILT_IN_MODES,
    Changes,
    Event,
    Label,
    Mode,
    Pattern,
    Producer,
    Rules,
    Suite,
    Unclaimed,
)
from ci_classify.core.plan import Comparison, Decision, Fallback, Plan
from ci_classify.core.reasons import (
    Always,
    AnyChange,
    ConsumerRuns,
    ControlChanged,
    EmptyDiffRuns,
    EmptyDiffSkips,
    Evidence,
    EvidenceItem,
    FallbackRuns,
    InputsChanged,
    LabelSelects,
    LabelSkips,
    Never,
    NoConsumerRuns,
    NoInputChanged,
    OnlyDocumentation,
    Reason,
    UnclaimedChange,
    runs,
)


def decide(
    rules: Rules,
    event: Event,
    change: Changes | Fallback,
    comparison: Comparison | None = None,
    *,
    matcher: Matcher | None = None,
) -> Plan:
    """Return the plan of an event whose changes are known, or are not (then the fallback says why).

    ``matcher`` may be given where many changes are decided by the same rules.
    """
    facts = Facts(change, rules, matcher or Matcher(rules)) if isinstance(change, Changes) else None
    dominating = _dominating(facts)
    reasons: dict[str, Reason] = {}
    for number, suite in enumerate(rules.suites):
        mode = mode_of(rules, suite, event)
        labels = _present(rules, event)
        if mode is Mode.NEVER:
            reasons[suite.name] = _unless_never(suite, labels, dominating)
        elif facts is None and mode is Mode.ALWAYS and isinstance(change, Fallback) and change.is_by_event:
            reasons[suite.name] = Always()
        elif dominating is not None or facts is None:
            reasons[suite.name] = dominating or FallbackRuns()
        else:
            reasons[suite.name] = _by_labels(suite, labels, _by_change(rules, suite, number, mode, facts))
    _add_producers(rules.producers, reasons, dominating)
    return Plan(
        event=event.name,
        comparison=comparison or Comparison(),
        fallback=change if isinstance(change, Fallback) else None,
        total_changes=facts.total if facts else 0,
        documentation_changes=facts.documentation if facts else 0,
        decisions=tuple(_decisions(rules, reasons)),
    )


def everything_runs(event: Event, names: Iterable[str], fallback: Fallback) -> Plan:
    """Return the fallback plan where no rules could be loaded and only the names of outputs are known."""
    return Plan(
        event=event.name,
        comparison=Comparison(),
        fallback=fallback,
        total_changes=0,
        documentation_changes=0,
        decisions=tuple(Decision(name=name, title=name, reason=FallbackRuns()) for name in names),
    )


def mode_of(rules: Rules, suite: Suite, event: Event) -> Mode:
    """Return how an event selects a suite: by the last entry of all event lists that matches."""
    for entry in reversed((*BUILT_IN_MODES, *rules.events, *suite.modes)):
        if entry.event in {"*", event.name} and branch_matches(entry.branch, event.branch):
            return entry.mode
    raise AssertionError("the first built-in entry matches every event")


def looks_at_changes(rules: Rules, event: Event) -> bool:
    """Return whether any decision about this event depends on what changed."""
    modes = {mode_of(rules, suite, event) for suite in rules.suites}
    narrowing = any(label.skips for label in _present(rules, event))
    return bool(modes & {Mode.INPUTS, Mode.ANY_CHANGE}) or narrowing


class _Tally:
    """Counts changes, and keeps the first few with the pattern that caught each."""

    __slots__ = ("count", "first")

    def __init__(self) -> None:
        self.count = 0
        self.first: list[tuple[int, Pattern | None]] = []

    def add(self, group: Group, pattern: Pattern | None) -> None:
        """Take in a group of changes."""
        self.count += group.count
        if len(self.first) < EVIDENCE or group.first[0] < self.first[-1][0]:
            self.first += [(place, pattern) for place in group.first]
            self.first.sort(key=itemgetter(0))
            del self.first[EVIDENCE:]

    def evidence(self, changes: Changes) -> Evidence | None:
        """Return the first changes in diff order and how many more there are, or None if there are none."""
        if not self.count:
            return None
        items = (
            EvidenceItem(path=changes.paths[place], change=changes.kinds[place].type, pattern=pattern)
            for place, pattern in self.first
        )
        return Evidence(items=tuple(items), more=self.count - len(self.first))


class Facts:
    """What the changes of one event are, before any suite is asked."""

    def __init__(self, changes: Changes, rules: Rules, matcher: Matcher) -> None:
        control, unclaimed, every, code = _Tally(), _Tally(), _Tally(), _Tally()
        inputs = [_Tally() for _ in rules.suites]
        keeping = [suite.keeps_documentation for suite in rules.suites]
        for verdict, group in matcher.group(changes).items():
            every.add(group, None)
            if verdict.control:
                control.add(group, verdict.control)
            if not verdict.documentation:
                code.add(group, None)
                if not verdict.inputs and not verdict.unaffecting:
                    unclaimed.add(group, None)
            for number, pattern in verdict.inputs:
                if keeping[number] or not verdict.documentation:
                    inputs[number].add(group, pattern)
        self.total = every.count
        self.documentation = every.count - code.count
        self.control = control.evidence(changes)
        self.unclaimed = unclaimed.evidence(changes)
        self._every = every.evidence(changes)
        self._code = code.evidence(changes)
        self._inputs = [tally.evidence(changes) for tally in inputs]

    def seen_by(self, suite: Suite) -> Evidence | None:
        """Return the changes that a suite sees: all but documentation, unless it keeps that."""
        return self._every if suite.keeps_documentation else self._code

    def in_inputs_of(self, number: int) -> Evidence | None:
        """Return the changes that the suite of this number sees and that are in its inputs."""
        return self._inputs[number]


def _dominating(facts: Facts | None) -> FallbackRuns | ControlChanged | None:
    """Return the reason of steps 1 and 2, which no later step narrows."""
    if facts is None:
        return FallbackRuns()
    return ControlChanged(evidence=facts.control) if facts.control else None


def _unless_never(suite: Suite, labels: tuple[Label, ...], dominating: Reason | None) -> Reason:
    """Take step 6 for a suite that the event never runs: only a label that names it raises it."""
    if dominating is None and any(suite.name in label.skips for label in labels):
        return Never()
    raising = next((label.name for label in labels if suite.name in label.selects), None)
    return Never() if raising is None else LabelSelects(label=raising)


def _by_labels(suite: Suite, labels: tuple[Label, ...], reason: Reason) -> Reason:
    """Take step 6: return what labels make of the reason of steps 4 and 5."""
    skipping = next((label.name for label in labels if suite.name in label.skips), None)
    if skipping is not None:
        return LabelSkips(label=skipping)
    if runs(reason):
        return reason
    selecting = next((label.name for label in labels if label.selects_everything or suite.name in label.selects), None)
    return reason if selecting is None else LabelSelects(label=selecting)


def _by_change(rules: Rules, suite: Suite, number: int, mode: Mode, facts: Facts) -> Reason:
    """Take steps 4 and 5."""
    match mode:
        case Mode.ALWAYS:
            return Always()
        case Mode.NEVER:
            return Never()
        case Mode.INPUTS | Mode.ANY_CHANGE:
            pass
        case _:
            assert_never(mode)
    if facts.total == 0:
        return EmptyDiffRuns() if suite.empty_diff_runs else EmptyDiffSkips()
    inputs = facts.in_inputs_of(number)
    if inputs is not None:
        return InputsChanged(evidence=inputs)
    seen = facts.seen_by(suite)
    if mode is Mode.ANY_CHANGE and seen is not None:
        return AnyChange(evidence=seen)
    if mode is Mode.INPUTS and facts.unclaimed is not None and _policy_selects(rules.unclaimed, suite):
        return UnclaimedChange(evidence=facts.unclaimed)
    return OnlyDocumentation() if seen is None else NoInputChanged()


def _policy_selects(policy: Unclaimed | tuple[str, ...], suite: Suite) -> bool:
    match policy:
        case Unclaimed.EVERYTHING:
            return True
        case Unclaimed.NOTHING:
            return False
        case tuple():
            return suite.name in policy
        case _:
            assert_never(policy)


def _present(rules: Rules, event: Event) -> tuple[Label, ...]:
    return tuple(label for label in rules.labels if label.name in event.labels)


def _add_producers(
    producers: tuple[Producer, ...], reasons: dict[str, Reason], dominating: FallbackRuns | ControlChanged | None
) -> None:
    """Take step 7: add the reasons of producers, each once its consumers (perhaps producers themselves) have theirs."""
    waiting = list(producers)
    while waiting:
        ready = [producer for producer in waiting if all(name in reasons for name in producer.consumers)]
        if not ready:
            raise AssertionError("the loader refuses cycles and unknown names")
        for producer in ready:
            consumers = tuple(name for name in producer.consumers if runs(reasons[name]))
            if not consumers:
                reasons[producer.name] = NoConsumerRuns()
            else:
                reasons[producer.name] = dominating or ConsumerRuns(consumers=consumers)
            waiting.remove(producer)


def _decisions(rules: Rules, reasons: Mapping[str, Reason]) -> Iterable[Decision]:
    for output in rules.decided:
        internal = isinstance(output, Suite) and output.internal
        yield Decision(name=output.name, title=output.title, reason=reasons[output.name], emitted=not internal)
