import json
from pathlib import Path
from typing import Any

import pytest
from support.command import run_command
from support.repository import BuiltRepository
from support.runner import Ran, Runner

RULES = """\
version: 1
unclaimed: nothing
documentation: ["*.md"]
labels: {"no b": {skips: [run-b]}}
suites:
  run-a: {inputs: [/a]}
  run-b: {inputs: [/b]}
  deploy: {inputs: [/a], events: {"*": never}}
producers:
  build: {consumers: [run-b]}
  publish: {consumers: [deploy]}
required-check:
  detector: detect
  jobs:
    job-a: {output: run-a}
    build: {output: build}
    job-b: {output: run-b, needs: [build]}
    after-b: {needs: [job-b]}
    deploy: {output: deploy}
    publish: {output: publish}
"""


@pytest.fixture
def checkout(built: BuiltRepository) -> tuple[BuiltRepository, str, str]:
    base = built.commit({"rules.yaml": RULES})
    head = built.commit({"a": "1\n"}, base)
    built.check_out(head)
    return built, base, head


def run(runner: Runner, checkout: tuple[BuiltRepository, str, str], *options: str) -> Ran:
    built, base, head = checkout
    return runner.run(built.directory, "pull_request", {}, "--base", base, "--head", head, *options)


def needs(detected: Ran, **results: str) -> dict[str, Any]:
    outputs = dict(detected.written)
    jobs = {"job-a": "success", "build": "success", "job-b": "success", "after-b": "success"}
    jobs |= {
        "deploy": "skipped",
        "publish": "skipped",
        **{name.replace("_", "-"): end for name, end in results.items()},
    }
    return {"detect": {"result": "success", "outputs": outputs}} | {
        name: {"result": end, "outputs": {}} for name, end in jobs.items()
    }


def check(capsys: pytest.CaptureFixture[str], directory: Path, facts: object, tmp_path: Path, *options: str) -> Ran:
    (tmp_path / "needs.json").write_text(json.dumps(facts), encoding="utf-8")
    words = ("--repo", str(directory), "--needs-json", str(tmp_path / "needs.json"))
    return run_command(
        capsys, "check-required-ci", *words, "--event-name", "pull_request", "--same-repository", "true", *options
    )


def test_a_canary_runs_everything_but_what_the_event_excludes(
    runner: Runner, checkout: tuple[BuiltRepository, str, str]
) -> None:
    ran = run(runner, checkout, "--canary")
    assert ran.outputs == {"run-a": True, "run-b": True, "deploy": False, "build": True, "publish": False}
    assert ran.plan["canary"] == {"run-b": "no-input-changed", "build": "no-consumer-runs"}
    assert ran.plan["reasons"]["run-b"] == "canary"  # type: ignore[index]
    assert "It runs as a canary. Else it would be skipped: none of its inputs changed." in ran.summary
    assert "As a canary: 2 of them would be skipped." in ran.summary


def test_a_label_that_skips_is_recorded_too(runner: Runner, checkout: tuple[BuiltRepository, str, str]) -> None:
    ran = run(runner, checkout, "--canary", "--label", "no b")
    assert ran.outputs["run-b"]
    assert ran.plan["canary"] == {"run-b": "label", "build": "no-consumer-runs"}


def test_without_the_option_no_plan_is_a_canary(runner: Runner, checkout: tuple[BuiltRepository, str, str]) -> None:
    assert "canary" not in run(runner, checkout).plan


