"""What a condition comes to, as GitHub evaluates it, and in every run that makes a difference."""

import itertools

import pytest

from ci_classify.core.conditions import Choices, Condition, TooManyRunsError, World, runs
from ci_classify.core.expression_values import PlanText, Value, compare
from ci_classify.core.expressions import parse_condition


def world(result: str = "success", outputs: dict[str, Value] | None = None, *, cancelled: bool = False) -> World:
    """Return a world with a detector and a job that needs it and a build."""
    return World(
        needs=("changes", "build"),
        ancestors=frozenset({"changes", "build", "setup"}),
        results={"changes": result},
        outputs={"changes": outputs or {}},
        cancelled=cancelled,
    )


def answers(text: str | None, assumed: World) -> set[bool]:
    """Return what a condition comes to over all runs."""
    condition = Condition(parse_condition(text) if text is not None else None)
    return {answer for _, answer in runs(lambda choices: condition.holds(assumed, choices))}


LIVE: dict[str, Value] = {"gpu": "true", "unit": "false", "plan": PlanText(outputs={"gpu": True, "unit": False})}
YES, NO, DEPENDS = {True}, {False}, {True, False}


@pytest.mark.parametrize(
    ("text", "live", "dead"),
    [
        (None, DEPENDS, NO),
        ("always()", YES, YES),
        ("!cancelled()", YES, YES),
        ("cancelled()", NO, NO),
        ("failure()", DEPENDS, YES),
        ("success()", DEPENDS, NO),
        ("always() && needs.changes.result == 'success'", YES, NO),
        ("always() && needs.changes.result != 'SUCCESS'", NO, YES),
        ("always() && needs.changes.outputs.gpu == 'true'", YES, NO),
        ("always() && needs.changes.outputs.gpu", YES, NO),
        ("always() && needs.changes.outputs.unit", YES, NO),
        ("always() && needs.changes.outputs.gpu != 'false'", YES, YES),
        ("always() && needs.changes.outputs.gpu == true", NO, NO),
        ("always() && fromJSON(needs.changes.outputs.gpu)", YES, NO),
        ("always() && fromJSON(needs.changes.outputs.plan).outputs.gpu", YES, NO),
        ("always() && fromJSON(needs.changes.outputs.plan).outputs.unit", NO, NO),
        (
            "always() && (needs.changes.result != 'success' || fromJSON(needs.changes.outputs.plan).outputs.gpu)",
            YES,
            YES,
        ),
        ("always() && contains(needs.*.result, 'failure')", DEPENDS, YES),
        ("always() && contains('a,gpu,b', 'GPU')", YES, YES),
        ("always() && startsWith('refs/heads/x', 'refs/Heads/')", YES, YES),
        ('always() && contains(fromJSON(\'["push", "pull_request"]\'), github.event_name)', DEPENDS, DEPENDS),
        ("always() && github.event_name == 'push' && github.event_name == 'merge_group'", NO, NO),
        ("always() && (github.event_name == 'push' || github.event_name != 'push')", YES, YES),
        ("always() && github.actor == github.actor", YES, YES),
        ("always() && github.actor == github.repository_owner", DEPENDS, DEPENDS),
        ("always() && !github.event.pull_request.draft", DEPENDS, DEPENDS),
        ("always() && needs.other.result == 'success'", NO, NO),
        ("${{ needs.changes.result }} == 'success'", DEPENDS, NO),
    ],
)
def test_a_condition_comes_to(text: str | None, live: set[bool], dead: set[bool]) -> None:
    assert answers(text, world("success", LIVE)) == live
    assert answers(text, world("failure")) == dead


def test_a_run_that_was_cancelled() -> None:
    assert answers("!cancelled()", world(cancelled=True)) == NO
    assert answers("always()", world(cancelled=True)) == YES


def test_success_looks_at_jobs_further_up() -> None:
    skipped = World(needs=("build",), ancestors=frozenset({"build", "setup"}), results={"setup": "skipped"}, outputs={})
    assert answers(None, skipped) == NO
    assert answers("!cancelled() && needs.build.result == 'success'", skipped) == DEPENDS


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("a", "A", True),
        ("true", True, False),
        (1.0, "1", True),
        ("", 0.0, True),
        (None, "", True),
        (None, False, True),
        ("x", 0.0, False),
        (float("nan"), float("nan"), False),
    ],
)
def test_equal_is_what_github_takes_for_equal(left: Value, right: Value, *, equal: bool) -> None:
    assert compare("==", left, right) is equal
    assert compare("!=", left, right) is not equal


def test_every_combination_of_choices_is_one_run() -> None:
    def question(choices: Choices) -> tuple[str, ...]:
        return tuple(choices.choose(name, "xyz"[: number + 1]) for number, name in enumerate("abc"))

    assert [answer for _, answer in runs(question)] == list(itertools.product("x", "xy", "xyz"))


def test_choices_that_make_no_difference_are_not_tried() -> None:
    condition = Condition(parse_condition("always() && (false && github.actor == 'a' || github.ref == 'b')"))
    made = [choices for choices, _ in runs(lambda choices: condition.holds(world(), choices))]
    assert made == [{"github.ref": value} for value in ("b", "another value", "")]


def test_too_many_runs_are_no_answer() -> None:
    text = "always() && " + " && ".join(f"(github.a{number} || true)" for number in range(20))
    with pytest.raises(TooManyRunsError):
        answers(text, world())
