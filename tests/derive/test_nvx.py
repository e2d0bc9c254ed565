"""NVX's CI in miniature: nothing is missing, and every way to break its rules or its CI is told exactly."""

from typing import Any

import pytest
import yaml
from support.drift import CASES, checkout, drift, nvx

from ci_classify.core.drift import DriftReport

FILES = nvx()
REGRESSIONS: list[dict[str, Any]] = yaml.safe_load((CASES / "regressions.yaml").read_text(encoding="utf-8"))


def compared(files: dict[str, str], *, unread: bool = False) -> DriftReport:
    tracked = {path: text for path, text in files.items() if path != "rules.yaml"}
    return drift(files["rules.yaml"], checkout(tracked, submodules=("openvmm",)), unread=unread)


def edited(edits: list[dict[str, str]]) -> dict[str, str]:
    files = dict(FILES)
    for edit in edits:
        path = edit["file"]
        if "write" in edit:
            assert path not in files
            files[path] = edit["write"]
        else:
            assert files[path].count(edit["replace"]) == 1, edit
            files[path] = files[path].replace(edit["replace"], edit["by"])
    return files


def expected(lines: list[str], files: dict[str, str]) -> set[str]:
    found = set()
    for line in lines:
        head, _, path = line.rpartition(" ")
        below = [one for one in files if one.startswith(path) and not one.endswith(".md")]
        found |= {f"{head} {one}" for one in below} if path.endswith("/") and below else {line}
    return found


def test_nothing_is_missing() -> None:
    report = compared(FILES)
    assert (report.findings, report.unresolved) == ([], [])


def test_the_miniature_is_complete() -> None:
    document = yaml.safe_load(FILES[".github/workflows/ci.yml"])
    judged = yaml.safe_load(FILES["rules.yaml"])["required-check"]
    assert {*judged["jobs"], judged["detector"]} <= document["jobs"].keys()
    assert len(judged["jobs"]) + 1 == 22
    assert sum("workflow_call" in text for path, text in FILES.items() if path.startswith(".github/workflows/")) == 3
    assert sum(bool(text) for path, text in FILES.items() if path.endswith("/action.yml")) >= 12


def test_what_is_claimed_and_not_read() -> None:
    unread = compared(FILES, unread=True).unread
    assert unread is not None
    assert {(one.suite, one.path, one.files) for one in unread} == {
        ("run-microvm-tests", "kernel/COPYING-LINUX", 1),
        ("run-benchmarks", "kernel/COPYING-LINUX", 1),
        ("run-openvmm-vmm-tests", "kernel/COPYING-LINUX", 1),
        ("run-openvmm-unit-tests", "scripts/setup/setup-azure.sh", 1),
        ("run-openvmm-vmm-tests", "scripts/setup/setup-azure.sh", 1),
    }


def test_the_chain_leads_from_the_job_to_the_path() -> None:
    files = dict(FILES) | {"rules.yaml": FILES["rules.yaml"].replace("    - /kernel/\n", "    - /kernel/patches/\n")}
    chains = [one.chain for one in compared(files).findings if one.path == "kernel/config-microvm"]
    assert chains[1] == (
        "job nvx-microvm-tests-kvm",
        "needs artifacts",
        "uses ./.github/actions/build-guest-artifacts",
        "hashFiles('kernel/config-microvm')",
        "kernel/config-microvm",
    )


def test_a_job_for_events_on_which_inputs_decide_nothing_needs_no_inputs() -> None:
    rules = FILES["rules.yaml"].replace("      - /.github/actions/gate-performance/\n", "")
    pushed = rules.replace("      events: [pull_request]\n", "      events: [push]\n")
    assert len(compared({**FILES, "rules.yaml": rules}).findings) == 1
    assert compared({**FILES, "rules.yaml": pushed}).findings == []


def test_enough_regressions_are_seeded() -> None:
    assert len(REGRESSIONS) >= 40
    assert len({one["name"] for one in REGRESSIONS}) == len(REGRESSIONS)


@pytest.mark.parametrize("regression", REGRESSIONS, ids=[one["name"] for one in REGRESSIONS])
def test_a_regression_gives_exactly_its_findings(regression: dict[str, Any]) -> None:
    files = edited(regression["edit"])
    found = {f"{one.code} {one.suite or '-'} {one.path}" for one in compared(files).findings}
    assert found == expected(regression["findings"], files)
    assert found
