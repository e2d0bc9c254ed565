"""Paths that stand for all paths: one for each way in which patterns can match or not.

The names that patterns can tell apart in a directory are few: those that they spell out, and for each prefix and suffix
one that has it and nothing more. All directories that such names lead to are visited, each state of the automaton once.

Refuses: to call itself complete where a pattern has wildcards within a name, or where there are too many states.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from itertools import product

from ci_classify.core.automaton import Automaton, masks_of
from ci_classify.core.patterns import Segment, Shape, compile_pattern
from ci_classify.core.record import Record

_MOST_STEPS = 60_000
_FRESH = ("new", "other", "xyz")
_JOINTS = "-_.~+0"

_SPECIAL = frozenset("*?[\\")
_TOKENS = re.compile(r"\\.|\[[!^]?\]?(?:\\.|[^\]])*\]|\*+|.", re.DOTALL)
_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~+"

_Expected = frozenset[tuple[Segment, bool]]


class Witnesses(Record):
    """The paths, and whether no path behaves otherwise than all of them."""

    paths: tuple[str, ...]
    complete: bool


class _Names(Record):
    """Names for a directory; the first of them no pattern knows."""

    names: tuple[str, ...]
    complete: bool


def witnesses(patterns: Iterable[tuple[str, bool]], tracked: Iterable[str]) -> Witnesses:
    """Return paths for patterns, each given with whether it ignores case.

    Tracked paths come first, and stand for others that match the same.
    """
    listed = list(dict.fromkeys(patterns))
    automaton = Automaton([(compile_pattern(text, ignore_case=folded), folded) for text, folded in listed])
    found: dict[int, str] = {}  # by the mask of a file
    for path in tracked:
        found.setdefault(masks_of(automaton.look(path))[0], path)
    top = automaton.look("x")
    seen = {id(top[0]): top}  # kept, so that an id is no other's
    waiting = deque([("", automaton.expected(top))])
    samples = _samples(listed)
    known: dict[_Expected, _Names] = {}
    complete = True
    steps = 0
    while waiting and steps <= _MOST_STEPS:
        directory, expected = waiting.popleft()
        if expected not in known:
            known[expected] = _names(expected, samples)
        complete = complete and known[expected].complete
        for name in known[expected].names:
            steps += 1
            path = directory + name
            found.setdefault(masks_of(automaton.look(path))[0], path)
            below = automaton.look(f"{path}/x")
            if id(below[0]) not in seen:
                seen[id(below[0])] = below
                waiting.append((f"{path}/", automaton.expected(below)))
    for text, _ in listed:  # where the steps were too few to get there
        path = _path_of(text)
        found.setdefault(masks_of(automaton.look(path))[0], path)
    return Witnesses(paths=tuple(found.values()), complete=complete and not waiting)


def _path_of(text: str) -> str:
    """Return a plain path for a pattern, which as a rule matches it."""
    parts = text.strip("/").split("/")
    names = [part if _SPECIAL.isdisjoint(part) else _sample(part, 1, "x") or "x" for part in parts]
    return "/".join([*names, *(["new"] if text.endswith("/") else [])])


def _names(expected: _Expected, samples: Mapping[tuple[Segment, bool], set[str]]) -> _Names:
    """Return names for a directory, by what patterns expect there."""
    texts: dict[Shape, set[str]] = {shape: set() for shape in Shape}
    folded_any = False
    for segment, folded in expected:
        texts[segment.shape].add(segment.text)
        folded_any = folded_any or folded
    known = "".join(text for kind in texts.values() for text in kind).lower()
    fresh = next((name for name in _FRESH if name not in known), None) or "x" * (len(known) + 1)
    joint = next((sign for sign in _JOINTS if sign not in known), "~")
    forms = _cases if folded_any else _as_is
    literals = {form for text in texts[Shape.LITERAL] for form in forms(text)}
    prefixes = {"", *(form for text in texts[Shape.PREFIX] for form in forms(text))}
    suffixes = {"", *(form for text in texts[Shape.SUFFIX] for form in forms(text))}
    simple = {prefix + fresh + suffix for prefix, suffix in product(prefixes, suffixes) if not prefix or not suffix}
    joined = {prefix + joint + suffix for prefix, suffix in product(prefixes, suffixes) if prefix and suffix}
    bare = {text for text in (*prefixes, *suffixes) if text}  # a star matches nothing, too
    sampled = {name for key in expected if key[0].shape is Shape.REGEX for name in samples.get(key, ())}
    # The plainest come first, since a path that stands for others is shown to people.
    names = dict.fromkeys(name for group in (literals, sampled, simple, joined, bare) for name in sorted(group))
    names = dict.fromkeys(name for name in names if name not in {fresh, ".", ".."})
    return _Names(names=(fresh, *names), complete=not texts[Shape.REGEX] and joint not in known)


def _samples(patterns: Iterable[tuple[str, bool]]) -> dict[tuple[Segment, bool], set[str]]:
    """Return a few names for each component with wildcards of its own; they are not all that it can tell apart."""
    found: dict[tuple[Segment, bool], set[str]] = {}
    for text, folded in patterns:
        for part in text.strip("/").split("/"):
            if part == "**" or _SPECIAL.isdisjoint(part):
                continue
            segment = compile_pattern(f"/{part}", ignore_case=folded).segments[0]
            if isinstance(segment, Segment) and segment.shape is Shape.REGEX:
                names = {_sample(part, order, stars) for order in (1, -1) for stars in ("", "x")}
                found.setdefault((segment, folded), set()).update(name for name in names if name)
    return found


def _sample(part: str, order: int, stars: str) -> str:
    """Return a name that a component matches, with the first or the last character that each place takes."""
    name = ""
    for piece in _TOKENS.findall(part):
        if piece.startswith("["):
            regex = compile_pattern(f"/{piece}").segments[0]
            text = regex.text if isinstance(regex, Segment) else ""
            name += next((c for c in _CHARACTERS[::order] if re.fullmatch(text, c)), "")
        elif piece == "?":
            name += "x"
        else:
            name += stars if piece[0] == "*" else piece[-1]
    return name


def _as_is(text: str) -> set[str]:
    return {text}


def _cases(text: str) -> set[str]:
    alternating = "".join(c.upper() if place % 2 else c.lower() for place, c in enumerate(text))
    return {text, text.lower(), text.upper(), alternating}
