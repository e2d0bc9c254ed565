"""Names that lead to names, such as sets to sets: how deep, and where in circles. Without recursion."""

from collections.abc import Iterable, Mapping


def levels(edges: Mapping[str, Iterable[str]]) -> tuple[dict[str, int], list[str]]:
    """Return how many levels each name leads down, and the names that have no bottom, since they lead into a circle."""
    found: dict[str, int] = {}
    users: dict[str, list[str]] = {name: [] for name in edges}
    missing = {}
    for name, uses in edges.items():
        known = {use for use in uses if use in edges}
        missing[name] = len(known)
        for use in known:
            users[use].append(name)
    ready = [name for name, count in missing.items() if not count]
    while ready:
        name = ready.pop()
        found[name] = 1 + max((found[use] for use in edges[name] if use in edges), default=0)
        for user in users[name]:
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    return found, [name for name in edges if name not in found]


def in_circles(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the names that lead back to themselves, in order."""
    _, bottomless = levels(edges)
    turned: dict[str, list[str]] = {name: [] for name in bottomless}
    for name in bottomless:
        for use in edges[name]:
            if use in turned:
                turned[use].append(name)
    # What has neither bottom nor top lies in a circle or between two; either way there is a circle to break.
    return levels(turned)[1]
