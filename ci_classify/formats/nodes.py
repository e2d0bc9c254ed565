"""YAML text as nodes that know their place. The only module that imports a YAML parser.

Nodes are built from parser events, so that nesting, size and aliases are bounded before anything is
built. ``Reader`` walks nodes and collects every complaint instead of stopping at the first.

Refuses: tags, several documents, merge keys, recursive aliases, and to turn a number or a boolean into
text: what is no text by YAML 1.1 or 1.2 is ``plain`` with a kind other than ``text``.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import yaml

from ci_classify.core.errors import InvalidFileError, Problem

MAX_DEPTH = 24
MAX_NODES = 200_000  # visits, an alias counting all that it stands for
MAX_BYTES = 4 << 20

_BOOLEAN_WORDS = frozenset({"true", "false", "yes", "no", "on", "off"})
_NOTHING_WORDS = frozenset({"", "~", "null"})
_NUMBER_STARTS = frozenset("0123456789+-.")
BOOLEANS = {"true": True, "false": False}


class Place(NamedTuple):
    """Where a node starts: 1-based line and column."""

    line: int
    column: int


class Scalar:
    """A leaf. ``kind`` is ``text``, or what YAML makes of it: a boolean, a number, a date, nothing."""

    __slots__ = ("kind", "place", "text")

    def __init__(self, place: Place, text: str, kind: str = "text") -> None:
        self.place = place
        self.text = text
        self.kind = kind


class Listing:
    """A sequence."""

    __slots__ = ("items", "place")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.items: list[Node] = []


class Mapping:
    """A mapping, as pairs in the order of the file; a key may be repeated."""

    __slots__ = ("pairs", "place")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.pairs: list[tuple[Node, Node]] = []


Node = Scalar | Listing | Mapping


def parse(text: str | bytes, file: str) -> Node:
    """Return the root node of a file's only document, or raise InvalidFileError."""
    return _Builder(file).build(decode(text, file))


def decode(text: str | bytes, file: str) -> str:
    """Return the text of a file of bounded size, or raise InvalidFileError."""
    if len(text) > MAX_BYTES:
        raise _wrong(file, Place(1, 1), f"the file is larger than {MAX_BYTES >> 20} MiB", "write fewer rules")
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        column = error.start - text.rfind(b"\n", 0, error.start)
        raise _wrong(file, Place(line, column), "the file is no UTF-8 text", "save it as UTF-8") from None


def _wrong(file: str, place: Place, message: str, help_: str) -> InvalidFileError:
    problem = Problem(file=file, line=place.line, column=place.column, message=message, help=help_)
    return InvalidFileError((problem,))


def events(text: str) -> Iterator[yaml.Event]:
    """Return the parser's events; raises yaml.YAMLError where the text is no YAML."""
    # The C scanner knows no escaped surrogates, which JSON writes, and its complaints are poorer.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader) if "\\u" not in text else yaml.SafeLoader
    return yaml.parse(text, Loader=loader)


