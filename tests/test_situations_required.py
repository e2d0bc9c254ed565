"""Situations of the required check, each by its number."""

import json
from pathlib import Path

import pytest
from support.command import run_command
from support.runner import Ran

RULES = """\
version: 1
suites:
  unit: {inputs: [/src/]}
  gpu: {inputs: [/gpu/]}
required-check:
  detector: changes
  jobs: {unit: {output: unit}, gpu: {output: gpu}}
"""
DECISION = {"unit": "false", "gpu": "true"}


class Check:
    """The command in a directory with the rules."""

    def __init__(self, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._directory = directory
        self._capsys = capsys

    def __call__(self, needs: object) -> Ran:
        (self._directory / "rules.yaml").write_text(RULES, encoding="utf-8")
        path = self._directory / "needs.json"
        path.write_text(needs if isinstance(needs, str) else json.dumps(needs), encoding="utf-8")
        given = ("--event-name", "pull_request", "--same-repository", "true")
        return run_command(
            self._capsys, "check-required-ci", "--repo", str(self._directory), "--needs-json", str(path), *given
        )


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    return Check(tmp_path, capsys)


def results(**given: str) -> dict[str, object]:
    known: dict[str, object] = {job: {"result": result, "outputs": {}} for job, result in given.items()}
    return {"changes": {"result": "success", "outputs": DECISION}, **known}


def test_b082_a_failed_job_fails_the_gate_whatever_runs_it(check: Check) -> None:
    ran = check({"unit": {"result": "failure", "outputs": {}}})
    assert (ran.code, "unit" in ran.stdout) == (1, True)


def test_b084_a_planned_skip_passes_and_tells_why(check: Check) -> None:
    plan = {"schema": 1, "event": "pull_request", "head": None, "fallback": None}
    reasons = {"unit": "no-input-changed", "gpu": "inputs-changed"}
    decided = {**plan, "outputs": {"unit": False, "gpu": True}, "reasons": reasons}
    needs = results(unit="skipped", gpu="success")
    assert "not selected: unit is false" in check(needs).stdout
    needs["changes"] = {"result": "success", "outputs": {**DECISION, "plan": json.dumps(decided)}}
    ran = check(needs)
    assert (ran.code, "not selected: none of its inputs changed" in ran.stdout) == (0, True)


@pytest.mark.parametrize("unit", ["true", "false"])
def test_b085_a_cancelled_job_fails_selected_or_not(check: Check, unit: str) -> None:
    needs = results(unit="cancelled", gpu="success")
    needs["changes"] = {"result": "success", "outputs": {**DECISION, "unit": unit}}
    ran = check(needs)
    assert (ran.code, ran.stdout.splitlines()[-1].startswith("ok    gpu")) == (1, True)
    assert "FAIL  unit" in ran.stdout


def test_b085_a_success_that_nobody_planned_fails(check: Check) -> None:
    ran = check(results(unit="success", gpu="success"))
    assert (ran.code, "nobody planned this run" in ran.stdout) == (1, True)


@pytest.mark.parametrize(
    "changes",
    [
        {"result": "failure", "outputs": {}},
        {"result": "success", "outputs": {}},
        {"result": "success", "outputs": {**DECISION, "unit": ""}},
        {"result": "success"},
        {"result": "success", "outputs": None},
    ],
)
def test_b086_a_detector_without_outputs_fails(check: Check, changes: dict[str, object]) -> None:
    ran = check({**results(unit="skipped", gpu="success"), "changes": changes})
    assert (ran.code, "changes: expected" in ran.stdout) == (1, True)


@pytest.mark.parametrize(
    ("needs", "named"),
    [
        (results(unit="skipped"), "gpu: expected success, got missing"),
        (results(unit="neutral", gpu="success"), "unit: expected skipped, got neutral"),
        ("null", "the text of the results is 'null'"),
        ("", "the text of the results is empty"),
    ],
    ids=["a job is missing", "neutral", "null", "nothing"],
)
def test_b087_what_is_unknown_fails_and_is_named(check: Check, needs: object, named: str) -> None:
    ran = check(needs)
    assert (ran.code, named in ran.stdout) == (1, True)


def test_b089_a_failing_job_is_never_hidden_by_the_decision(check: Check) -> None:
    ran = check(results(unit="failure", gpu="success"))
    assert (ran.code, "unit: expected skipped, got failure: it failed" in ran.stdout) == (1, True)
