"""Findings about the wiring of a workflow: the outputs of the detector, who reads them, what jobs wait for."""

from collections.abc import Iterator

from ci_classify.core.condition_checks import check_steered, first, wrong_output
from ci_classify.core.conditions import Condition, TooManyRunsError
from ci_classify.core.expressions import (
    Call,
    Context,
    ExpressionError,
    Property,
    fenced,
    parse_condition,
    parse_expression,
    path_of,
)
from ci_classify.core.findings import Code, Finding, Severity
from ci_classify.core.text import visible
from ci_classify.core.wiring import Wiring
from ci_classify.core.workflow import Job, Text


def check_wiring(wiring: Wiring) -> Iterator[Finding]:
    """Return what is wrong between the detector of a workflow and the jobs that it steers."""
    if wiring.detector is None:
        return
    yield from _outputs(wiring, wiring.detector)
    for job in wiring.steered():
        yield from _reads(wiring, wiring.detector, job)
        yield from _awaited(wiring, job)
        yield from _edges(wiring, job)


# -- the outputs of the detector -------------------------------------------------------------------------


def _outputs(wiring: Wiring, detector: Job) -> Iterator[Finding]:
    if detector.uses is not None and wiring.called_by(detector) is None:
        yield wiring.finding(
            Code.OUTPUT_NOT_DECLARED,
            Severity.UNKNOWN,
            detector.uses,
            f"the outputs of {visible(detector.uses.text)} can't be seen from here",
            "declare them in this workflow to have them checked",
        )
        return
    declared = wiring.declared(detector)
    names = {name.lower() for name in declared}
    for name, real in wiring.outputs.items():
        if name not in names:
            yield wiring.finding(
                Code.OUTPUT_NOT_DECLARED,
                Severity.ERROR,
                detector,
                f"{detector.id} does not declare the output {real}",
                f"write `{real}:` under its `outputs`",
            )
    steps = {step.id.lower() for step in detector.steps if step.id}
    where = None if detector.uses is None else detector
    for name, text in declared.items():
        if name.lower() in wiring.own_outputs:
            continue
        if name.lower() not in wiring.outputs:
            yield wiring.finding(
                Code.OUTPUT_UNKNOWN,
                Severity.ERROR,
                where or text,
                f"{detector.id} declares {visible(name)}, which is no output of the rules",
                "delete it, or give the job that needs it a job of its own",
            )
            continue
        yield from _mapping(wiring, detector, name, text, None if where else steps)


def _mapping(wiring: Wiring, detector: Job, name: str, text: Text, steps: set[str] | None) -> Iterator[Finding]:
    """Look at what a declared output reads; ``steps`` is None where a called workflow maps outputs of its jobs."""
    where = text if steps is not None else detector
    read = _mapped(text.text)
    if read is None:
        yield wiring.finding(
            Code.OUTPUT_MAPPED_WRONGLY,
            Severity.UNKNOWN,
            where,
            f"whether {name} gets its own value can't be seen: {visible(text.text)}",
            f"write ${{{{ steps.ID.outputs.{name} }}}}",
        )
        return
    owner, output = read
    if output != name.lower():
        yield wiring.finding(
            Code.OUTPUT_MAPPED_WRONGLY,
            Severity.ERROR,
            where,
            f"the output {name} gets the value of {visible(output)}",
            f"read {name} there",
        )
    if steps is not None and owner not in steps:
        yield wiring.finding(
            Code.OUTPUT_MAPPED_WRONGLY,
            Severity.ERROR,
            where,
            f"{detector.id} has no step with the id {visible(owner)}, so that {name} is always empty",
            "name the step that classifies",
        )


def _mapped(text: str) -> tuple[str, str] | None:
    """Return the step (or job) and the output that an output is mapped to, or None for any other expression."""
    try:
        pieces = list(fenced(text))
        expression = parse_expression(pieces[0][1]) if len(pieces) == 1 else None
    except ExpressionError:
        return None
    match expression:
        case Property(of=Property(of=Call(name="fromjson", arguments=(argument,)), name="outputs"), name=name):
            path = path_of(argument)
            plan = path is not None and len(path) == 4 and path[2:] == ("outputs", "plan")
            return (path[1], name) if plan and path else None
        case Context() | Property():
            path = path_of(expression)
            known = path is not None and len(path) == 4 and path[0] in {"steps", "jobs"} and path[2] == "outputs"
            return (path[1], path[3]) if known and path else None
        case _:
            return None


