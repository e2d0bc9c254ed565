"""``hashFiles()`` in an expression: the tracked files that its patterns take.

Sees patterns that are literal, or that inputs, the matrix and ``format`` make literal, in their order, with their
exclusions. Matches as GitHub's runner does: ``*`` and ``?`` take dots, ``**`` is any depth, braces are literal, a
directory takes all below it.

Can't see files that a step makes, files of another checkout, and patterns that only a run knows.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ci_classify.core.expressions import Call, Expression, Literal, below
from ci_classify.derive.checkout import Checkout
from ci_classify.derive.found import TOP, UNKNOWN, Absent, Found, Place, Reads, Unclear
from ci_classify.derive.values import Scope, folded

_WILDCARDS = re.compile(r"[*?\[]")


def hashed(expression: Expression, scope: Scope, place: Place, checkout: Checkout) -> Iterator[Found]:
    """Return the files that every ``hashFiles`` of an expression reads."""
    for part in below(expression):
        if isinstance(part, Call) and part.name == "hashfiles":
            patterns: list[str] = []
            for argument in part.arguments:
                found = folded(argument, scope)
                text = found.value if isinstance(found, Literal) and isinstance(found.value, str) else UNKNOWN
                patterns += filter(None, (line.strip() for line in text.split("\n")))
            yield from _taken([p for p in patterns if not p.startswith("#")], place, checkout)


def _taken(patterns: list[str], place: Place, checkout: Checkout) -> Iterator[Found]:
    known = [pattern for pattern in patterns if UNKNOWN not in pattern]
    if len(known) < len(patterns):
        yield Unclear(place=place, why="hashFiles of a pattern that only a run knows")
    taken: dict[str, str] = {}
    for pattern in known:
        if pattern.startswith("!"):
            for path in matching(_from_top(pattern[1:]), checkout):
                taken.pop(path, None)
        else:
            taken |= dict.fromkeys(matching(_from_top(pattern), checkout), pattern)
    for pattern in dict.fromkeys(taken.values()):
        paths = tuple(sorted(path for path, taker in taken.items() if taker == pattern))
        exact = not _WILDCARDS.search(pattern) and paths == (_from_top(pattern),)
        yield Reads(label=f"hashFiles('{pattern}')", place=place, paths=paths, exact=exact)
    positive = [pattern for pattern in patterns if not pattern.startswith("!")]
    if positive and not taken and not any(UNKNOWN in pattern or pattern[0] in "/~" for pattern in positive):
        yield Absent(kind="pattern", place=place, path=", ".join(positive))


def _from_top(pattern: str) -> str:
    """Return a pattern without what stands for the top of the checkout."""
    return pattern.removeprefix(TOP).removeprefix("./").lstrip("/") if pattern[:1] in {TOP, "."} else pattern


def matching(pattern: str, checkout: Checkout) -> tuple[str, ...]:
    """Return the tracked files that a pattern of GitHub's glob takes, by themselves or below a directory."""
    parts = [part for part in pattern.split("/") if part not in {"", "."}]
    literal = 0
    while literal < len(parts) and not _WILDCARDS.search(parts[literal]):
        literal += 1
    start = "/".join(parts[:literal])
    if pattern.startswith(("/", "~")):
        return ()
    if literal == len(parts) or checkout.submodule_of(start):
        return checkout.named(start)
    regex = _compiled("/".join(parts))
    return tuple(path for path in checkout.below(start) if regex.match(path))


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a regular expression that matches a path, or a directory above it."""
    groups: list[list[str]] = [[]]  # of components, between those that stand for any depth
    for part in pattern.split("/"):
        if part != "**":
            groups[-1].append(_component(part))
        elif groups[-1] or len(groups) == 1:
            groups.append([])
    first, *others = groups
    regex = "/".join(first) + ("/" if first and others else "")
    for group in others:
        regex += (
            "[^/]+" if not group else f"(?>(?:[^/]+/)*?{'/'.join(group)}(?=/|\\Z))" + "/" * (group is not others[-1])
        )
    return re.compile(f"(?s:{regex})(?:/|\\Z)")


def _component(part: str) -> str:
    """Return what takes one component. After a star the first place that fits is right, save for the last one."""
    pieces = [""]
    at = 0
    while at < len(part):
        character = part[at]
        closing = part.find("]", at + 2) if character == "[" else -1
        if character == "*":
            pieces += [""] if pieces[-1] or len(pieces) == 1 else []
        elif character == "?":
            pieces[-1] += "[^/]"
        elif closing > 0:
            pieces[-1] += _class(part[at + 1 : closing])
            at = closing
        else:
            pieces[-1] += re.escape(character)
        at += 1
    first, *middle = pieces
    last = middle.pop() if middle else None
    stars = "".join(f"(?>[^/]*?{piece})" for piece in middle)
    return first + stars + ("" if last is None else f"[^/]*{last}(?=/|\\Z)")


def _class(inner: str) -> str:
    """Return what takes one character of a list; a list that is none, such as [z-a], stands for itself."""
    text = inner.replace("\\", "\\\\").replace("[", "\\[").replace("&&", "&\\&")
    regex = "[" + ("^" + text[1:] if text[0] in "!^" else text) + "]"
    try:
        re.compile(regex)
    except re.error:
        return re.escape(f"[{inner}]")
    return regex
