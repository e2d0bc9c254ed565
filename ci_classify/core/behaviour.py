"""What rules do in every situation that they can tell apart, for telling whether two rules ever differ.

A situation is an event (with a branch, perhaps a label) and one changed path, or none. Since the union of changes
selects the union, rules that agree on single paths agree on every change.
"""

from collections.abc import Iterator, Sequence

from ci_classify.core.decision import decide
from ci_classify.core.matching import Matcher, Verdict
from ci_classify.core.model import ChangeKind, Changes, ChangeType, Event, EventMode, Rules
from ci_classify.core.record import Record
from ci_classify.core.replay import COMPARING, Classifier

_OTHER_EVENT = "workflow_dispatch"
_OTHER_BRANCH = "other-branch"
_NOTHING = Changes(paths=(), kinds=())
_KINDS = {type_: ChangeKind(type=type_) for type_ in ChangeType}


class Situation(Record):
    """An event, and a path that changed in a way; no path for a change without any."""

    event: Event
    path: str | None
    type: ChangeType = ChangeType.MODIFIED

    @property
    def changes(self) -> Changes:
        """The change by itself."""
        return _NOTHING if self.path is None else Changes(paths=(self.path,), kinds=(_KINDS[self.type],))


def events_of(rules: Rules) -> tuple[Event, ...]:
    """Return events for all modes and labels: plain pull requests first, then what is further from them."""
    entries = [*rules.events, *(entry for suite in rules.suites for entry in suite.modes)]
    names = dict.fromkeys(("pull_request", "push", *(e.event for e in entries if e.event != "*"), "merge_group"))
    names[next(name for name in (_OTHER_EVENT, f"{_OTHER_EVENT}_2") if name not in names)] = None
    found = [Event(name=name) for name in names]
    found += [Event(name=name, branch=branch) for name in names for branch in _branches(entries, name)]
    found += [Event(name="pull_request", labels=(label.name,)) for label in rules.labels]
    return tuple(found)


def _branches(entries: Sequence[EventMode], name: str) -> list[str]:
    globs = {entry.branch for entry in entries if entry.branch is not None and entry.event in {name, "*"}}
    if not globs:
        return []
    examples = {glob.replace("**", "x").replace("*", "x").replace("?", "x") for glob in globs}
    return [*sorted(examples), _OTHER_BRANCH]


def types_of(rules: Rules) -> tuple[ChangeType, ...]:
    """Return the types of change that the sets tell apart."""
    sets = [*rules.sets.values(), rules.documentation, rules.unaffecting, rules.control]
    sets += [suite.inputs for suite in rules.suites if suite.inputs is not None]
    if all(path_set.changes is None for path_set in sets):
        return (ChangeType.MODIFIED,)
    return (ChangeType.MODIFIED, ChangeType.ADDED, ChangeType.DELETED, ChangeType.TYPE_CHANGED)


_Kind = tuple[bool, bool, bool, tuple[int, ...]]


class Behaviour:
    """What rules select in situations: one answer for each kind of path and event."""

    def __init__(self, rules: Rules, answers: "Answers") -> None:
        self._matcher = Matcher(rules)
        self._answers = answers

    def kind(self, path: str, type_: ChangeType) -> _Kind:
        """Return what the sets say of a path."""
        return kind_of(self._matcher.verdict(path, _KINDS[type_]))

    def answer(self, kind: _Kind, path: str, type_: ChangeType) -> tuple[int, ...]:
        """Return what a kind of path selects, for each event."""
        return self._answers.of(kind, self._matcher, path, type_)


def kind_of(verdict: Verdict) -> _Kind:
    """Return what a verdict says, whichever patterns said it."""
    suites = tuple(number for number, _ in verdict.inputs)
    return verdict.control is not None, verdict.documentation is not None, verdict.unaffecting is not None, suites


class Answers:
    """What kinds of paths select by rules whose sets may differ while all else is the same."""

    def __init__(self, rules: Rules, events: Sequence[Event]) -> None:
        self._rules = rules
        self.events = events
        self._bits = {output.name: 1 << number for number, output in enumerate(rules.outputs)}
        self._known: dict[_Kind, tuple[int, ...]] = {}
        self.empty = tuple(self._mask(Matcher(rules), event, _NOTHING) for event in events)

    def of(self, kind: _Kind, matcher: Matcher, path: str, type_: ChangeType) -> tuple[int, ...]:
        """Return the answers for a path of a kind, which the matcher finds it to be."""
        known = self._known.get(kind)
        if known is None:
            change = Changes(paths=(path,), kinds=(_KINDS[type_],))
            known = self._known[kind] = tuple(self._mask(matcher, event, change) for event in self.events)
        return known

    def _mask(self, matcher: Matcher, event: Event, changes: Changes) -> int:
        if event.name in COMPARING:
            plan = decide(self._rules, event, changes, matcher=matcher)
        else:
            plan = Classifier(self._rules, event).plan(changes)
        return sum(self._bits[decision.name] for decision in plan.outputs if decision.runs)


def differences(
    original: Behaviour, mutant: Behaviour, both: tuple[Answers, Answers], places: Sequence[tuple[str, ChangeType]]
) -> Iterator[Situation]:
    """Return situations in which two rules select differently, those without a path first."""
    events = both[0].events
    for number, event in enumerate(events):
        if both[0].empty[number] != both[1].empty[number]:
            yield Situation(event=event, path=None)
    same = both[0] is both[1]
    for path, type_ in places:
        one, other = original.kind(path, type_), mutant.kind(path, type_)
        if same and one == other:
            continue
        first, second = original.answer(one, path, type_), mutant.answer(other, path, type_)
        if first != second:
            for number, event in enumerate(events):
                if first[number] != second[number]:
                    yield Situation(event=event, path=path, type=type_)
