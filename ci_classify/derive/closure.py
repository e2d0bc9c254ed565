"""All that a job reads: sources are looked into until nothing new is found. Each path keeps the shortest way to it."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, assert_never

from ci_classify.core.record import Record
from ci_classify.derive.expanding import expand, way_of
from ci_classify.derive.found import Absent, Found, Leads, Place, Reads, Source, Unclear
from ci_classify.derive.library import Library

MAX_WAYS = 200  # to call one script, action or target: what calls itself with ever more is stopped there


class Derived(Record):
    """A path that is read: the labels on the way to it, the place of the last one, and whether it is named itself."""

    path: str
    chain: tuple[str, ...]
    place: Place
    exact: bool


class Closure(Record):
    """What a job reads by itself."""

    paths: Sequence[Derived]
    unclear: Sequence[Unclear]
    absent: Sequence[tuple[Absent, tuple[str, ...]]]


class _Expanded(NamedTuple):
    """What was found in a source. Sources and ways are known by numbers here, which are quick to compare."""

    reads: list[tuple[Reads, tuple[str, ...]]]  # with all paths that they come to
    leads: list[tuple[Leads, int, int]]  # with the source, and the way of it
    unclear: list[Unclear]
    absent: list[Absent]


class Deriver:
    """Looks into the sources of a checkout, each once."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._numbers: dict[object, int] = {}
        self._expanded: dict[int, _Expanded] = {}

    def closure(self, start: Source) -> Closure:
        """Return all that a source reads, in the order in which it is found."""
        paths: dict[str, Derived] = {}
        unclear: dict[Unclear, None] = {}
        absent: dict[Absent, tuple[str, ...]] = {}
        first = self._number(start)
        seen = {first}
        ways = Counter[int]()
        waiting: deque[tuple[int, Source, tuple[str, ...]]] = deque([(first, start, ())])
        while waiting:
            number, source, chain = waiting.popleft()
            found = self._expand(number, source)
            for reads, read in found.reads:
                _add(reads, read, chain, paths)
            for leads, other, way in found.leads:
                if other not in seen:
                    seen.add(other)
                    ways[way] += 1
                    if ways[way] <= MAX_WAYS:
                        waiting.append((other, leads.source, (*chain, leads.label)))
                    else:
                        why = f"{leads.label}, in more ways than are looked at"
                        unclear[Unclear(place=leads.place, why=why)] = None
            unclear |= dict.fromkeys(found.unclear)
            for one in found.absent:
                absent.setdefault(one, chain)
        unclear |= dict.fromkeys(self._unreadable(paths))
        return Closure(paths=tuple(paths.values()), unclear=tuple(unclear), absent=tuple(absent.items()))

    def _number(self, value: object) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def _expand(self, number: int, source: Source) -> _Expanded:
        known = self._expanded.get(number)
        if known is None:
            known = self._expanded[number] = self._sorted(dict.fromkeys(expand(source, self.library)))
        return known

    def _sorted(self, found: Iterable[Found]) -> _Expanded:
        expanded = _Expanded([], [], [], [])
        for one in found:
            match one:
                case Reads(paths=paths):
                    expanded.reads.append((one, tuple(self._with_targets(paths))))
                case Leads(source=source):
                    expanded.leads.append((one, self._number(source), self._number(way_of(source))))
                case Unclear():
                    expanded.unclear.append(one)
                case Absent():
                    expanded.absent.append(one)
                case _:
                    assert_never(one)
        return expanded

    def _with_targets(self, paths: Iterable[str]) -> Iterator[str]:
        """Return paths with the links on the way to them, and with what links among them lead to."""
        checkout = self.library.checkout
        seen: set[str] = set()
        waiting = [one for path in paths for one in ((path,) if path in checkout.kinds else checkout.named(path))][::-1]
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                yield path
                target = checkout.target(path)
                waiting += checkout.named(target) if target is not None else ()

    def _unreadable(self, paths: Iterable[str]) -> Iterator[Unclear]:
        """Return what was to be looked into, and can't be read."""
        for path in paths:
            if path in self.library.checkout.unreadable:
                line, why = self.library.checkout.unreadable[path]
                yield Unclear(place=Place(file=path, line=line), why=f"what {path} reads is not known: {why}")


def _add(found: Reads, read: Iterable[str], chain: tuple[str, ...], paths: dict[str, Derived]) -> None:
    for path in read:
        known = paths.get(path)
        if known is None or (found.exact and not known.exact):
            labels = chain if found.label == path else (*chain, found.label)
            paths[path] = Derived(path=path, chain=labels, place=found.place, exact=found.exact)
