"""Examples, in the rules file or in a file of their own, become Example values."""

from collections.abc import Mapping
from types import MappingProxyType

from ci_classify.core.model import MODIFIED, ChangeKind, Changes, ChangeType, Example
from ci_classify.formats.nodes import Listing, Node, Reader, nearest, parse
from ci_classify.formats.nodes import Mapping as MappingNode

_KEYS = ("name", "event", "branch", "labels", "changed", "expect", "selects", "why", "confidence")


def load_examples(text: str | bytes, file: str, outputs: frozenset[str]) -> tuple[Example, ...]:
    """Return the examples of a file: a list, or a mapping with the one key ``examples``.

    Raises InvalidFileError with everything that is wrong.
    """
    root = parse(text, file)
    reader = Reader(file)
    if isinstance(root, MappingNode):
        root = reader.fields(root, "the examples file", ("examples",)).get("examples", root)
    if not isinstance(root, Listing):
        reader.wrong(root, "there are no examples", "write a list, or `examples:` with a list")
        reader.finish()
    examples = read_examples(reader, root, outputs)
    reader.finish()
    return examples


def read_examples(reader: Reader, node: Node | None, outputs: frozenset[str]) -> tuple[Example, ...]:
    """Return the examples of a node; mistakes go to the reader."""
    examples = (_example(reader, item, outputs) for item in (reader.items(node, "examples") if node else []))
    return tuple(example for example in examples if example)


def _example(reader: Reader, node: Node, outputs: frozenset[str]) -> Example | None:
    fields = reader.fields(node, "an example", _KEYS)
    if not isinstance(node, MappingNode):
        return None
    for key, why in (("name", "what it shows"), ("changed", "[] for a change of no path")):
        if key not in fields:
            reader.wrong(node, f"an example has no {key}", f"write `{key}:`, {why}")
    if "expect" not in fields and "selects" not in fields:
        reader.wrong(node, "an example checks nothing", "write `expect:` or `selects:`")
    name = reader.text(fields["name"], "the name of an example") if "name" in fields else None
    event = reader.text(fields["event"], "an event") if "event" in fields else "pull_request"
    branch = reader.text(fields["branch"], "a branch") if "branch" in fields else None
    labels = reader.texts(fields["labels"], "labels") if "labels" in fields else []
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
            paths.append(path)
            kinds.append(kind)
    return Changes(paths=tuple(paths), kinds=tuple(kinds))


def _expect(reader: Reader, node: Node | None, outputs: frozenset[str]) -> Mapping[str, bool]:
    expect = {}
    for name, key, value in reader.entries(node, "expect") if node else []:
        answer = reader.boolean(value, f"the expected value of {name}")
        if name not in outputs:
            reader.wrong(key, f"there is no output {name!r}", nearest(name, sorted(outputs)))
        elif answer is not None:
            expect[name] = answer
    return MappingProxyType(expect)


def _selects(reader: Reader, node: Node, outputs: frozenset[str]) -> frozenset[str]:
    names = set()
    for name, item in reader.texts(node, "selects"):
        if name in outputs:
            names.add(name)
        else:
            reader.wrong(item, f"there is no output {name!r}", nearest(name, sorted(outputs)))
    return frozenset(names)
