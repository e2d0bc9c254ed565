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
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from operator import itemgetter

from ci_classify.core.model import ChangeKind, Changes, ChangeType, PathSet, Pattern, Rules, SetReference, Term
from ci_classify.core.patterns import ANY_DEPTH, Program, Segment, Shape, compile_pattern, fold, to_byte_text
from ci_classify.core.record import Record

EVIDENCE = 3  # paths that an explanation shows before "and N more"
MAX_CACHED = 200_000  # directories and verdicts: bounds memory, whatever the number of changes

_Place = tuple[int, int]  # program, index of the segment that the next component must match


class _Step:
    """What a component brings: places reached behind it, and masks of the patterns that it completes."""

    __slots__ = ("as_directory", "as_file", "places")

    def __init__(self, places: tuple[_Place, ...] = (), as_file: int = 0, as_directory: int = 0) -> None:
        self.places = places
        self.as_file = as_file
        self.as_directory = as_directory


_NOTHING = _Step()
_ENDING = frozenset({Shape.LITERAL, Shape.SUFFIX})


_Wait = tuple[Segment, bool, _Step]  # what a place waits for, whether in folded letters, and what that brings


class _Table:
    """Places by the segment that they wait for. A component is looked up, not compared with each."""

    def __init__(self, waiting: Iterable[_Wait]) -> None:
        slots: dict[tuple[Segment, bool], list[_Step]] = {}
        for segment, folded, step in waiting:
            slots.setdefault((segment, folded), []).append(step)
        self._steps = [_joined(steps) for steps in slots.values()]
        self._joined: dict[tuple[int, ...], _Step] = {}
        self._always: list[int] = []
        # How to look (letter case folded? by suffix? how many bytes? 0 for the whole) -> text -> number of the step.
        self._lookups: dict[tuple[bool, bool, int], dict[str, int]] = {}
        self._regexes: list[tuple[bool, re.Pattern[str], int]] = []
        # What a component must end with to bring anything, as it is and in folded letters; None if that can't be said.
        self.endings: tuple[tuple[str, ...], tuple[str, ...]] | None = _endings(slots)
        for number, (segment, folded) in enumerate(slots):
            match segment.shape:
                case Shape.ANYTHING:
                    self._always.append(number)
                case Shape.REGEX:
                    self._regexes.append((folded, re.compile(segment.text), number))
                case Shape.LITERAL | Shape.SUFFIX | Shape.PREFIX:
                    length = 0 if segment.shape is Shape.LITERAL else len(segment.text)
                    how = (folded, segment.shape is Shape.SUFFIX, length)
                    self._lookups.setdefault(how, {})[segment.text] = number

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits here."""
        return not self._steps

    def step(self, component: str) -> _Step:
        """Return all that a component brings; equal answers are the same object."""
        found = self._always.copy()
        for (folded, suffix, length), numbers in self._lookups.items():
            text = fold(component) if folded else component
            if length:
                if length > len(text):
                    continue
                text = text[-length:] if suffix else text[:length]
            number = numbers.get(text)
            if number is not None:
                found.append(number)
        for folded, regex, number in self._regexes:
            if regex.fullmatch(fold(component) if folded else component):
                found.append(number)
        if not found:
            return _NOTHING
        if len(found) == 1:
            return self._steps[found[0]]
        key = tuple(found)
        step = self._joined.get(key)
        if step is None:
            step = self._joined[key] = _joined([self._steps[number] for number in key])
        return step


def _endings(waiting: Iterable[tuple[Segment, bool]]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    known = list(waiting)
    if not all(segment.shape in _ENDING for segment, _ in known):
        return None
    exact, folded = (tuple(segment.text for segment, is_folded in known if is_folded is kind) for kind in (False, True))
    return exact, folded


def _joined(steps: Sequence[_Step]) -> _Step:
    as_file = as_directory = 0
    for step in steps:
        as_file |= step.as_file
        as_directory |= step.as_directory
    return _Step(tuple(place for step in steps for place in step.places), as_file, as_directory)


Look = tuple["_State", _Step, _Step]  # a directory, what a name brings in any directory, what it brings in this one


class _State:
    """A directory: patterns that took it or a parent, places that stay at any depth, places that wait."""

    __slots__ = ("below", "matched", "staying", "table", "waiting", "whatever_name")

    def __init__(self, matched: int, staying: frozenset[_Place], waiting: frozenset[_Place]) -> None:
        self.matched = matched
        self.staying = staying
        self.waiting = waiting
        self.table: _Table | None = None
        self.below: dict[str, _State] = {}  # by the name of a directory
        self.whatever_name: Look | None = None  # what is seen of any file here, if its name makes no difference


class Automaton:
    """Programs, each with whether it ignores case, compiled to run together."""

    def __init__(self, programs: Sequence[tuple[Program, bool]]) -> None:
        self._programs = programs
        self._waits: dict[_Place, _Wait] = {}
        floating: list[_Place] = []
        anchored: list[_Place] = []
        for number, (program, _) in enumerate(programs):
            if program.segments[0] is ANY_DEPTH:
                floating.append((number, 1))
            else:
                anchored.append((number, 0))
        self._floating = self._table_of(floating)
        self._floating_places = floating
        self._expected: dict[tuple[frozenset[_Place], frozenset[_Place]], frozenset[tuple[Segment, bool]]] = {}
        self._anchored = frozenset(anchored)
        self._forget()

    def masks(self, path: str) -> tuple[int, int]:
        """Return the masks of a path: as a file, and as a directory such as a submodule."""
        return masks_of(self.look(path))

    def look(self, path: str) -> Look:
        """Return what the masks of a path are made from; equal parts are the same objects."""
        text = path if path.isascii() else to_byte_text(path)
        cut = text.rfind("/") + 1
        state = self._directories.get(text[:cut])
        if state is None:
            state = self._enter(text[:cut])
        if state.whatever_name is not None:
            return state.whatever_name
        name = text[cut:]
        own = self._table(state).step(name) if state.waiting or state.staying else _NOTHING
        return state, self._floating.step(name), own

    def expected(self, look: Look) -> frozenset[tuple[Segment, bool]]:
        """Return the segments, each with whether in folded letters, that a name in the directory of a path can match."""
        state = look[0]
        places = (state.staying, state.waiting)
        found = self._expected.get(places)
        if found is None:
            every = (*self._floating_places, *state.staying, *state.waiting)
            waits = (self._waits.get(place) or self._wait(place) for place in every)
            found = self._expected[places] = frozenset((segment, folded) for segment, folded, _ in waits)
        return found

    def runs(self, paths: Sequence[str]) -> Iterator[tuple[Look, int, int]]:
        """Return what is seen of all paths of a tree, in its order, as ranges of places of which the same is seen.

        As ``look`` for each. Below a directory where nothing waits, only what floats can make a difference; where
        that shows by the ends of paths, all the rest below it is one range.
        """
        hits = self._floating_hits(paths)
        place = 0
        while place < len(paths):
            below = self._closed_above(paths[place]) if hits is not None else None
            if below is None or hits is None:
                yield self.look(paths[place]), place, place + 1
                place += 1
                continue
            directory, state = below
            end = bisect_left(paths, f"{directory[:-1]}0", place) if directory else len(paths)  # 0 is behind /
            for hit in hits[bisect_left(hits, place) : bisect_left(hits, end)]:
                if place < hit:
                    yield (state, _NOTHING, _NOTHING), place, hit
                yield self.look(paths[hit]), hit, hit + 1
                place = hit + 1
            if place < end:
                yield (state, _NOTHING, _NOTHING), place, end
            place = end

    def _floating_hits(self, paths: Sequence[str]) -> list[int] | None:
        """Return the places of files whose ends may match what floats, or None where that can't be said so simply."""
        if self._floating.endings is None or not all(map(str.isascii, paths)):
            return None
        exact, folded = self._floating.endings
        text = "\n".join(paths) if exact or folded else ""
        lowered = text.lower() if folded else ""
        if any(f"{end}/" in text for end in exact) or any(f"{end}/" in lowered for end in folded):
            return None
        hits = {place for place, path in enumerate(paths) if path.endswith(exact)} if exact else set()
        if folded:
            hits.update(place for place, path in enumerate(paths) if path.lower().endswith(folded))
        return sorted(hits)

    def _closed_above(self, path: str) -> tuple[str, _State] | None:
        """Return the highest directory of a path where nothing waits, as text that ends in a slash, and its state."""
        state, cut = self._top, 0
        while state.waiting or state.staying:
            slash = path.find("/", cut)
            if slash < 0:
                return None
            state = self._below(state, path[cut:slash])
            cut = slash + 1
        return path[:cut], state

    def _enter(self, directory: str) -> _State:
        """Return the state of a directory (text that ends in a slash), and remember it."""
        if self._remembered > MAX_CACHED:
            self._forget()
        state = self._top
        for component in directory.split("/")[:-1]:
            state = self._below(state, component)
        self._directories[directory] = state
        self._remembered += 1
        return state

    def _below(self, state: _State, component: str) -> _State:
        below = state.below.get(component)
        if below is None:
            below = state.below[component] = self._descend(state, component)
            self._remembered += 1
        return below

    def _forget(self) -> None:
        """Start again without any state but the top's."""
        self._remembered = 0
        self._states: dict[tuple[int, frozenset[_Place], frozenset[_Place]], _State] = {}
        self._top = self._state(0, frozenset(), self._anchored)
        self._directories: dict[str, _State] = {"": self._top}

    def _descend(self, state: _State, component: str) -> _State:
        floating = self._floating.step(component)
        own = self._table(state).step(component) if state.waiting or state.staying else _NOTHING
        matched = state.matched | floating.as_directory | own.as_directory
        staying, waiting = set(state.staying), set[_Place]()
        for number, index in (*floating.places, *own.places):
            if self._programs[number][0].segments[index] is ANY_DEPTH:
                staying.add((number, index + 1))
            else:
                waiting.add((number, index))
        if len(staying) > 1 or (staying and waiting):
            staying, waiting = _without_overtaken(staying, waiting)
        if matched != state.matched:  # a pattern that took this directory has nothing left to find
            staying = {place for place in staying if not matched >> place[0] & 1}
            waiting = {place for place in waiting if not matched >> place[0] & 1}
        return self._state(matched, frozenset(staying), frozenset(waiting))

    def _state(self, matched: int, staying: frozenset[_Place], waiting: frozenset[_Place]) -> _State:
        key = (matched, staying, waiting)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = _State(*key)
            if not staying and not waiting and self._floating.is_empty:
                state.whatever_name = (state, _NOTHING, _NOTHING)
        return state

    def _table(self, state: _State) -> _Table:
        if state.table is None:
            state.table = self._table_of(state.staying | state.waiting)
        return state.table

    def _table_of(self, places: Iterable[_Place]) -> _Table:
        return _Table([self._waits.get(place) or self._wait(place) for place in places])

    def _wait(self, place: _Place) -> _Wait:
        """Return the segment that a place waits for, and what it brings."""
        number, index = place
        program, folded = self._programs[number]
        segment = program.segments[index]
        if not isinstance(segment, Segment):
            raise TypeError("ANY_DEPTH is never last and never twice")
        if index + 1 < len(program.segments):
            step = _Step(places=((number, index + 1),))
        else:
            bit = 1 << number
            step = _Step(as_file=0 if program.directory_only else bit, as_directory=bit)
        self._waits[place] = wait = (segment, folded, step)
        return wait


