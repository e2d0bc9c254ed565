"""Match paths against all patterns of a rules file at once.

Patterns are programs of segments (``patterns``). An automaton reads a path a component at a time; its
state is the set of places in programs that the directory so far has reached. The state of each
directory is computed once, so that a file costs a few look-ups of its name, however many patterns
there are. The result for a path is a *mask*: an integer with bit *i* set where pattern *i* matches.

A ``Matcher`` turns masks into verdicts: which sets contain the path, and by which pattern. Few masks
occur in one change, so each is evaluated once. The equal, slow way (each term of each set by itself)
stands in the tests as the reference.

Refuses: any knowledge of modes, labels and policies.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ci_classify.core.model import ChangeKind, Changes, ChangeType, PathSet, Pattern, Rules, Term
from ci_classify.core.patterns import ANY_DEPTH, Program, Segment, Shape, compile_pattern, fold, to_byte_text

EVIDENCE = 3  # paths that an explanation shows before "and N more"

_Place = tuple[int, int]  # program, index of the segment that the next component must match


class _Step:
    """What a component brings: places reached behind it, and the patterns that it completes."""

    __slots__ = ("as_directory", "as_file", "places")

    def __init__(self) -> None:
        self.places: list[_Place] = []
        self.as_file = 0
        self.as_directory = 0

    def add(self, other: "_Step") -> None:
        self.places += other.places
        self.as_file |= other.as_file
        self.as_directory |= other.as_directory


class _Table:
    """Places ordered by the shape of the segment that they wait for."""

    __slots__ = ("anything", "by_shape", "regexes")

    def __init__(self) -> None:
        # For each letter case and cheap shape: length of the literal -> literal -> what it brings.
        self.by_shape: dict[tuple[bool, Shape], dict[int, dict[str, _Step]]] = {}
        self.anything = _Step()
        self.regexes: list[tuple[bool, re.Pattern[str], _Step]] = []

    def slot(self, segment: Segment, *, folded: bool) -> _Step:
        """Return the step that a component brings when it matches the segment."""
        if segment.shape is Shape.ANYTHING:
            return self.anything
        if segment.shape is Shape.REGEX:
            step = _Step()
            self.regexes.append((folded, re.compile(segment.text), step))
            return step
        length = 0 if segment.shape is Shape.LITERAL else len(segment.text)
        by_length = self.by_shape.setdefault((folded, segment.shape), {})
        return by_length.setdefault(length, {}).setdefault(segment.text, _Step())

    def step(self, component: str) -> _Step:
        """Return all that a component brings."""
        result = _Step()
        result.add(self.anything)
        for (folded, shape), by_length in self.by_shape.items():
            text = fold(component) if folded else component
            for length, steps in by_length.items():
                if shape is Shape.LITERAL:
                    found = steps.get(text)
                elif length > len(text):
                    continue
                elif shape is Shape.SUFFIX:
                    found = steps.get(text[-length:])
                else:
                    found = steps.get(text[:length])
                if found is not None:
                    result.add(found)
        for folded, regex, step in self.regexes:
            if regex.fullmatch(fold(component) if folded else component):
                result.add(step)
        return result


class _State:
    """A directory: patterns that took it or a parent, places that stay, places that wait."""

    __slots__ = ("matched", "staying", "table", "waiting")

    def __init__(self, matched: int, staying: frozenset[_Place], waiting: frozenset[_Place]) -> None:
        self.matched = matched
        self.staying = staying
        self.waiting = waiting
        self.table: _Table | None = None


class Automaton:
    """Programs, each with whether it ignores case, compiled to run together."""

    def __init__(self, programs: Sequence[tuple[Program, bool]]) -> None:
        self._programs = programs
        floating = _Table()
        anchored: set[_Place] = set()
        for number, (program, _) in enumerate(programs):
            if program.segments[0] is ANY_DEPTH:
                self._wait(floating, (number, 1))
            else:
                anchored.add((number, 0))
        self._floating = floating
        self._floating_steps: dict[str, _Step] = {}
        self._states: dict[tuple[int, frozenset[_Place], frozenset[_Place]], _State] = {}
        self._directories: dict[str, _State] = {"": self._state(0, frozenset(), frozenset(anchored))}

    def masks(self, path: str) -> tuple[int, int]:
        """Return the masks of a path: as a file, and as a directory such as a submodule."""
        text = to_byte_text(path)
        cut = text.rfind("/") + 1
        directory, name = text[:cut], text[cut:]
        state = self._directories.get(directory)
        if state is None:
            state = self._enter(directory)
        own = self._table(state).step(name) if state.waiting or state.staying else None
        step = self._floating.step(name)
        as_file, as_directory = state.matched | step.as_file, state.matched | step.as_directory
        if own is not None:
            as_file |= own.as_file
            as_directory |= own.as_directory
        return as_file, as_directory

    def _enter(self, directory: str) -> _State:
        """Return the state of a directory (text that ends in a slash), through its nearest known parent."""
        known = directory
        while known not in self._directories:
            known = known[: known.rfind("/", 0, -1) + 1]
        state = self._directories[known]
        for component in directory[len(known) :].split("/")[:-1]:
            known += component + "/"
            state = self._descend(state, component)
            self._directories[known] = state
        return state

    def _descend(self, state: _State, component: str) -> _State:
        floating = self._floating_steps.get(component)
        if floating is None:
            floating = self._floating_steps[component] = self._floating.step(component)
        if not state.waiting and not state.staying and not floating.places:
            return self._state(state.matched | floating.as_directory, state.staying, state.waiting)
        own = self._table(state).step(component)
        matched = state.matched | floating.as_directory | own.as_directory
        staying, waiting = set(state.staying), set[_Place]()
        for number, index in (*floating.places, *own.places):
            if matched >> number & 1:
                continue
            if self._programs[number][0].segments[index] is ANY_DEPTH:
                staying.add((number, index + 1))
            else:
                waiting.add((number, index))
        return self._state(
            matched, frozenset(place for place in staying if not matched >> place[0] & 1), frozenset(waiting)
        )

    def _state(self, matched: int, staying: frozenset[_Place], waiting: frozenset[_Place]) -> _State:
        key = (matched, staying, waiting)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = _State(*key)
        return state

    def _table(self, state: _State) -> _Table:
        if state.table is None:
            state.table = _Table()
            for place in state.staying | state.waiting:
                self._wait(state.table, place)
        return state.table

    def _wait(self, table: _Table, place: _Place) -> None:
        number, index = place
        program, folded = self._programs[number]
        segment = program.segments[index]
        if not isinstance(segment, Segment):
            raise TypeError("ANY_DEPTH is never last and never twice")
        step = table.slot(segment, folded=folded)
        if index + 1 < len(program.segments):
            step.places.append((number, index + 1))
            return
        step.as_directory |= 1 << number
        if not program.directory_only:
            step.as_file |= 1 << number


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Which sets contain a change, each with the pattern that decided; ``inputs`` by number of the suite."""

    control: Pattern | None
    documentation: Pattern | None
    unaffecting: Pattern | None
    inputs: tuple[tuple[int, Pattern], ...]


