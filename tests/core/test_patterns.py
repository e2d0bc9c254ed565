"""Patterns mean what git says, or are refused."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from ci_classify.core.automaton import Automaton
from ci_classify.core.decision import decide
from ci_classify.core.errors import InvalidFileError
from ci_classify.core.model import ChangeKind, Changes, ChangeType, Event
from ci_classify.core.patterns import PatternError, compile_pattern, human_doubts
from ci_classify.formats.rules_file import load_rules

CASES = json.loads((Path(__file__).parents[1] / "cases/patterns.json").read_text(encoding="utf-8"))["cases"]
FILE = ChangeKind(type=ChangeType.MODIFIED)
SUBMODULE = ChangeKind(type=ChangeType.MODIFIED, old_is_submodule=True, new_is_submodule=True)


def selected(patterns: Sequence[str], path: str, kind: ChangeKind) -> bool | None:
    """Return whether a suite with these inputs is selected by a change of the path, or None if it is refused."""
    document = {"version": 1, "unclaimed": "nothing", "suites": {"suite": {"inputs": list(patterns)}}}
    try:
        rules = load_rules(json.dumps(document), "rules.yaml").rules
    except InvalidFileError:
        return None
    plan = decide(rules, Event(name="pull_request"), Changes(paths=[path], kinds=[kind]))
    return plan.decisions[0].runs


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['tag']} {case['patterns']} {case['path']!r}")
def test_a_judged_case_holds_or_is_refused(case: dict[str, object]) -> None:
    patterns, path = case["patterns"], case["path"]
    assert isinstance(patterns, list)
    assert isinstance(path, str)
    got = selected(patterns, path, SUBMODULE if case["is_dir"] else FILE)
    assert got in ({case["last_match"]} if case["tag"] == "plain" else {case["last_match"], None})


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("", "is empty"),
        (" a", "white space"),
        ("a ", "white space"),
        ("a\\  ", "white space"),
        ("\u00a0a", "white space"),
        ("a\\", "backslash"),
        ("a\\\\\\", "backslash"),
        ("./a", "component ."),
        ("a/../b", "component .."),
        ("a//b", "//"),
        ("/", "a slash alone"),
        ("//", "//"),
        ("a\\/b", "can't be escaped"),
        ("[[:alpha:]]", "named classes"),
        ("[[.a.]]", "named classes"),
        ("[[=a=]]", "named classes"),
        ("[z-a]", "reversed"),
        ("[a", "no ]"),
        ("[]", "no ]"),
        ("[!]", "no ]"),
        ("a[/]b", "no ]"),
        ("[\\", "backslash"),
        ("[é]", "bytes"),
        ("a**b", "beside other text"),
        ("**b", "beside other text"),
        ("b**", "beside other text"),
        ("foo**/bar", "beside other text"),
        ("***", "beside other text"),
        ("/a/***", "beside other text"),
        ("a\tb", "control character"),
        ("a\nb", "control character"),
        ("a\x7f", "control character"),
        ("\ufeffa", "byte order mark"),
        ("\ud800", "surrogate"),
        ("#a", "it starts with #"),
        ("!a", "it starts with !"),
        ("@a", "it starts with @"),
        ("a" * 5000, "longer than"),
        ("*a" * 65, "wildcards"),
        ("**/" + "a/" * 40 + "b", "components behind **"),
        ("a/" * 70 + "b", "more than 64 components"),
        ("a" * 300, "names of more than 255 bytes"),
    ],
)
def test_what_can_not_be_read_exactly_is_refused(pattern: str, says: str) -> None:
    with pytest.raises(PatternError, match=says.replace("*", r"\*").replace("]", r"\]").replace(".", r"\.")) as refused:
        compile_pattern(pattern)
    assert refused.value.help


@pytest.mark.parametrize(
    ("pattern", "doubt"),
    [
        ("*.{js,ts}", "braces are literal in a pattern"),
        ("foo", "foo matches at any depth"),
        ("foo/", "foo/ matches at any depth"),
        ("/**.c", "** beside other text means *"),
        ("/foo", None),
        ("*.md", None),
        ("src/foo", None),
        ("/{", None),
    ],
)
def test_a_pattern_that_people_misread_is_doubted(pattern: str, doubt: str | None) -> None:
    compile_pattern(pattern)
    said = human_doubts(pattern)
    assert (said[0] if said else None) == doubt


HOSTILE_PATTERNS = [
    "*a" * 60 + "*z",
    "*" + "[ab]" * 60 + "*z",
    "*" + "?" * 60 + "z*",
    "/" + "*[ab]*a" * 20 + "z",
    "**/a/" * 15 + "z",
    "**/*a*a*a*a*b/**/*a*a*z",
    "a/" * 60 + "z",
]
HOSTILE_PATHS = ["a" * 4096, "a/" * 2047 + "a", "ab" * 2048, "a" * 2000 + "/" + "a" * 2000, "ab/ba/" * 682]


@pytest.mark.parametrize("pattern", HOSTILE_PATTERNS, ids=lambda pattern: pattern[:24])
@pytest.mark.parametrize("path", HOSTILE_PATHS, ids=lambda path: path[:8])
def test_no_match_backtracks(pattern: str, path: str) -> None:
    # Would take longer than the age of the universe if it tried every way to place the stars.
    assert Automaton([(compile_pattern(pattern), False)]).masks(path) == (0, 0)
