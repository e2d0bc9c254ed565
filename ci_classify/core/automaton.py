"""Match paths against all patterns at once.

Patterns are programs of segments (``patterns``). An automaton reads a path a component at a time; its
state is the set of places in programs that the directory so far has reached. The state of each
directory is computed once, and what is seen of its files once for each extension that matters there,
so that a file costs a few look-ups, however many patterns there are. What is seen of a path gives a
*mask*: an integer with bit *i* set where pattern *i* matches.

Refuses: any knowledge of sets and suites.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ci_classify.core.patterns import ANY_DEPTH, Program, Segment, to_byte_text
from ci_classify.core.segment_tables import NOTHING, Names, Place, Step, Table, Wait, names_of

MAX_CACHED = 200_000  # directories: bounds memory, whatever the number of changes
_FEW = 4  # paths of one directory, fewer than which are not worth sharing what is seen


Look = tuple["_State", Step, Step]  # a directory, what a name brings in any directory, what it brings in this one


class _State:
    """A directory: patterns that took it or a parent, places that stay at any depth, places that wait."""

    __slots__ = ("below", "by_extension", "matched", "names", "staying", "table", "waiting", "whatever_name")

    def __init__(self, matched: int, staying: frozenset[Place], waiting: frozenset[Place]) -> None:
        self.matched = matched
        self.staying = staying
        self.waiting = waiting
        self.table: Table | None = None
        self.below: dict[str, _State] = {}  # by the name of a directory
        self.whatever_name: Look | None = None  # what is seen of any file here, if its name makes no difference
        self.names: Names | None = None
        self.by_extension: dict[str, Look] = {}  # what is seen of files here whose names don't matter beyond that


class Automaton:
    """Programs, each with whether it ignores case, compiled to run together."""

    def __init__(self, programs: Sequence[tuple[Program, bool]]) -> None:
        self._programs = programs
        self._waits: dict[Place, Wait] = {}
        floating: list[Place] = []
        anchored: list[Place] = []
        for number, (program, _) in enumerate(programs):
            if program.segments[0] is ANY_DEPTH:
                floating.append((number, 1))
            else:
                anchored.append((number, 0))
        self._floating = self._table_of(floating)
        self._anchored = frozenset(anchored)
        self._expected: dict[tuple[frozenset[Place], frozenset[Place]], frozenset[tuple[Segment, bool]]] = {}
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
        own = self._table(state).step(name) if state.waiting or state.staying else NOTHING
        return state, self._floating.step(name), own

    def expected(self, look: Look) -> frozenset[tuple[Segment, bool]]:
        """Return the segments, each with whether in folded letters, that a name in the directory of a path can match."""
        state = look[0]
        places = (state.staying, state.waiting)
        found = self._expected.get(places)
        if found is None:
            waits = self._table(state).waits if state.waiting or state.staying else ()
            every = (*self._floating.waits, *waits)
            found = self._expected[places] = frozenset((wait.segment, wait.folded) for wait in every)
        return found

    def seen(self, paths: Sequence[str]) -> Iterator[tuple[Look, Sequence[int]]]:
        """Return what is seen of paths: each look with the places where it is had, together every place once.

        As ``look`` for each. Paths in a row that share a directory are looked at together, there by extension.
        """
        start = 0
        for directory, run in groupby([path[: path.rfind("/") + 1] for path in paths]):
            end = start + len(list(run))
            # Directories are known by their bytes, which only ASCII text is.
            state = self._directories.get(directory) if directory.isascii() else None
            if state is None or state.whatever_name is None:
                yield from self._seen_in(directory, paths, start, end)
            else:
                yield state.whatever_name, range(start, end)
            start = end

    def _seen_in(
        self, directory: str, paths: Sequence[str], start: int, end: int
    ) -> Iterator[tuple[Look, Sequence[int]]]:
        """Return what is seen of the paths of one directory."""
        if end - start < _FEW or not directory.isascii():
            yield from ((self.look(paths[place]), (place,)) for place in range(start, end))
            return
        state = self._directories.get(directory) or self._enter(directory)
        names = state.names or self._names(state)
        here = paths[start:end]
        odd = names.odd_among(here, len(directory))
        yield from ((self.look(here[place]), (start + place,)) for place in odd)
        if not odd and not names.extensions:
            yield self.look(here[0]), range(start, end)
            return
        alike: defaultdict[str, list[int]] = defaultdict(list)
        for place, extension in enumerate(names.extensions_of(here)):
            if place not in odd:
                alike[extension].append(start + place)
        for extension, places in alike.items():
            look = state.by_extension.get(extension)
            if look is None:
                look = state.by_extension[extension] = self.look(paths[places[0]])
                self._remembered += 1
            yield look, places

    def _names(self, state: _State) -> "Names":
        own = self._table(state).waits if state.waiting or state.staying else ()
        state.names = names_of((*self._floating.waits, *own))
        return state.names

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
                    yield (state, NOTHING, NOTHING), place, hit
                yield self.look(paths[hit]), hit, hit + 1
                place = hit + 1
            if place < end:
                yield (state, NOTHING, NOTHING), place, end
            place = end

    def _floating_hits(self, paths: Sequence[str]) -> list[int] | None:
        """Return the places of files whose ends may match what floats, or None where that can't be said so simply."""
        endings = self._floating.endings()
        if endings is None or not all(map(str.isascii, paths)):
            return None
        exact, folded = endings
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
        self._states: dict[tuple[int, frozenset[Place], frozenset[Place]], _State] = {}
        self._top = self._state(0, frozenset(), self._anchored)
        self._directories: dict[str, _State] = {"": self._top}

    def _descend(self, state: _State, component: str) -> _State:
        floating = self._floating.step(component)
        own = self._table(state).step(component) if state.waiting or state.staying else NOTHING
        matched = state.matched | floating.as_directory | own.as_directory
        staying, waiting = set(state.staying), set[Place]()
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

    def _state(self, matched: int, staying: frozenset[Place], waiting: frozenset[Place]) -> _State:
        key = (matched, staying, waiting)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = _State(*key)
            if not staying and not waiting and self._floating.is_empty:
                state.whatever_name = (state, NOTHING, NOTHING)
        return state

    def _table(self, state: _State) -> Table:
        if state.table is None:
            state.table = self._table_of(state.staying | state.waiting)
        return state.table

    def _table_of(self, places: Iterable[Place]) -> Table:
        return Table([self._waits.get(place) or self._wait(place) for place in places])

    def _wait(self, place: Place) -> Wait:
        """Return the segment that a place waits for, and what it brings."""
        number, index = place
        program, folded = self._programs[number]
        segment = program.segments[index]
        if not isinstance(segment, Segment):
            raise TypeError("ANY_DEPTH is never last and never twice")
        if index + 1 < len(program.segments):
            step = Step(places=((number, index + 1),))
        else:
            bit = 1 << number
            step = Step(as_file=0 if program.directory_only else bit, as_directory=bit)
        self._waits[place] = wait = Wait(segment, step, folded=folded)
        return wait


def _without_overtaken(staying: set[Place], waiting: set[Place]) -> tuple[set[Place], set[Place]]:
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
