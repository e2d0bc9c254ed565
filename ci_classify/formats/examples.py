"""Examples, in the rules file or in a file of their own, become Example values."""

from collections.abc import Mapping
from types import MappingProxyType

from ci_classify.core.model import MODIFIED, ChangeKind, Changes, ChangeType, Example
from ci_classify.core.text import quoted, visible
from ci_classify.formats.nodes import Mapping as MappingNode
from ci_classify.formats.nodes import Node
from ci_classify.formats.path_list import is_from_top
from ci_classify.formats.reader import Reader

_COMMENTS = ("why", "confidence")
_KEYS = ("name", "event", "branch", "labels", "changed", "expect", "selects", *_COMMENTS)


def load_examples(text: str | bytes, file: str, outputs: frozenset[str]) -> tuple[Example, ...]:
    """Return the examples of a file: a list, or a mapping with the one key ``examples``.

    Raises InvalidFileError with everything that is wrong.
    """
    reader = Reader(file)
    root = reader.document(text)
    listed: Node | None = root
    if isinstance(root, MappingNode):
        listed = reader.fields(root, "the examples file", ("examples",)).get("examples")
        if listed is None and not reader.problems:
            reader.wrong(root, "there are no examples", "write `examples:` with a list")
    examples = read_examples(reader, listed, outputs)
    reader.finish()
    return examples


def read_examples(reader: Reader, node: Node | None, outputs: frozenset[str] | None) -> tuple[Example, ...]:
    """Return the examples of a node; mistakes go to the reader. Without ``outputs`` no name of an output is wrong."""
    examples = (_example(reader, item, outputs) for item in (reader.items(node, "examples") if node else []))
    return tuple(example for example in examples if example)


def _example(reader: Reader, node: Node, outputs: frozenset[str] | None) -> Example | None:
    before = reader.errors
    fields = reader.fields(node, "an example", _KEYS)
    if not isinstance(node, MappingNode):
        return None
    if reader.errors == before:  # else what is missing may be there, by a wrong name
        for key, why in (("name", "what it shows"), ("changed", "[] for a change of no path")):
            if key not in fields:
                reader.wrong(node, f"the example has no {key}", f"write `{key}:`, {why}")
        if "expect" not in fields and "selects" not in fields:
            reader.wrong(node, "the example checks nothing", "write `expect:` or `selects:`")
    for key in _COMMENTS:
        if key in fields:
            reader.text(fields[key], f"{key} of an example")
    name = reader.text(fields["name"], "the name of an example") if "name" in fields else None
    event = reader.text(fields["event"], "the event of an example") if "event" in fields else "pull_request"
    branch = reader.text(fields["branch"], "the branch of an example") if "branch" in fields else None
    labels = reader.texts(fields["labels"], "the labels of an example") if "labels" in fields else []
    selects = fields.get("selects")
    return Example(
        name=name or "",
        event=event or "",
        branch=branch,
        labels=tuple(label for label, _ in labels),
        changes=_changes(reader, fields.get("changed")),
        expect=_expect(reader, fields.get("expect"), outputs),
        selects=None if selects is None else _selects(reader, selects, outputs),
        line=node.place.line,
    )


def _changes(reader: Reader, node: Node | None) -> Changes:
    paths: list[str] = []
    kinds: list[ChangeKind] = []
    for item in reader.items(node, "changed") if node else []:
        kind = MODIFIED
        path_node: Node | None = item
        if isinstance(item, MappingNode):
            fields = reader.fields(item, "a changed path", ("path", "change"))
            path_node = fields.get("path")
            if path_node is None:
                reader.wrong(item, "a changed path has no path", "write `path:`")
            if "change" in fields:
                known = [change.value for change in ChangeType]
                change = reader.choice(fields["change"], "a type of change", known)
                kind = ChangeKind(type=ChangeType(change)) if change else MODIFIED
        path = reader.text(path_node, "a changed path") if path_node else None
        if path:  # an empty line of a list of paths is no path
            if path_node and not is_from_top(path):
                reader.wrong(
                    path_node,
                    f"no file has the path {quoted(path)}",
                    "write it from the top of the repository, such as src/main.c",
                    warning=True,
                )
            paths.append(path)
            kinds.append(kind)
    return Changes(paths=tuple(paths), kinds=tuple(kinds))


def _expect(reader: Reader, node: Node | None, outputs: frozenset[str] | None) -> Mapping[str, bool]:
    expect = {}
    for name, key, value in reader.entries(node, "expect", "run-tests: true") if node else []:
        answer = reader.boolean(value, f"the expected value of {visible(name)}")
        if _is_output(reader, name, key, outputs) and answer is not None:
            expect[name] = answer
    return MappingProxyType(expect)


def _selects(reader: Reader, node: Node, outputs: frozenset[str] | None) -> frozenset[str]:
    named = reader.texts(node, "selects")
    return frozenset(name for name, item in named if _is_output(reader, name, item, outputs))


def _is_output(reader: Reader, name: str, node: Node, outputs: frozenset[str] | None) -> bool:
    if outputs is None or name in outputs:
        return True
    reader.wrong(node, f"there is no output {quoted(name)}", reader.advice(name, sorted(outputs)))
    return False