# -- conditions ------------------------------------------------------------------------------------------


def _reads(wiring: Wiring, detector: Job, job: Job) -> Iterator[Finding]:
    own = wiring.output_of(job)
    for read in wiring.output_reads(job, condition=None if own is None and wiring.judged else False):
        name = wiring.outputs[read.part[1]]
        if name != own and (wiring.judged or own is not None):
            yield wiring.finding(
                Code.OUTPUT_READ_ELSEWHERE,
                Severity.ERROR,
                read,
                f"{job.id} reads {name}, which does not steer it",
                f"give {job.id} that output under `required-check.jobs`, or read no output there",
            )
    if own is not None:
        yield from check_steered(wiring, detector, job, own)
    elif not wiring.judged:
        several = {wiring.outputs[read.part[1]] for read in wiring.output_reads(job, condition=True)}
        if len(several) > 1:
            yield wrong_output(wiring, job, f"{job.id} reads several outputs: {', '.join(sorted(several))}")


def _awaited(wiring: Wiring, job: Job) -> Iterator[Finding]:
    """Look for producers that a job does not wait for."""
    judged = wiring.judged.get(job.id)
    if judged is not None:
        for name in judged.needs:
            if name not in job.needed:
                yield wiring.finding(
                    Code.PRODUCER_NOT_AWAITED,
                    Severity.ERROR,
                    job,
                    f"{job.id} does not wait for {name}, which the rules say it needs",
                    f"write {name} in its `needs`",
                )
        return
    own = wiring.output_of(job)
    if own is None or wiring.judged:
        return
    before = wiring.workflow.ancestors(job)
    for output in wiring.outputs.values():
        producing = [other.id for other in wiring.steered() if wiring.output_of(other) == output]
        if output != own and wiring.implies(own, output) and producing and not before & set(producing):
            yield wiring.finding(
                Code.PRODUCER_NOT_AWAITED,
                Severity.ERROR,
                job,
                f"{job.id} consumes {output} and waits for no job of it",
                f"write {' or '.join(producing)} in its `needs`",
            )


def _edges(wiring: Wiring, job: Job) -> Iterator[Finding]:
    """Look at each need of a job that another output steers."""
    own, judged = wiring.output_of(job), wiring.judged.get(job.id)
    for need in job.needs:
        needed = wiring.workflow.jobs.get(need.text)
        other = wiring.output_of(needed) if needed is not None and needed is not wiring.detector else None
        if other is None or own == other or (own is not None and wiring.implies(own, other)):
            continue
        if own is not None and wiring.is_producer(other):
            yield wiring.finding(
                Code.PRODUCER_WITHOUT_CONSUMER,
                Severity.ERROR,
                need,
                f"{job.id} waits for {need.text}, but {own} is no consumer of {other}, so that {need.text} may be skipped",
                f"add {own} to the consumers of {other}",
            )
        elif (
            (own or judged) and not (judged and need.text in judged.needs) and _needs_success(wiring, job, need, other)
        ):
            yield wiring.finding(
                Code.NEED_MAY_BE_SKIPPED,
                Severity.ERROR,
                need,
                f"{job.id} is skipped whenever {need.text} is, though it can be planned while {other} is false",
                f"let the condition pass a skipped {need.text}, or say `needs` under `required-check.jobs`",
            )


def _needs_success(wiring: Wiring, job: Job, need: Text, other: str) -> bool:
    """Return whether a planned job is skipped for sure when a job that it waits for is."""
    own = wiring.output_of(job)
    skipped = {need.text.lower(): "skipped"}
    try:
        condition = Condition(parse_condition(job.condition.text) if job.condition else None)
        world = wiring.live(job, own or other, selected=own is not None, results=skipped)
        return first(lambda choices: condition.holds(world, choices)) is None
    except (ExpressionError, TooManyRunsError):
        return False
