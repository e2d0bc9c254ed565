"""The text of a rules file becomes Rules, or every mistake in it at once.

The language is described in docs/rules.md; ``rules.schema.json`` says the same for editors.
"""

from collections.abc import Iterable, Sequence

from ci_classify.core.annotations import TYPE_CHECKING
from ci_classify.core.errors import Problem
from ci_classify.core.model import (
    DriftAnswer,
    Label,
    Mode,
    PathSet,
    Pattern,
    Position,
    Producer,
    Rules,
    Suite,
    Term,
    Unclaimed,
)
from ci_classify.core.patterns import PatternError, compile_pattern, literal_pattern
from ci_classify.core.record import Record
from ci_classify.core.text import quoted, visible
from ci_classify.formats.declared_names import DeclaredNames
from ci_classify.formats.event_modes import read_event_modes
from ci_classify.formats.examples import read_examples
from ci_classify.formats.nodes import Listing, Node, Scalar
from ci_classify.formats.nodes import Mapping as MappingNode
from ci_classify.formats.path_sets import SetReader, chain
from ci_classify.formats.reader import Reader
from ci_classify.formats.references import circles
from ci_classify.formats.required_check import read_required_check

if TYPE_CHECKING:
    from ci_classify.core.baseline import Baseline


_TOP = (
    "version",
    "sets",
    "documentation",
    "unaffecting",
    "unclaimed",
    "control",
    "empty-diff",
    "events",
    "labels",
    "suites",
    "producers",
    "required-check",
    "examples",
    "baselines",
    "drift",
)
_SUITE = ("inputs", "title", "events", "empty-diff", "documentation", "internal")
_EVERYTHING = "everything"


class LoadedRules(Record):
    """Rules, and what in their file is legal but doubtful."""

    rules: Rules
    warnings: tuple[Problem, ...]


def load_rules(text: str | bytes, file: str, *, control_paths: Iterable[str] = ()) -> LoadedRules:
    """Return the rules of a file, or raise InvalidFileError with everything that is wrong.

    ``control_paths`` are paths in the repository that decide CI whatever the file says: the rules file itself.
    """
    reader = Reader(file)
    rules = _Loader(reader, reader.document(text)).rules(control_paths)
    return LoadedRules(rules=rules, warnings=reader.finish())


