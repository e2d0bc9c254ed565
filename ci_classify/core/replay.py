"""Classify many changes by several rules, and add up how the decisions differ.

The first rules are the new ones, the others are what they are held against. What is kept does not grow with the number
of changes: sums by the decisions that occur, and the first few changes that differ.
"""

from collections import Counter
from collections.abc import Sequence

from ci_classify.core.decision import decide, looks_at_changes
from ci_classify.core.errors import FallbackCause
from ci_classify.core.matching import Matcher, Verdict
from ci_classify.core.model import Changes, Event, Rules
from ci_classify.core.plan import Comparison, Decision, Fallback, Plan
from ci_classify.core.record import Record

Selected = tuple[str, ...]  # the emitted outputs that are true, in the order of the rules

COMPARING = frozenset({"pull_request", "push", "merge_group"})
MOST_SHOWN = 50  # changes of each kind that differ
_MOST_CACHED = 20_000
_MOST_BUCKETS = 120
_NOTHING = Changes(paths=(), kinds=())


class Named(Record):
    """Rules, and the words by which a person tells them from others."""

    name: str
    rules: Rules


class Classifier:
    """Decides about many changes by the same rules, as ``run`` would about each."""

    def __init__(self, rules: Rules, event: Event) -> None:
        self.rules = rules
        self._event = event
        self._matcher = Matcher(rules)
        self._looks = looks_at_changes(rules, event)
        self._known: dict[frozenset[Verdict], Selected] = {}

    def plan(self, changes: Changes) -> Plan:
        """Return the plan of a change."""
        if not self._looks:
            return decide(self.rules, self._event, _NOTHING, Comparison(needed=False), matcher=self._matcher)
        if self._event.name not in COMPARING:
            detail = f"a {self._event.name} event gives no commits to compare"
            fallback = Fallback(cause=FallbackCause.NOTHING_TO_COMPARE, detail=detail)
            return decide(self.rules, self._event, fallback)
        return decide(self.rules, self._event, changes, matcher=self._matcher)

    def selected(self, changes: Changes) -> Selected:
        """Return the outputs that are true.

        A plan selects by which verdicts occur among its changes, not by how many or where; so it is made once for each
        such combination.
        """
        key = frozenset(self._matcher.group(changes))
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_CACHED:
                self._known.clear()
            plan = self.plan(changes)
            found = self._known[key] = tuple(decision.name for decision in plan.outputs if decision.runs)
        return found


class Outcome(Record):
    """What each rules select for one change."""

    new: Selected
    against: tuple[Selected, ...]


class Moved(Record):
    """An output that other rules decide differently about: both decisions, each with its plan for the sentence."""

    new: Decision
    new_plan: Plan
    old: Decision
    old_plan: Plan


class Difference(Record):
    """A change about which the new rules decide differently than others, by their number."""

    commit: str
    against: int
    skipped: tuple[Moved, ...]
    run: tuple[Moved, ...]


class Bucket(Record):
    """How often each rules ran each output, in a stretch of the range. ``start`` is a time or a place."""

    start: int
    changes: int
    runs: tuple[Counter[str], ...]


class Totals(Record):
    """What a replay came to. Counts are per output, the new rules' first."""

    names: tuple[str, ...]
    changes: int
    outcomes: Counter[Outcome]
    newly_skipped: tuple[int, ...]
    newly_run: tuple[int, ...]
    differences: tuple[Difference, ...]
    timeline: tuple[Bucket, ...]

    def runs(self, name: str, number: int) -> int:
        """Return how many changes run an output by the rules of a number, 0 for the new ones."""
        return sum(times for outcome, times in self.outcomes.items() if name in _by(outcome, number))


