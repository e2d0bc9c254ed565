"""What new rules save, by the durations of jobs: machine minutes and wall time."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ci_classify.core.durations import Cost, Durations
from ci_classify.core.jobs import Jobs
from ci_classify.core.model import Rules
from ci_classify.core.record import Record
from ci_classify.core.replay import Outcome, Selected
from ci_classify.core.statistics import quantile

SLOW = 0.9
_COLUMNS = ("machine", "old_machine", "saved_machine", "wall", "old_wall", "saved_wall")
_DIGITS = 2
_MOST_CACHED = 10_000


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


class Minutes:
    """Adds up what changes cost by several rules. Sums of minutes are kept to a hundredth, so that few are distinct."""

    def __init__(self, samples: Mapping[str, Sequence[float]], rules: Sequence[Rules], event: str) -> None:
        self._jobs = [Jobs(each, event) for each in rules]
        self._durations = [Durations(samples, each.required_check) for each in rules]
        self._columns = [[Counter[float]() for _ in _COLUMNS] for _ in rules[1:]]
        self._known: list[dict[Selected, Cost]] = [{} for _ in rules]

    def add(self, outcome: Outcome) -> None:
        """Take in a change."""
        new = self._cost(0, outcome.new)
        for number, selected in enumerate(outcome.against, start=1):
            old = self._cost(number, selected)
            values = (new.machine, old.machine, old.machine - new.machine, new.wall, old.wall, old.wall - new.wall)
            for column, value in zip(self._columns[number - 1], values, strict=True):
                column[round(value, _DIGITS)] += 1

    def savings(self) -> Savings:
        """Return what it came to."""
        return Savings(
            against=tuple(
                Saving(**dict(zip(_COLUMNS, map(_spread, columns), strict=True))) for columns in self._columns
            ),
            without=tuple(self._durations[0].without(self._jobs[0].names)),
            beyond=tuple(self._durations[0].beyond([name for each in self._jobs for name in each.names])),
        )

    def _cost(self, number: int, selected: Selected) -> Cost:
        known = self._known[number]
        cost = known.get(selected)
        if cost is None:
            if len(known) >= _MOST_CACHED:
                known.clear()
            cost = known[selected] = self._durations[number].cost(self._jobs[number].running(selected))
        return cost


def _spread(minutes: Counter[float]) -> Spread:
    if not minutes:
        return Spread(total=0.0, median=0.0, slow=0.0)
    total = sum(value * times for value, times in minutes.items())
    return Spread(total=total, median=quantile(minutes, 0.5), slow=quantile(minutes, SLOW))