class _Loader:
    """Reads the sections in an order in which names are known before they are used."""

    def __init__(self, reader: Reader, root: Node) -> None:
        self.reader = reader
        self._root = root
        self._fields = reader.fields(root, "the rules file", _TOP)
        self._sets = SetReader(reader, self._fields.get("sets"))
        self._names = DeclaredNames(reader, self._fields)

    def rules(self, control_paths: Iterable[str]) -> Rules:
        fields = self._fields
        self._version()
        default = self._empty_diff(fields.get("empty-diff"), default=True)
        suites = self._suites(fields.get("suites"), empty_diff_runs=default)
        producers = self._producers(fields.get("producers"))
        self._names.check()
        known = frozenset([*self._names.suites, *self._names.producers]) if self._names.are_known else None
        return Rules(
            file=self.reader.file,
            sets=self._sets.named,
            documentation=self._special_set("documentation"),
            unaffecting=self._special_set("unaffecting"),
            control=self._special_set("control"),
            rules_files=self._rules_files(tuple(control_paths)),
            unclaimed=self._unclaimed(fields.get("unclaimed")),
            events=read_event_modes(self.reader, fields.get("events"), "events"),
            labels=self._labels(fields.get("labels")),
            suites=suites,
            producers=producers,
            required_check=read_required_check(self.reader, fields.get("required-check"), known),
            examples=read_examples(self.reader, fields.get("examples"), known),
            baselines=self._baselines(fields.get("baselines")),
            drift=self._drift(fields.get("drift")),
        )

    def _drift(self, node: Node | None) -> tuple[DriftAnswer, ...]:
        if node is None:
            return ()
        from ci_classify.formats.drift import read_drift  # noqa: PLC0415 -- as below

        return read_drift(self.reader, self._sets, node)

    def _baselines(self, node: Node | None) -> "tuple[Baseline, ...]":
        if node is None:
            return ()
        from ci_classify.formats.baselines import read_baselines  # noqa: PLC0415 -- most rules files have none

        return read_baselines(self.reader, node)

    def _version(self) -> None:
        node = self._fields.get("version")
        if node is None:
            if isinstance(self._root, MappingNode):
                self.reader.wrong(self._root, "the version is missing", "write `version: 1` at the top")
        elif not isinstance(node, Scalar) or node.text != "1" or node.kind == "text":
            self.reader.wrong(
                node, "version must be 1, the only version of the rules language", "write `version: 1`, without quotes"
            )

    def _special_set(self, key: str) -> PathSet:
        node = self._fields.get(key)
        if node is None:
            return PathSet()
        found = self._sets.read(node, key)
        if not self._sets.may_contain(found):
            self.reader.wrong(
                node, f"{key} contains nothing: no term is positive", "write what it is, or delete it", warning=True
            )
        return found

    def _rules_files(self, paths: Sequence[str]) -> PathSet:
        """Return the set of exactly these paths, and of what may lie in place of a directory above one.

        A link or a submodule there is where the rules come from, too.
        """
        terms = []
        above = {path[:cut] for path in paths for cut, character in enumerate(path) if character == "/"}
        for path in (*sorted(above), *paths):
            text = literal_pattern(path)
            try:
                compile_pattern(text)
            except PatternError as error:
                self.reader.wrong(
                    self._root, f"the rules file can't have the name {quoted(path)}: {error.message}", "rename it"
                )
                continue
            terms.append(Term(matches=Pattern(text=text, line=0), positive=True))
            if path in above:
                terms.append(Term(matches=Pattern(text=f"{text}/*", line=0), positive=False))
        return PathSet(terms=tuple(terms))

    def _empty_diff(self, node: Node | None, *, default: bool) -> bool:
        if node is None:
            return default
        return self.reader.choice(node, "empty-diff", ("run", "skip")) != "skip"

    def _suites(self, node: Node | None, *, empty_diff_runs: bool) -> tuple[Suite, ...]:
        if node is None:
            if isinstance(self._root, MappingNode):
                self.reader.wrong(self._root, "there are no suites", "write `suites:` with a suite for each output")
            return ()
        entries = self.reader.entries(node, "suites", "run-tests: {inputs: [PATTERN]}")
        if isinstance(node, MappingNode) and not node.pairs:
            self.reader.wrong(node, "there are no suites", "write a suite for each output")
        suites = (self._suite(name, key, value, empty_diff_runs=empty_diff_runs) for name, key, value in entries)
        return tuple(suite for suite in suites if suite)

    def _suite(self, name: str, key: Scalar, node: Node, *, empty_diff_runs: bool) -> Suite | None:
        shown = visible(name)
        before = self.reader.errors
        fields = self.reader.fields(node, f"the suite {shown}", _SUITE)
        if not isinstance(node, MappingNode):
            return None
        modes = read_event_modes(self.reader, fields.get("events"), f"the events of {shown}")
        quiet = self.reader.errors == before
        inputs = self._sets.read(fields["inputs"], f"the inputs of {shown}") if "inputs" in fields else None
        if inputs is not None and not self._sets.may_contain(inputs):
            self.reader.wrong(
                fields["inputs"],
                f"the inputs of {shown} contain nothing: no term is positive",
                "start with what they are, such as '*', and write exceptions behind it",
            )
        elif inputs is None and quiet and all(entry.mode is Mode.INPUTS for entry in modes):
            self.reader.wrong(
                key, f"the suite {shown} has no inputs", "write `inputs: [PATTERN]`, or `events:` that need none"
            )
        internal = fields.get("internal")
        documentation = fields.get("documentation")
        keep = documentation and self.reader.choice(documentation, "documentation", ("drop", "keep")) == "keep"
        return Suite(
            name=name,
            title=self._title(fields.get("title"), name),
            inputs=inputs,
            modes=modes,
            empty_diff_runs=self._empty_diff(fields.get("empty-diff"), default=empty_diff_runs),
            keeps_documentation=bool(keep),
            internal=bool(internal and self.reader.boolean(internal, "internal")),
            position=_position(key),
        )

    def _title(self, node: Node | None, name: str) -> str:
        title = self.reader.text(node, f"the title of {visible(name)}") if node else None
        if title is not None and node is not None and (not title.strip() or not title.isprintable()):
            self.reader.wrong(node, f"the title of {visible(name)} must be one printable line", "write a short title")
        return title or name

    def _producers(self, node: Node | None) -> tuple[Producer, ...]:
        entries = self.reader.entries(node, "producers", "run-build: {consumers: [run-tests]}") if node else []
        producers = []
        for name, key, value in entries:
            shown = visible(name)
            before = self.reader.errors
            fields = self.reader.fields(value, f"the producer {shown}", ("consumers", "title"))
            listed = fields.get("consumers")
            missing = listed is None and isinstance(value, MappingNode) and self.reader.errors == before
            if missing or (isinstance(listed, Listing) and not listed.items):
                self.reader.wrong(key, f"the producer {shown} has no consumers", "write `consumers: [SUITE]`")
            consumers = self._names.listed(listed, f"the consumers of {shown}", user=name, producers_too=True)
            title = self._title(fields.get("title"), name)
            producers.append(Producer(name=name, title=title, consumers=consumers, position=_position(key)))
        keys = {name: key for name, key, _ in entries}
        for circle in circles({producer.name: producer.consumers for producer in producers}):
            self.reader.wrong(
                keys[circle[0]], f"the producer consumes itself: {chain(circle)}", "take one consumer out of the circle"
            )
        return tuple(producers)

    def _unclaimed(self, node: Node | None) -> Unclaimed | tuple[str, ...]:
        if node is None:
            return Unclaimed.EVERYTHING
        if isinstance(node, Listing):
            return self._names.listed(node, "unclaimed")
        policies = [policy.value for policy in Unclaimed]
        if isinstance(node, Scalar) and node.text in policies:
            return Unclaimed(node.text)
        self.reader.wrong(
            node, "unclaimed must be everything, nothing or a list of suites", "write everything, nothing or [SUITE]"
        )
        return Unclaimed.EVERYTHING

    def _labels(self, node: Node | None) -> tuple[Label, ...]:
        labels = []
        for name, key, value in self.reader.entries(node, "labels", "name: {selects: everything}") if node else []:
            shown = visible(name)
            before = self.reader.errors
            fields = self.reader.fields(value, f"the label {shown}", ("selects", "skips"))
            empty = all(isinstance(field, Listing) and not field.items for field in fields.values())
            if empty and isinstance(value, MappingNode) and self.reader.errors == before:
                self.reader.wrong(
                    key,
                    f"the label {shown} does nothing",
                    "write `selects: [SUITE]` or `skips: [SUITE]`",
                    warning=bool(fields),
                )
            selects = fields.get("selects")
            everything = isinstance(selects, Scalar) and selects.text == _EVERYTHING
            if isinstance(selects, Scalar) and not everything:
                self.reader.wrong(
                    selects, "selects must be a list of suites, or everything", f"write {_EVERYTHING} or [SUITE]"
                )
                selects = None
            labels.append(
                Label(
                    name=name,
                    selects_everything=everything,
                    selects=() if everything else self._names.listed(selects, f"selects of {shown}"),
                    skips=self._names.listed(fields.get("skips"), f"skips of {shown}"),
                    line=key.place.line,
                )
            )
        return tuple(labels)


def _position(node: Node) -> Position:
    return (node.place.line, node.place.column)
