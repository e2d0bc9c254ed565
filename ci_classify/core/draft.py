"""A drafted rules file: what could be suites, what they read, and why each line is there."""

from ci_classify.core.record import Record


class DraftLine(Record):
    """A pattern, and how the first of its paths was reached."""

    pattern: str
    why: str


class DraftSet(Record):
    """Lines that several suites share."""

    name: str
    users: tuple[str, ...]
    lines: tuple[DraftLine, ...]


class DraftSuite(Record):
    """A job that a condition could gate: the sets and the lines of its inputs, and what of it only a run knows."""

    name: str
    sets: tuple[str, ...]
    lines: tuple[DraftLine, ...]
    unresolved: tuple[str, ...]


class DraftProducer(Record):
    """A job that runs exactly when others do: they wait for it, or it reads what they read."""

    name: str
    consumers: tuple[str, ...]
    why: str


class Draft(Record):
    """A rules file. ``left_out`` are jobs that are neither suites nor producers, each with the reason."""

    control: tuple[str, ...]
    sets: tuple[DraftSet, ...]
    suites: tuple[DraftSuite, ...]
    producers: tuple[DraftProducer, ...]
    left_out: tuple[tuple[str, str], ...]
