"""YAML text as nodes that know their place. With ``output_names`` the only importer of a YAML parser.

Nodes are built from parser events, so that nesting, size and aliases are bounded before anything is
built. A mistake that YAML can be read past is noted, and reading goes on.

Refuses: tags, several documents, recursive aliases, and to turn a number or a boolean into text: what
is no text by YAML 1.1 or 1.2 is ``plain`` with a kind other than ``text``.
"""

import re
import sys
from collections.abc import Iterator

import yaml

from ci_classify.core.annotations import NoReturn, Protocol
from ci_classify.core.errors import InvalidFileError, Problem
from ci_classify.core.text import quoted, visible
from ci_classify.formats.scalars import kind_of

MAX_DEPTH = 24
MAX_NODES = 200_000  # visits, an alias counting all that it stands for
MAX_BYTES = 4 << 20
UNREADABLE = (yaml.YAMLError, ValueError, OverflowError)  # what parsing raises, numbers being read without a look
REFUSED = "refused"  # the kind of a leaf that is complained about already

_UTF_16_OR_32 = re.compile(rb"\xff\xfe|\xfe\xff|.?\0", re.DOTALL)
_STANDARD_TAG = "tag:yaml.org,2002:"


class Place:
    """Where a node starts: 1-based line and column."""

    __slots__ = ("column", "line")

    def __init__(self, line: int, column: int) -> None:
        self.line = line
        self.column = column


class Scalar:
    """A leaf. ``kind`` is ``text``, or what YAML makes of it: a boolean, a number, a date, a merge key, nothing."""

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


def parse(text: str | bytes, file: str) -> tuple[Node, tuple[Problem, ...]]:
    """Return the root node of a file's only document, and the mistakes that YAML can be read past.

    Raises InvalidFileError where it can't: no YAML, nothing at all, too large, too deep.
    """
    return _Builder(file, decode(text, file)).build()


def decode(text: str | bytes, file: str) -> str:
    """Return the text of a file of bounded size, or raise InvalidFileError."""
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(content) > MAX_BYTES:
        raise _wrong(file, Place(1, 1), f"the file is larger than {MAX_BYTES >> 20} MiB", "write fewer rules")
    if _UTF_16_OR_32.match(content):
        raise _wrong(file, Place(1, 1), "the file is UTF-16 or UTF-32", "save it as UTF-8")
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        place = Place(before.count(b"\n") + 1, column)
        byte = content[error.start]
        raise _wrong(file, place, f"the byte \\x{byte:02x} here is no UTF-8", "save the file as UTF-8") from None


def events(text: str) -> Iterator[yaml.Event]:
    """Return the parser's events; raises one of UNREADABLE where the text is no YAML."""
    # The C scanner knows no escaped surrogates, which JSON writes, and its complaints are poorer.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader) if "\\u" not in text else yaml.SafeLoader
    return yaml.parse(text, Loader=loader)


def _wrong(file: str, place: Place, message: str, help_: str) -> InvalidFileError:
    return InvalidFileError((_problem(file, place, message, help_),))


def _problem(file: str, place: Place, message: str, help_: str) -> Problem:
    return Problem(file=file, line=place.line, column=place.column, message=message, help=help_)


