"""The section ``required-check`` of a rules file: which job should have done what."""

from collections.abc import Sequence

from ci_classify.core.required import JudgedJob, RequiredCheck
from ci_classify.formats.nodes import Mapping as MappingNode
from ci_classify.formats.nodes import Node, Scalar
from ci_classify.formats.reader import Reader
from ci_classify.formats.references import circles

_JOB = ("output", "needs", "repository", "events")


def read_required_check(reader: Reader, node: Node | None, outputs: frozenset[str] | None) -> RequiredCheck | None:
    """Return the section, or None where there is none; mistakes go to the reader.

    Without ``outputs`` no name of an output is wrong.
    """
    if node is None:
        return None
    fields = reader.fields(node, "required-check", ("detector", "jobs"))
    if not isinstance(node, MappingNode):
        return None
    for key, help_ in (("detector", "write `detector: JOB`"), ("jobs", "write `jobs:` with every judged job")):
        if key not in fields:
            reader.wrong(node, f"required-check has no {key}", help_)
    detector = (reader.text(fields["detector"], "the detector") if "detector" in fields else None) or ""
    entries = reader.entries(fields["jobs"], "the jobs", "JOB: {}") if "jobs" in fields else []
    names = [detector, *(name for name, _, _ in entries)]
    jobs = [_job(reader, name, key, value, names, outputs) for name, key, value in entries]
    keys = {name: key for name, key, _ in entries}
    if detector in keys:
        reader.wrong(keys[detector], f"{detector} is the detector, which is judged anyway", "delete it from the jobs")
    for circle in circles({job.name: job.needs for job in jobs}):
        reader.wrong(keys[circle[0]], f"jobs need each other: {' -> '.join(circle)}", "break the circle of needs")
    return RequiredCheck(detector=detector, jobs=tuple(job for job in jobs if job.name != detector))


def _job(
    reader: Reader, name: str, key: Scalar, node: Node, names: Sequence[str], outputs: frozenset[str] | None
) -> JudgedJob:
    fields = reader.fields(node, f"the job {name}", _JOB)
    output = reader.text(fields["output"], f"the output of {name}") if "output" in fields else None
    if output is not None and outputs is not None and output not in outputs:
        reader.wrong(fields["output"], f"there is no output {output!r}", reader.advice(output, sorted(outputs)))
    needs = []
    for other, item in reader.texts(fields["needs"], f"the needs of {name}") if "needs" in fields else []:
        if other in names:
            needs.append(other)
        else:
            reader.wrong(item, f"{name} needs {other!r}, which is not judged", reader.advice(other, names))
    if "repository" in fields:
        reader.choice(fields["repository"], f"the repository of {name}", ("same",))
    events = reader.texts(fields["events"], f"the events of {name}") if "events" in fields else None
    if events == []:
        reader.wrong(fields["events"], f"{name} has no events, so that it never runs", "name one, or delete the key")
    return JudgedJob(
        name=name,
        output=output,
        needs=tuple(dict.fromkeys(needs)),
        events=None if events is None else frozenset(event for event, _ in events),
        same_repository="repository" in fields,
        line=key.place.line,
    )
