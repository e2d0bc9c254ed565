from collections import Counter

import pytest

from ci_classify.core.statistics import Rate, quantile


# Wilson's interval of 95 %, as textbooks and R's prop.test(correct = FALSE) give it.
@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (1, 10, 0.0179, 0.4042),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (15, 148, 0.0624, 0.1605),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_the_interval_is_the_textbook_one(hits: int, trials: int, low: float, high: float) -> None:
    rate = Rate(hits=hits, trials=trials)
    assert (round(rate.low, 4), round(rate.high, 4)) == (low, high)


def test_without_trials_nothing_is_known() -> None:
    rate = Rate(hits=0, trials=0)
    assert (rate.share, rate.low, rate.high) == (None, 0.0, 1.0)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([7], 0.5, 7),
        ([10, 20], 0.5, 15),
        ([1, 2, 3], 0.5, 2),
        ([1, 2, 3, 4], 0.9, 3.7),
        ([5, 5, 5, 1], 0.5, 5),
        (list(range(101)), 0.9, 90),
    ],
)
def test_a_quantile_lies_between_neighbours(values: list[float], share: float, expected: float) -> None:
    assert quantile(Counter(values), share) == pytest.approx(expected)
