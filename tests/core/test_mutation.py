from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ci_classify.core.decision import decide
from ci_classify.core.matching import Matcher
from ci_classify.core.model import MODIFIED, Changes, Event, Rules
from ci_classify.core.mutants import narrowed, widened
from ci_classify.core.mutation import Fate, examples_of, judge
from ci_classify.core.pattern_relations import covers
from ci_classify.core.patterns import compile_pattern
from ci_classify.formats.rules_file import load_rules

PATTERNS = ["/a", "/a/", "a", "*.c", "/a/b", "/a*", "/a/*", "**/b", "/a/**/c", "*a", "b/", "/b/*.c", "/a/b/"]
TERMS = [*PATTERNS, *(f"!{pattern}" for pattern in PATTERNS)]
NAMES = ("a", "b", "c", "x.c", "ax", "xa", "A")
PATHS = ["/".join(names) for depth in (1, 2, 3) for names in product(NAMES, repeat=depth)]


@pytest.mark.parametrize(
    ("text", "wide", "narrow"),
    [
        ("/a", "/a*", "/a/"),
        ("/a/", "/a*/", None),
        ("a", "a*", "/a"),
        ("*.c", "*c", "/*.c"),
        ("/src/*.c", "/src/*c", "/src/*.c/"),
        ("/src/a*", "/src/*", "/src/a*/"),
        ("/src/*", "**/src/*", "/src/*/"),
        ("/a/**/b", "/a/**/b*", "/a/b"),
        ("/src/**", None, "/src/**/"),
    ],
)
def test_patterns_are_widened_and_narrowed(text: str, wide: str | None, narrow: str | None) -> None:
    assert widened(text) == wide
    assert narrow is None or narrowed(text) == narrow


@pytest.mark.parametrize("text", PATTERNS)
def test_a_wider_pattern_matches_all_that_the_pattern_does_and_a_narrower_one_no_more(text: str) -> None:
    taken = matched(text)
    wide, narrow = widened(text), narrowed(text)
    assert wide is None or taken <= matched(wide)
    assert narrow is None or matched(narrow) < taken
    assert narrow is None or not covers(compile_pattern(narrow), compile_pattern(text))


def matched(text: str) -> set[str]:
    rules = rules_of([text], [])
    matcher = Matcher(rules)
    return {path for path in PATHS if "run-a" in selects(rules, Event(name="pull_request"), path, matcher)}


def rules_of(terms: list[str], others: list[str], *, ignore_case: bool = False) -> Rules:
    shown = ", ".join(f'"{term}"' for term in terms)
    other = ", ".join(f'"{term}"' for term in [*others, "/unlikely"])
    folded = "true" if ignore_case else "false"
    return load_rules(
        f"version: 1\nunclaimed: nothing\ncontrol: [/ci.yml]\nsuites:\n"
        f"  run-a: {{inputs: {{paths: [{shown}], ignore-case: {folded}}}}}\n  run-b: {{inputs: [{other}]}}\n",
        "rules.yaml",
    ).rules


@settings(max_examples=12)
@given(
    terms=st.lists(st.sampled_from(TERMS), max_size=3),
    others=st.lists(st.sampled_from(PATTERNS), max_size=1),
    ignore_case=st.booleans(),
)
def test_no_path_tells_an_equivalent_mutant_from_the_rules(
    terms: list[str], others: list[str], *, ignore_case: bool
) -> None:
    rules = rules_of(["/z", *terms], others, ignore_case=ignore_case)
    event = Event(name="pull_request")
    expected = {path: selects(rules, event, path, Matcher(rules)) for path in PATHS}
    for verdict in judge(rules, ["a/b"], [examples_of(rules)]):
        mutant = verdict.mutant.rules
        matcher = Matcher(mutant)
        told = [path for path in PATHS if selects(mutant, event, path, matcher) != expected[path]]
        if verdict.fate is Fate.EQUIVALENT:
            assert told == [], verdict.mutant.what
        if verdict.fate is Fate.SURVIVED:
            assert verdict.proposal is not None
            situation = verdict.proposal.situation
            plan = decide(mutant, situation.event, situation.changes)
            assert tuple(d.name for d in plan.outputs if d.runs) != verdict.proposal.selects


def selects(rules: Rules, event: Event, path: str, matcher: Matcher) -> tuple[str, ...]:
    plan = decide(rules, event, Changes(paths=(path,), kinds=(MODIFIED,)), matcher=matcher)
    return tuple(decision.name for decision in plan.outputs if decision.runs)


def test_a_path_that_many_directories_lead_to_is_found_all_the_same() -> None:
    suites = "".join(
        f'  run-{n}: {{inputs: [/part{n}/, "*.ext{n}", "**/deep{n}/", "/a/*/b{n}/c{n}/?.txt", "!*.skip{n}"]}}\n'
        for n in range(3)
    )
    rules = load_rules(f"version: 1\nunclaimed: nothing\nsuites:\n{suites}", "rules.yaml").rules
    verdicts = list(judge(rules, ["a/b"], []))
    assert {verdict.fate for verdict in verdicts if "?.txt" in verdict.mutant.what} == {Fate.SURVIVED}