class Replay:
    """Takes in one change after the other."""

    def __init__(self, new: Named, against: Sequence[Named], event: Event) -> None:
        self._names = (new.name, *(other.name for other in against))
        self._new = Classifier(new.rules, event)
        self._against = [Classifier(other.rules, event) for other in against]
        emitted = {output.name for output in new.rules.outputs}
        self._shared = [emitted & {output.name for output in other.rules.outputs} for other in against]
        self._changes = 0
        self._outcomes = Counter[Outcome]()
        self._interned: dict[tuple[Selected, ...], Outcome] = {}
        self._skipped = [0] * len(against)
        self._run = [0] * len(against)
        self._skipping: list[Difference] = []
        self._running: list[Difference] = []
        self._timeline = _Timeline(len(against) + 1)

    def add(self, commit: str, changes: Changes, when: int) -> Outcome:
        """Take in a change, and return what each rules select for it. ``when`` is its time, or its place."""
        selected = (self._new.selected(changes), *(other.selected(changes) for other in self._against))
        outcome = self._interned.get(selected)
        if outcome is None:
            outcome = self._interned[selected] = Outcome(new=selected[0], against=selected[1:])
        self._changes += 1
        self._outcomes[outcome] += 1
        self._timeline.add(when, selected)
        for number, old in enumerate(outcome.against):
            if old != outcome.new:
                self._differ(commit, changes, number, outcome)
        return outcome

    def plan(self, changes: Changes) -> Plan:
        """Return the plan of the new rules for a change."""
        return self._new.plan(changes)

    def totals(self) -> Totals:
        """Return what it came to so far."""
        return Totals(
            names=self._names,
            changes=self._changes,
            outcomes=self._outcomes,
            newly_skipped=tuple(self._skipped),
            newly_run=tuple(self._run),
            differences=(*self._skipping, *self._running),
            timeline=self._timeline.buckets(),
        )

    def _differ(self, commit: str, changes: Changes, number: int, outcome: Outcome) -> None:
        shared = self._shared[number]
        gone = shared.intersection(outcome.against[number]).difference(outcome.new)
        come = shared.intersection(outcome.new).difference(outcome.against[number])
        self._skipped[number] += bool(gone)
        self._run[number] += bool(come and not gone)
        kept = self._skipping if gone else self._running
        if not (gone or come) or len(kept) >= MOST_SHOWN:
            return
        new, old = self._new.plan(changes), self._against[number].plan(changes)
        before = {decision.name: decision for decision in old.outputs}

        def moved(names: set[str]) -> tuple[Moved, ...]:
            return tuple(
                Moved(new=decision, new_plan=new, old=before[decision.name], old_plan=old)
                for decision in new.outputs
                if decision.name in names
            )

        kept.append(Difference(commit=commit, against=number, skipped=moved(set(gone)), run=moved(set(come))))


class _Timeline:
    """Runs by stretches of equal width, which double where there would be too many."""

    def __init__(self, rules: int) -> None:
        self._rules = rules
        self._width = 1
        self._counts: dict[int, tuple[int, tuple[Counter[str], ...]]] = {}
        self._pending: Counter[tuple[int, tuple[Selected, ...]]] = Counter()

    def add(self, when: int, selected: tuple[Selected, ...]) -> None:
        """Count a change."""
        self._pending[when // self._width, selected] += 1
        if len(self._pending) > 4 * _MOST_BUCKETS:
            self._settle()

    def buckets(self) -> tuple[Bucket, ...]:
        """Return the stretches in which there are changes, in order."""
        self._settle()
        return tuple(
            Bucket(start=place * self._width, changes=changes, runs=runs)
            for place, (changes, runs) in sorted(self._counts.items())
        )

    def _settle(self) -> None:
        for (place, selected), times in self._pending.items():
            changes, runs = self._counts.get(place) or (0, tuple(Counter[str]() for _ in range(self._rules)))
            for counter, names in zip(runs, selected, strict=True):
                for name in names:
                    counter[name] += times
            self._counts[place] = (changes + times, runs)
        self._pending.clear()
        while self._counts and max(self._counts) - min(self._counts) >= _MOST_BUCKETS:
            self._double()

    def _double(self) -> None:
        self._width *= 2
        joined: dict[int, tuple[int, tuple[Counter[str], ...]]] = {}
        for place, (changes, runs) in self._counts.items():
            known = joined.get(place // 2)
            if known is None:
                joined[place // 2] = (changes, runs)
            else:
                joined[place // 2] = (known[0] + changes, tuple(a + b for a, b in zip(known[1], runs, strict=True)))
        self._counts = joined


def _by(outcome: Outcome, number: int) -> Selected:
    return outcome.new if number == 0 else outcome.against[number - 1]
