"""Findings about the required check of a workflow, and about what makes a required check wait forever or pass unseen."""

from collections.abc import Iterable, Iterator, Sequence

from ci_classify.core.condition_checks import such_as
from ci_classify.core.conditions import OTHER, Condition, TooManyRunsError, runs
from ci_classify.core.expressions import ExpressionError, parse_condition
from ci_classify.core.findings import Code, Finding, Severity
from ci_classify.core.text import visible
from ci_classify.core.wiring import Wiring, passes_all_needs, reads_needs, runs_check
from ci_classify.core.workflow import Job, Text, reads_of_needs

REQUIRED_BY = ("pull_request", "pull_request_target", "merge_group")
_PATHS = ("paths", "paths-ignore")
_BRANCHES = ("branches", "branches-ignore")


def check_gates(wiring: Wiring) -> Iterator[Finding]:
    """Return what is wrong with the required checks of a workflow, and with what they judge."""
    for gate in wiring.gates:
        yield from _needs(wiring, gate)
        yield from _always(wiring, gate)
        yield from _passes_results(wiring, gate)
        yield from _in_shell(wiring, gate)
    if wiring.gates:
        yield from _missing_jobs(wiring)
        yield from _not_judged(wiring)
        yield from _triggers(wiring)
    yield from _continue_on_error(wiring)
    yield from _names_of_skipped(wiring)


def _judged_ids(wiring: Wiring) -> list[str]:
    """Return the jobs that a required check has to judge, the detector first."""
    named = list(wiring.judged) or [job.id for job in wiring.steered() if wiring.output_of(job) is not None]
    return [*([wiring.detector.id] if wiring.detector else []), *(n for n in named if n in wiring.workflow.jobs)]


def _needs(wiring: Wiring, gate: Job) -> Iterator[Finding]:
    for name in _judged_ids(wiring):
        if name not in gate.needed:
            yield wiring.finding(
                Code.GATE_LACKS_NEED,
                Severity.ERROR,
                gate,
                f"{gate.id} does not need {name}, which it has to judge",
                f"write {name} in its `needs`",
            )


def _always(wiring: Wiring, gate: Job) -> Iterator[Finding]:
    where = gate.condition or gate
    remedy = "write `if: ${{ always() }}`: GitHub counts a skipped required check as passed"
    try:
        condition = Condition(parse_condition(gate.condition.text) if gate.condition else None)
    except ExpressionError:
        return  # told elsewhere
    world, cancelled = wiring.any(gate), wiring.any(gate, cancelled=True)
    try:
        skipped = next((made for made, holds in runs(lambda c: condition.holds(world, c)) if not holds), None)
        when_cancelled = any(not holds for _, holds in runs(lambda c: condition.holds(cancelled, c)))
    except TooManyRunsError:
        message = f"whether {gate.id} always runs can't be known: its condition reads too many things"
        yield wiring.finding(Code.GATE_NOT_ALWAYS, Severity.UNKNOWN, where, message, remedy)
        return
    if skipped is not None:
        message = f"{gate.id} does not always run{such_as(skipped)}"
        yield wiring.finding(Code.GATE_NOT_ALWAYS, Severity.ERROR, where, message, remedy)
    elif when_cancelled:
        message = f"{gate.id} is skipped when the run is cancelled"
        yield wiring.finding(Code.GATE_NOT_ALWAYS, Severity.NOTE, where, message, remedy)


def _passes_results(wiring: Wiring, gate: Job) -> Iterator[Finding]:
    if passes_all_needs(gate):
        return
    read = {(found.job, found.part) for found in reads_of_needs(gate)}
    missing = [name for name in _judged_ids(wiring) if (name.lower(), ("result",)) not in read]
    detector = wiring.detector
    passed = {
        part[1]
        for job, part in read
        if detector and job == detector.id.lower() and part[:1] == ("outputs",) and part[1:]
    }
    outputs = [real for name, real in wiring.outputs.items() if name not in passed]
    if missing:
        message = f"{gate.id} does not get the results of {_listed(missing)}"
        yield wiring.finding(Code.GATE_LACKS_RESULTS, Severity.ERROR, gate, message, _ALL_NEEDS)
    if outputs:
        message = f"{gate.id} does not get the outputs {_listed(outputs)}"
        yield wiring.finding(Code.GATE_LACKS_RESULTS, Severity.ERROR, gate, message, _ALL_NEEDS)


_ALL_NEEDS = "pass all: `NEEDS_JSON: ${{ toJSON(needs) }}` under `env`, or `needs: ${{ toJSON(needs) }}` under `with`"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def _in_shell(wiring: Wiring, gate: Job) -> Iterator[Finding]:
    for step in gate.steps:
        if step.run is not None and reads_needs(step.run.text):
            message = f"{gate.id} pastes what jobs wrote into a script, where it can be code"
            yield wiring.finding(Code.GATE_IN_SHELL, Severity.ERROR, step.run, message, _ALL_NEEDS)


# -- which jobs are judged -------------------------------------------------------------------------------


def _missing_jobs(wiring: Wiring) -> Iterator[Finding]:
    for job in wiring.judged.values():
        if job.name not in wiring.workflow.jobs:
            yield Finding(
                code=Code.JOB_MISSING,
                severity=Severity.ERROR,
                file=wiring.rules.file,
                position=(job.line, 1),
                message=f"{wiring.workflow.file} has no job {job.name}, which `required-check` judges",
                help="delete the line, or correct the name",
            )


