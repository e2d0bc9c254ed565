"""Situations of rules and workflows that ``check`` must see, each by its number."""

import json
from collections.abc import Callable

import pytest
from support.command import run_command
from support.repository import BuiltRepository

Check = Callable[..., dict[str, list[str]]]
CI = ".github/workflows/ci.yml"
RULES = "version: 1\ncontrol: [/.github/workflows/ci.yml]\nsuites: {unit: {inputs: [/src/]}, gpu: {inputs: [/gpu/]}}\n"
FILES = {"src/a.py": "1\n", "gpu/a.cu": "1\n"}


def guard(output: str) -> str:
    return f"${{{{ !cancelled() && (needs.changes.result != 'success' || needs.changes.outputs.{output} == 'true') }}}}"


def workflow(jobs: str, *, gate_needs: str = "changes, unit, gpu", gate_if: str = "always()", on: str = "") -> str:
    """Return a workflow with a detector, these jobs and a gate."""
    return f"""\
{on or "on: [pull_request, merge_group]"}
jobs:
  changes:
    outputs:
      unit: ${{{{ steps.classify.outputs.unit }}}}
      gpu: ${{{{ steps.classify.outputs.gpu }}}}
    steps: [{{id: classify, run: ci-classify run}}]
{jobs}
  gate:
    needs: [{gate_needs}]
    {f"if: {gate_if}" if gate_if else ""}
    steps:
      - run: ci-classify check-required-ci
        env: {{NEEDS_JSON: "${{{{ toJSON(needs) }}}}"}}
"""


UNIT = f'  unit: {{needs: changes, if: "{guard("unit")}", steps: [{{run: make}}]}}\n'
GPU = f'  gpu: {{needs: [changes], if: "{guard("gpu")}", steps: [{{run: make}}]}}\n'


@pytest.fixture
def check(built: BuiltRepository, capsys: pytest.CaptureFixture[str]) -> Check:
    """Return what checks a workflow, the rules and more files: messages of findings by code."""

    def run(text: str, *, rules: str = RULES, files: dict[str, str] | None = None) -> dict[str, list[str]]:
        built.check_out(built.commit({**FILES, "rules.yaml": rules, CI: text, **(files or {})}))
        ran = run_command(capsys, "check", "--repo", str(built.directory), "--format", "json")
        found: dict[str, list[str]] = {}
        for finding in json.loads(ran.stdout)["findings"]:
            found.setdefault(finding["code"], []).append(f"{finding['severity']}: {finding['message']}")
        assert ran.code == int(any(m.startswith(("error", "warning")) for ms in found.values() for m in ms))
        return found

    return run


@pytest.mark.parametrize("gate_if", ["", "success()", "${{ failure() }}", "github.event_name == 'push'"])
def test_b082_a_gate_that_may_be_skipped_is_reported(check: Check, gate_if: str) -> None:
    found = check(workflow(UNIT + GPU, gate_if=gate_if))
    assert list(found) == ["gate-not-always"]
    assert found["gate-not-always"][0].startswith("error: gate does not always run")


@pytest.mark.parametrize("on", ["on: [push, pull_request, merge_group]", "'on': [push, pull_request, merge_group]"])
def test_b101_triggers_are_found_under_the_key_on(check: Check, on: str) -> None:
    assert check(workflow(UNIT + GPU, on=on)) == {}


def test_b101_triggers_under_another_key_are_none(check: Check) -> None:
    found = check(workflow(UNIT + GPU, on="ON: [push, pull_request, merge_group]"))
    assert found == {"trigger-missing": ["error: the workflow has no triggers, so that it never runs"]}


def test_b103_needs_are_a_text_or_a_list_and_a_job_beside_the_detector_is_reported(check: Check) -> None:
    assert check(workflow(UNIT + GPU)) == {}
    found = check(workflow(UNIT + "  gpu: {steps: [{run: make}]}\n"))
    assert found == {
        "need-missing": ["error: gpu belongs to gpu and does not wait for changes, so that nothing selects it"]
    }


@pytest.mark.parametrize("key", ["paths-ignore: ['**.md']", "paths: [src/**]"])
def test_b105_a_filter_of_paths_on_the_trigger_of_a_gate_is_an_error(check: Check, key: str) -> None:
    found = check(workflow(UNIT + GPU, on=f"on: {{pull_request: {{{key}}}, merge_group: {{}}}}"))
    (message,) = found["trigger-filter"]
    assert message.startswith(f"error: the filter {key.split(':', maxsplit=1)[0]} of pull_request")


def test_b105_a_filter_of_branches_is_a_warning(check: Check) -> None:
    found = check(workflow(UNIT + GPU, on="on: {pull_request: {branches: [main]}, merge_group: {}}"))
    (message,) = found["trigger-filter"]
    assert message.startswith("warning: the filter branches of pull_request")


def test_b107_a_need_without_a_counterpart_in_the_producers_is_an_error(check: Check) -> None:
    wheel = f'  wheel: {{needs: changes, if: "{guard("wheel")}", steps: [{{run: make}}]}}\n'
    text = workflow(UNIT + wheel + GPU.replace("[changes]", "[changes, wheel]"), gate_needs="changes, unit, gpu, wheel")
    text = text.replace("      gpu: $", "      wheel: ${{ steps.classify.outputs.wheel }}\n      gpu: $")
    assert check(text, rules=RULES + "producers: {wheel: {consumers: [gpu]}}\n") == {}
    (message,) = check(text, rules=RULES + "producers: {wheel: {consumers: [unit]}}\n")["producer-without-consumer"]
    assert message.startswith("error: gpu waits for wheel, but gpu is no consumer of wheel")


def test_b112_new_files_and_a_new_job_that_the_rules_do_not_know_are_listed(check: Check) -> None:
    new = "  newpkg-tests: {steps: [{run: make}]}\n"
    found = check(workflow(UNIT + GPU + new), files={"newpkg/a.py": "1\n"})
    assert found == {
        "job-not-judged": ["warning: newpkg-tests runs for pull requests, and no required check judges it"],
        "unclaimed-files": ["warning: 1 file in /newpkg/ (a.py): in no suite, so that a change selects everything"],
    }


def test_b114_a_gate_that_lacks_a_job_or_names_one_that_is_gone_is_an_error(check: Check) -> None:
    lacking = check(workflow(UNIT + GPU, gate_needs="changes, unit"))
    assert lacking["gate-lacks-need"] == ["error: gate does not need gpu, which it has to judge"]
    gone = check(workflow(UNIT + GPU, gate_needs="changes, unit, gpu, docs"))
    assert gone == {"job-missing": ["error: gate needs docs, which is no job of this workflow"]}


@pytest.mark.parametrize(
    ("gate_if", "severity"),
    [
        ("always()", None),
        ("${{always()}}", None),
        ('" ALWAYS ( ) "', None),
        ("${{ !Cancelled() }}", "note"),
        ('"!cancelled()"', "note"),
        ("always() || failure()", None),
        ("failure() || success()", "error"),
    ],
)
def test_b114_a_gate_runs_always_however_that_is_written(check: Check, gate_if: str, severity: str | None) -> None:
    found = check(workflow(UNIT + GPU, gate_if=gate_if))
    assert [message.split(":")[0] for message in found.get("gate-not-always", [])] == ([severity] if severity else [])
    assert set(found) <= {"gate-not-always"}
