"""A drafted rules file: what could be suites, what they read, and why each line is there."""

from collections.abc import Mapping

from ci_classify.core.record import Record


class DraftSet(Record):
    """Patterns that several suites share, each with the way to the first of its paths; ``why`` is about all of them."""

    name: str
    users: tuple[str, ...]
    why: str
    lines: Mapping[str, str]


class DraftSuite(Record):
    """A job that a condition could gate: the sets and the lines of its inputs, and what of it only a run knows.

    ``waiting`` are jobs for pushes alone, which are skipped where this one is.
    """

    name: str
    sets: tuple[str, ...]
    lines: Mapping[str, str]
    unresolved: tuple[str, ...]
    waiting: tuple[str, ...]


class DraftProducer(Record):
    """A job that runs exactly when others do: they wait for it, or it reads what they read."""

    name: str
    consumers: tuple[str, ...]
    why: str


class Draft(Record):
    """A rules file. ``unaffecting`` is what nothing reads; ``left_out`` are jobs without an output, with the reason."""

    control: tuple[str, ...]
    unaffecting: tuple[str, ...]
    sets: tuple[DraftSet, ...]
    suites: tuple[DraftSuite, ...]
    producers: tuple[DraftProducer, ...]
    left_out: Mapping[str, str]
