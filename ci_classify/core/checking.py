"""All findings of one pass: rules against the tree, and every workflow against both."""

from collections.abc import Iterator, Mapping, Sequence

from ci_classify.core.errors import Problem
from ci_classify.core.findings import Code, Finding, Severity, in_order
from ci_classify.core.gate_checks import check_gates
from ci_classify.core.model import Rules
from ci_classify.core.record import Record
from ci_classify.core.rule_checks import check_rules
from ci_classify.core.steering_checks import Steps, check_steering
from ci_classify.core.survey import Tracked
from ci_classify.core.wiring import Wiring
from ci_classify.core.wiring_checks import check_wiring
from ci_classify.core.workflow import Workflow
from ci_classify.core.workflow_checks import check_workflow, unreadable


class Files(Record):
    """What a check looks at: the tracked files, the workflows to judge, and all that these may call."""

    tracked: Tracked
    workflows: Sequence[Workflow]
    callable: Mapping[str, Workflow]
    problems: Sequence[Problem]
    steps_of: Steps


def check(rules: Rules, files: Files, own_outputs: frozenset[str]) -> tuple[Finding, ...]:
    """Return all findings, in the order of their files."""
    return in_order(_all(rules, files, own_outputs))


def _all(rules: Rules, files: Files, own_outputs: frozenset[str]) -> Iterator[Finding]:
    yield from check_rules(rules, files.tracked)
    yield from map(unreadable, files.problems)
    paths = frozenset(files.tracked.paths)
    wirings = [Wiring(rules, workflow, files.callable, own_outputs) for workflow in files.workflows]
    for wiring in wirings:
        yield from check_workflow(wiring.workflow)
        yield from check_wiring(wiring)
        yield from check_gates(wiring)
        yield from check_steering(wiring, paths, files.steps_of)
    yield from _absent(rules, wirings)


def _absent(rules: Rules, wirings: Sequence[Wiring]) -> Iterator[Finding]:
    """Look for what no workflow has."""
    check = rules.required_check
    if check is None:
        return
    line = min((job.line for job in check.jobs), default=1)
    if not any(wiring.detector for wiring in wirings):
        message = f"no workflow has the job {check.detector}, which is the detector"
        yield _about_rules(rules, line, Code.DETECTOR_MISSING, message, "name the job that classifies")
    elif not any(wiring.gates for wiring in wirings if wiring.detector):
        message = f"no job beside {check.detector} runs check-required-ci, so that nothing is judged"
        yield _about_rules(rules, line, Code.GATE_MISSING, message, "write the job: docs/required-check.md shows one")


def _about_rules(rules: Rules, line: int, code: Code, message: str, help_: str) -> Finding:
    return Finding(code=code, severity=Severity.ERROR, file=rules.file, position=(line, 1), message=message, help=help_)