class _Builder:
    """Builds nodes from events."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._size = 0

    def build(self, text: str) -> Node:
        try:
            root = self._document(events(text))
        except yaml.YAMLError:
            try:
                root = self._document(yaml.parse(text, Loader=yaml.SafeLoader))
            except yaml.YAMLError as error:
                raise self._not_yaml(error) from None
            except RecursionError:
                raise _wrong(self._file, Place(1, 1), "the file is nested too deeply", "flatten it") from None
        if root is None:
            raise _wrong(self._file, Place(1, 1), "the file is empty", "write `version: 1` and `suites:`")
        return root

    def _not_yaml(self, error: yaml.YAMLError) -> InvalidFileError:
        mark = getattr(error, "problem_mark", None)
        place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable text"
        return _wrong(self._file, place, f"this is no YAML: {what}", "check quotes, indentation and brackets here")

    def _document(self, stream: Iterator[yaml.Event]) -> Node | None:
        root: Node | None = None
        self._anchors, self._size = {}, 0
        open_nodes: list[tuple[Listing | Mapping, str | None, int, list[Node]]] = []
        for event in stream:
            match event:
                case yaml.DocumentStartEvent() if root is not None:
                    raise _wrong(
                        self._file, _place(event), "a second document starts here", "keep one document, delete this ---"
                    )
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._check(event, len(open_nodes))
                    mapping = isinstance(event, yaml.MappingStartEvent)
                    node = Mapping(_place(event)) if mapping else Listing(_place(event))
                    open_nodes.append((node, event.anchor, self._size, []))
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    node, anchor, before, _ = open_nodes.pop()
                    if anchor is not None:
                        self._anchors[anchor] = (node, self._size - before + 1)
                    root = self._attach(open_nodes, node) or root
                case yaml.ScalarEvent():
                    self._check(event, len(open_nodes))
                    scalar = _scalar(event)
                    if event.anchor is not None:
                        self._anchors[event.anchor] = (scalar, 1)
                    root = self._attach(open_nodes, scalar) or root
                case yaml.AliasEvent():
                    root = self._attach(open_nodes, self._aliased(event, open_nodes)) or root
                case _:
                    pass
        return root

    @staticmethod
    def _attach(open_nodes: list[tuple[Listing | Mapping, str | None, int, list[Node]]], node: Node) -> Node | None:
        """Put a finished node into its parent; return it where it is the root."""
        if not open_nodes:
            return node
        parent, _, _, keys = open_nodes[-1]
        if isinstance(parent, Listing):
            parent.items.append(node)
        elif keys:
            parent.pairs.append((keys.pop(), node))
        else:
            keys.append(node)
        return None

    def _check(self, event: yaml.NodeEvent, depth: int) -> None:
        self._grow(event, 1)
        if depth >= MAX_DEPTH:
            raise _wrong(self._file, _place(event), f"nested deeper than {MAX_DEPTH} levels", "flatten it")
        tag = getattr(event, "tag", None)
        if tag is not None:
            written = "!" + tag.rpartition(":")[2] if tag.startswith("tag:") else tag
            raise _wrong(self._file, _place(event), f"the tag {written[:40]!r} is not read", "delete the tag")

    def _grow(self, event: yaml.NodeEvent, by: int) -> None:
        self._size += by
        if self._size > MAX_NODES:
            raise _wrong(
                self._file,
                _place(event),
                f"more than {MAX_NODES} nodes, aliases counted in full",
                "write fewer aliases, or use sets",
            )

    def _aliased(
        self, event: yaml.AliasEvent, open_nodes: Sequence[tuple[Listing | Mapping, str | None, int, list[Node]]]
    ) -> Node:
        name = event.anchor
        if any(anchor == name for _, anchor, _, _ in open_nodes):
            raise _wrong(self._file, _place(event), f"*{name} stands inside &{name}", "write the node out")
        if name not in self._anchors:
            raise _wrong(self._file, _place(event), f"*{name} has no anchor above it", f"write &{name} first")
        node, size = self._anchors[name]
        self._grow(event, size)
        return node


def _place(event: yaml.Event) -> Place:
    mark = event.start_mark
    return Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)


def _scalar(event: yaml.ScalarEvent) -> Scalar:
    text = event.value
    if not text.isascii() and any("\ud800" <= character <= "\udbff" for character in text):
        # JSON writes a character beyond 16 bits as two escapes, which YAML reads as two characters.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    plain = event.style is None or event.style == ""
    return Scalar(_place(event), text, _kind(text) if plain else "text")


def _kind(text: str) -> str:
    """Return what YAML 1.1 or 1.2 makes of a plain scalar."""
    word = text.lower()
    if word in _BOOLEAN_WORDS:
        return "a boolean"
    if word in _NOTHING_WORDS:
        return "nothing"
    if word[0] not in _NUMBER_STARTS:
        return "text"
    return next((kind for regex, kind in _numbers() if regex.fullmatch(word)), "text")


@cache
def _numbers() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what numbers and dates look like; compiled at first need, since few rules hold any."""
    number = (
        r"[-+]?(?:0x[0-9a-f_]+|0b[01_]+|0o?[0-7_]+|[0-9][0-9_]*(?::[0-5]?[0-9])*)",
        r"[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?::[0-5]?[0-9])*\.[0-9_]*)(?:e[-+]?[0-9]+)?",
        r"[-+]?[0-9][0-9_]*e[-+]?[0-9]+",
        r"[-+]?\.(?:inf|nan)",
    )
    date = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t \t].*)?"
    return (re.compile("|".join(number)), "a number"), (re.compile(date), "a date")


