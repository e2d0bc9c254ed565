"""``check-required-ci``: the cases of NVX, where results come from, what a step shows, what it finds stale."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support import payloads
from support.command import run_command
from support.plans import PROJECT
from support.repository import BuiltRepository
from support.runner import Ran, Runner, call
from support.step import execute

CASES = json.loads((PROJECT / "tests/cases/nvx-required.json").read_text(encoding="utf-8"))
NVX = str(PROJECT / "rules.yaml")

RULES = """\
version: 1
unclaimed: nothing
suites:
  run-unit: {inputs: [/src/]}
  run-gpu: {inputs: [/gpu/]}
producers:
  run-build: {consumers: [run-gpu]}
required-check:
  detector: changes
  jobs:
    lint: {}
    build: {output: run-build}
    unit: {output: run-unit}
    gpu: {output: run-gpu, needs: [build], repository: same}
    report: {needs: [gpu], events: [push]}
"""
OUTPUTS = {"run-unit": "false", "run-gpu": "true", "run-build": "true"}
RESULTS = {
    "changes": "success",
    "lint": "success",
    "build": "success",
    "unit": "skipped",
    "gpu": "success",
    "report": "skipped",
}
NOT_SELECTED = "not selected: run-unit is false"
SAME = ("--event-name", "pull_request", "--same-repository", "true")


def needs(results: Mapping[str, Any], outputs: Mapping[str, Any], detector: str = "changes") -> str:
    return json.dumps({job: {"result": r, "outputs": outputs if job == detector else {}} for job, r in results.items()})


def words(flag: str, pairs: Mapping[str, str]) -> list[str]:
    return [f"{flag}={name}={value}" for name, value in pairs.items()]


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    return str(path)


# -- the cases of NVX ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["one text", "options"])
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case_gives_its_verdict_and_its_failures(
    case: dict[str, Any], form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = {name: str(value).lower() for name, value in case["outputs"].items()}
    event = ["--event-name", case["event"], "--same-repository", str(case["same_repository"]).lower()]
    if form == "options":
        given = [*words("--output", outputs), *words("--result", case["results"])]
    else:
        path = tmp_path / "needs.json"
        path.write_text(needs(case["results"], outputs, "openvmm-changes"), encoding="utf-8")
        given = ["--needs-json", str(path)]
    ran = run_command(capsys, "check-required-ci", "--rules", NVX, "--format", "json", *event, *given)
    verdict = json.loads(ran.stdout)
    assert [{key: value for key, value in f.items() if key != "why"} for f in verdict["failures"]] == case[
        "expect_failures"
    ]
    assert (verdict["passed"], ran.code) == (case["expect_pass"], 0 if case["expect_pass"] else 1)
    assert all(failure["why"] for failure in verdict["failures"])


def test_the_worked_example_judges_22_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    case = next(case for case in CASES if case["id"] == "pr-same-pass-all")
    outputs = {name: str(value).lower() for name, value in case["outputs"].items()}
    given = [*words("--output", outputs), *words("--result", case["results"])]
    ran = run_command(capsys, "check-required-ci", "--rules", NVX, *SAME, *given)
    assert ran.stdout.startswith("All 22 jobs did what was planned: 20 succeeded, the others were skipped.\n")


# -- where results come from -----------------------------------------------------------------------------


def test_results_come_from_a_file_standard_input_a_variable_or_options(rules: str, tmp_path: Path) -> None:
    text = needs(RESULTS, OUTPUTS)
    (tmp_path / "needs.json").write_text(text, encoding="utf-8")
    options = [*words("--result", RESULTS), *words("--output", OUTPUTS)]
    base = ["check-required-ci", "--rules", rules, *SAME]
    ways = {
        "file": call(*base, "--needs-json", str(tmp_path / "needs.json")),
        "standard input": execute([*base, "--needs-json", "-"], os.environ, stdin=text.encode(), cwd=tmp_path),
        "variable": call(*base, variables={"NEEDS_JSON": text}),
        "options": call(*base, *options),
        "options beside a variable": call(*base, *options, variables={"NEEDS_JSON": "null"}),
        "outputs from options": call(*base, *words("--output", OUTPUTS), variables={"NEEDS_JSON": needs(RESULTS, {})}),
    }
    assert {way: (ran.code, ran.stderr) for way, ran in ways.items()} == dict.fromkeys(ways, (0, ""))
    assert len({ran.stdout for ran in ways.values()}) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "there are no results"),
        (("--needs-json", "/nowhere"), "can't be read"),
        (("--needs-json", "-", "--result", "unit=success"), "give one of the two"),
        (("--result", "unit"), "give --result JOB=RESULT"),
        (("--output", "=true"), "give --output NAME=true or NAME=false"),
        (("--same-repository", "maybe"), "'maybe' is not one of"),
        (("--rules", "/nowhere"), "there are no rules"),
    ],
)
def test_wrong_use_is_2(rules: str, given: Sequence[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run_command(capsys, "check-required-ci", "--rules", rules, *SAME, *given)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr


def test_what_must_be_known_of_the_event_is_asked_for(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    results = [*words("--result", RESULTS), *words("--output", OUTPUTS)]
    without = run_command(capsys, "check-required-ci", "--rules", rules, *results)
    assert (without.code, "give --event-name" in without.stderr) == (2, True)
    fork = run_command(capsys, "check-required-ci", "--rules", rules, *results, "--event-name", "pull_request")
    assert (fork.code, "give --same-repository" in fork.stderr) == (2, True)


def test_rules_without_the_section_are_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.yaml").write_text("version: 1\nsuites: {run-x: {inputs: [/x]}}\n", encoding="utf-8")
    ran = run_command(capsys, "check-required-ci", "--repo", str(tmp_path), *SAME, "--result", "a=success")
    assert (ran.code, "has no required-check" in ran.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the text of the results is empty"),
        (" \n", "the text of the results is empty"),
        ("null", "is 'null', no object of jobs"),
        ("[]", "is '[]', no object of jobs"),
        ("true", "is 'true', no object of jobs"),
        ("{", "is '{', no JSON"),
        ("${{ toJSON(needs) }}", "no JSON"),
        ('{"unit": {"result": "failure"}, "unit": {"result": "success"}}', "'unit' stands twice in it"),
        ("[" * 100_000, "nested too deeply"),
        ("\ufeff\udcff", "no JSON"),
    ],
)
def test_a_text_that_holds_no_results_fails_and_is_named(
    rules: str, text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "needs.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    ran = run_command(capsys, "check-required-ci", "--rules", rules, *SAME, "--needs-json", str(path))
    assert ran.code == 1
    assert said in ran.stdout
    as_json = run_command(
        capsys, "check-required-ci", "--rules", rules, *SAME, "--needs-json", str(path), "--format", "json"
    )
    assert json.loads(as_json.stdout)["passed"] is False


def failures(capsys: pytest.CaptureFixture[str], rules: str, *given: str) -> list[tuple[str, str, str]]:
    ran = run_command(capsys, "check-required-ci", "--rules", rules, "--format", "json", *SAME, *given)
    verdict = json.loads(ran.stdout)
    assert verdict["passed"] is not bool(verdict["failures"])
    assert ran.code == int(bool(verdict["failures"]))
    return [(failure["job"], failure["expected"], failure["got"]) for failure in verdict["failures"]]


@pytest.mark.parametrize(
    ("output", "value", "got"),
    [
        ("run-unit", "", "run-unit=missing"),
        ("run-unit", None, "run-unit=missing"),
        ("run-unit", "FALSE", "run-unit=FALSE"),
        ("run-unit", " false", "run-unit= false"),
        ("run-unit", "false\n", "run-unit=false\n"),
        ("run-unit", 0, "run-unit=0"),
        ("run-unit", ["false"], 'run-unit=["false"]'),
        ("run-other", "true", "run-other=true"),
    ],
)
def test_a_missing_extra_or_malformed_output_fails(
    rules: str, output: str, value: object, got: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "needs.json"
    path.write_text(needs(RESULTS, {**OUTPUTS, output: value}), encoding="utf-8")
    expected = "run-unit=true or run-unit=false" if output == "run-unit" else "no output run-other"
    assert failures(capsys, rules, "--needs-json", str(path)) == [("changes", expected, got)]


def test_an_output_or_a_result_that_is_given_twice_fails(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = [*words("--result", RESULTS), *words("--output", OUTPUTS)]
    assert failures(capsys, rules, *given, "--output=run-unit=false") == [
        ("changes", "run-unit=true or run-unit=false", "run-unit=false and false")
    ]
    assert failures(capsys, rules, *given, "--result=lint=success") == [("lint", "success", "success and success")]


@pytest.mark.parametrize("result", ["neutral", "Success", "success ", "timed_out", "true", '{"result": "success"}'])
def test_an_unknown_result_fails(rules: str, result: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = [*words("--result", {**RESULTS, "lint": result, "unit": result}), *words("--output", OUTPUTS)]
    assert failures(capsys, rules, *given) == [("lint", "success", result), ("unit", "skipped", result)]


@pytest.mark.parametrize(("result", "passes"), [("success", True), ("skipped", False), ("failure", False)])
def test_a_job_that_the_rules_do_not_list_must_succeed(
    rules: str, result: str, *, passes: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*words("--result", {**RESULTS, "extra": result}), *words("--output", OUTPUTS)]
    assert failures(capsys, rules, *given) == ([] if passes else [("extra", "success", result)])


# -- where the pull request comes from -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "same"),
    [
        ({"repo": {"full_name": "nvx/nvx"}}, True),
        ({"repo": {"full_name": "someone/nvx"}}, False),
        ({"repo": None}, False),
        ({"repo": {}}, False),
    ],
    ids=["same", "fork", "deleted fork", "nameless"],
)
def test_the_payload_says_whether_a_pull_request_comes_from_here(
    rules: str, head: object, *, same: bool, tmp_path: Path
) -> None:
    payload = tmp_path / "event.json"
    payload.write_text(
        json.dumps({"pull_request": {"head": head}, "repository": {"full_name": "nvx/nvx"}}), encoding="utf-8"
    )
    ran = call(
        *("check-required-ci", "--rules", rules, "--format", "json"),
        variables={
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(payload),
            "NEEDS_JSON": needs(RESULTS, OUTPUTS),
        },
    )
    found = [failure["job"] for failure in json.loads(ran.stdout)["failures"]]
    assert found == ([] if same else ["gpu"])


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b'{"repository": {"full_name": null}}'])
def test_a_payload_that_can_not_say_it_is_2(rules: str, payload: bytes, tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(payload)
    ran = call(
        *("check-required-ci", "--rules", rules),
        variables={
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(path),
            "NEEDS_JSON": needs(RESULTS, OUTPUTS),
        },
    )
    assert (ran.code, "give --same-repository" in ran.stderr) == (2, True)


# -- what a step shows -----------------------------------------------------------------------------------


def in_step(
    directory: Path, rules: str, results: Mapping[str, str], outputs: Mapping[str, str], *given: str, **variables: str
) -> Ran:
    """Run the command as a step of the required job."""
    summary = directory / "summary.md"
    environment = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_STEP_SUMMARY": str(summary),
        "NEEDS_JSON": needs(results, outputs),
    }
    ran = call(
        *("check-required-ci", "--rules", rules, "--same-repository", "true", *given),
        variables={**environment, **variables},
        cwd=directory,
    )
    text = summary.read_text(encoding="utf-8") if summary.exists() else ""
    return Ran(code=ran.code, stdout=ran.stdout, stderr=ran.stderr, summary=text)


def test_each_failure_is_an_annotation_and_a_line_says_where_to_look_first(rules: str, tmp_path: Path) -> None:
    results = {**RESULTS, "build": "failure", "gpu": "skipped", "unit": "success", "lint": "cancelled"}
    ran = in_step(tmp_path, rules, results, OUTPUTS)
    assert ran.code == 1
    lines = ran.stdout.splitlines()
    assert [line for line in lines if line.startswith("::")] == [
        "::error title=ci-classify::lint: expected success, got cancelled: it was cancelled",
        "::error title=ci-classify::build: expected success, got failure: it failed",
        f"::error title=ci-classify::unit: expected skipped, got success: nobody planned this run: {NOT_SELECTED}",
        "::error title=ci-classify::gpu: expected success, got skipped: its producer build failed",
    ]
    first = "Not as planned: lint, build, unit, gpu. Look at build first: it explains 1 other failure."
    assert lines[4] == first
    assert first in ran.summary


def test_the_summary_lists_every_job_with_its_reason(rules: str, tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("before\n", encoding="utf-8")
    ran = in_step(tmp_path, rules, {**RESULTS, "gpu": "skipped"}, OUTPUTS)
    assert ran.summary == (
        "before\n\n"
        "### Required check: failed\n\n"
        "Not as planned: gpu.\n\n"
        "| Job | Expected | Got | Why |\n| --- | --- | --- | --- |\n"
        "| `changes` | success | success |  |\n"
        "| `lint` | success | success |  |\n"
        "| `build` | success | success |  |\n"
        f"| `unit` | skipped | skipped | {NOT_SELECTED} |\n"
        "| `gpu` | success | **skipped** | nobody planned this skip |\n"
        "| `report` | skipped | skipped | it runs on push only |\n"
    )


def test_a_skip_tells_the_reason_of_the_plan(rules: str, tmp_path: Path) -> None:
    ran = in_step(tmp_path, rules, RESULTS, {**OUTPUTS, "plan": plan()})
    assert ran.code == 0
    assert "skip  unit     not selected: none of its inputs changed\n" in ran.stdout


def test_hostile_names_are_only_shown(rules: str, tmp_path: Path) -> None:
    ran = in_step(tmp_path, rules, {**RESULTS, "x\n::stop-commands::y": "::error::z"}, {**OUTPUTS, "|a`b<h1>": "##[x]"})
    assert ran.code == 1
    assert all(line.count("::") in {0, 2} for line in ran.stdout.splitlines())
    assert "##[" not in ran.stdout + ran.summary
    assert "<h1>" not in ran.summary


def test_json_in_a_step_is_json_and_annotations_go_to_standard_error(rules: str, tmp_path: Path) -> None:
    ran = in_step(tmp_path, rules, {**RESULTS, "lint": "failure"}, OUTPUTS, "--format", "json")
    assert json.loads(ran.stdout) == {
        "passed": False,
        "failures": [{"job": "lint", "expected": "success", "got": "failure", "why": "it failed"}],
    }
    assert ran.stderr == "::error title=ci-classify::lint: expected success, got failure: it failed\n"


def test_a_summary_that_can_not_be_written_is_a_warning(rules: str, tmp_path: Path) -> None:
    ran = in_step(tmp_path, rules, RESULTS, OUTPUTS, GITHUB_STEP_SUMMARY=str(tmp_path))
    assert (ran.code, "The job summary can't be written" in ran.stderr) == (0, True)


# -- a detector that died, or whose outputs are stale ----------------------------------------------------


def plan(**facts: object) -> str:
    known = {
        "schema": 1,
        "event": "pull_request",
        "base": "1" * 40,
        "head": "2" * 40,
        "fallback": None,
        "outputs": {"run-unit": False, "run-gpu": True, "run-build": True},
        "reasons": {"run-unit": "no-input-changed", "run-gpu": "inputs-changed", "run-build": "consumer-runs"},
    }
    return json.dumps({**known, **facts})


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("cancelled", "the detector was cancelled, so that there is no plan: run all jobs again"),
        ("failure", "the detector failed, so that there is no plan and every gated job runs"),
        ("skipped", "the detector was skipped, so that there is no plan"),
    ],
)
def test_a_dead_detector_is_the_one_failure_where_every_job_ran(
    rules: str, result: str, said: str, tmp_path: Path
) -> None:
    ran = in_step(tmp_path, rules, {**RESULTS, "changes": result, "unit": "success"}, {})
    assert ran.code == 1
    assert [line for line in ran.stdout.splitlines() if line.startswith("::")] == [
        f"::error title=ci-classify::changes: expected success, got {result}: {said}"
    ]


def test_a_job_that_failed_beside_a_dead_detector_is_not_hidden(rules: str, tmp_path: Path) -> None:
    ran = in_step(tmp_path, rules, {**RESULTS, "changes": "failure", "unit": "failure"}, {})
    assert (
        "::error title=ci-classify::unit: expected success or skipped, got failure: it failed, and can't be judged "
        "without the output run-unit\n"
    ) in ran.stdout


def test_a_condition_without_the_guard_is_named(rules: str, tmp_path: Path) -> None:
    ran = in_step(tmp_path, rules, {**RESULTS, "changes": "failure", "gpu": "skipped"}, OUTPUTS)
    assert "changes failed, and its condition lacks the guard for that: needs.changes.result != 'success'" in ran.stdout


@pytest.mark.parametrize("attempt", ["", "1", "2", "x"])
def test_another_attempt_says_that_outputs_may_be_those_of_an_earlier_one(
    rules: str, attempt: str, tmp_path: Path
) -> None:
    ran = in_step(tmp_path, rules, {**RESULTS, "lint": "failure"}, OUTPUTS, GITHUB_RUN_ATTEMPT=attempt)
    said = "This is attempt 2 of the run. Running only the failed jobs again keeps the outputs"
    assert (said in ran.stdout, said in ran.summary) == (attempt == "2", attempt == "2")


@pytest.mark.parametrize(
    ("written", "got"),
    [
        (plan(outputs={"run-unit": True, "run-gpu": True, "run-build": True}), "run-unit=false"),
        (plan(outputs={}), "run-unit=false"),
        (plan(event="push"), "outputs for push"),
        ("{}", "no plan"),
        ("[]", "no plan"),
        ('{"schema": 1}', "no plan"),
        ("::", "no plan"),
        (plan(outputs={"run-unit": "false"}), "no plan"),
    ],
)
def test_outputs_that_their_own_plan_denies_fail(
    rules: str, written: str, got: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "needs.json"
    path.write_text(needs(RESULTS, {**OUTPUTS, "plan": written}), encoding="utf-8")
    found = failures(capsys, rules, "--needs-json", str(path))
    assert found[0][0] == "changes"
    assert found[0][2] == got


CHECKED_OUT = "the commit that is checked out"


@pytest.mark.parametrize(
    ("head", "sha", "passes"),
    [
        ("3" * 40, "3" * 40, True),
        ("3" * 40, "4" * 40, False),
        (CHECKED_OUT, "4" * 40, True),
        ("5" * 40, "4" * 40, True),
        (None, "4" * 40, True),
    ],
    ids=["the tested commit", "another", "the one checked out", "the head of the pull request", "none compared"],
)
def test_outputs_for_another_commit_fail_and_name_it(
    head: str | None, sha: str, *, passes: bool, built: BuiltRepository, tmp_path: Path
) -> None:
    commit = built.commit({"rules.yaml": RULES})
    built.check_out(commit)
    event = tmp_path / "event.json"
    event.write_text(json.dumps(payloads.pull_request("6" * 40, "5" * 40)), encoding="utf-8")
    written = plan(head=commit if head == CHECKED_OUT else head)
    ran = in_step(
        tmp_path,
        str(built.directory / "rules.yaml"),
        RESULTS,
        {**OUTPUTS, "plan": written},
        *("--repo", str(built.directory)),
        GITHUB_SHA=sha,
        GITHUB_EVENT_PATH=str(event),
    )
    assert (ran.code == 0) is passes
    if not passes:
        expected = f"changes: expected outputs for {sha} or {'5' * 40} or {commit}, got outputs for {head}: "
        assert expected + "its outputs are for another commit than the one under test" in ran.stdout


# -- classifying again -----------------------------------------------------------------------------------


@pytest.fixture
def pull_request(built: BuiltRepository) -> tuple[BuiltRepository, str, str]:
    """Return a repository with the test merge of a pull request that changes gpu/, its base and its head."""
    base = built.commit({"rules.yaml": RULES, "src/a": "1", "gpu/a": "1"})
    head = built.commit({"gpu/a": "2"}, base)
    built.check_out(built.commit({"gpu/a": "2"}, base, head))
    return built, base, head


@pytest.mark.parametrize(
    ("outputs", "results", "differs"),
    [
        ({}, {}, []),
        ({"run-unit": "true"}, {"unit": "success"}, ["run-unit=true"]),
        (
            {"run-gpu": "false", "run-build": "false"},
            {"gpu": "skipped", "build": "skipped"},
            ["run-gpu=false", "run-build=false"],
        ),
        ({"run-build": "false"}, {"gpu": "skipped", "build": "skipped"}, ["run-build=false"]),
    ],
    ids=["the plan", "too much", "too little", "a producer off"],
)
def test_classifying_again_fails_a_detector_whose_outputs_differ(
    pull_request: tuple[BuiltRepository, str, str],
    outputs: dict[str, str],
    results: dict[str, str],
    differs: list[str],
    tmp_path: Path,
) -> None:
    built, base, head = pull_request
    event = tmp_path / "event.json"
    event.write_text(json.dumps(payloads.pull_request(base, head)), encoding="utf-8")
    where = ("--repo", str(built.directory), "--format", "json")
    rules = str(built.directory / "rules.yaml")
    now, came = {**OUTPUTS, **outputs}, {**RESULTS, **results}
    for options in ((), ("--base", base, "--head", head)):
        again = in_step(tmp_path, rules, came, now, *where, "--recompute", *options, GITHUB_EVENT_PATH=str(event))
        found = json.loads(again.stdout)["failures"]
        assert [failure["got"] for failure in found] == differs
        assert all("classifying again gives another plan" in failure["why"] for failure in found)
    unasked = in_step(tmp_path, rules, came, now, *where, GITHUB_EVENT_PATH=str(event))
    assert json.loads(unasked.stdout)["passed"] is True


def test_a_plan_that_can_not_be_made_again_confirms_nothing_narrower(
    pull_request: tuple[BuiltRepository, str, str], tmp_path: Path
) -> None:
    built, base, head = pull_request
    shallow = built.job_checkout(tmp_path / "shallow", head, depth=1)
    event = tmp_path / "event.json"
    event.write_text(json.dumps(payloads.pull_request(base, head)), encoding="utf-8")
    rules = str(shallow.directory / "rules.yaml")
    where = ("--repo", str(shallow.directory), "--recompute")
    ran = in_step(tmp_path, rules, RESULTS, OUTPUTS, *where, GITHUB_EVENT_PATH=str(event))
    assert ran.code == 1
    assert "got run-unit=false: classifying again fell back (commit-missing" in ran.stdout


def test_what_a_run_writes_is_what_the_check_reads(
    pull_request: tuple[BuiltRepository, str, str], runner: Runner, tmp_path: Path
) -> None:
    built, base, head = pull_request
    ran = runner.run(built.directory, "pull_request", payloads.pull_request(base, head))
    outputs = dict(ran.written)
    rules = str(built.directory / "rules.yaml")
    where = ("--repo", str(built.directory), "--recompute")
    event = {"GITHUB_EVENT_PATH": str(runner.directory / "event.json"), "GITHUB_SHA": built.git("rev-parse", "HEAD")}
    assert in_step(tmp_path, rules, RESULTS, outputs, *where, **event).code == 0
    for name, value in OUTPUTS.items():
        flipped = {**outputs, name: "false" if value == "true" else "true"}
        assert in_step(tmp_path, rules, RESULTS, flipped, *where, **event).code == 1
