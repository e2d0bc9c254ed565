"""What a baseline records, and who may record and use it."""

from collections.abc import Callable, Mapping, Sequence

from ci_classify.core.baseline import Artifact, ErrorCode, OpaqueArtifact, Recorder, Selective, SqliteArtifact
from ci_classify.formats.baseline_words import REPOSITORY, WORD, Words
from ci_classify.formats.nodes import Listing, Node, Scalar
from ci_classify.formats.nodes import Mapping as MappingNode

_SELECTIVE = (
    "events",
    "refs",
    "always-full",
    "default-value",
    "enable-label",
    "disable-label",
    "full-labels",
    "never",
)


class UseReader:
    """Reads the parts of a baseline of this name, whose key is where a missing part is complained about."""

    def __init__(self, words: Words, name: str, key: Scalar, never: Callable[[Node, str], tuple[str, ...]]) -> None:
        self._words = words
        self._name = name
        self._key = key
        self._never = never

    def recorded(self, phases: Node | None, artifact: Node | None) -> tuple[tuple[str, ...], Artifact | None]:
        """Return the phases and the artifact, of which there are both or neither."""
        names = []
        for text, item in self._words.reader.texts(phases, "phases") if phases else []:
            if self._words.matches(text, item, WORD, "a phase"):
                names.append(text)
                if names.count(text) > 1:
                    self._words.wrong(item, f"the phase {text} stands twice", "delete one")
        if (phases is None) != (artifact is None):
            missing = "phases" if phases is None else "artifact"
            self._words.wrong(self._key, f"the baseline {self._name} has no {missing}", f"write `{missing}:`")
        elif isinstance(phases, Listing) and not phases.items:
            self._words.wrong(phases, "there are no phases, so that nothing is ever recorded", "write one")
        return tuple(names), self._artifact(artifact) if artifact else None

    def _artifact(self, node: Node) -> Artifact | None:
        fields = self._words.reader.fields(node, "the artifact", ("kind", "file", "files", "user-version", "tables"))
        if not isinstance(node, MappingNode):
            return None
        if "kind" not in fields:
            self._words.wrong(node, "the artifact has no kind", "write `kind: sqlite` or `kind: opaque`")
            return None
        match self._words.reader.choice(fields["kind"], "the kind of an artifact", ("sqlite", "opaque")):
            case "sqlite":
                self._refuse_keys(fields, ("files",), "a database is one file", "write `file:`")
                if "file" not in fields:
                    self._words.wrong(node, "the artifact has no file", "write `file:`")
                return SqliteArtifact(
                    file=self._file_name(fields.get("file")) or "",
                    user_version=self._words.number(fields.get("user-version"), "the user version", default=0),
                    tables=self._words.lines(fields.get("tables"), "the tables"),
                )
            case "opaque":
                self._refuse_keys(fields, ("user-version", "tables"), "nobody looks into it", "delete the key")
                listed = self._words.reader.items(fields["files"], "the files") if "files" in fields else []
                nodes = [*([fields["file"]] if "file" in fields else []), *listed]
                if not nodes:
                    self._words.wrong(node, "the artifact has no files", "write `file:` or `files:`")
                return OpaqueArtifact(files=tuple(name for name in map(self._file_name, nodes) if name))
            case _:
                return None

    def _refuse_keys(self, fields: Mapping[str, Node], keys: Sequence[str], why: str, help_: str) -> None:
        for key in keys:
            if key in fields:
                self._words.wrong(fields[key], f"this artifact can't have {key}: {why}", help_)

    def _file_name(self, node: Node | None) -> str | None:
        if node is None:
            return None
        path = self._words.path(node, "the file of an artifact", ErrorCode.INVALID_POLICY)
        if path == "metadata.json":
            self._words.wrong(node, "metadata.json is written beside the artifact", "write another name")
        return path

    def selective(self, node: Node | None) -> Selective:
        """Return when a recording may be used."""
        fields = self._words.reader.fields(node, "selective", _SELECTIVE) if node else {}
        refs = fields.get("refs")
        expressions = [
            self._words.expression(item, text, "a ref")
            for text, item in (self._words.reader.texts(refs, "refs") if refs else [])
        ]
        never = fields.get("never")
        return Selective(
            events=self._words.lines(fields.get("events"), "events"),
            refs=tuple(expression for expression in expressions if expression is not None),
            always_full=self._words.lines(fields.get("always-full"), "always-full"),
            default_value=self._words.line(fields.get("default-value"), "the default value"),
            enable_label=self._words.line(fields.get("enable-label"), "the enabling label"),
            disable_label=self._words.line(fields.get("disable-label"), "the disabling label"),
            full_labels=self._words.lines(fields.get("full-labels"), "full-labels"),
            never=self._never(never, "never") if never else (),
        )

    def recorder(self, node: Node | None) -> Recorder | None:
        """Return who may record, if anybody."""
        if node is None:
            return None
        fields = self._words.reader.fields(node, "the producer", ("ref", "events", "repository"))
        for key in ("ref", "events", "repository"):
            if isinstance(node, MappingNode) and key not in fields:
                self._words.wrong(node, f"the producer has no {key}", f"write `{key}:`")
        return Recorder(
            ref=self._words.line(fields.get("ref"), "the ref of the producer") or "",
            events=self._words.lines(fields.get("events"), "the events of the producer"),
            repository=self._words.named(fields.get("repository"), "the repository of the producer", REPOSITORY) or "",
        )
