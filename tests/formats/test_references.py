"""Names that refer to names: depth and circles."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_classify.formats.references import circles, levels

CIRCLES = {
    "none": ({"a": ["b", "b"], "b": ["unknown"]}, []),
    "itself": ({"a": ["a"]}, ["aa"]),
    "from its first name in order": ({"a": [], "b": ["c"], "c": ["b"]}, ["bcb"]),
    "a name that only leads there is not in it": ({"a": ["b"], "b": ["c"], "c": ["b"]}, ["bcb"]),
    "a name between two": ({"a": ["a", "b"], "b": ["c"], "c": ["c"]}, ["aa", "cc"]),
    "behind a use that leads to another": ({"a": ["c", "b"], "b": ["a"], "c": ["c"]}, ["aba", "cc"]),
    "one of two that share a name": ({"a": ["b", "c"], "b": ["a"], "c": ["a"]}, ["aba"]),
}


@pytest.mark.parametrize(("uses", "found"), CIRCLES.values(), ids=CIRCLES)
def test_circles_are_told_as_ways_back(uses: dict[str, list[str]], found: list[str]) -> None:
    assert circles(uses) == [list(circle) for circle in found]


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefghz"), max_size=3)))
def test_each_name_has_a_level_or_leads_into_a_circle(uses: dict[str, list[str]]) -> None:
    deep = levels(uses)
    for name, level in deep.items():
        assert level == 1 + max((deep[other] for other in uses[name] if other in uses), default=0)
    found = circles(uses)
    assert bool(found) == (len(deep) < len(uses))
    for circle in found:
        assert circle[0] == circle[-1]
        assert all(user in uses and used in uses[user] for user, used in pairwise(circle))
