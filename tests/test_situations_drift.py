"""Situations of what jobs read that ``drift`` must see, each by its number."""

import json
from collections.abc import Callable

import pytest
from support.command import run_command
from support.repository import BuiltRepository, Files

Drift = Callable[..., list[str]]
CI = ".github/workflows/ci.yml"
RULES = """\
version: 1
unclaimed: nothing
control: [/.github/workflows/ci.yml]
suites: {unit: {inputs: [/src/]}, test-gpu: {inputs: [/gpu/]}}
producers: {build-wheel: {consumers: [unit]}}
"""
HEAD = """\
on: [pull_request, merge_group]
jobs:
  changes:
    runs-on: x
    outputs:
      unit: ${{ steps.classify.outputs.unit }}
      test-gpu: ${{ steps.classify.outputs.test-gpu }}
      build-wheel: ${{ steps.classify.outputs.build-wheel }}
    steps: [{id: classify, run: ci-classify run}]
"""
GATE = """\
  gate:
    needs: [changes, unit]
    if: always()
    runs-on: x
    steps:
      - {run: ci-classify check-required-ci, env: {NEEDS_JSON: "${{ toJSON(needs) }}"}}
"""


def job(name: str, rest: str, *needs: str, condition: str | None = None) -> str:
    """Return a job that its own output selects, or another condition."""
    own = f"needs.changes.result != 'success' || needs.changes.outputs.{name} == 'true'"
    return (
        f"  {name}:\n    needs: [{', '.join(('changes', *needs))}]\n"
        f"    if: {condition or f'${{{{ !cancelled() && ({own}) }}}}'}\n{rest}"
    )


def steps(*runs: str) -> str:
    return "    runs-on: x\n    steps:\n" + "".join(f"      - run: {json.dumps(run)}\n" for run in runs)


@pytest.fixture
def drift(built: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> Drift:
    """Return what guards these jobs: each finding in short."""

    def run(jobs: str, files: Files, *, head: str = HEAD) -> list[str]:
        tracked = {"src/a.py": "", "gpu/a.cu": "", "rules.yaml": RULES, CI: head + jobs, **files}
        built.check_out(built.commit(tracked))
        ran = run_command(capsys, "drift", "--repo", str(built.directory), "--format", "json")
        found = [f"{one['code']} {one['suite']} {one['path']}" for one in json.loads(ran.stdout)["findings"]]
        assert ran.code == bool(found)
        return found

    return run


@pytest.mark.parametrize("on", ["on: [pull_request, merge_group]", "'on': [pull_request, merge_group]"])
def test_b101_triggers_are_found_under_the_key_on(drift: Drift, on: str) -> None:
    text = HEAD.replace("on: [pull_request, merge_group]", on)
    assert drift(job("unit", steps("cat more")), {"more": ""}, head=text) == ["input-missing unit more"]


@pytest.mark.parametrize("needs", ["changes", "[changes]"])
def test_b103_needs_are_a_text_or_a_list(drift: Drift, needs: str) -> None:
    jobs = "  b:\n    needs: changes\n" + steps("cat more")
    unit = job("unit", steps("cat src/a.py"), "b").replace("[changes, b]", "[b, changes]")
    assert drift(jobs.replace("needs: changes", f"needs: {needs}") + unit, {"more": ""}) == ["input-missing unit more"]


def test_b107_a_need_without_a_counterpart_in_the_producers_is_an_error(drift: Drift) -> None:
    jobs = job("build-wheel", steps("cat src/a.py")) + job("test-gpu", steps("cat gpu/a.cu"), "build-wheel")
    assert "producer-without-consumer test-gpu .github/workflows/ci.yml" in drift(jobs, {})


UNIT = "    uses: ./.github/workflows/unit.yml\n"
CALLED = """\
on: workflow_call
jobs:
  inner:
    runs-on: x
    env: {KEY: "unit-${{ hashFiles('a/**') }}"}
    steps: [{uses: ./.github/actions/s}]
"""


def test_b109_a_called_workflow_its_actions_and_its_keys_are_inputs(drift: Drift) -> None:
    files = {
        ".github/workflows/unit.yml": CALLED,
        ".github/actions/s/action.yml": "runs: {using: node20, main: dist/index.js}\n",
        ".github/actions/s/dist/index.js": "",
        "a/1": "",
        "a/deep/2": "",
    }
    assert drift(job("unit", UNIT), files) == [f"input-missing unit {path}" for path in sorted(files)]


@pytest.mark.parametrize(
    "text", [None, "", "on: [workflow_call\n", "- a\n"], ids=["gone", "empty", "no YAML", "a list"]
)
def test_b109_a_called_workflow_that_is_none_is_an_error(drift: Drift, text: str | None) -> None:
    files = {} if text is None else {".github/workflows/unit.yml": text}
    assert drift(job("unit", UNIT), files) == ["workflow-missing unit .github/workflows/unit.yml"]


def test_b111_a_key_of_files_that_are_not_tracked_is_constant(drift: Drift) -> None:
    step = "      - {uses: actions/cache@v4, with: {path: t, key: \"cargo-${{ hashFiles('**/Cargo.lock') }}\"}}\n"
    jobs = job("unit", steps("cat src/a.py") + step)
    assert drift(jobs, {".gitignore": "Cargo.lock\n"}) == ["hash-of-nothing unit **/Cargo.lock"]
    assert drift(jobs, {"src/Cargo.lock": ""}) == []


def test_b112_what_a_new_job_reads_and_nobody_claims_is_listed(drift: Drift) -> None:
    jobs = job("unit", steps("cat src/a.py")) + "  newpkg-tests:\n" + steps("cat newpkg/a.py") + GATE
    assert drift(jobs, {"newpkg/a.py": ""}) == ["job-not-judged None newpkg/a.py"]


def test_b114_a_job_that_the_gate_does_not_need_is_compared_all_the_same(drift: Drift) -> None:
    jobs = job("unit", steps("cat src/a.py")) + job("test-gpu", steps("cat gpu/a.cu", "cat more")) + GATE
    assert drift(jobs, {"more": ""}) == ["input-missing test-gpu more"]
