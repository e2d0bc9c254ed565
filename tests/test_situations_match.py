"""Meanings of patterns that tools of this kind have got wrong: each is documented in docs/rules.md."""

import json

import pytest
from support.plans import changes

from ci_classify.core.decision import decide
from ci_classify.core.errors import InvalidFileError
from ci_classify.core.model import Event
from ci_classify.core.reasons import UnclaimedChange
from ci_classify.formats.rules_file import load_rules


def load(*terms: str, **more: object) -> str:
    return json.dumps({"version": 1, "unclaimed": "nothing", "suites": {"run-x": {"inputs": list(terms)}}, **more})


def selects(path: str, *terms: str, **more: object) -> bool:
    """Return whether a suite with these terms runs for a change of one path."""
    rules = load_rules(load(*terms, **more), "rules.yaml").rules
    return decide(rules, Event(name="pull_request"), changes(path)).decisions[0].runs


@pytest.mark.parametrize(
    ("terms", "path", "expected"),
    [
        pytest.param(["*", "!docs/**", "!frontend/**"], "docs/a.txt", False, id="B032 taken out by the second term"),
        pytest.param(["*", "!docs/**", "!frontend/**"], "frontend/b.ts", False, id="B032 taken out by the third term"),
        pytest.param(["*", "!docs/**", "!frontend/**"], "api/c.go", True, id="B032 taken by the first term"),
        pytest.param(["**"], ".golangci.yml", True, id="B033 a hidden file"),
        pytest.param(["**"], ".github/workflows/ci.yml", True, id="B033 in a hidden directory"),
        pytest.param(["**"], "a/.hidden/x", True, id="B033 in a hidden directory below"),
        pytest.param(["src/*"], "src/a/b.py", True, id="B034 below what a star takes"),
        pytest.param(["!*.py", "src/"], "src/a.py", True, id="B035 a later directory wins over an earlier file"),
        pytest.param(["src/**", "!**/*.md", "docs/spec/"], "docs/spec/a.md", True, id="B035 the last term wins"),
        pytest.param(["docs/", "!docs/keep.py"], "docs/keep.py", False, id="B037 out again below a directory"),
        pytest.param(["docs/**", "!docs/**/keep.py"], "docs/sub/keep.py", False, id="B037 out again at any depth"),
        pytest.param(["docs/", "!docs/keep.py"], "docs/other.py", True, id="B037 the rest stays"),
        pytest.param(["*.{js,ts}"], "x.js", False, id="B045 braces are literal"),
        pytest.param(["*.{js,ts}"], "x.{js,ts}", True, id="B045 and match themselves"),
    ],
)
def test_the_last_term_that_matches_decides(terms: list[str], path: str, *, expected: bool) -> None:
    assert selects(path, *terms) is expected


def problems(text: str) -> list[str]:
    try:
        return [str(warning) for warning in load_rules(text, "rules.yaml").warnings]
    except InvalidFileError as error:
        return [str(problem) for problem in error.problems]


def test_b032_a_suite_of_negative_terms_alone_is_refused() -> None:
    with pytest.raises(InvalidFileError) as refused:
        load_rules(load("!docs/", "!src/"), "rules.yaml")
    assert len([problem for problem in refused.value.problems if not problem.warning]) == 1


def test_b041_a_named_class_is_refused() -> None:
    with pytest.raises(InvalidFileError, match="named classes are not read"):
        load_rules(load("[[:alpha:]]x.py"), "rules.yaml")


@pytest.mark.parametrize(
    ("path", "ignore_case", "runs"),
    [
        ("README.MD", False, True),
        ("readme.md", False, False),
        ("README.MD", True, False),
        ("sub/Deep.mD", True, False),
    ],
)
def test_b043_letter_case_counts_unless_declared_otherwise(path: str, *, ignore_case: bool, runs: bool) -> None:
    documentation = {"paths": ["*.md"], "ignore-case": ignore_case}
    assert selects(path, "/src/", documentation=documentation, unclaimed="everything") is runs


def test_b045_braces_are_warned_about() -> None:
    (warning,) = problems(load("*.{js,ts}"))
    assert "braces are literal" in warning


def test_b046_a_path_that_nobody_claims_runs_everything_and_is_named() -> None:
    rules = load_rules(
        json.dumps({"version": 1, "suites": {"run-a": {"inputs": ["airflow/"]}, "run-t": {"inputs": ["tests/"]}}}),
        "rules.yaml",
    ).rules
    plan = decide(rules, Event(name="pull_request"), changes("scripts/tool.py"))
    assert [decision.runs for decision in plan.decisions] == [True, True]
    for decision in plan.decisions:
        assert isinstance(decision.reason, UnclaimedChange)
        assert [item.path for item in decision.reason.evidence.items] == ["scripts/tool.py"]


def test_b047_the_first_suite_that_matches_does_not_stop_the_others() -> None:
    suites = {"run-tests": {"inputs": ["tests/"]}, "run-system": {"inputs": ["tests/system/"]}}
    rules = load_rules(json.dumps({"version": 1, "suites": suites}), "rules.yaml").rules
    plan = decide(rules, Event(name="pull_request"), changes("tests/system/p/x.py"))
    assert [decision.runs for decision in plan.decisions] == [True, True]