class Group:
    """The changes of one verdict: how many, and the places of the first few in the diff."""

    __slots__ = ("count", "first")

    def __init__(self) -> None:
        self.count = 0
        self.first: list[int] = []


class Matcher:
    """The sets of a rules file, ready to give verdicts on changes."""

    def __init__(self, rules: Rules) -> None:
        suites = [(number, suite.inputs) for number, suite in enumerate(rules.suites) if suite.inputs]
        special = (rules.control, rules.documentation, rules.unaffecting)
        self._evaluator = SetEvaluator(rules, [*special, *(inputs for _, inputs in suites)])
        self._suites = [number for number, _ in suites]
        self._verdicts: dict[tuple[int, ChangeKind], Verdict] = {}

    def verdict(self, path: str, kind: ChangeKind) -> Verdict:
        """Return which sets contain a change; equal answers are the same object."""
        as_file, as_directory = self._evaluator.automaton.masks(path)
        if not kind.old_is_submodule and not kind.new_is_submodule:
            return self._of_mask(as_file, kind)
        if kind.old_is_submodule and kind.new_is_submodule:
            return self._of_mask(as_directory, kind)
        return _either(self._of_mask(as_file, kind), self._of_mask(as_directory, kind))

    def group(self, changes: Changes) -> dict[Verdict, Group]:
        """Return the changes by verdict. The places of each group's first changes are in diff order."""
        groups: dict[Verdict, Group] = {}
        for place, (path, kind) in enumerate(zip(changes.paths, changes.kinds, strict=True)):
            verdict = self.verdict(path, kind)
            group = groups.get(verdict)
            if group is None:
                group = groups[verdict] = Group()
            group.count += 1
            if group.count <= EVIDENCE:
                group.first.append(place)
        return groups

    def _of_mask(self, mask: int, kind: ChangeKind) -> Verdict:
        verdict = self._verdicts.get((mask, kind))
        if verdict is None:
            found = self._evaluator.containing(mask, kind.type)
            inputs = tuple((self._suites[number - 3], pattern) for number, pattern in found.items() if number > 2)
            verdict = Verdict(found.get(0), found.get(1), found.get(2), inputs)
            self._verdicts[mask, kind] = verdict
        return verdict


