"""The text of a workflow file, or of a composite action, becomes a Workflow, or its steps.

YAML is read as GitHub reads it: ``on`` is a text, anchors count, a merge key is a mistake, and so is a key that stands
twice. What this module doesn't know is left alone: it looks for what decides, it is no validator.

Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
"""

from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

from ci_classify.core.errors import InvalidFileError, Problem
from ci_classify.core.model import Position
from ci_classify.core.workflow import Action, Input, Job, Step, Text, Trigger, Workflow
from ci_classify.formats.nodes import Listing, Mapping, Node, Scalar, parse

MAX_MATRIX = 256  # runs of one job, as GitHub has it


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
    return reader.steps(runs.get("steps"), _Defaults(None, "."))


def read_action(text: bytes, file: str) -> Action | None:
    """Return an action as far as it can be read, or None where its file is no YAML."""
    try:
        root, _ = parse(text, file)
    except InvalidFileError:
        return None
    reader = _Reader(file)
    fields = reader.mapping(root)
    runs = reader.mapping(fields.get("runs"))
    using = _text(runs.get("using"))
    return Action(
        using=using.text if using else "",
        inputs=reader.inputs(fields.get("inputs")),
        steps=reader.steps(runs.get("steps"), _Defaults(None, ".")),
        image=_text(runs.get("image")),
        texts=tuple(_texts(root)),
    )


class _Defaults(NamedTuple):
    """What ``defaults.run`` says for the steps below."""

    shell: str | None
    directory: str


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self.problems: list[Problem] = []

    def workflow(self, root: Node) -> Workflow:
        fields = self.mapping(root)
        defaults = self._defaults(fields, _Defaults(None, "."))
        jobs = {name: self._job(name, key, node, defaults) for name, key, node in self._entries(fields.get("jobs"))}
        on = fields.get("on")
        call = self.mapping(self.mapping(on).get("workflow_call"))
        outputs = {
            name: text
            for name, _, node in self._entries(call.get("outputs"))
            if (text := _text(self.mapping(node).get("value")))
        }
        return Workflow(
            file=self._file,
            triggers=None if on is None else self._triggers(on),
            jobs=jobs,
            environment=self._values(fields.get("env")),
            call_inputs=self.inputs(call.get("inputs")),
            call_outputs=outputs,
        )

    def inputs(self, node: Node | None) -> dict[str, Input]:
        """Return the inputs that a reusable workflow or an action declares."""
        found = {}
        for name, _, value in self._entries(node):
            fields = self.mapping(value)
            type_, default = _text(fields.get("type")), _text(fields.get("default"))
            found[name.lower()] = Input(
                type=type_.text if type_ else "string", default=default.text if default else None
            )
        return found

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

    def _job(self, name: str, key: Scalar, node: Node, defaults: _Defaults) -> Job:
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
            inputs=self._values(fields.get("with")),
            environment=self._values(fields.get("env")),
            runs_on=tuple(_leaves(fields.get("runs-on"))),
            has_matrix="matrix" in self.mapping(fields.get("strategy")),
            matrix=tuple(self._matrix(self.mapping(fields.get("strategy")).get("matrix"))),
            continue_on_error=_text(fields.get("continue-on-error")),
            steps=self.steps(fields.get("steps"), self._defaults(fields, defaults)),
            texts=tuple(_texts(node)),
        )

    def steps(self, node: Node | None, defaults: _Defaults) -> tuple[Step, ...]:
        """Return the steps of a list."""
        return tuple(self._step(item, defaults) for item in (node.items if isinstance(node, Listing) else ()))

    def _step(self, node: Node, defaults: _Defaults) -> Step:
        fields = self.mapping(node)
        id_, directory = _text(fields.get("id")), _text(fields.get("working-directory"))
        shell = _text(fields.get("shell"))
        return Step(
            position=_position(node),
            id=id_.text if id_ else None,
            condition=_text(fields.get("if")),
            uses=_text(fields.get("uses")),
            run=_text(fields.get("run")),
            inputs=self._values(fields.get("with")),
            environment=self._values(fields.get("env")),
            shell=shell.text if shell else defaults.shell,
            working_directory=directory.text if directory else defaults.directory,
            continue_on_error=_text(fields.get("continue-on-error")),
            texts=tuple(_texts(node)),
        )

    def _values(self, node: Node | None) -> dict[str, Text]:
        return {name: text for name, _, value in self._entries(node) if (text := _text(value))}

    def _defaults(self, fields: dict[str, Node], otherwise: _Defaults) -> _Defaults:
        run = self.mapping(self.mapping(fields.get("defaults")).get("run"))
        shell, directory = _text(run.get("shell")), _text(run.get("working-directory"))
        return _Defaults(
            shell=shell.text if shell else otherwise.shell,
            directory=directory.text if directory else otherwise.directory,
        )

    def _matrix(self, node: Node | None) -> Iterator[dict[str, str]]:
        """Return the values of each run of a matrix; of one that only a run knows, what is known of it."""
        fields = self.mapping(node)
        include, exclude = (self._rows(fields.pop(key, None)) for key in ("include", "exclude"))
        axes = [[_flat(name, item) for item in _items(value)] for name, value in fields.items() if _items(value)]
        runs: list[dict[str, str]] = []
        for values in islice(product(*axes), MAX_MATRIX) if axes else ():
            run = {name: text for value in values for name, text in value.items()}
            if not any(row.items() <= run.items() for row in exclude):
                runs.append(run)
        own = {name for run in runs for name in run}
        for row in include:
            fitting = [run for run in runs if all(run.get(name) == row[name] for name in row if name in own)]
            added = {name: text for name, text in row.items() if name not in own}
            runs = [run | added if run in fitting else run for run in runs]
            runs += [] if fitting else [row]
        yield from runs[:MAX_MATRIX]

    def _rows(self, node: Node | None) -> list[dict[str, str]]:
        rows = (self.mapping(item) for item in _items(node))
        return [{k: v for name, value in row.items() for k, v in _flat(name, value).items()} for row in rows]


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, Listing) else []


def _flat(name: str, node: Node) -> dict[str, str]:
    """Return the texts of a value, under the names by which expressions read them, in lower case."""
    match node:
        case Scalar():
            return {name.lower(): node.text}
        case Mapping():
            pairs = ((key.text, value) for key, value in node.pairs if isinstance(key, Scalar))
            return {k: v for key, value in pairs for k, v in _flat(f"{name}.{key}", value).items()}
        case Listing():
            return {}


def _leaves(node: Node | None) -> Iterator[Text]:
    """Return the texts of a value: itself, or those in it."""
    match node:
        case Scalar():
            yield Text(text=node.text, position=_position(node))
        case Listing():
            for item in node.items:
                yield from _leaves(item)
        case Mapping():
            for _, value in node.pairs:
                yield from _leaves(value)
        case None:
            pass


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