class _Mark(Protocol):
    """A place as the parser gives it, counted from 0: characters of the text, lines, characters of the line."""

    @property
    def index(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class _Open:
    """A collection that is being read: its anchor, how many nodes came before it, its key that waits for a value."""

    __slots__ = ("anchor", "keys", "node", "size_before")

    def __init__(self, node: Listing | Mapping, anchor: str | None, size_before: int) -> None:
        self.node = node
        self.anchor = anchor
        self.size_before = size_before
        self.keys: list[Node] = []


class _Builder:
    """Builds nodes from events."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._text = text
        self._start()

    def _start(self) -> None:
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._open: list[_Open] = []
        self._size = 0
        self._root: Node | None = None
        self._problems: list[Problem] = []

    def build(self) -> tuple[Node, tuple[Problem, ...]]:
        try:
            self._read(events(self._text))
        except UNREADABLE:
            self._start()
            try:
                self._read(yaml.parse(self._text, Loader=yaml.SafeLoader))
            except yaml.YAMLError as error:
                self._stop_at(error)
            except UNREADABLE:
                self._stop_at_number()
        root = self._root
        if root is None or (isinstance(root, Scalar) and not root.text and root.kind != REFUSED):
            self._stop(Place(1, 1), "the file is empty", "write `version: 1` and `suites:`")
        return root, tuple(self._problems)

    def _note(self, place: Place, message: str, help_: str) -> None:
        self._problems.append(_problem(self._file, place, message, help_))

    def _stop(self, place: Place, message: str, help_: str) -> NoReturn:
        self._note(place, message, help_)
        raise InvalidFileError(tuple(self._problems))

    def _stop_at(self, error: yaml.YAMLError) -> NoReturn:
        """Complain where the text is no YAML, unless a tag before that has swallowed a bracket or a comma."""
        from ci_classify.formats.yaml_mistakes import explain  # noqa: PLC0415 -- only a mistake needs it

        if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
            at = getattr(error, "position", 0)
            self._stop(
                self._at(at), f"the character {visible(self._text[at : at + 1])} can't stand in YAML", "delete it"
            )
        here, start = _marked(error.problem_mark), _marked(error.context_mark or error.problem_mark)
        if self._problems and (self._problems[-1].line, self._problems[-1].column) >= (start.line, start.column):
            raise InvalidFileError(tuple(self._problems))
        found = explain(
            error.context or "", error.problem or "", self._from(error.context_mark or error.problem_mark), start.line
        )
        self._stop(start if found.at_start else here, found.message, found.help)

    def _stop_at_number(self) -> NoReturn:
        """Complain about what the pure scanner makes numbers of without a look at their size."""
        for escape in re.finditer(r"\\U([0-9a-fA-F]{8})", self._text):
            if int(escape[1], 16) > sys.maxunicode:
                self._stop(self._at(escape.start()), f"{escape[0]} is no character", "write the character itself")
        directive = re.search(r"^%YAML", self._text, re.MULTILINE)
        self._stop(self._at(directive.start() if directive else 0), "this is no version of YAML", "delete the line")

    def _at(self, index: int) -> Place:
        return Place(self._text.count("\n", 0, index) + 1, index - self._text.rfind("\n", 0, index))

    def _from(self, mark: _Mark) -> str:
        """Return some of the text behind a mark."""
        return self._text[mark.index : mark.index + 200]

    def _read(self, stream: Iterator[yaml.Event]) -> None:
        for event in stream:
            match event:
                case yaml.ScalarEvent():
                    self._count(event, 1)
                    scalar = _scalar(event)
                    if event.tag is not None:
                        self._refuse_tag(event, event.tag)
                        scalar.kind = REFUSED
                    if event.anchor is not None:
                        self._anchors[event.anchor] = (scalar, 1)
                    self._attach(scalar)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._enter(event)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    opened = self._open.pop()
                    if opened.anchor is not None:
                        self._anchors[opened.anchor] = (opened.node, self._size - opened.size_before + 1)
                    self._attach(opened.node)
                case yaml.AliasEvent():
                    self._attach(self._aliased(event))
                case yaml.DocumentStartEvent() if self._root is not None:
                    self._note(_place(event), "a second document starts here", "keep one document, delete this ---")
                    return
                case _:
                    pass

    def _enter(self, event: yaml.CollectionStartEvent) -> None:
        self._count(event, 1)
        if len(self._open) >= MAX_DEPTH:
            self._stop(_place(event), f"nested deeper than {MAX_DEPTH} levels", "flatten it")
        if event.tag is not None:
            self._refuse_tag(event, event.tag)
        mapping = isinstance(event, yaml.MappingStartEvent)
        node = Mapping(_place(event)) if mapping else Listing(_place(event))
        self._open.append(_Open(node, event.anchor, self._size))

    def _attach(self, node: Node) -> None:
        """Put a finished node into its parent."""
        if not self._open:
            self._root = node
            return
        parent, keys = self._open[-1].node, self._open[-1].keys
        if isinstance(parent, Listing):
            parent.items.append(node)
        elif keys:
            parent.pairs.append((keys.pop(), node))
        else:
            keys.append(node)

    def _count(self, event: yaml.Event, nodes: int) -> None:
        self._size += nodes
        if self._size > MAX_NODES:
            self._stop(
                _place(event), f"more than {MAX_NODES:,} nodes, aliases counted in full", "write fewer, or use sets"
            )

    def _refuse_tag(self, event: yaml.NodeEvent, tag: str) -> None:
        from ci_classify.formats.yaml_mistakes import as_meant  # noqa: PLC0415 -- only a mistake needs it

        if tag.startswith("!"):
            meant = as_meant(self._from(_mark(event)))
            self._note(_place(event), f"{meant} is a YAML tag without quotes", f"write {meant}")
        else:
            short = "!!" + tag.removeprefix(_STANDARD_TAG) if tag.startswith(_STANDARD_TAG) else f"!<{tag}>"
            self._note(_place(event), f"the YAML tag {quoted(short)} is not read", "delete it")

    def _aliased(self, event: yaml.AliasEvent) -> Node:
        name = event.anchor or ""
        written = quoted(f"*{name}")
        if any(opened.anchor == name for opened in self._open):
            self._note(_place(event), f"the alias {written} stands inside of what it repeats", "write it out")
        elif name not in self._anchors:
            self._note(
                _place(event),
                f"{written} is an alias without quotes, and no &{visible(name)} is above it",
                f"write {written} for a text",
            )
        else:
            node, size = self._anchors[name]
            self._count(event, size)
            return node
        return Scalar(_place(event), "", REFUSED)


def _mark(event: yaml.Event) -> _Mark:
    if event.start_mark is None:
        raise TypeError("both scanners mark every event")
    return event.start_mark


def _place(event: yaml.Event) -> Place:
    return _marked(_mark(event))


def _marked(mark: _Mark) -> Place:
    return Place(mark.line + 1, mark.column + 1)


def _scalar(event: yaml.ScalarEvent) -> Scalar:
    text = event.value
    if not text.isascii() and any("\ud800" <= character <= "\udbff" for character in text):
        # JSON writes a character beyond 16 bits as two escapes, which YAML reads as two characters.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    plain = event.style is None or event.style == ""
    return Scalar(_place(event), text, kind_of(text) if plain else "text")
