"""Names that refer to names: how deep they lead, and where they lead back to themselves."""

from collections.abc import Iterable, Iterator, Mapping

_ROUNDS = 5  # each finds circles that share no name with those found before: bounds time

Uses = Mapping[str, Iterable[str]]


def levels(uses: Uses) -> dict[str, int]:
    """Return how many levels each name leads down, itself counted; names that lead into a circle are left out."""
    found: dict[str, int] = {}
    users: dict[str, list[str]] = {name: [] for name in uses}
    missing = {}
    for name, used in uses.items():
        known = {other for other in used if other in uses}
        missing[name] = len(known)
        for other in known:
            users[other].append(name)
    ready = [name for name, count in missing.items() if not count]
    while ready:
        name = ready.pop()
        found[name] = 1 + max((found[other] for other in uses[name] if other in uses), default=0)
        for user in users[name]:
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    return found


def circles(uses: Uses) -> list[list[str]]:
    """Return circles that share no name, each from its first name in order to what it uses, and back."""
    order = {name: number for number, name in enumerate(uses)}
    rest: Uses = uses
    found: list[list[str]] = []
    for _ in range(_ROUNDS):
        deep = levels(rest)
        bottomless = {name: [o for o in rest[name] if o in rest and o not in deep] for name in rest if name not in deep}
        for circle in _along_first_uses(bottomless):
            first = circle.index(min(circle, key=order.__getitem__))
            found.append([*circle[first:], *circle[: first + 1]])
        gone = {name for circle in found for name in circle}
        rest = {name: used for name, used in bottomless.items() if name not in gone}
    return sorted(found, key=lambda circle: order[circle[0]])


def _along_first_uses(uses: Mapping[str, list[str]]) -> Iterator[list[str]]:
    """Yield the circles that the first uses of names form; every name uses one."""
    seen: set[str] = set()
    for start in uses:
        path: dict[str, int] = {}
        name = start
        while name not in seen:
            seen.add(name)
            path[name] = len(path)
            name = uses[name][0]
        if name in path:
            yield list(path)[path[name] :]