class Reader:
    """Reads values out of nodes. What is wrong is collected in ``problems`` and reads as None."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def wrong(
        self, node: Node | Place, message: str, help_: str, *, warning: bool = False, code: str | None = None
    ) -> None:
        """Note a complaint about a node."""
        place = node if isinstance(node, Place) else node.place
        self.problems.append(
            Problem(
                file=self.file,
                line=place.line,
                column=place.column,
                message=message,
                help=help_,
                warning=warning,
                code=code,
            )
        )

    def finish(self) -> tuple[Problem, ...]:
        """Return the warnings in the order of the file, or raise InvalidFileError with all complaints."""
        # An aliased node is read wherever it is used, but wrong only once.
        problems = tuple(sorted(dict.fromkeys(self.problems), key=lambda p: (p.line, p.column, p.message)))
        if any(not problem.warning for problem in problems):
            raise InvalidFileError(problems)
        return problems

    def text(self, node: Node, what: str) -> str | None:
        """Return a text, which may be empty."""
        if not isinstance(node, Scalar):
            self.wrong(node, f"{what} must be text, not {_shape(node)}", "write one text here")
            return None
        if node.kind != "text":
            shown = node.text or "nothing"
            self.wrong(node, f"{what} must be text; YAML reads {shown} as {node.kind}", f'write "{node.text}"')
            return None
        return node.text

    def boolean(self, node: Node, what: str) -> bool | None:
        """Return true or false, the only two ways to write a boolean."""
        if isinstance(node, Scalar) and node.kind == "a boolean" and node.text in BOOLEANS:
            return BOOLEANS[node.text]
        self.wrong(node, f"{what} must be true or false", "write true or false, without quotes")
        return None

    def choice(self, node: Node, what: str, choices: Sequence[str]) -> str | None:
        """Return one of a few words."""
        text = node.text if isinstance(node, Scalar) else None
        if text in choices:
            return text
        self.wrong(node, f"{what} must be one of {', '.join(choices)}", nearest(text or "", choices))
        return None

    def items(self, node: Node, what: str) -> list[Node]:
        """Return the items of a list."""
        if isinstance(node, Listing):
            return node.items
        self.wrong(node, f"{what} must be a list, not {_shape(node)}", "write [ ] around it, or - before each item")
        return []

    def texts(self, node: Node, what: str) -> list[tuple[str, Node]]:
        """Return the items of a list of texts, each with its node."""
        pairs = ((self.text(item, f"an entry of {what}"), item) for item in self.items(node, what))
        return [(text, item) for text, item in pairs if text is not None]

    def entries(self, node: Node, what: str) -> list[tuple[str, Scalar, Node]]:
        """Return the entries of a mapping with keys of text, each once: key, the key's node, the value."""
        if not isinstance(node, Mapping):
            self.wrong(node, f"{what} must be a mapping, not {_shape(node)}", "write `name: value` lines")
            return []
        found: dict[str, tuple[Scalar, Node]] = {}
        for key_node, value in node.pairs:
            key = self.text(key_node, f"a key of {what}")
            if key is None or not isinstance(key_node, Scalar):
                continue
            if key in found:
                first = found[key][0].place.line
                self.wrong(key_node, f"{key} stands twice in {what}, first on line {first}", "keep one of the two")
                continue
            found[key] = (key_node, value)
        return [(key, key_node, value) for key, (key_node, value) in found.items()]

    def fields(self, node: Node, what: str, known: Sequence[str]) -> dict[str, Node]:
        """Return the entries of a mapping whose keys are a closed list."""
        result = {}
        for key, key_node, value in self.entries(node, what):
            if key in known:
                result[key] = value
            else:
                self.wrong(key_node, f"{what} has no key {key!r}", nearest(key, known))
        return result


def nearest(text: str, choices: Sequence[str]) -> str:
    """Return advice: the choice that a wrong text is nearest to, or all of them."""
    import difflib  # noqa: PLC0415 -- only a mistake needs it, and it is slow to load

    close = difflib.get_close_matches(text, choices, n=1, cutoff=0.6)
    return f"write {close[0]}" if close else f"write one of {', '.join(choices)}"


def _shape(node: Node) -> str:
    match node:
        case Mapping():
            return "a mapping"
        case Listing():
            return "a list"
        case Scalar():
            return "nothing" if node.kind == "nothing" else f"the text {node.text[:40]!r}"
