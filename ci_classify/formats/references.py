"""Names that refer to names: how deep they lead, and where they lead back to themselves."""

from collections.abc import Iterable, Mapping

_MOST_CIRCLES = 20


def levels(uses: Mapping[str, Iterable[str]]) -> dict[str, int]:
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


def circles(uses: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return circles that share no name, each from its first name in order to what it uses, and back: at most 20."""
    from graphlib import CycleError, TopologicalSorter  # noqa: PLC0415 -- only a mistake needs it

    order = {name: number for number, name in enumerate(uses)}
    rest = {name: [other for other in used if other in uses] for name, used in uses.items()}
    found: list[list[str]] = []
    while len(found) < _MOST_CIRCLES:
        try:
            TopologicalSorter(rest).prepare()
        except CycleError as error:
            circle = list(reversed(error.args[1][1:]))
        else:
            break
        first = circle.index(min(circle, key=order.__getitem__))
        found.append([*circle[first:], *circle[: first + 1]])
        gone = set(circle)
        rest = {name: [o for o in used if o not in gone] for name, used in rest.items() if name not in gone}
    return sorted(found, key=lambda circle: order[circle[0]])
