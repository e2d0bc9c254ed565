"""The page on baselines names every code, and its example does what it says."""

import json
import re
import shlex
from pathlib import Path

import click
import pytest
import yaml
from support.baselines import answered
from support.inside import run_inside
from support.repository import BuiltRepository

from ci_classify.cli import cli
from ci_classify.core.baseline import ErrorCode
from ci_classify.core.baseline_validation import RefusalCode

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "baselines.md").read_text(encoding="utf-8")
RULES = DOCS / "examples/baselines/rules.yaml"
WORKFLOW = yaml.safe_load((DOCS / "examples/baselines/ci.yml").read_text(encoding="utf-8"))
SCRIPTS = [step["run"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("code", [*RefusalCode, *ErrorCode])
def test_every_code_is_documented(code: str) -> None:
    assert f"`{code}`" in PAGE


def calls() -> list[list[str]]:
    """Return the calls of the command in the workflow, as words."""
    lines = [line for script in SCRIPTS for line in script.replace("\\\n", " ").splitlines()]
    found = [re.sub(r"^.*(?=ci-classify )", "", line).rstrip(")") for line in lines if "ci-classify " in line]
    return [shlex.split(line.split(" || ")[0]) for line in found]


def test_the_workflow_uses_every_step_of_a_baseline() -> None:
    assert {words[2] for words in calls()} == {"matrix", "identity", "validate", "mode", "record", "finalize"}


@pytest.mark.parametrize("words", calls(), ids=lambda words: words[2])
def test_the_workflow_calls_the_command_with_its_options(words: list[str]) -> None:
    group = cli.commands[words[1]]
    assert isinstance(group, click.Group)
    options = {option for parameter in group.commands[words[2]].params for option in parameter.opts}
    required = {p.opts[0] for p in group.commands[words[2]].params if p.required and p.opts[0].startswith("--")}
    given = {word for word in words if word.startswith("--")}
    assert required <= given <= options


@pytest.fixture
def where(tmp_path: Path) -> list[str]:
    built = BuiltRepository(tmp_path / "repository")
    files = {"tests/unit_tests/conftest.py": "1\n", "tests/unit_tests/models/test_a.py": "1\n"}
    built.head(built.commit({**files, "tests/recipes/h100.yaml": "1\n", "tools/download_dataset.py": "1\n"}))
    return ["--repo", str(built.directory), "--rules", str(RULES)]


def test_the_matrix_has_a_job_for_each_bucket_and_platform(where: list[str]) -> None:
    jobs = json.loads(run_inside("baseline", "matrix", "unit-testmon", *where).stdout)
    assert len(jobs) == 6
    for job in jobs[:1]:
        words = ["--bucket", job["bucket"], "--platform", job["platform"]]
        assert answered(run_inside("baseline", "identity", "unit-testmon", *words, *where))["prefix"] == job["prefix"]


@pytest.mark.parametrize(
    ("event", "ref", "words", "expected"),
    [
        ("pull_request", "refs/pull/7/merge", [], ("selective", "compatible-baseline")),
        ("pull_request", "refs/pull/7/merge", ["--label=no selection"], ("full", "disabled-by-label")),
        ("pull_request", "refs/pull/7/merge", ["--label=full tests"], ("full", "full-label")),
        ("merge_group", "refs/heads/gh-readonly-queue/main/pr-7-a", [], ("full", "event-always-full")),
        ("push", "refs/heads/main", ["--wanted=baseline"], ("baseline", "producer")),
    ],
)
def test_its_policy_selects_records_and_has_a_full_gate(
    where: list[str], event: str, ref: str, words: list[str], expected: tuple[str, str]
) -> None:
    asked = ["--event", event, "--ref", ref, "--repository", "example-org/project", "--default", "true", *words]
    bucket = ["--bucket", "tests/unit_tests/models", "--validation", "compatible"]
    found = answered(run_inside("baseline", "mode", "unit-testmon", *asked, *bucket, *where))
    assert (found["mode"], found["reason"]) == expected


def test_its_bucket_that_is_never_selective_runs_in_full(where: list[str]) -> None:
    asked = ["--event", "pull_request", "--ref", "refs/pull/7/merge", "--repository", "a/b", "--default", "true"]
    bucket = ["--bucket", "tests/unit_tests/determinism", "--validation", "compatible"]
    found = answered(run_inside("baseline", "mode", "unit-testmon", *asked, *bucket, *where))
    assert found["reason"] == "bucket-never-selective"
