"""Paths that stand for all paths: one for each way in which patterns can match or not.

The names that patterns can tell apart are few: those that they spell out, and for each prefix and suffix one that has it
and nothing more. All directories that such names lead to are visited, each state of the automaton once.

Refuses: to call itself complete where a pattern has wildcards within a name, or where there are too many states.
"""

from collections.abc import Iterable, Sequence
from itertools import product

from ci_classify.core.matching import Automaton, masks_of
from ci_classify.core.patterns import Program, Segment, Shape, compile_pattern
from ci_classify.core.record import Record

_MOST_STEPS = 2_000_000
_MOST_NAMES = 3_000
_FRESH = ("new", "other", "x", "y", "zz")
_JOINTS = "-_.~+0"


class Witnesses(Record):
    """The paths, and whether no path behaves otherwise than all of them."""

    paths: tuple[str, ...]
    complete: bool


def witnesses(patterns: Iterable[tuple[str, bool]], tracked: Iterable[str]) -> Witnesses:
    """Return paths for patterns, each given with whether it ignores case. Tracked paths come first, and stand for others."""
    listed = list(dict.fromkeys(patterns))
    programs = [(compile_pattern(text, ignore_case=folded), folded) for text, folded in listed]
    names, complete = _names(programs)
    automaton = Automaton(programs)
    found: dict[int, str] = {}  # by the mask of a file
    for path in tracked:
        found.setdefault(masks_of(automaton.look(path))[0], path)
    waiting = [""]
    seen = {id(automaton.look(names[0])[0])}
    kept = [automaton.look(names[0])]  # states stay alive, so that an id is no other's
    steps = 0
    while waiting:
        directory = waiting.pop(0)
        for name in names:
            steps += 1
            path = directory + name
            look = automaton.look(path)
            found.setdefault(masks_of(look)[0], path)
            below = automaton.look(f"{path}/{names[0]}")
            if id(below[0]) not in seen:
                seen.add(id(below[0]))
                kept.append(below)
                waiting.append(f"{path}/")
        if steps > _MOST_STEPS:
            return Witnesses(paths=tuple(found.values()), complete=False)
    return Witnesses(paths=tuple(found.values()), complete=complete)


def _names(programs: Sequence[tuple[Program, bool]]) -> tuple[list[str], bool]:
    """Return names, the first of which no pattern knows, and whether they are all that matter."""
    texts: dict[Shape, set[str]] = {shape: set() for shape in Shape}
    folded_any = any(folded for _, folded in programs)
    for program, _ in programs:
        for segment in program.segments:
            if isinstance(segment, Segment):
                texts[segment.shape].add(segment.text)
    complete = not texts[Shape.REGEX]
    known = "".join(text for kind in texts.values() for text in kind)
    fresh = next((name for name in _FRESH if name not in known), None) or _unlike(known)
    joint = next((sign for sign in _JOINTS if sign not in known), "~")
    complete = complete and joint not in known
    forms = _cases if folded_any else _as_is
    literals = {form for text in texts[Shape.LITERAL] for form in forms(text)}
    prefixes = {"", *(form for text in texts[Shape.PREFIX] for form in forms(text))}
    suffixes = {"", *(form for text in texts[Shape.SUFFIX] for form in forms(text))}
    joined = {
        prefix + (fresh if not prefix or not suffix else joint) + suffix
        for prefix, suffix in product(prefixes, suffixes)
    }
    exact = {text for text in (*prefixes, *suffixes) if text}  # a star matches nothing, too
    names = sorted(literals | joined | exact)
    if len(names) > _MOST_NAMES:
        names, complete = names[:_MOST_NAMES], False
    return [fresh, *(name for name in names if name not in {fresh, ".", ".."})], complete


def _unlike(known: str) -> str:
    return "x" * (max((len(run) for run in known.split("/")), default=0) + 1)


def _as_is(text: str) -> set[str]:
    return {text}


def _cases(text: str) -> set[str]:
    alternating = "".join(c.upper() if place % 2 else c.lower() for place, c in enumerate(text))
    return {text, text.lower(), text.upper(), alternating}
