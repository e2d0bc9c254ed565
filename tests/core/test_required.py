"""The judgement itself: the definition by hand beside the code, and what no change of a passing run gets past."""

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plans import PROJECT, rules

from ci_classify.core.required import Circumstances, JudgedJob, RequiredCheck, judge

NVX = rules()
CASES = json.loads((PROJECT / "tests/cases/nvx-required.json").read_text(encoding="utf-8"))
PASSING = [case for case in CASES if case["expect_pass"]]
RESULTS = ["success", "skipped", "failure", "cancelled", "", "neutral"]


def failing(outputs: Mapping[str, bool], results: Mapping[str, str], now: Circumstances) -> list[tuple[str, str, str]]:
    """Return what fails of a run of NVX."""
    assert NVX.required_check is not None
    judgement = judge(NVX.required_check, now, results, outputs)
    return [(failure.job, failure.expected, failure.got) for failure in judgement.failures]


def circumstances_of(case: Mapping[str, Any]) -> Circumstances:
    pull_request = case["event"] == "pull_request"
    return Circumstances(event=case["event"], same_repository=case["same_repository"] or not pull_request)


@pytest.mark.parametrize("case", PASSING, ids=[case["id"] for case in PASSING])
def test_any_one_other_result_of_a_passing_run_fails_that_job(case: dict[str, Any]) -> None:
    for job, result in case["results"].items():
        for other in RESULTS:
            if other != result:
                found = failing(case["outputs"], {**case["results"], job: other}, circumstances_of(case))
                assert [name for name, _, _ in found] == [job]


def flips(outputs: Mapping[str, bool]) -> Iterator[tuple[str, dict[str, bool]]]:
    for name, value in outputs.items():
        yield name, {**outputs, name: not value}


@pytest.mark.parametrize("case", PASSING, ids=[case["id"] for case in PASSING])
def test_without_a_plan_another_output_passes_only_if_it_changes_no_expectation(case: dict[str, Any]) -> None:
    now = circumstances_of(case)
    for name, flipped in flips(case["outputs"]):
        changed = any(expected(job, flipped, now) != expected(job, case["outputs"], now) for job in JOBS)
        assert bool(failing(flipped, case["results"], now)) is changed, name


def test_the_expectations_are_those_of_the_table_of_nvx() -> None:
    names = [output.name for output in NVX.outputs]
    situations = [
        Circumstances(event=event, same_repository=same)
        for event, same in [("push", True), ("pull_request", True), ("pull_request", False), ("schedule", True)]
    ]
    for now, values in itertools.product(situations, itertools.product([True, False], repeat=len(names))):
        outputs = dict(zip(names, values, strict=True))
        results = {job: "success" if expected(job, outputs, now) else "skipped" for job in JOBS}
        assert failing(outputs, {**results, "openvmm-changes": "success"}, now) == []


JOBS = [job.name for job in NVX.required_check.jobs] if NVX.required_check else []


def expected(job: str, outputs: Mapping[str, bool], now: Circumstances) -> bool:
    """Return whether a job of NVX must succeed, as the table of its CI has it."""
    push, here = now.event == "push", now.event != "pull_request" or now.same_repository
    guest, binaries = outputs["run-guest-artifacts"], outputs["run-openvmm-binaries"]
    microvm = outputs["run-microvm-tests"] and guest and binaries
    platform = here and outputs["run-benchmarks"] and guest and binaries
    if job.startswith("nvx-cli-"):
        return here
    if job.startswith("build-openvmm-"):
        return here and binaries
    if job.startswith("platform-"):
        return platform
    if job.startswith("nvx-microvm-"):
        return microvm and (push if job in {"nvx-microvm-debug-mshv", "nvx-microvm-debug-whp"} else here)
    return {
        "quality": True,
        "aci-edge-sandboxes": True,
        "artifacts": guest,
        "debug-kernel": guest,
        "openvmm-unit-tests": here and outputs["run-openvmm-unit-tests"],
        "openvmm-vmm-tests": here and outputs["run-openvmm-vmm-tests"] and guest,
        "performance-gate": now.event == "pull_request" and platform,
    }[job]


# -- any section -----------------------------------------------------------------------------------------

OUTPUTS = ("run-a", "run-b", "run-c")


@st.composite
def sections(draw: st.DrawFn) -> RequiredCheck:
    """Return a section whose jobs need only jobs that stand later, or only earlier ones."""
    count = draw(st.integers(1, 8))
    jobs = []
    for number in range(count):
        others = [f"job{other}" for other in range(number + 1, count)]
        jobs.append(
            JudgedJob(
                name=f"job{number}",
                output=draw(st.none() | st.sampled_from(OUTPUTS)),
                needs=tuple(draw(st.lists(st.sampled_from(others), unique=True))) if others else (),
                events=draw(st.none() | st.frozensets(st.sampled_from(["push", "pull_request"]), min_size=1)),
                same_repository=draw(st.booleans()),
                line=number + 1,
            )
        )
    return RequiredCheck(detector="detector", jobs=tuple(draw(st.permutations(jobs))))


def by_definition(check: RequiredCheck, name: str, outputs: Mapping[str, bool], now: Circumstances) -> bool:
    job = next(job for job in check.jobs if job.name == name)
    return (
        (job.output is None or outputs[job.output])
        and (job.events is None or now.event in job.events)
        and (not job.same_repository or now.same_repository)
        and all(by_definition(check, need, outputs, now) for need in job.needs)
    )


situations = st.builds(
    Circumstances, event=st.sampled_from(["push", "pull_request", "merge_group"]), same_repository=st.booleans()
)


@given(sections(), st.fixed_dictionaries(dict.fromkeys(OUTPUTS, st.booleans())), situations, st.data())
def test_a_run_passes_exactly_if_every_job_did_what_the_definition_says(
    check: RequiredCheck, outputs: dict[str, bool], now: Circumstances, data: st.DataObject
) -> None:
    planned = {job.name: "success" if by_definition(check, job.name, outputs, now) else "skipped" for job in check.jobs}
    results = {"detector": "success", **planned}
    for job in data.draw(st.lists(st.sampled_from(list(results)), max_size=3)):
        results[job] = data.draw(st.sampled_from(RESULTS))
    verdict = judge(check, now, results, outputs)
    wrong = {job for job, result in results.items() if result != {"detector": "success", **planned}[job]}
    assert {failure.job for failure in verdict.failures} == wrong
    assert verdict.passed is not bool(wrong)
    assert {result.job for result in verdict.results} == set(results)
    if verdict.first is not None:
        assert verdict.first in wrong