def _without_overtaken(staying: set[_Place], waiting: set[_Place]) -> tuple[set[_Place], set[_Place]]:
    """Drop the places of a program before the last ``**`` that it has reached: they can lead there only."""
    last: dict[int, int] = {}
    for number, index in staying:
        last[number] = max(index, last.get(number, 0))
    return set(last.items()), {place for place in waiting if place[1] >= last.get(place[0], 0)}


def masks_of(look: Look) -> tuple[int, int]:
    """Return the masks of what was seen: as a file, and as a directory."""
    state, floating, own = look
    return (
        state.matched | floating.as_file | own.as_file,
        state.matched | floating.as_directory | own.as_directory,
    )


class Verdict:
    """Which sets contain a change, each with the pattern that decided; ``inputs`` by number of the suite.

    Compared by identity, which is what makes verdicts cheap keys.
    """

    __slots__ = ("control", "documentation", "inputs", "unaffecting")

    def __init__(
        self,
        control: Pattern | None,
        documentation: Pattern | None,
        unaffecting: Pattern | None,
        inputs: tuple[tuple[int, Pattern], ...],
    ) -> None:
        self.control = control
        self.documentation = documentation
        self.unaffecting = unaffecting
        self.inputs = inputs


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
        special = (rules.control, rules.documentation, rules.unaffecting, rules.rules_files)
        self._evaluator = SetEvaluator(rules, [*special, *(inputs for _, inputs in suites)])
        self._first_suite = len(special)
        self._suites = [number for number, _ in suites]
        self._keeping = [suite.keeps_documentation for suite in rules.suites]
        self._verdicts: dict[ChangeKind, dict[Look, Verdict]] = {}

    @property
    def look(self) -> Callable[[str], Look]:
        """What returns what is seen of a path: the same verdict belongs to equal looks at changes of a kind."""
        return self._evaluator.automaton.look

    def verdict(self, path: str, kind: ChangeKind) -> Verdict:
        """Return which sets contain a change; equal answers are the same object while they are remembered."""
        return self._verdict_on(self._evaluator.automaton.look(path), kind)

    def group(self, changes: Changes) -> dict[Verdict, Group]:
        """Return the changes by verdict. The places of each group's first changes are in diff order."""
        found: dict[ChangeKind, dict[Look, Group]] = {}
        look_at = self._evaluator.automaton.look
        last_kind, groups = None, dict[Look, Group]()
        for place, (path, kind) in enumerate(zip(changes.paths, changes.kinds, strict=True)):
            if kind is not last_kind:
                last_kind, groups = kind, found.setdefault(kind, {})
            look = look_at(path)
            group = groups.get(look)
            if group is None:
                group = groups[look] = Group()
            group.count += 1
            if group.count <= EVIDENCE:
                group.first.append(place)
        return {self._verdict_on(look, kind): group for kind, groups in found.items() for look, group in groups.items()}

    def _verdict_on(self, look: Look, kind: ChangeKind) -> Verdict:
        known = self._verdicts.setdefault(kind, {})
        return known.get(look) or self._judge(look, kind, known)

    def _judge(self, look: Look, kind: ChangeKind, known: dict[Look, Verdict]) -> Verdict:
        """Return the verdict on what was seen of a path, and remember it."""
        as_file, as_directory = masks_of(look)
        match list(_sides(kind)):
            case [is_submodule]:
                verdict = self._of_mask(as_directory if is_submodule else as_file, kind)
            case _:
                verdict = _either(
                    self._seen(self._of_mask(as_file, kind)), self._seen(self._of_mask(as_directory, kind))
                )
        if len(known) > MAX_CACHED:
            known.clear()
        known[look] = verdict
        return verdict

    def _of_mask(self, mask: int, kind: ChangeKind) -> Verdict:
        found = self._evaluator.containing(mask, kind.type)
        first = self._first_suite
        inputs = tuple((self._suites[number - first], hit) for number, hit in found.items() if number >= first)
        return Verdict(found.get(3) or found.get(0), found.get(1), found.get(2), inputs)

    def _seen(self, verdict: Verdict) -> Verdict:
        """Return the verdict on one side with the inputs of those suites only that see it there."""
        if not verdict.documentation:
            return verdict
        inputs = tuple(hit for hit in verdict.inputs if self._keeping[hit[0]])
        return Verdict(verdict.control, verdict.documentation, verdict.unaffecting, inputs)


