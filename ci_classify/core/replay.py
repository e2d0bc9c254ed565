"""Classify many changes by several rules, and add up how the decisions differ.

The first rules are the new ones, the others are what they are held against. What is kept does not grow with the number
of changes: sums by the decisions that occur, and the first few changes that differ.
"""

from collections import Counter
from collections.abc import Sequence

from ci_classify.core.automaton import Look
from ci_classify.core.decision import decide, looks_at_changes
from ci_classify.core.errors import FallbackCause
from ci_classify.core.matching import Matcher, Verdict
from ci_classify.core.model import ChangeKind, Changes, Event, Rules
from ci_classify.core.plan import Comparison, Decision, Fallback, Plan
from ci_classify.core.record import Record

Selected = tuple[str, ...]  # the emitted outputs that are true, in the order of the rules

COMPARING = frozenset({"pull_request", "push", "merge_group"})
MOST_SHOWN = 25  # changes that differ, of each kind, for each of the other rules
_MOST_CACHED = 10_000
_MOST_BUCKETS = 120
_NOTHING = Changes(paths=(), kinds=())


class Named(Record):
    """Rules, and the words by which a person tells them from others."""

    name: str
    rules: Rules


class Classifier:
    """Decides about many changes by the same rules, as ``run`` would about each.

    The union of changes selects the union of what each selects by itself. So a plan is made once for each kind of path,
    however many changes and combinations there are.
    """

    def __init__(self, rules: Rules, event: Event) -> None:
        self.rules = rules
        self._outputs = [output.name for output in rules.outputs]
        self._shift = {name: number for number, name in enumerate(self._outputs)}
        self._event = event
        self._matcher = Matcher(rules)
        self._fixed = None if self._compares() else self._mask(_NOTHING)
        self._empty = self._mask(_NOTHING)
        self._by_look: dict[ChangeKind, dict[Look, int]] = {}
        self._by_verdict: dict[Verdict, int] = {}
        self._by_kind: dict[tuple[object, ...], int] = {}
        self._names: dict[int, Selected] = {}

    def plan(self, changes: Changes) -> Plan:
        """Return the plan of a change."""
        if not looks_at_changes(self.rules, self._event):
            return decide(self.rules, self._event, _NOTHING, Comparison(needed=False), matcher=self._matcher)
        if self._event.name not in COMPARING:
            detail = f"a {self._event.name} event gives no commits to compare"
            fallback = Fallback(cause=FallbackCause.NOTHING_TO_COMPARE, detail=detail)
            return decide(self.rules, self._event, fallback)
        return decide(self.rules, self._event, changes, matcher=self._matcher)

    def mask(self, changes: Changes) -> int:
        """Return the outputs that are true: bit *i* for output *i*."""
        if self._fixed is not None:
            return self._fixed
        if not changes.paths:
            return self._empty
        mask = 0
        look_at = self._matcher.look
        last_kind, known = None, dict[Look, int]()
        for path, kind in zip(changes.paths, changes.kinds, strict=True):
            if kind is not last_kind:
                last_kind, known = kind, self._by_look.setdefault(kind, {})
            look = look_at(path)
            found = known.get(look)
            mask |= self._see(path, kind, look) if found is None else found
        return mask

    def selected(self, mask: int) -> Selected:
        """Return the names of the outputs of a mask."""
        found = self._names.get(mask)
        if found is None:
            if len(self._names) >= _MOST_CACHED:
                self._names.clear()
            names = []
            rest = mask
            while rest:
                lowest = rest & -rest
                names.append(self._outputs[lowest.bit_length() - 1])
                rest ^= lowest
            found = self._names[mask] = tuple(names)
        return found

    def _compares(self) -> bool:
        return self._event.name in COMPARING and looks_at_changes(self.rules, self._event)

    def _see(self, path: str, kind: ChangeKind, look: Look) -> int:
        """Return what a path selects, and remember it for all of which the same is seen."""
        known = self._by_look[kind]
        if len(known) >= _MOST_CACHED:
            known.clear()
        verdict = self._matcher.verdict(path, kind)
        found = self._by_verdict.get(verdict)
        if found is None:
            found = self._learn(verdict, Changes(paths=(path,), kinds=(kind,)))
        known[look] = found
        return found

    def _learn(self, verdict: Verdict, change: Changes) -> int:
        """Remember what a path of a verdict selects. Verdicts with the same answers select the same."""
        if len(self._by_verdict) >= _MOST_CACHED:
            self._by_verdict.clear()
        suites = tuple(number for number, _ in verdict.inputs)
        kind = (verdict.control is None, verdict.documentation is None, verdict.unaffecting is None, suites)
        if kind not in self._by_kind:
            if len(self._by_kind) >= _MOST_CACHED:
                self._by_kind.clear()
            self._by_kind[kind] = self._mask(change)
        self._by_verdict[verdict] = found = self._by_kind[kind]
        return found

    def _mask(self, changes: Changes) -> int:
        return sum(1 << self._shift[decision.name] for decision in self.plan(changes).outputs if decision.runs)


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
    """What a replay came to. The new rules come first among the names, and in each bucket."""

    names: tuple[str, ...]
    changes: int
    newly_skipped: tuple[int, ...]
    newly_run: tuple[int, ...]
    differences: tuple[Difference, ...]
    timeline: tuple[Bucket, ...]

    def runs(self, name: str, number: int) -> int:
        """Return how many changes run an output by the rules of a number, 0 for the new ones."""
        return sum(bucket.runs[number][name] for bucket in self.timeline)


