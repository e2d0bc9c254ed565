"""Sets of patterns: which of them contain a path, and by which term.

Few masks (``automaton``) occur in one change or tree, so that each is evaluated once.
"""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from operator import itemgetter

from ci_classify.core.automaton import Automaton
from ci_classify.core.model import ChangeType, PathSet, Pattern, Rules, SetReference, Term
from ci_classify.core.patterns import Program, compile_pattern
from ci_classify.core.record import Record


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
