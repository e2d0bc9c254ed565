"""A workflow file as far as it decides what runs: triggers, jobs, what they wait for, their conditions and outputs.

Texts keep their places. Expressions stay text; ``expressions`` reads them.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ci_classify.core.expressions import (
    Call,
    Context,
    Expression,
    ExpressionError,
    Property,
    below,
    fenced,
    parse_condition,
    parse_expression,
    path_of,
)
from ci_classify.core.model import Position
from ci_classify.core.record import Record


class Text(Record):
    """A value of a file, as text, and where it starts."""

    text: str
    position: Position


class Trigger(Record):
    """An event of ``on``, and its filters: each a key with its place."""

    event: str
    position: Position
    filters: Mapping[str, Position] = MappingProxyType({})


class Step(Record):
    """A step of a job or of a composite action. ``texts`` are all values in it but its condition."""

    position: Position
    id: str | None = None
    condition: Text | None = None
    uses: Text | None = None
    run: Text | None = None
    inputs: Mapping[str, Text] = MappingProxyType({})
    environment: Mapping[str, Text] = MappingProxyType({})
    shell: str | None = None
    working_directory: str = "."
    continue_on_error: Text | None = None
    texts: tuple[Text, ...] = ()


class Job(Record):
    """A job. ``texts`` are all values in it but conditions.

    ``matrix`` holds the values of each run of it, nested ones under names such as ``target.os``, as far as the file
    spells them out.
    """

    id: str
    position: Position
    needs: tuple[Text, ...] = ()
    condition: Text | None = None
    outputs: Mapping[str, Text] = MappingProxyType({})
    uses: Text | None = None
    inputs: Mapping[str, Text] = MappingProxyType({})
    environment: Mapping[str, Text] = MappingProxyType({})
    runs_on: tuple[Text, ...] = ()
    has_matrix: bool = False
    matrix: tuple[Mapping[str, str], ...] = ()
    continue_on_error: Text | None = None
    steps: tuple[Step, ...] = ()
    texts: tuple[Text, ...] = ()

    @property
    def needed(self) -> tuple[str, ...]:
        """The jobs that it waits for."""
        return tuple(need.text for need in self.needs)


class Input(Record):
    """An input of a reusable workflow or an action: its type, and its value where nobody gives one."""

    type: str = "string"
    default: str | None = None


class Workflow(Record):
    """A workflow. ``triggers`` is None where the file has no ``on``; ``call_*`` are those of a reusable one."""

    file: str
    triggers: Mapping[str, Trigger] | None
    jobs: Mapping[str, Job]
    environment: Mapping[str, Text] = MappingProxyType({})
    call_inputs: Mapping[str, Input] = MappingProxyType({})
    call_outputs: Mapping[str, Text] = MappingProxyType({})

    def ancestors(self, job: Job) -> frozenset[str]:
        """Return the jobs that a job waits for, to any depth."""
        found: set[str] = set()
        waiting = list(job.needed)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.jobs[name].needed if name in self.jobs else ()
        return frozenset(found)


class Action(Record):
    """An action: what it runs by, its steps if it is a composite one, and all values in it but conditions."""

    using: str
    inputs: Mapping[str, Input]
    steps: tuple[Step, ...]
    image: Text | None
    texts: tuple[Text, ...]


class Read(Record):
    """A place that reads ``needs.JOB`` or a part of it; ``job`` is None for ``needs`` as a whole."""

    position: Position
    job: str | None
    part: tuple[str, ...] = ()


def expressions_of(job: Job) -> Iterator[tuple[Text, Expression]]:
    """Return every expression of a job with its text; those that can't be parsed are left out."""
    for text in job.texts:
        try:
            found = [parse_expression(inner) for _, inner in fenced(text.text)]
        except ExpressionError:
            continue
        yield from ((text, expression) for expression in found)
    for condition in conditions_of(job):
        try:
            yield condition, parse_condition(condition.text)
        except ExpressionError:
            continue


def conditions_of(job: Job) -> Iterator[Text]:
    """Return the conditions of a job and its steps."""
    yield from (c for c in (job.condition, *(step.condition for step in job.steps)) if c is not None)


def unreadable_expressions(job: Job) -> Iterator[tuple[Text, str]]:
    """Return every text whose expressions can't be parsed, and why."""
    for text in job.texts:
        try:
            for _, inner in fenced(text.text):
                parse_expression(inner)
        except ExpressionError as error:
            yield text, str(error)
    for condition in conditions_of(job):
        try:
            parse_condition(condition.text)
        except ExpressionError as error:
            yield condition, str(error)


def reads_of_needs(job: Job) -> Iterator[Read]:
    """Return what a job reads of the jobs that it waits for, in order of the file."""
    found = [Read(position=text.position, job=name, part=part) for text, name, part in _reads(job)]
    yield from sorted(dict.fromkeys(found), key=lambda read: (read.position, read.job or "", read.part))


def _reads(job: Job) -> Iterator[tuple[Text, str | None, tuple[str, ...]]]:
    for text, expression in expressions_of(job):
        inner: set[int] = set()
        for part in below(expression):
            path = path_of(part) if isinstance(part, (Context, Property)) else None
            if path is None or path[0] != "needs" or id(part) in inner:
                continue
            inner.update(id(below_part) for below_part in below(part))
            yield text, path[1] if len(path) > 1 else None, _with_plan(expression, part, path[2:])


def _with_plan(expression: Expression, part: Expression, path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path of a read; ``fromJSON(needs.J.outputs.plan).outputs.X`` counts as a read of X."""
    if path != ("outputs", "plan"):
        return path
    for outer in below(expression):
        match outer:
            case Property(of=Property(of=Call(name="fromjson", arguments=(argument,)), name="outputs"), name=name):
                if argument is part:
                    return ("outputs", name)
            case _:
                pass
    return path
