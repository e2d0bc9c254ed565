"""The lines of GITHUB_OUTPUT: complete, ASCII, and a plan of bounded size."""

import json

import pytest
from support.plans import TELLING
from support.runner import read_output_file

from ci_classify.core.decision import everything_runs
from ci_classify.core.errors import FallbackCause
from ci_classify.core.model import Event
from ci_classify.core.plan import Comparison, Decision, Fallback, Plan
from ci_classify.core.reasons import NoInputChanged
from ci_classify.render.outputs import MAX_PLAN_BYTES, output_lines


@pytest.mark.parametrize("name", TELLING)
def test_every_output_is_written_once_in_order_and_the_plan_last(name: str) -> None:
    plan = TELLING[name]
    pairs = read_output_file((output_lines(plan) or b"").decode("ascii"))
    expected = [(decision.name, "true" if decision.runs else "false") for decision in plan.outputs]
    assert pairs[:-1] == expected
    assert pairs[-1][0] == "plan"
    facts = json.loads(pairs[-1][1])
    assert facts["outputs"] == {decision.name: decision.runs for decision in plan.outputs}
    assert list(facts) == ["schema", "event", "base", "head", "fallback", "changes", "outputs", "reasons"]
    assert set(facts["reasons"]) == set(facts["outputs"])


def test_the_plan_holds_no_path() -> None:
    text = (output_lines(TELLING["hostile-names"]) or b"").decode()
    assert "guest/" not in text


def test_500_outputs_with_names_of_100_letters_fit() -> None:
    names = [f"{number:03}".rjust(100, "n") for number in range(500)]
    decisions = tuple(Decision(name=name, title=name, reason=NoInputChanged()) for name in names)
    plan = Plan(
        event="\U0001f600" * 1_000,
        comparison=Comparison(base="1" * 64, head="2" * 64),
        fallback=None,
        total_changes=10**6,
        documentation_changes=10**6,
        decisions=decisions,
    )
    pairs = read_output_file((output_lines(plan) or b"").decode("ascii"))
    assert [name for name, _ in pairs] == [*names, "plan"]
    assert len(pairs[-1][1]) < MAX_PLAN_BYTES
    assert json.loads(pairs[-1][1])["outputs"] == dict.fromkeys(names, False)


def test_outputs_that_no_plan_can_hold_are_not_written_at_all() -> None:
    names = [f"{number:05}".rjust(100, "n") for number in range(2_000)]
    plan = everything_runs(Event(name="push"), names, Fallback(cause=FallbackCause.RULES_INVALID, detail=""))
    assert output_lines(plan) is None
