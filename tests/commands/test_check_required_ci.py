"""The required check tells a planned skip from a broken one, job by job."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.payloads import FORK, REPOSITORY, pull_request
from support.repository import BuiltRepository
from support.runner import Ran, call

TOP = Path(__file__).parents[2]
CASES = json.loads((TOP / "tests/cases/nvx-required.json").read_text(encoding="utf-8"))
DETECTOR = "openvmm-changes"
RULES = """\
version: 1
suites:
  unit: {inputs: [/src/]}
  gpu: {inputs: [/gpu/]}
producers:
  wheel: {consumers: [unit, gpu]}
required-check:
  detector: changes
  jobs:
    lint: {}
    build-wheel: {output: wheel}
    unit: {output: unit, needs: [build-wheel]}
    gpu: {output: gpu, needs: [build-wheel], repository: same}
    report: {needs: [unit], events: [push]}
"""
OUTPUTS = {"unit": "true", "gpu": "false", "wheel": "true"}
RESULTS = {
    "changes": "success",
    "lint": "success",
    "build-wheel": "success",
    "unit": "success",
    "gpu": "skipped",
    "report": "skipped",
}


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    return path


def needs(results: Mapping[str, str], outputs: Mapping[str, Any], detector: str = "changes") -> str:
    """Return what toJSON(needs) gives a job."""
    return json.dumps(
        {job: {"result": result, "outputs": outputs if job == detector else {}} for job, result in results.items()}
    )


def check(rules: Path, text: str, *options: str, **variables: str) -> Ran:
    return call(
        "check-required-ci", "--rules", str(rules), "--event-name", "pull_request", "--same-repository", "true", *options,
        variables={"NEEDS_JSON": text, **variables},
        cwd=rules.parent,
    )  # fmt: skip


def failures(ran: Ran) -> list[tuple[str, str, str]]:
    return [(f["job"], f["expected"], f["got"]) for f in json.loads(ran.stdout)["failures"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_nvx_gets_its_verdict(case: Mapping[str, Any], tmp_path: Path) -> None:
    outputs = {name: "true" if value else "false" for name, value in case["outputs"].items()}
    file = tmp_path / "needs.json"
    file.write_text(needs(case["results"], outputs, DETECTOR), encoding="utf-8")
    ran = call(
        "check-required-ci", "--rules", str(TOP / "rules.yaml"), "--needs-json", str(file), "--event-name", case["event"],
        "--same-repository", "true" if case["same_repository"] else "false", "--format", "json",
    )  # fmt: skip
    found = json.loads(ran.stdout)
    assert found["passed"] is case["expect_pass"]
    assert ran.code == (0 if case["expect_pass"] else 1)
    assert sorted(failures(ran)) == sorted((f["job"], f["expected"], f["got"]) for f in case["expect_failures"])


@pytest.mark.parametrize("job", RESULTS)
@pytest.mark.parametrize("result", ["success", "skipped", "failure", "cancelled", "neutral", "", "missing"])
def test_any_other_result_of_a_job_fails_and_names_it(rules: Path, job: str, result: str) -> None:
    if result == RESULTS[job]:
        return
    changed = {**RESULTS, job: result}
    if result == "missing":
        del changed[job]
    ran = check(rules, needs(changed, OUTPUTS), "--format", "json")
    assert ran.code == 1
    assert (job, RESULTS[job], result or "missing") in failures(ran)


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_that_contradicts_the_detectors_plan_fails(rules: Path, name: str) -> None:
    plan = json.dumps({"outputs": {output: value == "true" for output, value in OUTPUTS.items()}, "head": None})
    assert check(rules, needs(RESULTS, {**OUTPUTS, "plan": plan})).code == 0
    flipped = {**OUTPUTS, name: "false" if OUTPUTS[name] == "true" else "true", "plan": plan}
    assert check(rules, needs(RESULTS, flipped)).code == 1


@pytest.mark.parametrize(
    "outputs",
    [
        {},
        {"unit": "true", "gpu": "false"},
        {**OUTPUTS, "gpu": ""},
        {**OUTPUTS, "gpu": "False"},
        {**OUTPUTS, "gpu": None},
        {**OUTPUTS, "surprise": "true"},
        {**OUTPUTS, "plan": "{"},
    ],
)
def test_b086_a_missing_extra_or_malformed_output_fails(rules: Path, outputs: Mapping[str, object]) -> None:
    ran = check(rules, needs(RESULTS, outputs), "--format", "json")
    assert ran.code == 1
    assert {job for job, _, _ in failures(ran)} == {"changes"}


def test_b086_a_detector_that_failed_fails_the_check_whatever_it_wrote(rules: Path) -> None:
    dead = {**RESULTS, "changes": "failure"}
    assert check(rules, needs(dead, OUTPUTS)).code == 1
    ran = check(rules, needs({**dead, "unit": "skipped"}, {}), "--format", "json")
    # Without outputs the guard runs every job, so that a skip is not planned.
    assert ("changes", "success", "failure") in failures(ran)
    assert ("unit", "success", "skipped") in failures(ran)


def test_b084_a_skip_that_was_planned_passes_and_says_why(rules: Path) -> None:
    ran = check(rules, needs(RESULTS, OUTPUTS))
    assert ran.code == 0
    assert "skipped  gpu: not selected: gpu is false" in ran.stdout


@pytest.mark.parametrize("selected", ["true", "false"])
def test_b085_cancelled_never_passes(rules: Path, selected: str) -> None:
    ran = check(rules, needs({**RESULTS, "gpu": "cancelled"}, {**OUTPUTS, "gpu": selected}), "--format", "json")
    assert [job for job, _, got in failures(ran) if got == "cancelled"] == ["gpu"]


@pytest.mark.parametrize("text", ["null", "", "[]", "{}", "{", "3", '{"a": 1, "a": 2}', "[" * 100_000])
def test_b087_results_that_can_not_be_read_fail_and_are_named(rules: Path, text: str) -> None:
    file = rules.parent / "needs.json"
    file.write_text(text, encoding="utf-8")
    ran = check(rules, "", "--needs-json", str(file))
    assert ran.code == 1
    assert "the results of jobs" in ran.stdout


def test_b089_a_job_that_no_rule_judges_does_not_hide_its_failure(rules: Path) -> None:
    assert check(rules, needs({**RESULTS, "extra": "skipped"}, OUTPUTS)).code == 0
    ran = check(rules, needs({**RESULTS, "extra": "failure"}, OUTPUTS), "--format", "json")
    assert failures(ran) == [("extra", "success or skipped", "failure")]


def test_one_failure_that_explains_others_is_the_one_to_look_at(rules: Path) -> None:
    ran = check(rules, needs({**RESULTS, "build-wheel": "failure", "unit": "skipped"}, OUTPUTS))
    assert "unit: expected success, got skipped: its producer build-wheel failed" in ran.stdout
    assert ran.stdout.endswith("2 failures. Look at build-wheel first: others wait for it.\n")


def test_results_and_outputs_may_come_one_by_one(rules: Path) -> None:
    options = [f"--result={job}={result}" for job, result in RESULTS.items()]
    options += [f"--output={name}={value}" for name, value in OUTPUTS.items()]
    assert check(rules, "", *options).code == 0
    assert check(rules, "", *options, "--output=gpu=false").code == 1
    assert check(rules, "", *options, "--result=unit=success").code == 1
    assert check(rules, "", *options[:-1]).code == 1


@pytest.mark.parametrize(
    "options",
    [("--result", "unit"), ("--output", "=true"), ("--same-repository", "maybe"), ("--needs-json", "/nowhere")],
)
def test_wrong_options_are_2(rules: Path, options: tuple[str, str]) -> None:
    assert check(rules, "", *options).code == 2


def test_without_results_or_a_section_it_is_2(rules: Path) -> None:
    assert check(rules, "").code == 2
    rules.write_text("version: 1\nsuites: {unit: {inputs: [/src/]}}\n", encoding="utf-8")
    ran = check(rules, needs(RESULTS, OUTPUTS))
    assert ran.code == 2
    assert "has no required-check" in ran.stderr


@pytest.mark.parametrize(("head", "same"), [(REPOSITORY, True), (FORK, False), (None, False)])
def test_the_payload_says_whether_a_pull_request_is_of_the_same_repository(
    rules: Path, tmp_path: Path, head: Mapping[str, object] | None, same: bool
) -> None:
    payload: Any = pull_request("a" * 40, "b" * 40)
    payload["pull_request"]["head"]["repo"] = head
    event = tmp_path / "event.json"
    event.write_text(json.dumps(payload), encoding="utf-8")
    text = needs({**RESULTS, "gpu": "success"}, {**OUTPUTS, "gpu": "true"})
    variables = {"NEEDS_JSON": text, "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event)}
    ran = call("check-required-ci", "--rules", str(rules), variables=variables, cwd=tmp_path)
    assert ran.code == (0 if same else 1)


def test_in_ci_each_failure_is_an_annotation_and_the_summary_has_every_job(rules: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    text = needs({**RESULTS, "unit": "failure", "gpu": "success"}, OUTPUTS)
    ran = check(rules, text, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    errors = [line for line in ran.stderr.splitlines() if line.startswith("::error")]
    assert errors == [
        "::error title=ci-classify::unit: expected success, got failure: it failed",
        "::error title=ci-classify::gpu: expected skipped, got success: nobody planned this run: not selected: gpu is false",
    ]
    rows = [line for line in summary.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(rows) == len(RESULTS)
    assert "| `report` | skipped | skipped | pull_request is none of its events |" in rows


def test_outputs_for_another_commit_are_called_that(rules: Path, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps(pull_request("a" * 40, "b" * 40)), encoding="utf-8")
    plan = {"outputs": {name: value == "true" for name, value in OUTPUTS.items()}, "head": "b" * 40}
    variables = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event), "GITHUB_SHA": "c" * 40}
    assert check(rules, needs(RESULTS, {**OUTPUTS, "plan": json.dumps(plan)}), **variables).code == 0
    old = json.dumps({**plan, "head": "d" * 40})
    ran = check(rules, needs(RESULTS, {**OUTPUTS, "plan": old}), **variables)
    assert ran.code == 1
    assert "the outputs are for another commit, perhaps of an earlier attempt" in ran.stdout


def test_recompute_fails_where_the_detector_was_wrong(tmp_path: Path) -> None:
    repository = BuiltRepository(tmp_path / "repository")
    base = repository.commit({"rules.yaml": RULES, "src/a": "1\n"})
    head = repository.commit({"src/a": "2\n"}, base)
    repository.check_out(repository.commit({"src/a": "2\n"}, base, head))
    event = tmp_path / "event.json"
    event.write_text(json.dumps(pull_request(base, head)), encoding="utf-8")
    variables = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event)}
    rules = repository.directory / "rules.yaml"
    assert check(rules, needs(RESULTS, OUTPUTS), "--recompute", **variables).code == 0
    skipped = {**RESULTS, "unit": "skipped", "build-wheel": "skipped"}
    wrong = needs(skipped, {"unit": "false", "gpu": "false", "wheel": "false"})
    assert check(rules, wrong, **variables).code == 0
    ran = check(rules, wrong, "--recompute", "--format", "json", **variables)
    assert ran.code == 1
    assert ("changes", "unit=true", "unit=false") in failures(ran)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("failure", "the detector failed, so that there is no plan and every gated job runs"),
        ("cancelled", "the detector was cancelled, so that there is no plan: run all jobs again"),
        ("skipped", "the detector was skipped, so that there is no plan"),
    ],
)
def test_a_detector_that_died_is_named_with_what_follows(rules: Path, result: str, said: str) -> None:
    ran = check(rules, needs({**RESULTS, "changes": result, "gpu": "success"}, {}))
    assert (ran.code, ran.stdout.splitlines()[0]) == (1, f"FAILED   changes: expected success, got {result}: {said}")


@pytest.mark.parametrize("attempt", ["", "1", "2", "x"])
def test_a_failure_in_another_attempt_says_whose_outputs_these_may_be(
    rules: Path, attempt: str, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    variables = {"GITHUB_RUN_ATTEMPT": attempt, "GITHUB_STEP_SUMMARY": str(summary)}
    said = "This is attempt 2 of the run. Running only the failed jobs again keeps the outputs"
    passed = check(rules, needs(RESULTS, OUTPUTS), **variables)
    failed = check(rules, needs({**RESULTS, "lint": "failure"}, OUTPUTS), **variables)
    assert said not in passed.stdout
    told = attempt == "2"
    assert (said in failed.stdout, said in summary.read_text(encoding="utf-8")) == (told, told)


def test_b084_a_skip_tells_the_reason_of_the_plan(rules: Path) -> None:
    outputs = {name: value == "true" for name, value in OUTPUTS.items()}
    plan = {"outputs": outputs, "head": None, "reasons": {"gpu": "no-input-changed", "unit": "inputs-changed"}}
    ran = check(rules, needs(RESULTS, {**OUTPUTS, "plan": json.dumps(plan)}))
    assert ran.code == 0
    assert "skipped  gpu: not selected: none of its inputs changed\n" in ran.stdout
