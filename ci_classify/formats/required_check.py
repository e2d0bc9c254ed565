"""The section ``required-check`` of a rules file becomes a RequiredCheck. docs/required-check.md describes it."""

from collections.abc import Sequence

from ci_classify.core.circles import in_circles
from ci_classify.core.model import JudgedJob, Producer, RequiredCheck, Suite
from ci_classify.formats.nodes import Listing, Node, Reader, Scalar, nearest
from ci_classify.formats.nodes import Mapping as MappingNode


def read_required_check(
    reader: Reader, node: Node | None, suites: Sequence[Suite], producers: Sequence[Producer]
) -> RequiredCheck | None:
    """Return the required check of a node; mistakes go to the reader."""
    if node is None:
        return None
    emitted = [suite.name for suite in suites if not suite.internal] + [producer.name for producer in producers]
    return _Section(reader, emitted).read(node)


class _Section:
    """Reads the section; knows the names that its jobs may use."""

    def __init__(self, reader: Reader, outputs: Sequence[str]) -> None:
        self._reader = reader
        self._outputs = outputs
        self._detector = ""
        self._jobs: list[str] = []

    def read(self, node: Node) -> RequiredCheck:
        fields = self._reader.fields(node, "required-check", ("detector", "jobs"))
        for key, what in (("detector", "the job that classifies"), ("jobs", "a line for each job that it judges")):
            if key not in fields and isinstance(node, MappingNode):
                self._reader.wrong(node, f"required-check has no {key}", f"write `{key}:`, {what}")
        if "detector" in fields:
            self._detector = self._reader.text(fields["detector"], "the detector") or ""
            self._check_name(self._detector, fields["detector"])
        listed = fields.get("jobs")
        if isinstance(listed, MappingNode) and not listed.pairs:
            self._reader.wrong(listed, "required-check judges no job", "write a line for each job that must be judged")
        entries = self._reader.entries(listed, "required-check.jobs") if listed else []
        self._jobs = [name for name, _, _ in entries]
        jobs = [self._job(*entry) for entry in entries]
        keys = {name: key for name, key, _ in entries}
        for name in in_circles({job.name: job.needs for job in jobs}):
            self._reader.wrong(keys[name], f"the job {name} waits for itself", "break the circle of needs")
        judged = tuple(job for job in jobs if job.name != self._detector)
        return RequiredCheck(detector=self._detector, jobs=judged, position=(node.place.line, node.place.column))

    def _job(self, name: str, key: Scalar, node: Node) -> JudgedJob:
        self._check_name(name, key)
        fields = self._reader.fields(node, f"the job {name}", ("output", "needs", "events", "repository"))
        if name == self._detector and fields:
            self._reader.wrong(key, f"{name} is the detector, which must always succeed", "write {} behind it")
        output = self._reader.text(fields["output"], f"the output of {name}") if "output" in fields else None
        if output is not None and output not in self._outputs:
            self._reader.wrong(fields["output"], f"there is no output {output!r}", nearest(output, self._outputs))
        if "repository" in fields:
            self._reader.choice(fields["repository"], f"the repository of {name}", ("same",))
        return JudgedJob(
            name=name,
            output=output,
            needs=self._needs(name, fields.get("needs")),
            events=self._events(name, fields.get("events")),
            same_repository="repository" in fields,
            position=(key.place.line, key.place.column),
        )

    def _needs(self, name: str, node: Node | None) -> tuple[str, ...]:
        """Return the judged jobs that a job needs. The detector may stand there, and says nothing new."""
        found: dict[str, None] = {}
        for need, item in self._reader.texts(node, f"the needs of {name}") if node else []:
            if need in found:
                self._reader.wrong(item, f"{name} needs {need} twice", "delete one")
            elif need in self._jobs or need == self._detector:
                found[need] = None
            else:
                self._reader.wrong(item, f"{name} needs {need!r}, which is no judged job", nearest(need, self._jobs))
        return tuple(need for need in found if need != self._detector)

    def _events(self, name: str, node: Node | None) -> tuple[str, ...]:
        if isinstance(node, Listing) and not node.items:
            self._reader.wrong(node, f"the job {name} is planned on no event", "name an event, or delete the key")
        listed = self._reader.texts(node, f"the events of {name}") if node else []
        for event, item in listed:
            if not event.isidentifier():
                self._reader.wrong(item, f"{event[:80]!r} is no event", "write a name such as pull_request")
        return tuple(event for event, _ in listed)

    def _check_name(self, name: str, node: Node) -> None:
        word = name.isascii() and name[:1] != "-" and name.replace("-", "_").isidentifier()
        if not word:
            self._reader.wrong(node, f"{name[:80]!r} can't be the name of a job", "write its key in the workflow")
