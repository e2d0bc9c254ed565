"""The section ``baselines`` of a rules file: every mistake with its place, and its code for the baseline commands."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from ci_classify.core.baseline import Baseline, ErrorCode, Tool
from ci_classify.core.baseline_bucket import check_path
from ci_classify.core.baseline_inputs import PLACEHOLDER
from ci_classify.formats.baseline_groups import GroupReader
from ci_classify.formats.baseline_use import UseReader
from ci_classify.formats.baseline_words import BRANCH, MAX_NAME, NAME, Words
from ci_classify.formats.nodes import Mapping as MappingNode
from ci_classify.formats.nodes import Node, Scalar
from ci_classify.formats.reader import Reader

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


def read_baselines(reader: Reader, node: Node) -> tuple[Baseline, ...]:
    """Return the baselines of the section; mistakes go to the reader."""
    entries = reader.entries(node, "baselines")
    return tuple(_Section(reader, name, key).baseline(value) for name, key, value in entries)


class _Section:
    """Reads one baseline."""

    def __init__(self, reader: Reader, name: str, key: Scalar) -> None:
        self._words = Words(reader)
        self._name = name
        self._key = key
        self._platforms: dict[str, Mapping[str, str]] = {}
        self._root = ""
        self._bucket_names: tuple[str, ...] = ()

    def baseline(self, node: Node) -> Baseline:
        self._words.matches(self._name, self._key, NAME, "the name of a baseline")
        fields = self._words.reader.fields(node, f"the baseline {self._name}", _BASELINE)
        if isinstance(node, MappingNode):
            for key in ("schema", "branch", "tool", "buckets", "platforms"):
                if key not in fields:
                    self._words.wrong(self._key, f"the baseline {self._name} has no {key}", f"write `{key}:`")
        self._buckets(fields.get("buckets"))
        self._read_platforms(fields.get("platforms"))
        use = UseReader(self._words, self._name, self._key, partial(self._bucket_list, directories_end_in_slash=True))
        selective = use.selective(fields.get("selective"))
        phases, artifact = use.recorded(fields.get("phases"), fields.get("artifact"))
        has_full_gate = bool(selective.always_full)
        groups = GroupReader(self._words, self._platforms, self._bucket_list, has_full_gate=has_full_gate)
        return Baseline(
            name=self._name,
            schema=self._words.number(fields.get("schema"), "the schema", default=1),
            namespace=self._words.named(fields.get("namespace"), "the namespace", NAME) or self._name,
            branch=self._words.named(fields.get("branch"), "the branch, a full ref,", BRANCH) or "refs/heads/-",
            tool=self._tool(fields.get("tool")),
            bucket_root=self._root,
            bucket_names=self._bucket_names,
            platforms=MappingProxyType(self._platforms),
            groups=tuple(groups.read(fields.get("inputs"))),
            phases=phases,
            artifact=artifact,
            selective=selective,
            recorder=use.recorder(fields.get("producer")),
        )

    def _tool(self, node: Node | None) -> Tool:
        fields = self._words.reader.fields(node, "the tool", ("name", "version")) if node else {}
        for key in ("name", "version"):
            if isinstance(node, MappingNode) and key not in fields:
                self._words.wrong(node, f"the tool has no {key}", f"write `{key}:`")
        name, version = (
            self._words.line(fields.get(key), f"the {key} of the tool") or "" for key in ("name", "version")
        )
        return Tool(name=name, version=version)

    def _buckets(self, node: Node | None) -> None:
        fields = self._words.reader.fields(node, "buckets", ("root", "names")) if node else {}
        root = fields.get("root")
        if root is None:
            if isinstance(node, MappingNode):
                self._words.wrong(node, "buckets have no root", "write `root:`, the directory that they lie below")
        else:
            self._root = self._words.path(root, "the root of the buckets", ErrorCode.INVALID_POLICY) or ""
        listed = fields.get("names")
        self._bucket_names = self._bucket_list(listed, "the names of buckets") if listed else ()

    def _bucket_list(self, node: Node, what: str, *, directories_end_in_slash: bool = False) -> tuple[str, ...]:
        found = []
        for text, item in self._words.reader.texts(node, what):
            path = text.removesuffix("/") if directories_end_in_slash else text
            wrong = check_path(path, self._root)
            if wrong is not None:
                self._words.wrong(
                    item, f"{text[:MAX_NAME]!a} is no bucket: {wrong}", f"write a path below {self._root}"
                )
            elif self._bucket_names and path not in self._bucket_names and not directories_end_in_slash:
                self._words.wrong(item, f"there is no bucket {text!a}", "write one of the names of buckets")
            else:
                found.append(text)
        return tuple(found)

    def _read_platforms(self, node: Node | None) -> None:
        for name, key, value in self._words.reader.entries(node, "platforms") if node else []:
            self._words.matches(name, key, NAME, "the name of a platform")
            values = {}
            empty = isinstance(value, Scalar) and value.kind == "nothing"
            for word, word_node, text_node in (
                [] if empty else self._words.reader.entries(value, f"the platform {name}")
            ):
                if not PLACEHOLDER.fullmatch(f"{{{word}}}"):
                    self._words.wrong(
                        word_node, f"{word[:MAX_NAME]!a} can't be a placeholder", "write letters, digits, - and _"
                    )
                text = self._words.line(text_node, f"the value of {word}")
                values[word] = text or ""
            self._platforms[name] = MappingProxyType(values)
