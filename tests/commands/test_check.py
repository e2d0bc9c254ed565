"""``check``: every finding has a case that has it and one that is near it, and the command around them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command import run_command
from support.plans import PROJECT
from support.repository import BuiltRepository, Files, Submodule
from support.snapshots import Snapshots

from ci_classify.core.findings import Code

CASES = PROJECT / "tests/cases/check"
DIRECTORIES = sorted(path.parent for path in CASES.glob("*/*/rules.yaml"))


def files_of(case: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(case.rglob("*")):
        if path.is_file() and path.name != "expected.txt":
            yield path.relative_to(case).as_posix(), path.read_text(encoding="utf-8")


def build(built: BuiltRepository, files: Files) -> Path:
    built.check_out(built.commit(files))
    return built.directory


@pytest.mark.parametrize("case", DIRECTORIES, ids=lambda case: f"{case.parent.name} {case.name}")
def test_a_case_gives_what_is_expected_of_it(
    case: Path, built: BuiltRepository, capsys: pytest.CaptureFixture[str], snapshots: Snapshots
) -> None:
    repository = build(built, dict(files_of(case)))
    ran = run_command(capsys, "check", "--repo", str(repository))
    snapshots.check(str(case / "expected.txt"), ran.stdout)
    code = case.parent.name
    found = [finding["code"] for finding in findings(repository, capsys)]
    if case.name == "fail":
        assert set(found) >= {code}
        assert ran.code == (0 if code == Code.CONDITION_UNKNOWN else 1)
    else:
        assert (found, ran.code) == ([], 0)


def findings(repository: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, str]]:
    ran = run_command(capsys, "check", "--repo", str(repository), "--format", "json", *options)
    return list(json.loads(ran.stdout)["findings"])


def test_every_code_has_a_passing_and_a_failing_case() -> None:
    assert {(case.parent.name, case.name) for case in DIRECTORIES} == {
        (code.value, kind) for code in Code for kind in ("pass", "fail")
    }


# -- the CI of NVX ---------------------------------------------------------------------------------------

NVX = (PROJECT / "tests/cases/check-nvx/ci.yml").read_text(encoding="utf-8")
NVX_RULES = (PROJECT / "rules.yaml").read_text(encoding="utf-8")
CI = ".github/workflows/ci.yml"


@pytest.fixture(scope="module")
def nvx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the paths, the rules and the workflow of NVX."""
    repository = BuiltRepository(tmp_path_factory.mktemp("check") / "nvx")
    names = (PROJECT / "tests/cases/nvx-tree.txt").read_text(encoding="utf-8").splitlines()
    files: dict[str, str | Submodule] = {
        name: "on: push\njobs: {}\n" if name.startswith(".github/workflows/") else "x\n" for name in names
    }
    files |= {"openvmm": Submodule("1" * 40), "rules.yaml": NVX_RULES, CI: NVX}
    repository.check_out(repository.commit(files))
    return repository.directory


def check_nvx(
    nvx: Path, capsys: pytest.CaptureFixture[str], workflow: str = NVX, rules: str = NVX_RULES
) -> list[tuple[str, str]]:
    """Return code and message of what is wrong with a workflow of NVX, the files that nobody claims left out."""
    (nvx / CI).write_text(workflow, encoding="utf-8")
    (nvx / "rules.yaml").write_text(rules, encoding="utf-8")
    found = findings(nvx, capsys, "--worktree", "--workflow", str(nvx / CI))
    return [
        (finding["code"], finding["message"])
        for finding in found
        if finding["severity"] != "note" and finding["code"] != Code.UNCLAIMED_FILES
    ]


