"""All that a job reads: sources are looked into until nothing new is found. Each path keeps the shortest way to it."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

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


class Deriver:
    """Looks into the sources of a checkout, each once."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._expanded: dict[Source, tuple[Found, ...]] = {}

    def closure(self, start: Source) -> Closure:
        """Return all that a source reads, in the order in which it is found."""
        paths: dict[str, Derived] = {}
        unclear: dict[Unclear, None] = {}
        absent: dict[Absent, tuple[str, ...]] = {}
        seen = {start}
        ways = Counter[object]()
        waiting: deque[tuple[Source, tuple[str, ...]]] = deque([(start, ())])
        while waiting:
            source, chain = waiting.popleft()
            for found in self._expand(source):
                match found:
                    case Reads():
                        self._add(found, chain, paths)
                    case Leads(source=other, label=label, place=place):
                        if other not in seen:
                            seen.add(other)
                            ways[way_of(other)] += 1
                            if ways[way_of(other)] <= MAX_WAYS:
                                waiting.append((other, (*chain, label)))
                            else:
                                unclear[Unclear(place=place, why=f"{label}, in more ways than are looked at")] = None
                    case Unclear():
                        unclear[found] = None
                    case Absent():
                        absent.setdefault(found, chain)
                    case _:
                        assert_never(found)
        unclear |= dict.fromkeys(self._unreadable(paths))
        return Closure(paths=tuple(paths.values()), unclear=tuple(unclear), absent=tuple(absent.items()))

    def _add(self, found: Reads, chain: tuple[str, ...], paths: dict[str, Derived]) -> None:
        checkout = self.library.checkout
        tracked = [one for path in found.paths for one in ((path,) if path in checkout.kinds else checkout.named(path))]
        for path in self._with_targets(tracked):
            known = paths.get(path)
            if known is None or (found.exact and not known.exact):
                labels = chain if found.label == path else (*chain, found.label)
                paths[path] = Derived(path=path, chain=labels, place=found.place, exact=found.exact)

    def _with_targets(self, paths: Sequence[str]) -> Iterator[str]:
        """Return paths with what links among them lead to."""
        seen: set[str] = set()
        waiting = list(reversed(paths))
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                yield path
                target = self.library.checkout.target(path)
                waiting += self.library.checkout.named(target) if target is not None else ()

    def _unreadable(self, paths: Iterable[str]) -> Iterator[Unclear]:
        """Return what was to be looked into, and can't be read."""
        for path in paths:
            if path in self.library.checkout.unreadable:
                line, why = self.library.checkout.unreadable[path]
                yield Unclear(place=Place(file=path, line=line), why=f"what {path} reads is not known: {why}")

    def _expand(self, source: Source) -> tuple[Found, ...]:
        known = self._expanded.get(source)
        if known is None:
            known = self._expanded[source] = tuple(dict.fromkeys(expand(source, self.library)))
        return known
