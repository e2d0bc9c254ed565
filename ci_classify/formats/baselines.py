"""The section ``baselines`` of a rules file: every mistake with its place, and its code for the baseline commands."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ci_classify.core.baseline import (
    Artifact,
    Baseline,
    ErrorCode,
    InputGroup,
    OpaqueArtifact,
    Recorder,
    Selective,
    SqliteArtifact,
    Tool,
)
from ci_classify.core.baseline_bucket import GLOB_SIGNS, Bucket, BucketKind, check_path
from ci_classify.core.baseline_inputs import PLACEHOLDER, filled, path_set
from ci_classify.core.patterns import PatternError, compile_pattern, human_doubts
from ci_classify.formats.nodes import Listing, Node, Scalar
from ci_classify.formats.nodes import Mapping as MappingNode
from ci_classify.formats.reader import Reader

MAX_NAME = 100
MAX_NUMBER = 2**31 - 1  # what a user version of SQLite can be
MAX_EXPRESSION = 500

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_BRANCH = re.compile(r"refs/heads/(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_BASELINE = (
    "schema",
    "namespace",
    "branch",
    "tool",
    "buckets",
    "platforms",
    "inputs",
    "phases",
    "artifact",
    "selective",
    "producer",
)
_GROUP = (
    "files",
    "globs",
    "directories",
    "scoped",
    "scope-root",
    "on-change",
    "platforms",
    "buckets",
    "extract",
)
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
_ANY_BUCKET = Bucket(path="x", kind=BucketKind.DIRECTORY)


def read_baselines(reader: Reader, node: Node) -> tuple[Baseline, ...]:
    """Return the baselines of the section; mistakes go to the reader."""
    entries = reader.entries(node, "baselines")
    return tuple(_Section(reader, name, key).baseline(value) for name, key, value in entries)


class _Section:
    """Reads one baseline."""

    def __init__(self, reader: Reader, name: str, key: Scalar) -> None:
        self._reader = reader
        self._name = name
        self._key = key
        self._platforms: dict[str, Mapping[str, str]] = {}
        self._root = ""
        self._bucket_names: tuple[str, ...] = ()

    def baseline(self, node: Node) -> Baseline:
        self._matches(self._name, self._key, _NAME, "the name of a baseline")
        fields = self._reader.fields(node, f"the baseline {self._name}", _BASELINE)
        if isinstance(node, MappingNode):
            for key in ("schema", "branch", "tool", "buckets", "platforms"):
                if key not in fields:
                    self._wrong(self._key, f"the baseline {self._name} has no {key}", f"write `{key}:`")
        self._buckets(fields.get("buckets"))
        self._read_platforms(fields.get("platforms"))
        selective = self._selective(fields.get("selective"))
        phases, artifact = self._recorded(fields.get("phases"), fields.get("artifact"))
        return Baseline(
            name=self._name,
            schema=self._number(fields.get("schema"), "the schema", default=1),
            namespace=self._named(fields.get("namespace"), "the namespace", _NAME) or self._name,
            branch=self._named(fields.get("branch"), "the branch, a full ref,", _BRANCH) or "refs/heads/-",
            tool=self._tool(fields.get("tool")),
            bucket_root=self._root,
            bucket_names=self._bucket_names,
            platforms=MappingProxyType(self._platforms),
            groups=tuple(self._groups(fields.get("inputs"), selective)),
            phases=phases,
            artifact=artifact,
            selective=selective,
            recorder=self._recorder(fields.get("producer")),
        )

    # -- words and lists -----------------------------------------------------------------------------

    def _wrong(self, node: Node, message: str, help_: str, code: ErrorCode = ErrorCode.INVALID_POLICY) -> None:
        self._reader.wrong(node, message, help_, code=code.value)

    def _matches(self, text: str, node: Node, form: re.Pattern[str], what: str) -> bool:
        if form.fullmatch(text) and len(text) <= MAX_NAME:
            return True
        help_ = "write refs/heads/NAME" if form is _BRANCH else "write letters, digits, - and _, and no other signs"
        self._wrong(node, f"{what} can't be {text[:MAX_NAME]!a}", help_)
        return False

    def _named(self, node: Node | None, what: str, form: re.Pattern[str]) -> str | None:
        text = self._reader.text(node, what) if node else None
        return text if text is not None and node and self._matches(text, node, form, what) else None

    def _line(self, node: Node | None, what: str) -> str | None:
        """Return a text of one printable line."""
        text = self._reader.text(node, what) if node else None
        if text is not None and node and not (text.strip() and text.isprintable()):
            self._wrong(node, f"{what} must be one printable line", "write a short text")
        return text

    def _lines(self, node: Node | None, what: str) -> tuple[str, ...]:
        items = self._reader.items(node, what) if node else []
        found = (self._line(item, f"an entry of {what}") for item in items)
        return tuple(text for text in found if text is not None)

    def _number(self, node: Node | None, what: str, *, default: int) -> int:
        if node is None:
            return default
        text = node.text if isinstance(node, Scalar) and node.kind == "a number" else ""
        if text.isascii() and text.isdigit() and len(text) < 11 and int(text) <= MAX_NUMBER:
            return int(text)
        self._wrong(node, f"{what} must be a whole number", "write one, such as 1, without quotes")
        return default

    # -- what a baseline is about --------------------------------------------------------------------

    def _tool(self, node: Node | None) -> Tool:
        fields = self._reader.fields(node, "the tool", ("name", "version")) if node else {}
        for key in ("name", "version"):
            if isinstance(node, MappingNode) and key not in fields:
                self._wrong(node, f"the tool has no {key}", f"write `{key}:`")
        name, version = (self._line(fields.get(key), f"the {key} of the tool") or "" for key in ("name", "version"))
        return Tool(name=name, version=version)

    def _buckets(self, node: Node | None) -> None:
        fields = self._reader.fields(node, "buckets", ("root", "names")) if node else {}
        root = fields.get("root")
        if root is None:
            if isinstance(node, MappingNode):
                self._wrong(node, "buckets have no root", "write `root:`, the directory that they lie below")
        else:
            self._root = self._path(root, "the root of the buckets", ErrorCode.INVALID_POLICY) or ""
        listed = fields.get("names")
        self._bucket_names = self._bucket_list(listed, "the names of buckets") if listed else ()

    def _bucket_list(self, node: Node, what: str, *, directories_end_in_slash: bool = False) -> tuple[str, ...]:
        found = []
        for text, item in self._reader.texts(node, what):
            path = text.removesuffix("/") if directories_end_in_slash else text
            wrong = check_path(path, self._root)
            if wrong is not None:
                self._wrong(item, f"{text[:MAX_NAME]!a} is no bucket: {wrong}", f"write a path below {self._root}")
            elif self._bucket_names and path not in self._bucket_names and not directories_end_in_slash:
                self._wrong(item, f"there is no bucket {text!a}", "write one of the names of buckets")
            else:
                found.append(text)
        return tuple(found)

    def _read_platforms(self, node: Node | None) -> None:
        for name, key, value in self._reader.entries(node, "platforms") if node else []:
            self._matches(name, key, _NAME, "the name of a platform")
            values = {}
            empty = isinstance(value, Scalar) and value.kind == "nothing"
            for word, word_node, text_node in [] if empty else self._reader.entries(value, f"the platform {name}"):
                if not PLACEHOLDER.fullmatch(f"{{{word}}}"):
                    self._wrong(
                        word_node, f"{word[:MAX_NAME]!a} can't be a placeholder", "write letters, digits, - and _"
                    )
                text = self._line(text_node, f"the value of {word}")
                values[word] = text or ""
            self._platforms[name] = MappingProxyType(values)

    # -- inputs --------------------------------------------------------------------------------------

    def _groups(self, node: Node | None, selective: Selective) -> Iterable[InputGroup]:
        for name, key, value in self._reader.entries(node, "inputs") if node else []:
            self._matches(name, key, _NAME, "the name of a group")
            fields = self._reader.fields(value, f"the group {name}", _GROUP)
            if isinstance(value, MappingNode) and not fields.keys() & set(_GROUP[:4]):
                self._wrong(key, f"the group {name} has no inputs", f"write one of {', '.join(_GROUP[:4])}")
            yield self._group(name, fields, selective)

    def _group(self, name: str, fields: Mapping[str, Node], selective: Selective) -> InputGroup:
        before = len(self._reader.problems)
        group = InputGroup(
            name=name,
            files=self._paths(fields.get("files"), f"the files of {name}"),
            globs=self._globs(fields.get("globs"), f"the globs of {name}"),
            directories=self._paths(fields.get("directories"), f"the directories of {name}"),
            scoped=self._scoped(fields.get("scoped"), f"the scoped files of {name}"),
            scope_root=self._scope_root(fields.get("scope-root")),
            reports_only=self._reports_only(fields.get("on-change"), name, selective),
            platforms=self._platform_list(fields.get("platforms"), name),
            buckets=self._bucket_list(fields["buckets"], f"the buckets of {name}") if "buckets" in fields else None,
            extract=self._extract(fields.get("extract"), name),
        )
        nodes = [fields[key] for key in ("files", "globs", "directories") if key in fields]
        if nodes and len(self._reader.problems) == before:
            self._check_placeholders(group, nodes)
        return group

    def _paths(self, node: Node | None, what: str) -> tuple[str, ...]:
        items = self._reader.items(node, what) if node else []
        found = (self._path(item, f"an entry of {what}", ErrorCode.INVALID_INPUT) for item in items)
        return tuple(path for path in found if path)

    def _path(self, node: Node, what: str, code: ErrorCode) -> str | None:
        """Return a path in the repository, which is no pattern."""
        text = self._reader.text(node, what)
        if text is None:
            return None
        text_without = text.removesuffix("/")
        wrong = check_path(text_without, "")
        if wrong is None and not GLOB_SIGNS.isdisjoint(text_without):
            wrong = "it holds * ? or [, and is no pattern"
        if wrong is not None:
            self._wrong(node, f"{what} can't be {text[:MAX_NAME]!a}: {wrong}", "write a path from the top", code)
            return None
        return text_without

    def _globs(self, node: Node | None, what: str) -> tuple[str, ...]:
        found = []
        for text, item in self._reader.texts(node, what) if node else []:
            body = text.removeprefix("!")
            try:
                compile_pattern(body)
            except PatternError as error:
                self._wrong(
                    item, f"the pattern {body[:80]!a} is refused: {error.message}", error.help, ErrorCode.INVALID_INPUT
                )
                continue
            doubts = None if PLACEHOLDER.search(body) else human_doubts(body)
            if doubts is not None:
                self._reader.wrong(item, doubts[0], doubts[1], warning=True)
            found.append(text)
        return tuple(found)

    def _scoped(self, node: Node | None, what: str) -> tuple[str, ...]:
        found = []
        for text, item in self._reader.texts(node, what) if node else []:
            if check_path(text, "") is not None or "/" in text or not GLOB_SIGNS.isdisjoint(text):
                self._wrong(
                    item,
                    f"{what} can't hold {text[:MAX_NAME]!a}",
                    "write the name of a file without its directory",
                    ErrorCode.INVALID_INPUT,
                )
            else:
                found.append(text)
        return tuple(found)

    def _scope_root(self, node: Node | None) -> str:
        if node is None or (isinstance(node, Scalar) and node.text in {"", "."}):
            return ""
        return self._path(node, "a scope root", ErrorCode.INVALID_INPUT) or ""

    def _reports_only(self, node: Node | None, name: str, selective: Selective) -> bool:
        if node is None:
            return False
        word = node.text if isinstance(node, Scalar) else ""
        if word not in {"invalidate", "report"}:
            self._wrong(node, f"on-change of {name} can't be {word[:MAX_NAME]!a}", "write invalidate or report")
        elif word == "report" and not selective.always_full:
            self._wrong(
                node,
                f"{name} only reports, and no event runs in full",
                "name such an event in `selective: {always-full: [...]}`, or write invalidate",
                ErrorCode.REPORT_NEEDS_FULL_GATE,
            )
        return word == "report"

    def _platform_list(self, node: Node | None, name: str) -> tuple[str, ...] | None:
        if node is None:
            return None
        found = []
        for text, item in self._reader.texts(node, f"the platforms of {name}"):
            if text in self._platforms:
                found.append(text)
            else:
                known = ", ".join(self._platforms) or "none"
                self._wrong(item, f"there is no platform {text[:MAX_NAME]!a}", f"write one of {known}")
        return tuple(found)

    def _extract(self, node: Node | None, name: str) -> str | None:
        what = f"the expression of {name}"
        expression = self._expression(node, self._reader.text(node, what), what) if node else None
        if node and expression is not None and re.compile(expression).groups != 1:
            self._wrong(node, f"{what} must capture one text", "write one pair of ( ), others as (?: )")
            return None
        return expression

    def _expression(self, node: Node, text: str | None, what: str) -> str | None:
        if text is None:
            return None
        try:
            re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            self._wrong(node, f"{what} is no regular expression: {error}", "correct it")
            return None
        if not text or len(text) > MAX_EXPRESSION:
            self._wrong(node, f"{what} must have 1 to {MAX_EXPRESSION} characters", "write a shorter expression")
            return None
        return text

    def _check_placeholders(self, group: InputGroup, nodes: Sequence[Node]) -> None:
        """Check every declared path with the values of each platform that the group is for."""
        items = [item for node in nodes if isinstance(node, Listing) for item in node.items]
        for platform in self._platforms if group.platforms is None else group.platforms:
            values = self._platforms[platform]
            missing = False
            for item in items:
                text = item.text if isinstance(item, Scalar) else ""
                for word in PLACEHOLDER.findall(text):
                    if word not in values:
                        missing = True
                        self._wrong(
                            item,
                            f"the platform {platform} has no value for {{{word}}}",
                            f"write `{word}:` there, or limit the group by `platforms:`",
                        )
            if not missing:
                self._check_filled(group, values, nodes[0])

    def _check_filled(self, group: InputGroup, values: Mapping[str, str], node: Node) -> None:
        for path in (filled(text, values) for text in (*group.files, *group.directories)):
            wrong = check_path(path, "")
            if wrong is not None:
                self._wrong(
                    node,
                    f"{group.name} means {path[:MAX_NAME]!a}: {wrong}",
                    "correct the value",
                    ErrorCode.INVALID_INPUT,
                )
                return
        for term in path_set(group, _ANY_BUCKET, values).terms:
            try:
                compile_pattern(term.text.removeprefix("!"))
            except PatternError as error:
                self._wrong(
                    node, f"{group.name} means {term.text[:80]!a}: {error.message}", error.help, ErrorCode.INVALID_INPUT
                )

    # -- recording and use ---------------------------------------------------------------------------

    def _recorded(self, phases: Node | None, artifact: Node | None) -> tuple[tuple[str, ...], Artifact | None]:
        names = []
        for text, item in self._reader.texts(phases, "phases") if phases else []:
            if self._matches(text, item, _WORD, "a phase"):
                names.append(text)
                if names.count(text) > 1:
                    self._wrong(item, f"the phase {text} stands twice", "delete one")
        if (phases is None) != (artifact is None):
            missing = "phases" if phases is None else "artifact"
            self._wrong(self._key, f"the baseline {self._name} has no {missing}", f"write `{missing}:`")
        elif isinstance(phases, Listing) and not phases.items:
            self._wrong(phases, "there are no phases, so that nothing is ever recorded", "write one")
        return tuple(names), self._artifact(artifact) if artifact else None

    def _artifact(self, node: Node) -> Artifact | None:
        fields = self._reader.fields(node, "the artifact", ("kind", "file", "files", "user-version", "tables"))
        if not isinstance(node, MappingNode):
            return None
        if "kind" not in fields:
            self._wrong(node, "the artifact has no kind", "write `kind: sqlite` or `kind: opaque`")
            return None
        match self._reader.choice(fields["kind"], "the kind of an artifact", ("sqlite", "opaque")):
            case "sqlite":
                self._refuse_keys(fields, ("files",), "a database is one file", "write `file:`")
                if "file" not in fields:
                    self._wrong(node, "the artifact has no file", "write `file:`")
                return SqliteArtifact(
                    file=self._file_name(fields.get("file")) or "",
                    user_version=self._number(fields.get("user-version"), "the user version", default=0),
                    tables=self._lines(fields.get("tables"), "the tables"),
                )
            case "opaque":
                self._refuse_keys(fields, ("user-version", "tables"), "nobody looks into it", "delete the key")
                listed = self._reader.items(fields["files"], "the files") if "files" in fields else []
                nodes = [*([fields["file"]] if "file" in fields else []), *listed]
                if not nodes:
                    self._wrong(node, "the artifact has no files", "write `file:` or `files:`")
                return OpaqueArtifact(files=tuple(name for name in map(self._file_name, nodes) if name))
            case _:
                return None

    def _refuse_keys(self, fields: Mapping[str, Node], keys: Sequence[str], why: str, help_: str) -> None:
        for key in keys:
            if key in fields:
                self._wrong(fields[key], f"this artifact can't have {key}: {why}", help_)

    def _file_name(self, node: Node | None) -> str | None:
        if node is None:
            return None
        path = self._path(node, "the file of an artifact", ErrorCode.INVALID_POLICY)
        if path == "metadata.json":
            self._wrong(node, "metadata.json is written beside the artifact", "write another name")
        return path

    def _selective(self, node: Node | None) -> Selective:
        fields = self._reader.fields(node, "selective", _SELECTIVE) if node else {}
        refs = fields.get("refs")
        expressions = [
            self._expression(item, text, "a ref") for text, item in (self._reader.texts(refs, "refs") if refs else [])
        ]
        never = fields.get("never")
        return Selective(
            events=self._lines(fields.get("events"), "events"),
            refs=tuple(expression for expression in expressions if expression is not None),
            always_full=self._lines(fields.get("always-full"), "always-full"),
            default_value=self._line(fields.get("default-value"), "the default value"),
            enable_label=self._line(fields.get("enable-label"), "the enabling label"),
            disable_label=self._line(fields.get("disable-label"), "the disabling label"),
            full_labels=self._lines(fields.get("full-labels"), "full-labels"),
            never=self._bucket_list(never, "never", directories_end_in_slash=True) if never else (),
        )

    def _recorder(self, node: Node | None) -> Recorder | None:
        if node is None:
            return None
        fields = self._reader.fields(node, "the producer", ("ref", "events", "repository"))
        for key in ("ref", "events", "repository"):
            if isinstance(node, MappingNode) and key not in fields:
                self._wrong(node, f"the producer has no {key}", f"write `{key}:`")
        return Recorder(
            ref=self._line(fields.get("ref"), "the ref of the producer") or "",
            events=self._lines(fields.get("events"), "the events of the producer"),
            repository=self._named(fields.get("repository"), "the repository of the producer", _REPOSITORY) or "",
        )
