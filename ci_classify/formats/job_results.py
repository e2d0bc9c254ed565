"""The context ``needs`` of a workflow as JSON: the result of each job, and the outputs of the detector.

Source: https://docs.github.com/actions/reference/workflows-and-actions/contexts#needs-context
"""

import json
from collections.abc import Mapping, Sequence

from ci_classify.core.record import Record
from ci_classify.core.required import JobFailure
from ci_classify.formats.json_values import once

_WORDS = {"true": True, "false": False}


class UnreadableResultsError(Exception):
    """The text is not what ``toJSON(needs)`` writes; the message says why."""


class JobResults(Record):
    """Results by job, as written, and the outputs of every job that has some."""

    results: Mapping[str, str]
    outputs: Mapping[str, Mapping[str, str]]


def read_results(text: str) -> JobResults:
    """Return the results in a text, or raise UnreadableResultsError."""
    try:
        needs = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise UnreadableResultsError(f"the results of jobs are no JSON ({error}): {text[:60]!r}") from None
    if not isinstance(needs, dict) or not needs:
        raise UnreadableResultsError(f"the results of jobs are no JSON object with jobs: {text[:60]!r}")
    results: dict[str, str] = {}
    outputs: dict[str, Mapping[str, str]] = {}
    for job, entry in needs.items():
        result = entry.get("result") if isinstance(entry, dict) else None
        written = entry.get("outputs") if isinstance(entry, dict) else None
        results[job] = result if isinstance(result, str) else ""
        if isinstance(written, dict):
            outputs[job] = {
                name: value if isinstance(value, str) else json.dumps(value) for name, value in written.items()
            }
    return JobResults(results=results, outputs=outputs)


def read_outputs(
    detector: str, written: Sequence[tuple[str, str]], expected: Sequence[str], others: frozenset[str]
) -> tuple[dict[str, bool], tuple[JobFailure, ...]]:
    """Return the outputs of the detector, and a failure for each that is missing, extra, malformed or twice.

    ``others`` are names that it may have beside those that are expected.
    """
    known: dict[str, bool] = {}
    failures = []

    def wrong(name: str, got: str, why: str) -> None:
        failures.append(JobFailure(job=detector, expected=f"{name}=true or {name}=false", got=got, why=why))

    seen: set[str] = set()
    for name, value in written:
        if name in others:
            continue
        if name not in expected:
            failures.append(
                JobFailure(
                    job=detector,
                    expected=f"no output {name}",
                    got=f"{name}={value}",
                    why="the rules have no such output",
                )
            )
        elif name in seen:
            wrong(name, f"{name} twice", "each output is given once")
            known.pop(name, None)
        elif value not in _WORDS:
            wrong(name, f"{name}={value}", "an output is true or false; did the detector write it?")
        else:
            known[name] = _WORDS[value]
        seen.add(name)
    for name in expected:
        if name not in seen:
            wrong(name, MISSING_OUTPUT, "the detector's job must declare it among its outputs")
    return known, tuple(failures)


MISSING_OUTPUT = "missing"


class WrittenPlan(Record):
    """What the detector's ``plan`` output says: its outputs, their reasons, and the commit that it is for.

    ``canary`` holds what would be skipped, with the code of the reason; None for a plan that is no canary's.
    """

    outputs: Mapping[str, bool]
    head: str | None
    reasons: Mapping[str, str]
    canary: Mapping[str, str] | None = None


def read_plan(text: str) -> WrittenPlan | None:
    """Return a plan as ``run`` writes it, or None if it is something else."""
    try:
        plan = json.loads(text)
    except (ValueError, RecursionError):
        return None
    outputs = plan.get("outputs") if isinstance(plan, dict) else None
    if not isinstance(outputs, dict) or not all(isinstance(value, bool) for value in outputs.values()):
        return None
    head = plan.get("head")
    reasons = plan.get("reasons")
    canary = plan.get("canary")
    return WrittenPlan(
        outputs=outputs,
        head=head if isinstance(head, str) else None,
        reasons={name: code for name, code in reasons.items() if isinstance(code, str)}
        if isinstance(reasons, dict)
        else {},
        canary={name: code for name, code in canary.items() if isinstance(code, str)}
        if isinstance(canary, dict)
        else None,
    )