def unjudged_jobs(wiring: Wiring) -> Iterator[Job]:
    """Return the jobs that may run for a pull request, and that no required check judges."""
    gates = {gate.id for gate in wiring.gates}
    for job in wiring.steered():
        behind = wiring.workflow.ancestors(job) & gates
        judged = job.id in wiring.judged if wiring.judged else any(job.id in gate.needed for gate in wiring.gates)
        if not judged and not behind and may_run_for(wiring, job, REQUIRED_BY):
            yield job


def _not_judged(wiring: Wiring) -> Iterator[Finding]:
    gates = {gate.id for gate in wiring.gates}
    for job in unjudged_jobs(wiring):
        message = f"{job.id} runs for pull requests, and no required check judges it"
        help_ = f"name {job.id} under `required-check.jobs` and in the `needs` of {', '.join(sorted(gates))}"
        yield wiring.finding(Code.JOB_NOT_JUDGED, Severity.WARNING, job, message, help_)


def may_run_for(wiring: Wiring, job: Job, events: Iterable[str]) -> bool:
    """Return whether a condition can hold for some of these events; a required check is never about one branch."""
    triggers = wiring.workflow.triggers or {}
    known = {*(event for event in events if event in triggers), OTHER, None}
    on_any = not known <= {*REQUIRED_BY, OTHER, None}
    try:
        condition = Condition(parse_condition(job.condition.text) if job.condition else None)
        for made, holds in runs(lambda choices: condition.holds(wiring.any(job), choices)):
            on_branch = str(made.get("github.ref", "")).startswith("refs/heads/")
            if holds and made.get("github.event_name") in known and (on_any or not on_branch):
                return True
    except (ExpressionError, TooManyRunsError):
        return True
    return False


# -- traps -----------------------------------------------------------------------------------------------


def _continue_on_error(wiring: Wiring) -> Iterator[Finding]:
    gates = {gate.id for gate in wiring.gates}
    judged = {*_judged_ids(wiring), *(name for gate in wiring.gates for name in gate.needed), *gates}
    for job in wiring.workflow.jobs.values():
        if job.id in judged and job.continue_on_error is not None:
            yield from _tolerated(wiring, job.continue_on_error, f"{job.id} succeeds even when it fails")
        for step in job.steps if job.id in gates else ():
            if step.continue_on_error is not None and runs_check(step):
                yield from _tolerated(wiring, step.continue_on_error, f"{job.id} passes whatever the verdict is")


def _tolerated(wiring: Wiring, text: Text, what: str) -> Iterator[Finding]:
    if text.text.lower() == "false":
        return
    known = "${{" not in text.text
    yield wiring.finding(
        Code.CONTINUE_ON_ERROR,
        Severity.ERROR if known else Severity.UNKNOWN,
        text,
        what if known else f"{what} if {visible(text.text)} is true",
        "delete continue-on-error from what is judged",
    )


def _names_of_skipped(wiring: Wiring) -> Iterator[Finding]:
    """Look for jobs whose checks have other names when they are skipped; a required check hides the names."""
    judged = {name for gate in wiring.gates for name in gate.needed}
    for job in wiring.steered():
        if job.condition is None or job.id in judged or wiring.output_of(job) is None:
            continue
        help_ = "let one required check judge it, and require that one alone"
        if job.has_matrix:
            message = f"skipped, {job.id} reports one check under its own name and none for its matrix"
            yield wiring.finding(Code.MATRIX_SKIPPED, Severity.WARNING, job, message, help_)
        if job.uses is not None:
            message = f"skipped, {job.id} reports none of the checks of {visible(job.uses.text)}"
            yield wiring.finding(Code.REUSABLE_SKIPPED, Severity.WARNING, job, message, help_)


def _triggers(wiring: Wiring) -> Iterator[Finding]:
    triggers = wiring.workflow.triggers or {}
    file, gate = wiring.workflow.file, wiring.gates[0].id
    for event, trigger in triggers.items():
        required = event in REQUIRED_BY
        for key, position in trigger.filters.items():
            code = Code.MERGE_GROUP if event == "merge_group" and key in _PATHS else Code.TRIGGER_FILTER
            if key in _PATHS and (required or event == "push"):
                severity = Severity.ERROR if required else Severity.WARNING
                message = f"the filter {key} of {event} keeps the whole workflow from running, and {gate} with it"
                help_ = f"delete {key}, and let the rules skip jobs"
            elif key in _BRANCHES and required:
                severity = Severity.WARNING
                message = f"the filter {key} of {event} leaves out branches that may require {gate}"
                help_ = f"delete {key}, or require {gate} on exactly these branches"
            else:
                continue
            yield Finding(code=code, severity=severity, file=file, position=position, message=message, help=help_)
    pull_request = next((triggers[event] for event in REQUIRED_BY[:2] if event in triggers), None)
    if pull_request is not None and "merge_group" not in triggers:
        yield Finding(
            code=Code.MERGE_GROUP,
            severity=Severity.WARNING,
            file=file,
            position=pull_request.position,
            message=f"without the trigger merge_group, {gate} never reports to a merge queue",
            help="write `merge_group:` under `on`",
        )