def _either(old: Verdict, new: Verdict) -> Verdict:
    """Join both sides of a path that is a submodule on one of them: only what holds on both may narrow."""
    inputs = dict(new.inputs) | dict(old.inputs)
    return Verdict(
        control=old.control or new.control,
        documentation=old.documentation and new.documentation,
        unaffecting=old.unaffecting and new.unaffecting,
        inputs=tuple(sorted(inputs.items(), key=lambda item: item[0])),
    )


@dataclass(frozen=True, slots=True)
class Match:
    """A term that matches a path, and the pattern by which it does: its own, or one of the set that it names."""

    term: Term
    pattern: Pattern


class SetEvaluator:
    """Which of some sets contain a path, given the mask of the path."""

    def __init__(self, rules: Rules, sets: Sequence[PathSet]) -> None:
        self._named = rules.sets
        self._sets = sets
        self._bits: dict[tuple[str, bool], int] = {}
        programs: list[tuple[Program, bool]] = []
        for path_set in (*rules.sets.values(), *sets):
            for pattern in _patterns(path_set):
                key = (pattern.text, path_set.ignore_case)
                if key not in self._bits:
                    self._bits[key] = len(programs)
                    program = compile_pattern(pattern.text, ignore_case=path_set.ignore_case)
                    programs.append((program, path_set.ignore_case))
        self.automaton = Automaton(programs)
        self._users: list[list[int]] = [[] for _ in programs]
        below: dict[str, frozenset[int]] = {}
        for number, path_set in enumerate(sets):
            for bit in self._bits_below(path_set, below):
                self._users[bit].append(number)

    def containing(self, mask: int, change: ChangeType | None) -> dict[int, Pattern]:
        """Return the sets that contain a path, by number, with the deciding pattern, in order of number.

        Without a change type, limits to types of change are not looked at.
        """
        candidates: set[int] = set()
        rest = mask
        while rest:
            lowest = rest & -rest
            candidates.update(self._users[lowest.bit_length() - 1])
            rest ^= lowest
        found = {}
        memo: dict[str, Pattern | None] = {}
        for number in sorted(candidates):
            pattern = self._deciding(self._sets[number], mask, change, memo)
            if pattern is not None:
                found[number] = pattern
        return found

    def last_match(self, path_set: PathSet, mask: int) -> "Match | None":
        """Return the term that decides about a path, whatever the type of its change, or None if none matches."""
        return self._last(path_set, mask, None, {})

    def _deciding(
        self, path_set: PathSet, mask: int, change: ChangeType | None, memo: dict[str, Pattern | None]
    ) -> Pattern | None:
        """Return the pattern by which the set contains the path, or None."""
        last = self._last(path_set, mask, change, memo)
        return last.pattern if last is not None and last.term.positive else None

    def _last(
        self, path_set: PathSet, mask: int, change: ChangeType | None, memo: dict[str, Pattern | None]
    ) -> "Match | None":
        if change is not None and path_set.changes is not None and change not in path_set.changes:
            return None
        for term in reversed(path_set.terms):
            matches = term.matches
            if isinstance(matches, Pattern):
                hit = matches if mask >> self._bits[matches.text, path_set.ignore_case] & 1 else None
            else:
                if matches.name not in memo:
                    memo[matches.name] = self._deciding(self._named[matches.name], mask, change, memo)
                hit = memo[matches.name]
            if hit is not None:
                return Match(term, hit)
        return None

    def _bits_below(self, path_set: PathSet, below: dict[str, frozenset[int]]) -> frozenset[int]:
        """Return the bits of the patterns that a set uses at any depth; ``below`` keeps those of named sets."""
        bits = {self._bits[pattern.text, path_set.ignore_case] for pattern in _patterns(path_set)}
        for term in path_set.terms:
            if not isinstance(term.matches, Pattern):
                name = term.matches.name
                if name not in below:
                    below[name] = self._bits_below(self._named[name], below)
                bits |= below[name]
        return frozenset(bits)


def _patterns(path_set: PathSet) -> Iterable[Pattern]:
    return (term.matches for term in path_set.terms if isinstance(term.matches, Pattern))
