"""Findings about the condition of a job that an output steers.

A condition is judged by what it comes to, not by how it is written: it must hold when the detector died, must not hold
when the output is false, and must be able to hold when it is true.
"""

from collections.abc import Callable, Iterator, Mapping

from ci_classify.core.conditions import Choices, Condition, TooManyRunsError, runs
from ci_classify.core.expressions import (
    Call,
    Context,
    Expression,
    ExpressionError,
    below,
    is_text_condition,
    parse_condition,
)
from ci_classify.core.findings import Code, Finding, Severity
from ci_classify.core.text import visible
from ci_classify.core.wiring import Wiring
from ci_classify.core.workflow import Job, Text

DEAD = ("failure", "cancelled", "skipped")


def wrong_output(
    wiring: Wiring, job: Job, message: str, help_: str = "read exactly one output in a condition"
) -> Finding:
    """Return the finding that a condition reads another output than its own."""
    return wiring.finding(Code.CONDITION_READS_WRONG_OUTPUT, Severity.ERROR, job.condition or job, message, help_)


def check_steered(wiring: Wiring, detector: Job, job: Job, own: str) -> Iterator[Finding]:
    """Judge the condition of a job, and whether it waits for the detector."""
    if detector.id not in job.needed:
        yield wiring.finding(
            Code.NEED_MISSING,
            Severity.ERROR,
            job,
            f"{job.id} belongs to {own} and does not wait for {detector.id}, so that nothing selects it",
            f"write {detector.id} in its `needs`, and read the output in its `if`",
        )
        return
    read = {wiring.outputs[read.part[1]] for read in wiring.output_reads(job, condition=True)}
    reads = f"needs.{detector.id}.result != 'success' || needs.{detector.id}.outputs.{own} == 'true'"
    guard = f"${{{{ !cancelled() && ({reads}) }}}}"
    for name in sorted(read - {own}):
        yield wrong_output(wiring, job, f"the condition of {job.id} reads {name} beside {own}")
    if own not in read:
        if not (job.condition and _is_always_true_text(job.condition)):
            yield wrong_output(wiring, job, f"the condition of {job.id} does not read {own}", f"write {guard}")
        return
    yield from _condition(wiring, job, own, guard)


def _is_always_true_text(condition: Text) -> bool:
    try:
        return is_text_condition(condition.text)
    except ExpressionError:
        return False


def _condition(wiring: Wiring, job: Job, own: str, guard: str) -> Iterator[Finding]:
    """Judge the condition of a job that reads its output."""
    where = job.condition or job
    try:
        expression = parse_condition(job.condition.text) if job.condition else None
    except ExpressionError:
        return  # told elsewhere
    condition = Condition(expression)
    if expression is not None and _reads_needs_as_text(expression):
        yield _unknown(wiring, where, job, "it looks for words in toJSON(needs)")
        return
    live = wiring.live(job, own, selected=True)
    unselected = wiring.live(job, own, selected=False)
    try:
        if first(lambda choices: condition.holds(live, choices)) is None:
            message = f"the condition of {job.id} never holds, not even when {own} is true"
            yield wiring.finding(Code.CONDITION_NEVER_HOLDS, Severity.ERROR, where, message, f"write {guard}")
            return
        yield from _ignored(wiring, job, own, first(lambda choices: condition.holds(unselected, choices)))
        skipping = [result for result in DEAD if _skips_when_dead(wiring, job, own, condition, result)]
    except TooManyRunsError:
        yield _unknown(wiring, where, job, "it reads too many things that only a run knows")
        return
    if skipping:
        results = " or ".join(filter(None, (", ".join(skipping[:-1]), skipping[-1])))
        yield wiring.finding(
            Code.CONDITION_WITHOUT_GUARD,
            Severity.ERROR,
            where,
            f"when the result of the detector is {results}, {job.id} is skipped unseen",
            f"write {guard}",
        )


def _ignored(wiring: Wiring, job: Job, own: str, made: Mapping[str, object] | None) -> Iterator[Finding]:
    if made is not None:
        yield wiring.finding(
            Code.CONDITION_IGNORES_OUTPUT,
            Severity.ERROR,
            job.condition or job,
            f"{job.id} runs though {own} is false{such_as(made)}",
            "join the output with && to what else must hold",
        )


def _skips_when_dead(wiring: Wiring, job: Job, own: str, condition: Condition, result: str) -> bool:
    live, dead = wiring.live(job, own, selected=True), wiring.dead(job, result)
    skipped = first(lambda choices: condition.holds(live, choices) and not condition.holds(dead, choices))
    return skipped is not None


def _unknown(wiring: Wiring, where: Text | Job, job: Job, why: str) -> Finding:
    message = f"what the condition of {job.id} comes to can't be known before a run: {why}"
    return wiring.finding(
        Code.CONDITION_UNKNOWN, Severity.UNKNOWN, where, message, "compare single results and outputs"
    )


def _reads_needs_as_text(expression: Expression) -> bool:
    return any(
        isinstance(part, Call) and part.name == "tojson" and Context(name="needs") in list(below(part))
        for part in below(expression)
    )


def first(question: Callable[[Choices], bool]) -> Mapping[str, object] | None:
    """Return the choices of the first run in which a question is answered by yes."""
    return next((made for made, answer in runs(question) if answer), None)


def such_as(made: Mapping[str, object]) -> str:
    """Return choices as the end of a sentence."""
    told = [f"{name} is {_shown(value)}" for name, value in made.items() if value != "success"]
    return f", such as when {' and '.join(told[:3])}" if told else ""


def _shown(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case "":
            return "empty"
        case str():
            return visible(value)
        case _:
            return visible(str(value))
