"""One pattern covers another: never without proof."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_classify.core.automaton import Automaton
from ci_classify.core.pattern_relations import covers
from ci_classify.core.patterns import PatternError, compile_pattern


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("/src/", "/src/a.c", True),
        ("/src/", "/src/*.c", True),
        ("/src", "/src/", True),
        ("/src/", "/src", False),
        ("/src/**", "/src/a/b", True),
        ("/src/**", "/src", False),
        ("*.c", "/src/a.c", True),
        ("*.c", "a.c", True),
        ("*.c", "/src/a.h", False),
        ("a*", "/ab/c", True),
        ("**/b", "/a/b", True),
        ("/a/**/c", "/a/b/*/c", True),
        ("/a/*", "/a/b/c", True),
        ("/a/*/c", "/a/b/d", False),
        ("*", "anything", True),
        ("/[ab]", "/a", True),
        ("/[ab]", "/c", False),
        ("/a/b", "/a", False),
        ("b", "/b", True),
        ("/b", "b", False),
    ],
)
def test_coverage(wide: str, narrow: str, *, expected: bool) -> None:
    assert covers(compile_pattern(wide), compile_pattern(narrow)) is expected


parts = st.sampled_from(["a", "b", "ab", "*", "**", "a*", "*b", "?", "[ab]"])
patterns = st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    st.sampled_from(["", "/"]),
    st.lists(parts, min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)
paths = st.lists(st.sampled_from(["a", "b", "ab", "c"]), min_size=1, max_size=4).map("/".join)


@given(patterns, patterns, paths, st.booleans())
def test_a_covered_pattern_never_matches_alone(wide: str, narrow: str, path: str, is_submodule: bool) -> None:
    try:
        programs = [compile_pattern(wide), compile_pattern(narrow)]
    except PatternError:
        return
    mask = Automaton([(program, False) for program in programs]).masks(path)[is_submodule]
    assert mask != 0b10 or not covers(*programs)
