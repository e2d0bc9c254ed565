"""Figures about samples: quantiles, and how sure a rate is."""

from collections.abc import Mapping
from math import floor, sqrt

from ci_classify.core.record import Record

CONFIDENCE = 0.95
INTERVAL = "Wilson score interval"
_Z = 1.959963984540054  # the standard normal quantile at 1 - (1 - CONFIDENCE) / 2


class Rate(Record):
    """How many of some trials were hits. ``low`` and ``high`` bound the true share by a Wilson score interval of 95 %.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference (1927).
    """

    hits: int
    trials: int

    @property
    def share(self) -> float | None:
        """Hits by trials, or None where there were no trials."""
        return self.hits / self.trials if self.trials else None

    @property
    def low(self) -> float:
        """The lower bound; 0 without trials."""
        return max(0.0, self._bounds()[0]) if self.hits else 0.0

    @property
    def high(self) -> float:
        """The upper bound; 1 without trials."""
        return min(1.0, self._bounds()[1]) if self.hits < self.trials else 1.0

    def _bounds(self) -> tuple[float, float]:
        share = self.hits / self.trials
        square = _Z * _Z / self.trials
        middle = share + square / 2
        spread = _Z * sqrt((share * (1 - share) + square / 4) / self.trials)
        return (middle - spread) / (1 + square), (middle + spread) / (1 + square)


def quantile(counts: Mapping[float, int], share: float) -> float:
    """Return a quantile of values that occur so many times, between neighbours by linear interpolation.

    The usual definition (Hyndman and Fan's seventh), so that the median of an even number is the mean of the middle two.
    """
    total = sum(counts.values())
    if not total:
        raise ValueError("there are no values")
    place = (total - 1) * share
    below = _at(counts, floor(place))
    above = _at(counts, min(floor(place) + 1, total - 1))
    return below + (above - below) * (place - floor(place))


def _at(counts: Mapping[float, int], place: int) -> float:
    for value in sorted(counts):
        place -= counts[value]
        if place < 0:
            return value
    raise AssertionError("the place lies within the values")
