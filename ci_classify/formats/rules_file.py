"""The text of a rules file becomes Rules, or every mistake in it at once.

The language is described in docs/rules.md; ``rules.schema.json`` says the same for editors.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ci_classify.core.circles import in_circles, levels
from ci_classify.core.errors import Problem
from ci_classify.core.model import (
    ChangeType,
    EventMode,
    Label,
    Mode,
    PathSet,
    Pattern,
    Position,
    Producer,
    Rules,
    SetReference,
    Suite,
    Term,
    Unclaimed,
)
from ci_classify.core.patterns import PatternError, compile_pattern, human_doubts
from ci_classify.core.record import Record
from ci_classify.formats.examples import read_examples
from ci_classify.formats.nodes import Listing, Node, Reader, Scalar, nearest, parse
from ci_classify.formats.nodes import Mapping as MappingNode
from ci_classify.formats.required_check import read_required_check

OWN_OUTPUTS = frozenset({"plan", "fallback", "cause", "base", "head"})
MAX_NAME = 100
MAX_OUTPUTS = 500
MAX_SET_DEPTH = 24

_GLOB_STARS = 8  # bounds the time of a match
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
)
_EVERYTHING = "everything"


class LoadedRules(Record):
    """Rules, and what in their file is legal but doubtful."""

    rules: Rules
    warnings: tuple[Problem, ...]


def load_rules(text: str | bytes, file: str, *, control_paths: Iterable[str] = ()) -> LoadedRules:
    """Return the rules of a file, or raise InvalidFileError with everything that is wrong.

    ``control_paths`` are paths in the repository that decide CI whatever the file says: the rules file itself.
    """
    root = parse(text, file)
    loader = _Loader(file)
    rules = loader.rules(root, control_paths)
    warnings = loader.reader.finish()
    return LoadedRules(rules=rules, warnings=warnings)


def is_output_name(name: str) -> bool:
    """Return whether an output of a job may have this name."""
    return _is_word(name) and len(name) <= MAX_NAME


def _is_word(text: str) -> bool:
    """Return whether text is ``[A-Za-z_][A-Za-z0-9_-]*``."""
    return text.isascii() and text[:1] != "-" and text.replace("-", "_").isidentifier()


def _is_set_name(text: str) -> bool:
    """Return whether text is ``[A-Za-z0-9_-][A-Za-z0-9_.-]*``."""
    return text[:1] != "." and _is_word("_" + text.replace(".", "_"))


def literal_pattern(path: str) -> str:
    """Return the pattern of exactly one path, given from the top of the repository."""
    special = frozenset("\\*?[ ")
    return "/" + "".join(f"\\{character}" if character in special else character for character in path)


class _Loader:
    """Reads the sections in an order in which names are known before they are used."""

    def __init__(self, file: str) -> None:
        self.reader = Reader(file)
        self._file = file
        self._set_names: tuple[str, ...] = ()

    def rules(self, root: Node, control_paths: Iterable[str]) -> Rules:
        fields = self.reader.fields(root, "the rules file", _TOP)
        self._version(root, fields.get("version"))
        sets = self._sets(fields.get("sets"))
        empty_diff_runs = self._empty_diff(fields.get("empty-diff"), default=True)
        suites = self._suites(root, fields.get("suites"), sets, empty_diff_runs=empty_diff_runs)
        producers = self._producers(fields.get("producers"), suites)
        names = [suite.name for suite in suites]
        self._names(suites, producers, fields)
        return Rules(
            file=self._file,
            sets=MappingProxyType(sets),
            documentation=self._optional_set(fields.get("documentation"), "documentation"),
            unaffecting=self._optional_set(fields.get("unaffecting"), "unaffecting"),
            control=self._optional_set(fields.get("control"), "control"),
            rules_files=self._rules_files(root, control_paths),
            unclaimed=self._unclaimed(fields.get("unclaimed"), names),
            events=self._events(fields.get("events"), "events"),
            labels=self._labels(fields.get("labels"), names),
            suites=suites,
            producers=producers,
            required_check=read_required_check(self.reader, fields.get("required-check"), suites, producers),
            examples=read_examples(
                self.reader, fields.get("examples"), frozenset([s.name for s in suites] + [p.name for p in producers])
            ),
        )

    def _version(self, root: Node, node: Node | None) -> None:
        if node is None:
            if isinstance(root, MappingNode):
                self.reader.wrong(root, "the version is missing", "write `version: 1` at the top")
        elif not isinstance(node, Scalar) or node.text != "1":
            self.reader.wrong(node, "this version of the rules language is not known", "write `version: 1`")

    def _sets(self, node: Node | None) -> dict[str, PathSet]:
        entries = self.reader.entries(node, "sets") if node else []
        self._set_names = tuple(name for name, _, _ in entries)
        sets = {}
        for name, key, value in entries:
            if not _is_set_name(name):
                self.reader.wrong(key, f"{name!r} is no name of a set", "write letters, digits, - _ and . only")
            sets[name] = self._set(value, f"the set {name}")
        uses = {
            name: [term.matches.name for term in found.terms if isinstance(term.matches, SetReference)]
            for name, found in sets.items()
        }
        keys = {name: key for name, key, _ in entries}
        for name in in_circles(uses):
            self.reader.wrong(keys[name], f"the set {name} contains itself", "break the circle of @ references")
        for name, level in levels(uses)[0].items():
            if level == MAX_SET_DEPTH + 1:
                self.reader.wrong(
                    keys[name], f"the set {name} refers to sets deeper than {MAX_SET_DEPTH} levels", "flatten them"
                )
        return sets

    def _optional_set(self, node: Node | None, what: str) -> PathSet:
        return self._set(node, what) if node else PathSet()

    def _rules_files(self, root: Node, paths: Iterable[str]) -> PathSet:
        """Return the set of exactly these paths."""
        terms = []
        for path in paths:
            text = literal_pattern(path)
            try:
                compile_pattern(text)
            except PatternError as error:
                self.reader.wrong(root, f"the rules file can't have the name {path!r}: {error.message}", "rename it")
            else:
                terms.append(Term(matches=Pattern(text=text, line=0), positive=True))
        return PathSet(terms=tuple(terms))

    def _set(self, node: Node, what: str) -> PathSet:
        ignore_case, changes, paths = False, None, node
        if isinstance(node, MappingNode):
            fields = self.reader.fields(node, what, ("paths", "ignore-case", "changes"))
            if "ignore-case" in fields:
                ignore_case = self.reader.boolean(fields["ignore-case"], "ignore-case") or False
            if "changes" in fields:
                changes = self._change_types(fields["changes"])
            if "paths" not in fields:
                self.reader.wrong(node, f"{what} has no paths", "write `paths: [PATTERN, ...]`")
                return PathSet()
            paths = fields["paths"]
        elif not isinstance(node, Listing):
            self.reader.wrong(node, f"{what} must be a list of terms", "write [PATTERN, ...] or {paths: [...]}")
            return PathSet()
        texts = self.reader.texts(paths, what)
        if isinstance(paths, Listing) and not paths.items:
            self.reader.wrong(paths, f"{what} is empty", "write a pattern, or delete the key")
        terms = (self._term(text, item, ignore_case=ignore_case) for text, item in texts)
        return PathSet(terms=tuple(term for term in terms if term), ignore_case=ignore_case, changes=changes)

    def _change_types(self, node: Node) -> frozenset[ChangeType] | None:
        known = [change.value for change in ChangeType]
        found = [self.reader.choice(item, "a type of change", known) for item in self.reader.items(node, "changes")]
        if isinstance(node, Listing) and not node.items:
            self.reader.wrong(node, "changes is empty, so that nothing is contained", "delete it, or name a type")
        return frozenset(ChangeType(text) for text in found if text) or None

    def _term(self, text: str, node: Node, *, ignore_case: bool) -> Term | None:
        positive = not text.startswith("!")
        body = text if positive else text[1:]
        line = node.place.line
        if body.startswith("@"):
            name = body[1:]
            if name not in self._set_names:
                self.reader.wrong(
                    node,
                    f"there is no set {name!r}",
                    nearest(name, self._set_names)
                    if self._set_names
                    else "define it under `sets:`, or write \\@ for a literal @",
                )
                return None
            return Term(matches=SetReference(name=name, line=line), positive=positive)
        try:
            compile_pattern(body, ignore_case=ignore_case)
        except PatternError as error:
            self.reader.wrong(node, f"the pattern {body[:80]!r} is refused: {error.message}", error.help)
            return None
        doubts = human_doubts(body)
        if doubts is not None:
            self.reader.wrong(node, doubts[0], doubts[1], warning=True)
        return Term(matches=Pattern(text=body, line=line), positive=positive)

    def _empty_diff(self, node: Node | None, *, default: bool) -> bool:
        if node is None:
            return default
        return self.reader.choice(node, "empty-diff", ("run", "skip")) != "skip"

    def _events(self, node: Node | None, what: str) -> tuple[EventMode, ...]:
        modes = []
        for key, key_node, value in self.reader.entries(node, what) if node else []:
            event, *branches = key.split(" ")
            mode = self.reader.choice(value, f"the mode for {key}", [mode.value for mode in Mode])
            stars = sum(branch.count("*") for branch in branches)
            if not (event == "*" or _is_word(event)) or len(branches) > 1 or "" in branches or stars > _GLOB_STARS:
                self.reader.wrong(
                    key_node, f"{key[:80]!r} is no event", "write an event name or *, then perhaps a space and a branch"
                )
            elif mode is not None:
                branch = branches[0] if branches else None
                modes.append(EventMode(event=event, branch=branch, mode=Mode(mode), line=key_node.place.line))
        return tuple(modes)

    def _suites(
        self, root: Node, node: Node | None, sets: Mapping[str, PathSet], *, empty_diff_runs: bool
    ) -> tuple[Suite, ...]:
        if node is None:
            if isinstance(root, MappingNode):
                self.reader.wrong(root, "there are no suites", "write `suites:` with a suite for each output")
            return ()
        entries = self.reader.entries(node, "suites")
        if isinstance(node, MappingNode) and not node.pairs:
            self.reader.wrong(node, "there are no suites", "write a suite for each output")
        suites = (self._suite(name, key, value, empty_diff_runs=empty_diff_runs) for name, key, value in entries)
        found = tuple(suite for suite in suites if suite)
        for suite in found:
            if suite.inputs and suite.inputs.terms and not _may_contain(suite.inputs, sets):
                self.reader.wrong(
                    {name: key for name, key, _ in entries}[suite.name],
                    f"the inputs of {suite.name} contain nothing: no term is positive",
                    'start with what they are, such as "*", and write exceptions behind it',
                )
        return found

    def _suite(self, name: str, key: Scalar, node: Node, *, empty_diff_runs: bool) -> Suite | None:
        known = ("title", "inputs", "events", "empty-diff", "documentation", "internal")
        before = len(self.reader.problems)
        fields = self.reader.fields(node, f"the suite {name}", known)
        if not isinstance(node, MappingNode):
            return None
        modes = self._events(fields.get("events"), f"events of {name}")
        inputs = self._set(fields["inputs"], f"the inputs of {name}") if "inputs" in fields else None
        quiet = len(self.reader.problems) == before
        if inputs is None and quiet and all(entry.mode is Mode.INPUTS for entry in modes):
            self.reader.wrong(key, f"the suite {name} has no inputs", "write `inputs: [PATTERN, ...]`")
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
        title = self.reader.text(node, f"the title of {name}") if node else None
        if title is not None and node is not None and (not title.strip() or not title.isprintable()):
            self.reader.wrong(node, f"the title of {name} must be one printable line", "write a short title")
        return title or name

    def _producers(self, node: Node | None, suites: Sequence[Suite]) -> tuple[Producer, ...]:
        entries = self.reader.entries(node, "producers") if node else []
        names = [suite.name for suite in suites] + [name for name, _, _ in entries]
        producers = []
        for name, key, value in entries:
            fields = self.reader.fields(value, f"the producer {name}", ("title", "consumers"))
            consumers = self._known(fields.get("consumers"), f"the consumers of {name}", names)
            listed = fields.get("consumers")
            missing = listed is None and isinstance(value, MappingNode)
            if missing or (isinstance(listed, Listing) and not listed.items):
                self.reader.wrong(key, f"the producer {name} has no consumers", "write `consumers: [OUTPUT, ...]`")
            producers.append(
                Producer(
                    name=name,
                    title=self._title(fields.get("title"), name),
                    consumers=consumers,
                    position=_position(key),
                )
            )
        keys = {name: key for name, key, _ in entries}
        for name in in_circles({producer.name: producer.consumers for producer in producers}):
            self.reader.wrong(keys[name], f"the producer {name} consumes itself", "break the circle of consumers")
        return tuple(producers)

    def _known(self, node: Node | None, what: str, names: Sequence[str]) -> tuple[str, ...]:
        """Return a list of names that exist, each once."""
        found: list[str] = []
        for text, item in self.reader.texts(node, what) if node else []:
            if text not in names:
                self.reader.wrong(item, f"{what} name {text!r}, which does not exist", nearest(text, names))
            elif text in found:
                self.reader.wrong(item, f"{what} name {text} twice", "delete one")
            else:
                found.append(text)
        return tuple(found)

    def _names(self, suites: Sequence[Suite], producers: Sequence[Producer], fields: Mapping[str, Node]) -> None:
        """Check the names of all outputs together."""
        seen: dict[str, str] = {}
        keys: list[Scalar] = []
        for section in ("suites", "producers"):
            node = fields.get(section)
            if isinstance(node, MappingNode):
                keys += [key for key, _ in node.pairs if isinstance(key, Scalar) and key.kind == "text"]
        for key in keys:
            name = key.text
            if not is_output_name(name):
                self.reader.wrong(
                    key,
                    f"{name[:80]!r} can't be the name of an output",
                    f"start with a letter, then letters, digits, - and _, at most {MAX_NAME}",
                )
            elif name.lower() in OWN_OUTPUTS:
                self.reader.wrong(key, f"{name} is an output of ci-classify itself", f"write run-{name}, say")
            elif seen.get(name.lower(), name) != name or (
                name in seen.values() and self._in_both(name, suites, producers)
            ):
                self.reader.wrong(
                    key, f"{name} and {seen[name.lower()]} are one name to a workflow", "rename one of the two"
                )
            seen.setdefault(name.lower(), name)
        if len(keys) > MAX_OUTPUTS:
            self.reader.wrong(keys[MAX_OUTPUTS], f"more than {MAX_OUTPUTS} outputs", "group suites that run together")

    @staticmethod
    def _in_both(name: str, suites: Sequence[Suite], producers: Sequence[Producer]) -> bool:
        return any(s.name == name for s in suites) and any(p.name == name for p in producers)

    def _unclaimed(self, node: Node | None, names: Sequence[str]) -> Unclaimed | tuple[str, ...]:
        if node is None:
            return Unclaimed.EVERYTHING
        if isinstance(node, Listing):
            return self._known(node, "unclaimed may", names)
        word = self.reader.choice(node, "unclaimed", [policy.value for policy in Unclaimed])
        return Unclaimed(word) if word else Unclaimed.EVERYTHING

    def _labels(self, node: Node | None, names: Sequence[str]) -> tuple[Label, ...]:
        labels = []
        for name, key, value in self.reader.entries(node, "labels") if node else []:
            fields = self.reader.fields(value, f"the label {name!r}", ("selects", "skips"))
            if not fields and isinstance(value, MappingNode):
                self.reader.wrong(key, f"the label {name!r} does nothing", "write `selects:` or `skips:`")
            selects = fields.get("selects")
            everything = isinstance(selects, Scalar) and selects.text == _EVERYTHING
            listed = (
                () if everything else self._known(selects, f"the label {name!r} may select suites only, and", names)
            )
            labels.append(
                Label(
                    name=name,
                    selects_everything=everything,
                    selects=listed,
                    skips=self._known(fields.get("skips"), f"the label {name!r} may skip suites only, and", names),
                    line=key.place.line,
                )
            )
        return tuple(labels)


def _position(node: Node) -> Position:
    return (node.place.line, node.place.column)


def _may_contain(path_set: PathSet, sets: Mapping[str, PathSet]) -> bool:
    """Return whether any term could make a set contain a path."""
    seen: set[str] = set()
    waiting = [path_set]
    while waiting:
        for term in waiting.pop().terms:
            match term.matches:
                case Pattern() if term.positive:
                    return True
                case SetReference(name=name) if term.positive and name not in seen and name in sets:
                    seen.add(name)
                    waiting.append(sets[name])
                case _:
                    pass
    return False
