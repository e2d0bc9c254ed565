"""``init``: the draft of a repository that has no rules passes ``check`` and ``drift``, whatever is in it."""

from pathlib import Path

import pytest
import yaml
from support.command import run_command
from support.drift import nvx
from support.plans import PROJECT
from support.repository import BuiltRepository, Files, Submodule
from support.snapshots import Snapshots

CASES = sorted((PROJECT / "tests/cases/init").glob("*.yaml"))
RULES = ".github/ci-classify.yaml"
CI = ".github/workflows/ci.yml"


def drafted(built: BuiltRepository, files: Files, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the draft of these files; it is written, and neither ``check`` nor ``drift`` has a finding about it."""
    base = built.commit(files)
    built.check_out(base)
    ran = run_command(capsys, "init", "--repo", str(built.directory))
    assert (ran.code, ran.stderr) == (0, "")
    text = (built.directory / RULES).read_text(encoding="utf-8")
    built.check_out(built.commit({RULES: text}, base))
    for command in ("check", "drift"):
        ran = run_command(capsys, command, "--repo", str(built.directory))
        assert (ran.code, ran.stderr) == (0, ""), ran.stdout
    return text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_draft_passes_check_and_drift(
    case: Path, built: BuiltRepository, capsys: pytest.CaptureFixture[str], snapshots: Snapshots
) -> None:
    files = yaml.safe_load(case.read_text(encoding="utf-8"))
    snapshots.check(str(case.with_suffix(".draft.txt")), drafted(built, files, capsys))


def test_the_draft_of_nvx_passes_check_and_drift(
    built: BuiltRepository, capsys: pytest.CaptureFixture[str], snapshots: Snapshots
) -> None:
    paths = {path: text for path, text in nvx().items() if path != "rules.yaml"}
    files: dict[str, str | Submodule] = {
        path: text or ("on: schedule\njobs: {}\n" if path.startswith(".github/workflows/") else "")
        for path, text in paths.items()
    }
    files |= {"openvmm": Submodule("1" * 40), CI: paths[CI].replace("\non:\n", "\non:\n  merge_group:\n")}
    assert files[CI] != paths[CI]
    snapshots.check(str(PROJECT / "tests/cases/init/nvx.draft.txt"), drafted(built, files, capsys))


JOB = "runs-on: ubuntu-24.04, steps: [{run: "


def test_workflows_that_no_change_runs_are_left_alone(
    built: BuiltRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs = f"{{one: {{{JOB}cat a}}]}}, two: {{needs: one, {JOB}cat b}}]}}, more: {{needs: one, {JOB}cat c}}]}}}}"
    files = {
        CI: f"on: pull_request\njobs: {jobs}\n",
        ".github/workflows/night.yml": f"on: schedule\njobs: {jobs.replace('needs: one', 'needs: two', 1)}\n",
        ".github/workflows/called.yml": f"on: workflow_call\njobs: {jobs.replace('cat b', 'cat d')}\n",
        **dict.fromkeys("abcde", ""),
    }
    found = yaml.safe_load(drafted(built, files, capsys))
    assert (list(found["suites"]), found["producers"]) == (["two", "more"], {"one": {"consumers": ["two", "more"]}})


@pytest.mark.parametrize(
    ("workflows", "suites", "producers"),
    [
        ({"a": f"{{one: {{{JOB}cat a}}]}}}}", "b": f"{{one: {{{JOB}cat b}}]}}}}"}, {"one": {"a", "b"}}, {}),
        (
            {
                "a": f"{{one: {{{JOB}cat a}}]}}, two: {{needs: one, {JOB}cat b}}]}}}}",
                "b": f"{{one: {{{JOB}cat c}}]}}}}",
            },
            {"two": {"a", "b", "c"}},
            {"one": ("two",)},
        ),
        (
            {
                "a": f"{{one: {{{JOB}cat a}}]}}, plan: {{needs: one, {JOB}cat b}}]}}, "
                f"two: {{needs: plan, {JOB}cat c}}]}}}}"
            },
            {"two": {"a", "b", "c"}},
            {"one": ("two",)},
        ),
        ({"a": f"{{one: {{{JOB}cat a}}]}}, plan: {{needs: one, {JOB}cat b}}]}}}}"}, {"one": {"a", "b"}}, {}),
        ({"a": f"{{one: {{{JOB}cat a}}]}}}}", "b": f"{{One: {{{JOB}cat b}}]}}}}"}, {"one": {"a", "b"}}, {}),
        (
            {
                "a": f"{{one: {{needs: two, {JOB}cat a}}]}}, two: {{needs: one, {JOB}cat b}}]}}, free: {{{JOB}cat c}}]}}}}"
            },
            {"free": {"c"}},
            {},
        ),
    ],
    ids=[
        "one name in two workflows",
        "the name of a producer in another workflow",
        "jobs between that no output can gate",
        "a job behind that no output can gate",
        "names that differ in letters",
        "jobs that wait for each other",
    ],
)
def test_every_job_reads_for_the_suites_that_it_depends_on(
    workflows: dict[str, str],
    suites: dict[str, set[str]],
    producers: dict[str, tuple[str, ...]],
    built: BuiltRepository,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {f".github/workflows/{name}.yml": f"on: pull_request\njobs: {jobs}\n" for name, jobs in workflows.items()}
    found = yaml.safe_load(drafted(built, files | dict.fromkeys("abcd", ""), capsys))
    read = {
        name: {path for term in suite["inputs"] for path in found.get("sets", {}).get(term[1:], [term])}
        for name, suite in found["suites"].items()
    }
    assert read == {name: {f"/{path}" for path in paths} for name, paths in suites.items()}
    assert {name: tuple(one["consumers"]) for name, one in found.get("producers", {}).items()} == producers


NAMES = [
    "a b",
    "-rf",
    "@set",
    "!no",
    "#no",
    "a\nb",
    "caf\udce9",
    "é",
    "tab\tname",
    "*",
    "[x]",
    "back\\slash",
    "${{ x }}",
]


def test_no_name_is_too_strange(built: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> None:
    text = "on: pull_request\njobs:\n  one:\n    runs-on: x\n    steps: [{run: lint src}]\n"
    files = {f"{top}/{name}": "" for name in NAMES for top in ("src", "free")}
    assert "  - /free/\n" in drafted(built, {CI: text, **files, "free/sub/x": "", "src/deep/y": ""}, capsys)


@pytest.mark.parametrize("number", range(len(NAMES)), ids=map(ascii, NAMES))
def test_a_strange_name_among_others_gets_a_line(
    number: int, built: BuiltRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    name = NAMES[number]
    text = "on: pull_request\njobs:\n  one:\n    runs-on: x\n    steps: [{run: 'cat src/*x'}]\n"
    drafted(built, {CI: text, f"src/{name}x": "", "src/other": "", f"free/{name}": ""}, capsys)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": ""}, "no workflow here runs for pull requests or pushes"),
        ({CI: "on: schedule\njobs: {a: {runs-on: x, steps: [{run: cat a}]}}\n"}, "no workflow here runs for"),
        ({CI: "on: push\njobs: {a: {runs-on: x, steps: [{run: echo}]}}\n"}, "no job of the workflows reads anything"),
        ({CI: "on: [push\n"}, "no workflow here runs for"),
        ({RULES: "version: 1\n", CI: "on: push\n"}, f"there are rules already: {RULES}"),
    ],
    ids=["no workflow", "none for changes", "nothing is read", "no YAML", "rules already"],
)
def test_where_nothing_can_be_drafted_that_is_said(
    files: Files, message: str, built: BuiltRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    built.check_out(built.commit(files))
    ran = run_command(capsys, "init", "--repo", str(built.directory))
    assert (ran.code, ran.stdout) == (2, "")
    assert message in ran.stderr
    assert (built.directory / RULES).exists() == (RULES in files)


def test_a_draft_can_be_printed_beside_rules(built: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> None:
    files = {CI: "on: push\njobs: {a: {runs-on: x, steps: [{run: cat f}]}}\n", "f": "", "g": "", RULES: "mine\n"}
    built.check_out(built.commit(files))
    ran = run_command(capsys, "init", "--repo", str(built.directory), "--stdout", "--workflow", CI)
    assert (ran.code, ran.stderr) == (0, "")
    assert yaml.safe_load(ran.stdout)["suites"] == {"a": {"inputs": ["/f"]}}
    assert (built.directory / RULES).read_text(encoding="utf-8") == "mine\n"