def _sides(kind: ChangeKind) -> set[bool]:
    """Return whether a path is a submodule, for the sides of a change on which it exists."""
    match kind.type:
        case ChangeType.ADDED:
            return {kind.new_is_submodule}
        case ChangeType.DELETED:
            return {kind.old_is_submodule}
        case _:
            return {kind.old_is_submodule, kind.new_is_submodule}


def _either(old: Verdict, new: Verdict) -> Verdict:
    """Join both sides of a path that is a submodule on one of them: only what holds on both may narrow."""
    inputs = dict(new.inputs) | dict(old.inputs)
    return Verdict(
        control=old.control or new.control,
        documentation=old.documentation and new.documentation,
        unaffecting=old.unaffecting and new.unaffecting,
        inputs=tuple(sorted(inputs.items(), key=lambda item: item[0])),
    )


class Match(Record):
    """A term that matches a path, and the pattern by which it does: its own, or one of the set that it names."""

    term: Term
    pattern: Pattern


class SetEvaluator:
    """Which of some sets contain a path, given the mask of the path.

    Each pattern knows the terms that hold it, so that a path costs as much as it has matches, however many sets
    and terms there are. Named sets come first, each behind those that it refers to.
    """

    def __init__(self, rules: Rules, sets: Sequence[PathSet]) -> None:
        named = _in_order(rules.sets)
        self._first = len(named)
        self._sets = [*(rules.sets[name] for name in named), *sets]
        place_of = {name: place for place, name in enumerate(named)}
        bits: dict[tuple[str, bool], int] = {}
        programs: list[tuple[Program, bool]] = []
        self._holders: list[list[_Hit]] = []  # by bit of a pattern
        self._referrers: list[list[tuple[int, int, Term]]] = [[] for _ in named]  # by place of a named set
        for place, path_set in enumerate(self._sets):
            for index, term in enumerate(path_set.terms):
                if not isinstance(term.matches, Pattern):
                    self._referrers[place_of[term.matches.name]].append((place, index, term))
                    continue
                key = (term.matches.text, path_set.ignore_case)
                if key not in bits:
                    bits[key] = len(programs)
                    programs.append((compile_pattern(key[0], ignore_case=key[1]), key[1]))
                    self._holders.append([])
                self._holders[bits[key]].append((place, index, term, term.matches))
        self.automaton = Automaton(programs)

    def containing(self, mask: int, change: ChangeType | None) -> dict[int, Pattern]:
        """Return the sets that contain a path, by number, with the deciding pattern, in order of number.

        Without a change type, limits to types of change are not looked at.
        """
        found = self._last_hits(mask, change)
        return {
            place - self._first: pattern
            for place, (_, _, term, pattern) in sorted(found.items(), key=itemgetter(0))
            if place >= self._first and term.positive and self._looks_at(place, change)
        }

    def last_match(self, number: int, mask: int) -> "Match | None":
        """Return the term of a set that decides about a path, whatever the type of its change, or None."""
        hit = self._last_hits(mask, None).get(self._first + number)
        return Match(term=hit[2], pattern=hit[3]) if hit else None

    @property
    def sets(self) -> Sequence[PathSet]:
        """All sets by place: the named ones, each behind those that it refers to, then those that were given."""
        return self._sets

    def matching(self, mask: int) -> dict[int, list[int]]:
        """Return the indices of all terms that match a path, in order, for each set (by its place) that has one."""
        found: dict[int, list[int]] = {}
        rest = mask
        while rest:
            lowest = rest & -rest
            for place, index, _, _ in self._holders[lowest.bit_length() - 1]:
                found.setdefault(place, []).append(index)
            rest ^= lowest
        for place in range(self._first):
            indices = found.get(place)
            if indices and self._sets[place].terms[max(indices)].positive:
                for user, index, _ in self._referrers[place]:
                    found.setdefault(user, []).append(index)
        for indices in found.values():
            indices.sort()
        return found

    def _last_hits(self, mask: int, change: ChangeType | None) -> "dict[int, _Hit]":
        """Return the last term that matches a path, for each set (by its place) that has one."""
        last: dict[int, _Hit] = {}
        named: list[int] = []
        rest = mask
        while rest:
            lowest = rest & -rest
            for hit in self._holders[lowest.bit_length() - 1]:
                place = hit[0]
                known = last.get(place)
                if known is None or hit[1] > known[1]:
                    last[place] = hit
                    if known is None and place < self._first:
                        heappush(named, place)
            rest ^= lowest
        while named:
            place = heappop(named)
            _, _, term, pattern = last[place]
            if not term.positive or not self._looks_at(place, change):
                continue
            for user, index, user_term in self._referrers[place]:
                known = last.get(user)
                if known is None or index > known[1]:
                    last[user] = (user, index, user_term, pattern)
                    if known is None and user < self._first:
                        heappush(named, user)
        return last

    def _looks_at(self, place: int, change: ChangeType | None) -> bool:
        limit = self._sets[place].changes
        return limit is None or change is None or change in limit


_Hit = tuple[int, int, Term, Pattern]  # place of a set, index of its term, the term, the pattern that matches


def _in_order(sets: Mapping[str, PathSet]) -> list[str]:
    """Return the names of sets, each behind those that it refers to."""
    ordered: dict[str, None] = {}
    for start in sets:
        path = [start]
        while path:
            terms = sets[path[-1]].terms
            references = (term.matches.name for term in terms if isinstance(term.matches, SetReference))
            deeper = next((name for name in references if name not in ordered), None)
            if deeper is not None:
                path.append(deeper)
            else:
                ordered[path.pop()] = None
    return list(ordered)
