"""Findings about one workflow file by itself: what GitHub would refuse, and reads that are always empty."""

from collections.abc import Iterator

from ci_classify.core.errors import Problem
from ci_classify.core.expressions import ExpressionError, is_text_condition
from ci_classify.core.findings import Code, Finding, Severity
from ci_classify.core.text import visible
from ci_classify.core.workflow import Job, Text, Workflow, conditions_of, reads_of_needs, unreadable_expressions


def unreadable(problem: Problem) -> Finding:
    """Return the finding about a complaint of the reader of workflow files."""
    return Finding(
        code=Code.WORKFLOW_UNREADABLE,
        severity=Severity.WARNING if problem.warning else Severity.ERROR,
        file=problem.file,
        position=(max(problem.line, 1), max(problem.column, 1)),
        message=problem.message,
        help=problem.help,
    )


def check_workflow(workflow: Workflow) -> Iterator[Finding]:
    """Return what is wrong with a workflow, whatever the rules are."""
    if not workflow.triggers:
        yield _finding(
            workflow,
            Code.TRIGGER_MISSING,
            (1, 1),
            "the workflow has no triggers, so that it never runs",
            "write `on:`, in lower case, with the events",
        )
    for job in workflow.jobs.values():
        for text, why in unreadable_expressions(job):
            message = f"an expression of {job.id} can't be read: {why}"
            yield _finding(workflow, Code.EXPRESSION_UNREADABLE, text.position, message, "correct the expression")
        for condition in conditions_of(job):
            if _is_text(condition):
                message = f"a condition of {job.id} is text beside an expression, which is always true"
                help_ = "put ${{ }} around the whole condition, or around nothing, and no line end behind it"
                yield _finding(workflow, Code.EXPRESSION_UNREADABLE, condition.position, message, help_)
        yield from _needs(workflow, job)


def _finding(workflow: Workflow, code: Code, position: tuple[int, int], message: str, help_: str) -> Finding:
    return Finding(
        code=code, severity=Severity.ERROR, file=workflow.file, position=position, message=message, help=help_
    )


def _is_text(condition: Text) -> bool:
    try:
        return is_text_condition(condition.text)
    except ExpressionError:
        return False


def _needs(workflow: Workflow, job: Job) -> Iterator[Finding]:
    for need in job.needs:
        if need.text not in workflow.jobs:
            message = f"{job.id} needs {visible(need.text)}, which is no job of this workflow"
            yield _finding(workflow, Code.JOB_MISSING, need.position, message, "delete it, or correct the name")
    needed = {name.lower() for name in job.needed}
    for read in reads_of_needs(job):
        if read.job is not None and read.job not in needed:
            path = ".".join(("needs", read.job, *read.part))
            message = f"{job.id} reads {visible(path)} without needing {visible(read.job)}, so that it is always empty"
            help_ = f"write {visible(read.job)} in the `needs` of {job.id}"
            yield _finding(workflow, Code.NEED_NOT_DECLARED, read.position, message, help_)
