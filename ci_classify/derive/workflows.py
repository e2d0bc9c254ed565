"""Workflows: what a job does itself, and the jobs of reusable workflows of the repository.

Sees the steps of a job for each run of a matrix that is spelled out, ``hashFiles`` in any expression, called workflows
with their inputs.

Can't see workflows of other repositories, and a matrix that a job computes.
"""

from collections.abc import Iterator, Mapping

from ci_classify.core.workflow import Job, Text, Workflow
from ci_classify.derive.checkout import join
from ci_classify.derive.found import Absent, CalledWorkflow, Found, Inputs, JobBody, Leads, Place, Reads, Unclear, Value
from ci_classify.derive.library import Library
from ci_classify.derive.steps import hashed_in, read_steps, with_environment
from ci_classify.derive.values import Scope, given_inputs, text_in, value_in


def expand_job(source: JobBody, library: Library) -> Iterator[Found]:
    """Return what a job reads by itself; the jobs that it waits for are not looked at."""
    workflow = library.workflow(source.file)
    job = workflow.jobs.get(source.job) if workflow else None
    if workflow is None or job is None:
        return
    place = Place(file=source.file, line=job.position[0])
    yield Reads(label=source.file, place=place, paths=(source.file,))
    in_steps = {text for step in job.steps for text in step.texts}
    rest = [text for text in job.texts if text not in in_steps]
    for row in job.matrix or ({},):
        scope = _scope(workflow, job, source.inputs, row)
        if job.uses is not None:
            yield from _called(job, job.uses, scope, source.file, library)
        yield from hashed_in(rest, scope, source.file, library)
        yield from read_steps(job.steps, scope, source.file, library, windows=_is_windows(job, scope))


def expand_workflow(source: CalledWorkflow, library: Library) -> Iterator[Found]:
    """Return the jobs of a called workflow."""
    workflow = library.workflow(source.file)
    for job in workflow.jobs.values() if workflow else ():
        place = Place(file=source.file, line=job.position[0])
        body = JobBody(file=source.file, job=job.id, inputs=source.inputs)
        yield Leads(label=f"job {job.id}", place=place, source=body)


def _scope(workflow: Workflow, job: Job, inputs: Inputs, row: Mapping[str, str]) -> Scope:
    called = inputs if workflow.call_inputs else None
    matrix = tuple(sorted((name, text_in(text, Scope(inputs=called))) for name, text in row.items()))
    scope = Scope(inputs=called, matrix=matrix)
    for texts in (workflow.environment, job.environment):
        scope = with_environment(scope, texts)
    return scope


def _is_windows(job: Job, scope: Scope) -> bool:
    return any("windows" in text_in(text.text, scope).lower() for text in job.runs_on)


def _called(job: Job, uses: Text, scope: Scope, file: str, library: Library) -> Iterator[Found]:
    place = Place(file=file, line=uses.position[0])
    name = uses.text.strip()
    path = join("", name) if name.startswith("./") else None
    if path is None:
        yield Unclear(place=place, why=f"{name} is a workflow of another repository, and what it reads is not known")
        return
    workflow = library.workflow(path)
    if workflow is None or not workflow.jobs:
        yield Absent(kind="workflow", place=place, path=path)
        return
    given: dict[str, Value] = {key.lower(): value_in(text.text, scope) for key, text in job.inputs.items()}
    inputs = given_inputs(dict(workflow.call_inputs), given, typed=True)
    yield Leads(label=f"uses {name}", place=place, source=CalledWorkflow(file=path, inputs=inputs))
