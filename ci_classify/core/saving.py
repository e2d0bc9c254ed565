"""What new rules save, by the durations of jobs: machine minutes and wall time."""

from collections import Counter
from collections.abc import Sequence

from ci_classify.core.durations import Cost, Durations, saved
from ci_classify.core.jobs import Jobs
from ci_classify.core.model import Rules
from ci_classify.core.record import Record
from ci_classify.core.replay import Totals
from ci_classify.core.statistics import quantile

SLOW = 0.9


class Spread(Record):
    """The sum of some minutes over all changes, their median and their 90th percentile."""

    total: float
    median: float
    slow: float


class Saving(Record):
    """What the new rules take and what others take, in minutes; ``saved`` is by change, so that its quantiles are too."""

    machine: Spread
    old_machine: Spread
    saved_machine: Spread
    wall: Spread
    old_wall: Spread
    saved_wall: Spread


class Savings(Record):
    """The saving against each of the other rules. Jobs without a duration count as nothing; others have no job."""

    against: tuple[Saving, ...]
    without: tuple[str, ...]
    beyond: tuple[str, ...]


def savings(
    totals: Totals, rules: Sequence[Rules], samples: dict[str, tuple[float, ...]], event: str
) -> Savings | None:
    """Return what the first of some rules save against the others, or None where nothing was replayed."""
    if not totals.changes:
        return None
    jobs = [Jobs(each, event) for each in rules]
    minutes = [Durations(samples, each.required_check) for each in rules]
    found = []
    for number in range(1, len(rules)):
        costs = Counter[tuple[Cost, Cost]]()
        for outcome, times in totals.outcomes.items():
            old = minutes[number].cost(jobs[number].running(outcome.against[number - 1]))
            costs[old, minutes[0].cost(jobs[0].running(outcome.new))] += times
        found.append(_saving(costs))
    return Savings(
        against=tuple(found),
        without=tuple(minutes[0].without(jobs[0].names)),
        beyond=tuple(minutes[0].beyond([name for each in jobs for name in each.names])),
    )


def _saving(costs: Counter[tuple[Cost, Cost]]) -> Saving:
    columns = [Counter[float]() for _ in range(4)]
    for (old, new), times in costs.items():
        for column, value in zip(columns, (new.machine, old.machine, new.wall, old.wall), strict=True):
            column[value] += times
    machine, old_machine, wall, old_wall = map(_spread, columns)
    saved_machine, saved_wall = map(_spread, saved(costs))
    return Saving(
        machine=machine,
        old_machine=old_machine,
        saved_machine=saved_machine,
        wall=wall,
        old_wall=old_wall,
        saved_wall=saved_wall,
    )


def _spread(minutes: Counter[float]) -> Spread:
    total = sum(value * times for value, times in minutes.items())
    return Spread(total=total, median=quantile(minutes, 0.5), slow=quantile(minutes, SLOW))