def test_a_failed_job_that_would_have_been_skipped_is_an_unsafe_skip(
    capsys: pytest.CaptureFixture[str],
    runner: Runner,
    checkout: tuple[BuiltRepository, str, str],
    tmp_path: Path,
) -> None:
    detected = run(runner, checkout, "--canary")
    facts = needs(detected, job_b="failure", after_b="skipped")
    record = tmp_path / "record.json"
    ran = check(capsys, checkout[0].directory, facts, tmp_path, "--canary", "--canary-record", str(record))
    assert ran.code == 1
    assert (
        "UNSAFE SKIP: job-b failed, and the rules would have skipped it: run-b: none of its inputs changed."
        in ran.stderr
    )
    assert "what the job reads among the inputs of run-b (rules.yaml:7)" in ran.stdout
    written = json.loads(record.read_text(encoding="utf-8"))
    assert written["head"] == checkout[2]
    assert [(job["job"], job["output"], job["result"]) for job in written["jobs"]] == [
        ("build", "build", "success"),
        ("job-b", "run-b", "failure"),
        ("after-b", "run-b", "skipped"),
    ]
    report = run_command(capsys, "canary", "report", str(record), str(record), "--format", "json")
    found = json.loads(report.stdout)
    assert report.code == 1
    assert (found["records"], found["rate"]["unsafe"], found["rate"]["of"]) == (2, 1, 2)
    assert found["unsafe_skips"][0]["job"] == "job-b"
    assert "job-b failed; run-b would skip it" in run_command(capsys, "canary", "report", str(record)).stdout


def test_a_failed_job_that_the_rules_select_is_no_unsafe_skip(
    capsys: pytest.CaptureFixture[str],
    runner: Runner,
    checkout: tuple[BuiltRepository, str, str],
    tmp_path: Path,
) -> None:
    facts = needs(run(runner, checkout, "--canary"), job_a="failure")
    ran = check(capsys, checkout[0].directory, facts, tmp_path, "--canary")
    assert ran.code == 1
    assert "UNSAFE" not in ran.stdout + ran.stderr


def test_a_canary_in_which_everything_succeeds_passes(
    capsys: pytest.CaptureFixture[str],
    runner: Runner,
    checkout: tuple[BuiltRepository, str, str],
    tmp_path: Path,
) -> None:
    record = tmp_path / "record.json"
    facts = needs(run(runner, checkout, "--canary"))
    ran = check(capsys, checkout[0].directory, facts, tmp_path, "--canary", "--canary-record", str(record))
    assert ran.code == 0, ran.stdout
    assert run_command(capsys, "canary", "report", str(record)).code == 0


@pytest.mark.parametrize("options", [(), ("--label", "no b")])
def test_a_plan_that_is_no_canary_s_fails_the_canary_s_check(
    capsys: pytest.CaptureFixture[str],
    runner: Runner,
    checkout: tuple[BuiltRepository, str, str],
    tmp_path: Path,
    options: tuple[str, ...],
) -> None:
    facts = needs(run(runner, checkout, *options), job_b="skipped", build="skipped", after_b="skipped")
    assert check(capsys, checkout[0].directory, facts, tmp_path).code == 0
    ran = check(capsys, checkout[0].directory, facts, tmp_path, "--canary")
    assert ran.code == 1
    assert "expected a canary's plan" in ran.stdout


@pytest.mark.parametrize("content", ["", "{}", '{"schema": 1, "event": "push", "head": null, "jobs": [1]}', "[1]"])
def test_what_is_no_record_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str) -> None:
    (tmp_path / "record.json").write_text(content, encoding="utf-8")
    assert run_command(capsys, "canary", "report", str(tmp_path / "record.json")).code == 2


def test_a_canary_that_does_not_fit_into_a_plan_fails_and_says_so(runner: Runner, built: BuiltRepository) -> None:
    names = [f"run-{number:03}-{'x' * 90}" for number in range(500)]
    suites = "".join(f"  {name}: {{inputs: [/a]}}\n" for name in names)
    base = built.commit({"rules.yaml": f"version: 1\nunclaimed: nothing\nsuites:\n{suites}"})
    head = built.commit({"b": "1\n"}, base)
    built.check_out(head)
    ran = runner.run(built.directory, "pull_request", {}, "--base", base, "--head", head, "--canary")
    assert (ran.code, list(ran.written)) == (2, [])
    assert "what their canary records is too much for a plan" in ran.stderr
