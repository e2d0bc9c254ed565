"""The text of a workflow file, or of a composite action, becomes a Workflow, or its steps.

YAML is read as GitHub reads it: ``on`` is a text, anchors count, a merge key is a mistake, and so is a key that stands
twice. What this module doesn't know is left alone: it looks for what decides, it is no validator.

Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
"""

from collections.abc import Iterator
from typing import NamedTuple

from ci_classify.core.errors import InvalidFileError, Problem
from ci_classify.core.model import Position
from ci_classify.core.workflow import Job, Step, Text, Trigger, Workflow
from ci_classify.formats.nodes import Listing, Mapping, Node, Scalar, parse


class ReadWorkflow(NamedTuple):
    """A workflow, and what is wrong with its file. Without a workflow there are only problems."""

    workflow: Workflow | None
    problems: tuple[Problem, ...]


def read_workflow(text: bytes, file: str) -> ReadWorkflow:
    """Return the workflow of a file as far as it can be read, and every problem."""
    reader = _Reader(file)
    try:
        root, problems = parse(text, file)
    except InvalidFileError as error:
        return ReadWorkflow(workflow=None, problems=error.problems)
    workflow = reader.workflow(root)
    return ReadWorkflow(workflow=workflow, problems=(*problems, *reader.problems))


def read_action_steps(text: bytes, file: str) -> tuple[Step, ...]:
    """Return the steps of a composite action; none for any other action, or a file that can't be read."""
    try:
        root, _ = parse(text, file)
    except InvalidFileError:
        return ()
    reader = _Reader(file)
    runs = reader.mapping(reader.mapping(root).get("runs"))
    return reader.steps(runs.get("steps"), ".")


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self.problems: list[Problem] = []

    def workflow(self, root: Node) -> Workflow:
        fields = self.mapping(root)
        defaults = self._working_directory(fields, ".")
        jobs = {name: self._job(name, key, node, defaults) for name, key, node in self._entries(fields.get("jobs"))}
        on = fields.get("on")
        call = self.mapping(self.mapping(on).get("workflow_call"))
        outputs = {
            name: text
            for name, _, node in self._entries(call.get("outputs"))
            if (text := _text(self.mapping(node).get("value")))
        }
        return Workflow(
            file=self._file, triggers=None if on is None else self._triggers(on), jobs=jobs, call_outputs=outputs
        )

    def mapping(self, node: Node | None) -> dict[str, Node]:
        """Return the entries of a mapping; anything else has none."""
        return {name: value for name, _, value in self._entries(node)}

    def _entries(self, node: Node | None) -> list[tuple[str, Scalar, Node]]:
        found: dict[str, tuple[str, Scalar, Node]] = {}
        for key, value in node.pairs if isinstance(node, Mapping) else ():
            if not isinstance(key, Scalar):
                continue
            if key.text == "<<":
                self._wrong(key, "GitHub reads no merge keys", "write the keys out, or alias the whole mapping")
            elif key.text in found:
                first = found[key.text][1].place.line
                self._wrong(key, f"{key.text} stands twice here, first on line {first}", "keep one of the two")
            else:
                found[key.text] = (key.text, key, value)
        return list(found.values())

    def _wrong(self, node: Node, message: str, help_: str) -> None:
        problem = Problem(file=self._file, line=node.place.line, column=node.place.column, message=message, help=help_)
        if problem not in self.problems:
            self.problems.append(problem)

    def _triggers(self, on: Node) -> dict[str, Trigger]:
        match on:
            case Scalar():
                return {on.text: Trigger(event=on.text, position=_position(on))} if on.text else {}
            case Listing():
                names = [item for item in on.items if isinstance(item, Scalar)]
                return {item.text: Trigger(event=item.text, position=_position(item)) for item in names}
            case Mapping():
                return {name: self._trigger(name, key, node) for name, key, node in self._entries(on)}

    def _trigger(self, name: str, key: Scalar, node: Node) -> Trigger:
        filters = {filter_: _position(key) for filter_, key, _ in self._entries(node)}
        return Trigger(event=name, position=_position(key), filters=filters)

    def _job(self, name: str, key: Scalar, node: Node, defaults: str) -> Job:
        fields = self.mapping(node)
        needs = fields.get("needs")
        listed = needs.items if isinstance(needs, Listing) else [] if needs is None else [needs]
        outputs = {name: text for name, _, value in self._entries(fields.get("outputs")) if (text := _text(value))}
        return Job(
            id=name,
            position=_position(key),
            needs=tuple(text for item in listed if (text := _text(item))),
            condition=_text(fields.get("if")),
            outputs=outputs,
            uses=_text(fields.get("uses")),
            has_matrix="matrix" in self.mapping(fields.get("strategy")),
            continue_on_error=_text(fields.get("continue-on-error")),
            steps=self.steps(fields.get("steps"), self._working_directory(fields, defaults)),
            texts=tuple(_texts(node)),
        )

    def steps(self, node: Node | None, defaults: str) -> tuple[Step, ...]:
        """Return the steps of a list."""
        return tuple(self._step(item, defaults) for item in (node.items if isinstance(node, Listing) else ()))

    def _step(self, node: Node, defaults: str) -> Step:
        fields = self.mapping(node)
        id_, directory = _text(fields.get("id")), _text(fields.get("working-directory"))
        return Step(
            position=_position(node),
            id=id_.text if id_ else None,
            condition=_text(fields.get("if")),
            uses=_text(fields.get("uses")),
            run=_text(fields.get("run")),
            inputs=self._values(fields.get("with")),
            environment=self._values(fields.get("env")),
            working_directory=directory.text if directory else defaults,
            continue_on_error=_text(fields.get("continue-on-error")),
            texts=tuple(_texts(node)),
        )

    def _values(self, node: Node | None) -> dict[str, Text]:
        return {name: text for name, _, value in self._entries(node) if (text := _text(value))}

    def _working_directory(self, fields: dict[str, Node], otherwise: str) -> str:
        run = self.mapping(self.mapping(fields.get("defaults")).get("run"))
        text = _text(run.get("working-directory"))
        return text.text if text else otherwise


def _position(node: Node) -> Position:
    return (node.place.line, node.place.column)


def _text(node: Node | None) -> Text | None:
    return Text(text=node.text, position=_position(node)) if isinstance(node, Scalar) else None


def _texts(node: Node) -> Iterator[Text]:
    """Return all values below a node but those of ``if``, which needs no ``${{ }}`` to be an expression."""
    match node:
        case Scalar():
            if "${{" in node.text:
                yield Text(text=node.text, position=_position(node))
        case Listing():
            for item in node.items:
                yield from _texts(item)
        case Mapping():
            for key, value in node.pairs:
                if not (isinstance(key, Scalar) and key.text == "if" and isinstance(value, Scalar)):
                    yield from _texts(value)
