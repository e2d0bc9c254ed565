"""The segments that places in programs wait for, arranged so that a component of a path is looked up among all of them."""

import re
from collections.abc import Iterable, Sequence

from ci_classify.core.patterns import Segment, Shape, fold

Place = tuple[int, int]  # program, index of the segment that the next component must match


class Step:
    """What a component brings: places reached behind it, and masks of the patterns that it completes."""

    __slots__ = ("as_directory", "as_file", "places")

    def __init__(self, places: tuple[Place, ...] = (), as_file: int = 0, as_directory: int = 0) -> None:
        self.places = places
        self.as_file = as_file
        self.as_directory = as_directory


NOTHING = Step()
_ENDING = frozenset({Shape.LITERAL, Shape.SUFFIX})


class Wait:
    """What a place waits for, whether in folded letters, and what that brings. Equal keys wait for the same."""

    __slots__ = ("folded", "key", "segment", "step")

    def __init__(self, segment: Segment, step: Step, *, folded: bool) -> None:
        self.key = f"{segment.shape.value} {folded} {segment.text}"
        self.segment = segment
        self.folded = folded
        self.step = step


class Table:
    """Places by the segment that they wait for. A component is looked up, not compared with each."""

    def __init__(self, waiting: Iterable[Wait]) -> None:
        slots: dict[str, list[Wait]] = {}
        for wait in waiting:
            slots.setdefault(wait.key, []).append(wait)
        self.waits = [waits[0] for waits in slots.values()]
        self._steps = [_joined([wait.step for wait in waits]) for waits in slots.values()]
        self._joined: dict[tuple[int, ...], Step] = {}
        self._always: list[int] = []
        # How to look (letter case folded? by suffix? how many bytes? 0 for the whole) -> text -> number of the step.
        self._lookups: dict[tuple[bool, bool, int], dict[str, int]] = {}
        self._regexes: list[tuple[bool, re.Pattern[str], int]] = []
        for number, wait in enumerate(self.waits):
            shape, text = wait.segment.shape, wait.segment.text
            if shape is Shape.ANYTHING:
                self._always.append(number)
            elif shape is Shape.REGEX:
                self._regexes.append((wait.folded, re.compile(text), number))
            else:
                length = 0 if shape is Shape.LITERAL else len(text)
                self._lookups.setdefault((wait.folded, shape is Shape.SUFFIX, length), {})[text] = number

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits here."""
        return not self._steps

    def endings(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return what a component must end with to bring anything, as it is and in folded letters, if that can be said."""
        if not all(wait.segment.shape in _ENDING for wait in self.waits):
            return None
        exact = tuple(wait.segment.text for wait in self.waits if not wait.folded)
        return exact, tuple(wait.segment.text for wait in self.waits if wait.folded)

    def step(self, component: str) -> Step:
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
            return NOTHING
        if len(found) == 1:
            return self._steps[found[0]]
        key = tuple(found)
        step = self._joined.get(key)
        if step is None:
            step = self._joined[key] = _joined([self._steps[number] for number in key])
        return step


def _joined(steps: Sequence[Step]) -> Step:
    as_file = as_directory = 0
    for step in steps:
        as_file |= step.as_file
        as_directory |= step.as_directory
    return Step(tuple(place for step in steps for place in step.places), as_file, as_directory)


class Names:
    """Which names of files make a difference in a directory.

    A file is seen as any other with the same extension, unless its name is odd: unless it may match more than ``*``
    and ``*.extension``. Extensions that no pattern asks for are all one.
    """

    __slots__ = ("_ends", "_folded", "_literals", "_regex", "extensions")

    def __init__(
        self,
        literals: Iterable[str],
        ends: Iterable[str],
        others: Sequence[str],
        extensions: Iterable[str],
        *,
        folded: bool,
    ) -> None:
        self._literals = frozenset(literals)
        self._ends = tuple(ends)
        self._regex = re.compile("|".join(others), re.ASCII | re.DOTALL) if others else None
        self.extensions = frozenset(extensions)
        self._folded = folded

    def odd_among(self, paths: Sequence[str], cut: int) -> set[int]:
        """Return the places of paths whose names, which start at the cut, are odd, or no ASCII."""
        found: set[int] = set()
        if not all(map(str.isascii, paths)):
            found.update(place for place, path in enumerate(paths) if not path.isascii())
        if not self._literals and not self._ends and self._regex is None:
            return found
        names = [path[cut:] for path in paths]
        if not self._literals.isdisjoint(names):
            found.update(place for place, name in enumerate(names) if name in self._literals)
        if self._ends:
            found.update(place for place, name in enumerate(names) if name.endswith(self._ends))
        if self._regex is not None:
            found.update(place for place, name in enumerate(names) if self._regex.fullmatch(name))
        return found

    def extensions_of(self, paths: Sequence[str]) -> Sequence[str]:
        """Return the extension of each path, or nothing where none matters.

        What is cut off where a name has no dot is one character or holds a slash: no extension.
        """
        known = self.extensions
        if self._folded:
            return [end if (end := path[path.rfind(".") :]).lower() in known else "" for path in paths]
        return [end if (end := path[path.rfind(".") :]) in known else "" for path in paths]


def names_of(waiting: Iterable[Wait]) -> Names:
    """Return which names make a difference where these wait."""
    literals, ends, others, extensions = list[str](), list[str](), list[str](), list[str]()
    folds = False
    for wait in waiting:
        shape, text, folded = wait.segment.shape, wait.segment.text, wait.folded
        if shape is Shape.ANYTHING:
            continue
        if shape is Shape.SUFFIX and text.rfind(".") == 0:
            extensions.append(text)
            folds = folds or folded
        elif shape is Shape.LITERAL and not folded:
            literals.append(text)
        elif shape is Shape.SUFFIX and not folded:
            ends.append(text)
        else:
            regex = text if shape is Shape.REGEX else re.escape(text)
            before, behind = ".*" * (shape is Shape.SUFFIX), ".*" * (shape is Shape.PREFIX)
            others.append(f"(?{'i' * folded}:{before}{regex}{behind})")
    known = map(fold, extensions) if folds else extensions
    return Names(literals, ends, others, known, folded=folds)