def test_the_ci_of_nvx_has_no_finding(nvx: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_nvx(nvx, capsys) == []


GUARD = "needs.openvmm-changes.result != 'success' || "
REGRESSIONS = {
    "a condition reads the output of another suite": (
        f"({GUARD}needs.openvmm-changes.outputs.run-openvmm-unit-tests == 'true')",
        f"({GUARD}needs.openvmm-changes.outputs.run-openvmm-vmm-tests == 'true')",
        {Code.CONDITION_READS_WRONG_OUTPUT},
    ),
    "a condition has no guard": (
        f"({GUARD}needs.openvmm-changes.outputs.run-openvmm-unit-tests == 'true')",
        "needs.openvmm-changes.outputs.run-openvmm-unit-tests == 'true'",
        {Code.CONDITION_WITHOUT_GUARD},
    ),
    "the guard sees a failure only": (
        f"({GUARD}needs.openvmm-changes.outputs.run-openvmm-unit-tests == 'true')",
        "(needs.openvmm-changes.result == 'failure' || needs.openvmm-changes.outputs.run-openvmm-unit-tests == 'true')",
        {Code.CONDITION_WITHOUT_GUARD},
    ),
    "a condition is true beside its output": (
        f"({GUARD}needs.openvmm-changes.outputs.run-guest-artifacts == 'true')",
        f"({GUARD}needs.openvmm-changes.outputs.run-guest-artifacts == 'true' || github.event_name == 'push')",
        {Code.CONDITION_IGNORES_OUTPUT},
    ),
    "a producer is no need": (
        "needs: [artifacts, build-openvmm-linux-musl, nvx-cli-linux, openvmm-changes]",
        "needs: [artifacts, nvx-cli-linux, openvmm-changes]",
        {Code.PRODUCER_NOT_AWAITED, Code.NEED_NOT_DECLARED, Code.CONDITION_NEVER_HOLDS},
    ),
    "a new need has no counterpart in the rules": (
        "  openvmm-unit-tests:\n    needs: [openvmm-changes]",
        "  openvmm-unit-tests:\n    needs: [openvmm-changes, artifacts]",
        {Code.PRODUCER_WITHOUT_CONSUMER},
    ),
    "a need names a job that is gone": (
        "  debug-kernel:\n    needs: [openvmm-changes]",
        "  debug-kernel:\n    needs: [openvmm-changes, kernel]",
        {Code.JOB_MISSING},
    ),
    "the detector forgets an output": (
        "      run-benchmarks: ${{ steps.classify.outputs.run-benchmarks }}\n",
        "",
        {Code.OUTPUT_NOT_DECLARED},
    ),
    "the detector maps an output to another": (
        "run-benchmarks: ${{ steps.classify.outputs.run-benchmarks }}",
        "run-benchmarks: ${{ steps.classify.outputs.run-microvm-tests }}",
        {Code.OUTPUT_MAPPED_WRONGLY},
    ),
    "the detector declares an output that nobody decides": (
        "      plan: ${{ steps.classify.outputs.plan }}",
        "      run-docs: 'true'",
        {Code.OUTPUT_UNKNOWN},
    ),
    "the required check lacks a job": ("      - performance-gate\n", "", {Code.GATE_LACKS_NEED}),
    "the required check may be skipped": (
        "    if: ${{ always() }}",
        "    if: ${{ success() }}",
        {Code.GATE_NOT_ALWAYS},
    ),
    "the required check is skipped on drafts": (
        "    if: ${{ always() }}",
        "    if: ${{ always() && !github.event.pull_request.draft }}",
        {Code.GATE_NOT_ALWAYS},
    ),
    "the required check gets no results": (
        "NEEDS_JSON: ${{ toJSON(needs) }}",
        "NEEDS_JSON: ${{ needs.quality.result }}",
        {Code.GATE_LACKS_RESULTS},
    ),
    "a judged job may fail": (
        "  quality:\n",
        "  quality:\n    continue-on-error: true\n",
        {Code.CONTINUE_ON_ERROR},
    ),
    "a job nobody judges": (
        "  required-status-check:\n",
        "  new-tests:\n    runs-on: ubuntu-24.04\n    steps: [{run: make}]\n  required-status-check:\n",
        {Code.JOB_NOT_JUDGED},
    ),
    "a step reads an output of another suite": (
        "      - uses: ./.github/actions/gate-performance\n",
        "      - {run: echo, env: {X: '${{ needs.openvmm-changes.outputs.run-benchmarks }}'}}\n",
        {Code.NEED_NOT_DECLARED, Code.OUTPUT_READ_ELSEWHERE},
    ),
    "a filter on the trigger": ("  merge_group:\n", "  merge_group:\n    paths: [src]\n", {Code.MERGE_GROUP}),
    "no trigger for the merge queue": ("  merge_group:\n", "", {Code.MERGE_GROUP}),
}


@pytest.mark.parametrize(("old", "new", "codes"), REGRESSIONS.values(), ids=REGRESSIONS)
def test_a_regression_of_the_workflow_of_nvx_is_found(
    old: str, new: str, codes: set[Code], nvx: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in NVX
    assert {code for code, _ in check_nvx(nvx, capsys, NVX.replace(old, new))} == codes


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        (
            "consumers: [run-microvm-tests, run-benchmarks]",
            "consumers: [run-microvm-tests]",
            {Code.PRODUCER_WITHOUT_CONSUMER},
        ),
        ("control: [/.github/workflows/ci.yml]", "control: [/scripts/nvx.py]", {Code.STEERING_FILE}),
        ("    quality: {}\n", "", {Code.JOB_NOT_JUDGED}),
        ("    quality: {}\n", "    quality: {output: run-benchmarks}\n", {Code.NEED_MISSING}),
        ("/rust-toolchain.toml", "/rust-toolchain", {Code.TERM_MATCHES_NOTHING}),
    ],
    ids=[
        "a consumer is forgotten",
        "the workflow is no control file",
        "a job is not judged",
        "a job is given an output",
        "a path is wrong",
    ],
)
def test_a_regression_of_the_rules_of_nvx_is_found(
    old: str, new: str, codes: set[Code], nvx: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in NVX_RULES
    assert {code for code, _ in check_nvx(nvx, capsys, rules=NVX_RULES.replace(old, new))} == codes


# -- the command -----------------------------------------------------------------------------------------

SMALL = "version: 1\nsuites: {run-a: {inputs: [/src/]}, run-b: {inputs: [/gone]}}\n"


@pytest.fixture
def small(built: BuiltRepository) -> BuiltRepository:
    """Return a repository in which one term matches nothing."""
    built.check_out(built.commit({"rules.yaml": SMALL, "src/a": "1\n"}))
    return built


def codes(found: list[dict[str, str]]) -> list[str]:
    return [finding["code"] for finding in found]


def test_findings_as_json(small: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> None:
    (finding,) = [f for f in findings(small.directory, capsys) if f["code"] == Code.TERM_MATCHES_NOTHING]
    assert finding == {
        "code": "term-matches-nothing",
        "severity": "warning",
        "file": "rules.yaml",
        "line": 2,
        "column": 53,
        "message": "/gone matches no tracked file",
        "help": "correct the path, or delete the line",
    }
    assert SMALL.splitlines()[1][53 - 1 :].startswith("/gone")


def test_findings_as_annotations(small: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run_command(capsys, "check", "--repo", str(small.directory), "--format", "annotations")
    assert ran.code == 1
    assert ran.stdout.splitlines()[-1] == (
        "::warning file=rules.yaml,line=2,col=53,title=term-matches-nothing::"
        "/gone matches no tracked file; correct the path, or delete the line"
    )


def test_findings_as_sarif(small: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run_command(capsys, "check", "--repo", str(small.directory), "--format", "sarif")
    log = json.loads(ran.stdout)
    assert (ran.code, log["version"], len(log["runs"])) == (1, "2.1.0", 1)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [code.value for code in Code]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert {result["level"] for result in run["results"]} <= {"error", "warning", "note"}
    assert run["results"][-1]["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "rules.yaml"},
                "region": {"startLine": 2, "startColumn": 53},
            }
        }
    ]


def test_a_revision_and_the_working_tree_can_be_checked(
    small: BuiltRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    old = small.git("rev-parse", "HEAD")
    small.check_out(small.commit({"gone": "1\n"}, old))
    assert findings(small.directory, capsys) == []
    assert Code.TERM_MATCHES_NOTHING in codes(findings(small.directory, capsys, "--rev", old))
    (small.directory / "gone").unlink()
    small.write({"new/file": "1\n"})
    assert findings(small.directory, capsys) == []
    ran = run_command(capsys, "check", "--repo", str(small.directory))
    assert "Changes that are not committed are left out" in ran.stderr
    found = codes(findings(small.directory, capsys, "--worktree"))
    assert {Code.TERM_MATCHES_NOTHING, Code.UNCLAIMED_FILES} <= set(found)


def test_a_submodule_is_a_directory_to_a_pattern(built: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> None:
    rules = "version: 1\nsuites: {run-a: {inputs: [/src/]}, run-b: {inputs: [/vendor/lib/]}}\n"
    files: Files = {"rules.yaml": rules, "src/a": "1\n", "vendor/lib": Submodule("1" * 40)}
    built.check_out(built.commit(files))
    assert findings(built.directory, capsys) == []
    assert findings(built.directory, capsys, "--worktree") == []


def test_named_workflows_alone_are_looked_at(built: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> None:
    rules = "version: 1\nunaffecting: [/.github/]\nsuites: {run-a: {inputs: [/src/]}}\n"
    files = {"rules.yaml": rules, "src/a": "1\n", CI: "jobs: {}\n", ".github/workflows/b.yml": "on: push\njobs: {}\n"}
    build(built, files)
    assert codes(findings(built.directory, capsys)) == [Code.TRIGGER_MISSING]
    other = str(built.directory / ".github/workflows/b.yml")
    assert findings(built.directory, capsys, "--workflow", other) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rev", "nowhere"), "lacks the commit nowhere"),
        (("--rev", "HEAD", "--worktree"), "give one of the two"),
        (("--workflow", "nowhere.yml"), "is no tracked file"),
        (("--format", "xml"), "'xml' is not one of"),
        (("--rules", "/nowhere"), "there are no rules"),
    ],
)
def test_wrong_use_is_2(
    small: BuiltRepository,
    words: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(small.directory)
    ran = run_command(capsys, "check", *words)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr


def test_outside_of_a_repository_it_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.yaml").write_text(SMALL, encoding="utf-8")
    ran = run_command(capsys, "check", "--repo", str(tmp_path))
    assert (ran.code, "is not in a git repository" in ran.stderr) == (2, True)


@pytest.mark.parametrize("form", ["text", "json", "annotations", "sarif"])
def test_hostile_names_are_only_shown(built: BuiltRepository, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["a\n::error::x", "##[group]x", "new\udce9/b\x1b[31m", "%0A::add-mask::x"]
    workflow = "on: push\njobs:\n  \"x\\n::stop-commands::y\": {needs: '::error::z', steps: []}\n"
    rules = "version: 1\ncontrol: [/.github/]\nsuites: {run-a: {inputs: [/src/]}}\n"
    build(built, {"rules.yaml": rules, "src/a": "1\n", CI: workflow, **dict.fromkeys(names, "1\n")})
    ran = run_command(capsys, "check", "--repo", str(built.directory), "--format", form)
    assert ran.code == 1
    assert "\x1b" not in ran.stdout
    assert "##[" not in ran.stdout
    for line in ran.stdout.splitlines():
        assert not line.lstrip().startswith("::") or (form == "annotations" and line.count("::") == 2)


def test_the_same_check_prints_the_same_bytes(small: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check", "--repo", str(small.directory), "--format", "sarif")
    assert run_command(capsys, *words) == run_command(capsys, *words)