class Replay:
    """Takes in one change after the other."""

    def __init__(self, new: Named, against: Sequence[Named], event: Event) -> None:
        self._names = (new.name, *(other.name for other in against))
        self._classifiers = [Classifier(each.rules, event) for each in (new, *against)]
        emitted = {output.name for output in new.rules.outputs}
        self._shared = [emitted & {output.name for output in other.rules.outputs} for other in against]
        self._known: dict[tuple[int, ...], Outcome] = {}
        self._changes = 0
        self._skipped = [0] * len(against)
        self._run = [0] * len(against)
        self._skipping: list[list[Difference]] = [[] for _ in against]
        self._running: list[list[Difference]] = [[] for _ in against]
        self._timeline = _Timeline(len(against) + 1)

    def add(self, commit: str, changes: Changes, when: int) -> Outcome:
        """Take in a change, and return what each rules select for it. ``when`` is its time, or its place."""
        masks = tuple([classifier.mask(changes) for classifier in self._classifiers])
        outcome = self._known.get(masks)
        if outcome is None:
            outcome = self._outcome(masks)
        self._changes += 1
        self._timeline.add(when, outcome)
        for number, old in enumerate(outcome.against):
            if old != outcome.new:
                self._differ(commit, changes, number, outcome)
        return outcome

    def _outcome(self, masks: tuple[int, ...]) -> Outcome:
        if len(self._known) >= _MOST_CACHED:
            self._known.clear()
        new, *against = (classifier.selected(mask) for classifier, mask in zip(self._classifiers, masks, strict=True))
        self._known[masks] = outcome = Outcome(new=new, against=tuple(against))
        return outcome

    def totals(self) -> Totals:
        """Return what it came to so far."""
        return Totals(
            names=self._names,
            changes=self._changes,
            newly_skipped=tuple(self._skipped),
            newly_run=tuple(self._run),
            differences=tuple(found for kept in (*self._skipping, *self._running) for found in kept),
            timeline=self._timeline.buckets(),
        )

    def _differ(self, commit: str, changes: Changes, number: int, outcome: Outcome) -> None:
        shared = self._shared[number]
        gone = shared.intersection(outcome.against[number]).difference(outcome.new)
        come = shared.intersection(outcome.new).difference(outcome.against[number])
        self._skipped[number] += bool(gone)
        self._run[number] += bool(come and not gone)
        kept = (self._skipping if gone else self._running)[number]
        if not (gone or come) or len(kept) >= MOST_SHOWN:
            return
        new, old = self._classifiers[0].plan(changes), self._classifiers[number + 1].plan(changes)
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
        self._pending: list[tuple[int, Outcome]] = []

    def add(self, when: int, outcome: Outcome) -> None:
        """Count a change."""
        self._pending.append((when, outcome))
        if len(self._pending) >= 4 * _MOST_BUCKETS:
            self._settle()

    def buckets(self) -> tuple[Bucket, ...]:
        """Return the stretches in which there are changes, in order."""
        self._settle()
        return tuple(
            Bucket(start=place * self._width, changes=changes, runs=runs)
            for place, (changes, runs) in sorted(self._counts.items())
        )

    def _settle(self) -> None:
        for when, outcome in self._pending:
            place = when // self._width
            changes, runs = self._counts.get(place) or (0, tuple(Counter[str]() for _ in range(self._rules)))
            for counter, names in zip(runs, (outcome.new, *outcome.against), strict=True):
                for name in names:
                    counter[name] += 1
            self._counts[place] = (changes + 1, runs)
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
