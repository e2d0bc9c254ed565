"""What goes to a log or a terminal: whatever the names, one line each, and never a workflow command."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.plans import TELLING, changes
from support.text import HOSTILE, any_path, any_text

from ci_classify.core.decision import decide
from ci_classify.core.errors import Problem
from ci_classify.core.model import Event
from ci_classify.core.plan import Plan
from ci_classify.core.text import LONGEST, visible
from ci_classify.edges import console
from ci_classify.formats.rules_file import load_rules
from ci_classify.render import messages
from ci_classify.render.plan_json import plan_json
from ci_classify.render.terminal import plan_lines

_RULES = load_rules("version: 1\nsuites: {run-all: {inputs: [/**]}, run-one: {inputs: [/one]}}", "rules.yaml").rules


def plan_of(*paths: str) -> Plan:
    return decide(_RULES, Event(name="pull_request"), changes(*paths))


def assert_no_command(text: str) -> None:
    """Assert that a runner finds no command: ``::`` at the start of a line, ``##[`` anywhere."""
    assert "##[" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]


@given(any_text)
@example("".join(HOSTILE))
@example(":::::")
@example("##[##[")
def test_visible_text_is_one_short_printable_line_without_a_command(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert len(shown) <= LONGEST
    assert "::" not in shown
    assert_no_command(shown)


@given(any_path, any_path)
def test_different_short_paths_are_shown_differently(one: str, other: str) -> None:
    if max(len(visible(one, longest=10_000)), len(visible(other, longest=10_000))) <= LONGEST:
        assert (visible(one) == visible(other)) == (one == other)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("src/main.rs", "src/main.rs"),
        ("Behörig.py", "Behörig.py"),
        ("lat\udce9.py", "lat\\xe9.py"),
        ("a\nb\rc\td", "a\\nb\\rc\\td"),
        ("a\\b", "a\\\\b"),
        ("\u202e", "\\u202e"),
        ("\U000e0001", "\\U000e0001"),
        ("\x1b[0m", "\\x1b[0m"),
        ("::error::", ":\\x3aerror:\\x3a"),
        ("##[error]", "##\\x5berror]"),
        ("x" * 200, "x" * 79 + "…" + "x" * 79),
    ],
)
def test_what_is_not_printable_is_shown_as_an_escape(path: str, shown: str) -> None:
    assert visible(path) == shown


@given(st.lists(any_path, min_size=1, max_size=5, unique=True))
def test_no_path_adds_a_line_to_a_plan(paths: Sequence[str]) -> None:
    text = console.plain_text(plan_lines(plan_of(*paths), "rules.yaml"))
    usual = console.plain_text(plan_lines(plan_of(*(f"p{number}" for number in range(len(paths)))), "rules.yaml"))
    assert len(text.splitlines()) == len(usual.splitlines())
    assert_no_command(text)
    assert all(visible(path) in text for path in paths[:3])


@given(st.lists(any_path, min_size=1, max_size=5, unique=True))
def test_the_full_plan_is_ascii_without_a_command_and_keeps_every_byte(paths: Sequence[str]) -> None:
    text = plan_json(plan_of(*paths))
    assert text.isascii()
    assert_no_command(text)
    evidence = json.loads(text)["decisions"]["run-all"]["evidence"]
    assert [item["path"] for item in evidence] == list(paths[:3])


@given(any_text)
def test_warnings_and_errors_are_one_line_with_one_command(text: str) -> None:
    for message in (messages.warning(text, in_ci=True), messages.error(text, in_ci=True)):
        assert len(message.splitlines()) == 1
        assert message.count("::") == 2
        assert "##[" not in message
    for message in (messages.warning(text, in_ci=False), messages.error(text, in_ci=False)):
        assert len(message.splitlines()) == 1
        assert_no_command(message)


@given(any_text, any_text)
@example("a,line=1::x.yaml", "100%")
def test_a_complaint_is_one_annotation_whatever_it_quotes(file: str, text: str) -> None:
    problem = Problem(file=file or "x", line=3, column=7, message=text, help=text)
    (line,) = messages.problems([problem], in_ci=True)
    assert len(line.splitlines()) == 1
    assert line.count("::") == 2
    assert line.startswith("::error file=")
    assert ",line=3,col=7::" in line
    (line,) = messages.problems([problem], in_ci=False)
    assert_no_command(line)


def test_complaints_beyond_a_hundred_are_counted() -> None:
    problem = Problem(file="rules.yaml", line=1, column=1, message="wrong", help="right")
    lines = messages.problems([problem] * 130, in_ci=False)
    assert len(lines) == 101
    assert lines[-1] == "30 more problems are not shown."


@pytest.mark.parametrize("name", TELLING)
def test_a_group_in_a_log_has_a_title_and_an_end(name: str) -> None:
    first, *rest = plan_lines(TELLING[name], "rules.yaml")
    text = messages.group(console.plain_text([first]).rstrip(), console.plain_text(rest))
    lines = text.splitlines()
    assert lines[0].startswith("::group::")
    assert lines[-1] == "::endgroup::"
    assert_no_command("\n".join(lines[1:-1]))
