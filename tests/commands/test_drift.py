"""``drift`` as it is called: formats, exit codes, and what is said instead of a report."""

import json
from pathlib import Path

import pytest
from support.command import run_command
from support.repository import BuiltRepository, Files

CI = ".github/workflows/ci.yml"
RULES = "version: 1\ncontrol: [/.github/workflows/]\nsuites: {unit: {inputs: [/src/, /old/]}}\n"
WORKFLOW = """\
on: pull_request
jobs:
  unit:
    runs-on: x
    steps:
      - uses: ./.github/actions/build
      - run: bash "$SCRIPT"
"""
ACTION = "runs:\n  using: composite\n  steps:\n    - {shell: bash, run: \"echo ${{ hashFiles('lib/**') }}\"}\n"
FILES = {
    CI: WORKFLOW,
    ".github/actions/build/action.yml": ACTION,
    "lib/a": "",
    "old/b": "",
    "old/c": "",
    "src/d": "",
    "rules.yaml": RULES,
}
CHAIN = ["job unit", "uses ./.github/actions/build", "hashFiles('lib/**')", "lib/a"]


@pytest.fixture
def repository(built: BuiltRepository) -> Path:
    return checked_out(built, FILES)


def checked_out(built: BuiltRepository, files: Files) -> Path:
    built.check_out(built.commit(files))
    return built.directory


def test_json_has_findings_with_chains_and_what_is_unresolved(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run_command(capsys, "drift", "--repo", str(repository), "--format", "json")
    found = json.loads(ran.stdout)
    assert (ran.code, ran.stderr, list(found)) == (1, "", ["findings", "unresolved"])
    place = {"file": ".github/actions/build/action.yml", "line": 4}
    expected = {"code": "input-missing", "suite": "unit", "path": "lib/a", "chain": CHAIN, **place}
    assert expected in found["findings"]
    assert [(one["job"], one["file"], one["line"]) for one in found["unresolved"]] == [("unit", CI, 7)]
    assert all(one["why"] for one in found["unresolved"])


def test_text_shows_each_chain_and_the_counts(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run_command(capsys, "drift", "--repo", str(repository)).stdout.splitlines()
    assert ".github/actions/build/action.yml:4: the inputs of unit lack lib/a [input-missing]" in lines
    assert f"    {' -> '.join(CHAIN)}" in lines
    assert lines[-1] == f"2 findings, 1 unresolved, in {CI}"


def test_annotations_stand_where_the_path_is_named(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run_command(capsys, "drift", "--repo", str(repository), "--format", "annotations")
    assert "::error file=.github/actions/build/action.yml,line=4,col=1,title=input-missing::" in ran.stdout


def test_sarif_has_all_results(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run_command(capsys, "drift", "--repo", str(repository), "--format", "sarif")
    (sarif,) = json.loads(ran.stdout)["runs"]
    assert sorted(one["ruleId"] for one in sarif["results"]) == ["input-missing", "input-missing", "read-unresolved"]


def test_what_nothing_reads_is_shown_when_asked(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run_command(capsys, "drift", "--repo", str(repository), "--format", "json", "--unused")
    assert [(one["path"], one["files"]) for one in json.loads(ran.stdout)["unread"]] == [("old/", 2), ("src/", 1)]


def test_what_is_unresolved_fails_nothing(built: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> None:
    rules = RULES.replace("/src/", "/lib/, /.github/actions/build/")
    ran = run_command(capsys, "drift", "--repo", str(checked_out(built, {**FILES, "rules.yaml": rules})))
    assert (ran.code, ran.stdout.splitlines()[-1]) == (0, f"0 findings, 1 unresolved, in {CI}")


def test_another_revision_has_its_own_rules_and_workflows(
    built: BuiltRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    first = built.commit({**FILES, "rules.yaml": RULES.replace("/src/", "/lib/, /.github/")})
    built.check_out(built.commit({"rules.yaml": RULES}, first))
    codes = [run_command(capsys, "drift", "--repo", str(built.directory), "--rev", rev).code for rev in (first, "HEAD")]
    assert codes == [0, 1]


@pytest.mark.parametrize(
    ("options", "files", "message"),
    [
        (["--workflow", "src/none.yml"], {}, "src/none.yml is no workflow at"),
        (["--rev", "nope"], {}, "nope"),
        ([], {CI: "on: push\njobs: {other: {}}\n"}, "no workflow reads the outputs of these rules"),
        ([], {CI: "on: [push\n"}, f"{CI} can't be read"),
        ([], {"rules.yaml": RULES + "drift: {unit: {ignore: [{path: /lib/}]}}\n"}, "because"),
        ([], {"rules.yaml": RULES + "drift: {unit: {ignore: [{path: /lib/, because: ''}]}}\n"}, "reason"),
    ],
    ids=["no such workflow", "no such revision", "no workflow", "no YAML", "no reason", "an empty reason"],
)
def test_wrong_use_is_told(
    options: list[str], files: Files, message: str, built: BuiltRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run_command(capsys, "drift", "--repo", str(checked_out(built, {**FILES, **files})), *options)
    assert (ran.code, ran.stdout) == (2, "")
    assert message in ran.stderr


def test_changes_that_are_not_committed_are_left_out_and_that_is_said(
    built: BuiltRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = checked_out(built, FILES)
    built.write({"lib/a": "changed\n"})
    ran = run_command(capsys, "drift", "--repo", str(repository))
    assert "not committed" in ran.stderr


def test_the_guard_finds_nothing_in_the_project_itself(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run_command(capsys, "drift", "--repo", str(Path(__file__).parents[2]), "--format", "json")
    assert json.loads(ran.stdout)["findings"] == []
