"""Which lines of rules are protected: whether anything notices when one of them is changed.

A mutant is *killed* if an example fails by it, the drift guard finds what it misses, or a change of a range is
decided otherwise. It is *equivalent* if no path, tracked or possible, is decided otherwise for any event; *undecided* where no such path was found
but not all could be tried. The others *survive*: each with a situation that would tell, as an example.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum

from ci_classify.core.behaviour import Answers, Behaviour, Situation, differences, events_of, types_of
from ci_classify.core.decision import decide
from ci_classify.core.examples import run_examples
from ci_classify.core.matching import Matcher
from ci_classify.core.model import Changes, Event, Rules
from ci_classify.core.mutants import Mutant, mutants, patterns_of
from ci_classify.core.record import Record
from ci_classify.core.replay import Classifier
from ci_classify.core.witnesses import witnesses


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED_BY_EXAMPLE = "killed-by-example"
    KILLED_BY_DRIFT = "killed-by-drift"
    KILLED_BY_RANGE = "killed-by-range"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"
    SURVIVED = "survived"

    @property
    def is_killed(self) -> bool:
        """Whether something noticed the mutant."""
        return self in {Fate.KILLED_BY_EXAMPLE, Fate.KILLED_BY_DRIFT, Fate.KILLED_BY_RANGE}


class Proposal(Record):
    """An example that would kill a mutant: a situation, and the emitted outputs that the rules select in it."""

    situation: Situation
    selects: tuple[str, ...]


class Verdict(Record):
    """What became of a mutant, by what (an example, a path, a commit), and an example for one that survived."""

    mutant: Mutant
    fate: Fate
    by: str = ""
    proposal: Proposal | None = None


class Guard(Record):
    """Something that looks at rules by themselves: ``notices`` returns by what it notices wrong ones, or None."""

    fate: Fate
    notices: Callable[[Rules], str | None]


def examples_of(rules: Rules) -> Guard:
    """Return the examples of rules as a guard."""

    def notices(mutated: Rules) -> str | None:
        failures = run_examples(mutated, rules.examples)
        return failures[0].example.name if failures else None

    return Guard(fate=Fate.KILLED_BY_EXAMPLE, notices=notices)


def judge(rules: Rules, tracked: Iterable[str], guards: Sequence[Guard]) -> Iterator[Verdict]:
    """Return what becomes of each mutant by guards that have nothing to say of the rules themselves."""
    listed = list(mutants(rules))
    survey = _Survey(rules, listed, tracked)
    for mutant in listed:
        yield _noticed(mutant, guards) or survey.verdict(mutant)


def _noticed(mutant: Mutant, guards: Iterable[Guard]) -> Verdict | None:
    for guard in guards:
        by = guard.notices(mutant.rules)
        if by is not None:
            return Verdict(mutant=mutant, fate=guard.fate, by=by)
    return None


class _Survey:
    """Situations that tell mutants from the rules."""

    def __init__(self, rules: Rules, listed: Sequence[Mutant], tracked: Iterable[str]) -> None:
        self._rules = rules
        patterns = [pattern for each in (rules, *(mutant.rules for mutant in listed)) for pattern in patterns_of(each)]
        found = witnesses(patterns, tracked)
        self._complete = found.complete
        self._places = [(path, type_) for path in found.paths for type_ in types_of(rules)]
        self._answers = Answers(rules, events_of(rules))
        self._original = Behaviour(rules, self._answers)
        self._proposals: list[Proposal] = []

    def verdict(self, mutant: Mutant) -> Verdict:
        """Return what a mutant is that no guard notices."""
        known = _first_noticing(self._proposals, mutant.rules)
        if known is not None:  # few examples are better than many
            return Verdict(mutant=mutant, fate=Fate.SURVIVED, proposal=known)
        answers = self._answers if mutant.changes_sets else Answers(mutant.rules, self._answers.events)
        behaviour = Behaviour(mutant.rules, answers)
        situation = next(differences(self._original, behaviour, (self._answers, answers), self._places), None)
        if situation is None:
            return Verdict(mutant=mutant, fate=Fate.EQUIVALENT if self._complete else Fate.UNDECIDED)
        proposal = Proposal(situation=situation, selects=_selected(self._rules, situation, Matcher(self._rules)))
        self._proposals.append(proposal)
        return Verdict(mutant=mutant, fate=Fate.SURVIVED, proposal=proposal)


def _first_noticing(proposals: Iterable[Proposal], rules: Rules) -> Proposal | None:
    matcher = Matcher(rules)
    return next((p for p in proposals if _selected(rules, p.situation, matcher) != p.selects), None)


def _selected(rules: Rules, situation: Situation, matcher: Matcher) -> tuple[str, ...]:
    plan = decide(rules, situation.event, situation.changes, matcher=matcher)
    return tuple(decision.name for decision in plan.outputs if decision.runs)


class RangeJudge:
    """Kills survivors by the changes of a range, a change at a time."""

    def __init__(self, rules: Rules, survivors: Sequence[Verdict], event: Event) -> None:
        self._original = Classifier(rules, event)
        self._left = {number: Classifier(v.mutant.rules, event) for number, v in enumerate(survivors)}
        self.killed: dict[int, str] = {}

    @property
    def is_done(self) -> bool:
        """Whether no survivor is left."""
        return not self._left

    def add(self, commit: str, changes: Changes) -> None:
        """Take in a change."""
        expected = self._original.mask(changes)
        for number in [number for number, other in self._left.items() if other.mask(changes) != expected]:
            self.killed[number] = commit
            del self._left[number]
