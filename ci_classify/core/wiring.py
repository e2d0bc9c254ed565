"""Who is who in a workflow: the detector, the required check, and the jobs that an output steers.

With a section ``required-check`` the rules say so. Without one, the detector is the job that declares outputs of the
rules, and a job belongs to the output that its condition reads, or else to the one that has its name.
"""

from collections.abc import Iterator, Mapping

from ci_classify.core.conditions import World
from ci_classify.core.expression_values import PlanText, Unknown, Value
from ci_classify.core.expressions import Call, Context, ExpressionError, below, fenced, parse_expression
from ci_classify.core.findings import Code, Finding, Severity
from ci_classify.core.model import Producer, Rules
from ci_classify.core.required import JudgedJob
from ci_classify.core.workflow import Job, Read, Step, Text, Workflow, expressions_of, reads_of_needs

COMMAND = "check-required-ci"
LOCAL = "./"


class Wiring:
    """A workflow beside the rules. ``called`` are the reusable workflows of the repository, by path."""

    def __init__(
        self, rules: Rules, workflow: Workflow, called: Mapping[str, Workflow], own_outputs: frozenset[str]
    ) -> None:
        self.rules = rules
        self.workflow = workflow
        self.own_outputs = own_outputs
        self._called = called
        self.outputs = {output.name.lower(): output.name for output in rules.outputs}
        check = rules.required_check
        self.judged: Mapping[str, JudgedJob] = {job.name: job for job in check.jobs} if check else {}
        self.detector = self._find_detector()
        self.gates = self._find_gates()
        self._consumers = {output.name: output.consumers for output in rules.decided if isinstance(output, Producer)}

    def _find_detector(self) -> Job | None:
        if self.rules.required_check is not None:
            return self.workflow.jobs.get(self.rules.required_check.detector)
        declaring = (
            job for job in self.workflow.jobs.values() if any(n.lower() in self.outputs for n in self.declared(job))
        )
        return next(declaring, None)

    def _find_gates(self) -> tuple[Job, ...]:
        jobs = [job for job in self.workflow.jobs.values() if job is not self.detector]
        found = [job for job in jobs if any(runs_check(step) for step in job.steps)]
        if not found and self.detector is not None:
            found = [job for job in jobs if self.detector.id in job.needed and passes_all_needs(job)]
        return tuple(found)

    @property
    def is_steered(self) -> bool:
        """Whether the rules decide anything in this workflow."""
        return self.detector is not None or bool(self.gates)

    def called_by(self, job: Job) -> Workflow | None:
        """Return the workflow of the repository that a job calls."""
        return self._called.get(job.uses.text.removeprefix(LOCAL)) if job.uses else None

    def declared(self, job: Job) -> Mapping[str, Text]:
        """Return the outputs that a job, or the workflow that it calls, declares."""
        called = self.called_by(job)
        return called.call_outputs if called else job.outputs

    def steered(self) -> Iterator[Job]:
        """Return all jobs but the detector and the required check."""
        return (job for job in self.workflow.jobs.values() if job is not self.detector and job not in self.gates)

    def output_of(self, job: Job) -> str | None:
        """Return the output that steers a job, or None."""
        if self.judged:
            return self.judged[job.id].output if job.id in self.judged else None
        read = {name for read in self.output_reads(job, condition=True) if (name := read.part[1])}
        if len(read) == 1:
            return self.outputs[read.pop()]
        return self.outputs.get(job.id.lower()) if not read else None

    def output_reads(self, job: Job, *, condition: bool | None = None) -> list[Read]:
        """Return where a job reads outputs of the rules: in its condition, elsewhere, or (None) anywhere."""
        if self.detector is None:
            return []
        found = [
            read
            for read in reads_of_needs(job)
            if read.job == self.detector.id.lower() and len(read.part) == 2 and read.part[1] in self.outputs
        ]
        at = job.condition.position if job.condition else None
        return [read for read in found if condition is None or (read.position == at) is condition]

    def implies(self, output: str, other: str) -> bool:
        """Return whether one output is true whenever another one is: the same, or what produces for it."""
        waiting, seen = [other], set[str]()
        while waiting:
            name = waiting.pop()
            if name == output:
                return True
            if name not in seen:
                seen.add(name)
                waiting += self._consumers.get(name, ())
        return False

    def is_producer(self, output: str) -> bool:
        """Return whether an output belongs to a producer."""
        return output in self._consumers

    def finding(
        self, code: Code, severity: Severity, where: Text | Job | Read | Step, message: str, help_: str
    ) -> Finding:
        """Return a finding about a place of the workflow."""
        return Finding(
            code=code,
            severity=severity,
            file=self.workflow.file,
            position=where.position,
            message=message,
            help=help_,
        )

    # -- worlds --------------------------------------------------------------------------------------

    def live(self, job: Job, output: str, *, selected: bool, results: Mapping[str, str] | None = None) -> World:
        """Return the world in which the detector succeeded with this value of an output."""
        known: dict[str, Value] = {name: Unknown(name=f"the output {real}") for name, real in self.outputs.items()}
        booleans: dict[str, Value] = {name: Unknown(name=f"the output {real}") for name, real in self.outputs.items()}
        known[output.lower()] = "true" if selected else "false"
        booleans[output.lower()] = selected
        known["plan"] = PlanText(outputs=booleans)
        return self._world(job, {self._detector_name: "success", **(results or {})}, known)

    def dead(self, job: Job, result: str) -> World:
        """Return the world in which the detector came to another result and wrote nothing."""
        return self._world(job, {self._detector_name: result}, {})

    def any(self, job: Job, *, cancelled: bool = False) -> World:
        """Return the world in which nothing is assumed but whether the run was cancelled."""
        world = self._world(job, {}, None)
        return World(
            needs=world.needs, ancestors=world.ancestors, results={}, outputs=world.outputs, cancelled=cancelled
        )

    @property
    def _detector_name(self) -> str:
        return self.detector.id.lower() if self.detector else ""

    def _world(self, job: Job, results: Mapping[str, str], outputs: Mapping[str, Value] | None) -> World:
        return World(
            needs=tuple(name.lower() for name in job.needed),
            ancestors=frozenset(name.lower() for name in self.workflow.ancestors(job)),
            results=results,
            outputs={} if outputs is None else {self._detector_name: outputs},
        )


def runs_check(step: Step) -> bool:
    """Return whether a step judges the results of jobs."""
    command = step.inputs.get("command")
    return (command is not None and command.text == COMMAND) or (step.run is not None and COMMAND in step.run.text)


def passes_all_needs(job: Job) -> bool:
    """Return whether ``toJSON(needs)`` stands in a value of a job that is no script."""
    scripts = {step.run.position for step in job.steps if step.run}
    return any(
        isinstance(part, Call) and part.name == "tojson" and part.arguments == (Context(name="needs"),)
        for text, expression in expressions_of(job)
        if text.position not in scripts
        for part in below(expression)
    )


def reads_needs(text: str) -> bool:
    """Return whether an expression in a text reads results or outputs of jobs."""
    try:
        return any(
            part == Context(name="needs") for _, inner in fenced(text) for part in below(parse_expression(inner))
        )
    except ExpressionError:
        return False
