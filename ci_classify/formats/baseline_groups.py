"""The groups of inputs of a baseline, with every declared path checked for every platform."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from ci_classify.core.baseline import ErrorCode, InputGroup
from ci_classify.core.baseline_bucket import GLOB_SIGNS, Bucket, BucketKind, check_path
from ci_classify.core.baseline_inputs import PLACEHOLDER, filled, path_set
from ci_classify.core.patterns import PatternError, compile_pattern, human_doubts
from ci_classify.formats.baseline_words import MAX_NAME, NAME, Words
from ci_classify.formats.nodes import Listing, Node, Scalar
from ci_classify.formats.nodes import Mapping as MappingNode

_GROUP = ("files", "globs", "directories", "scoped", "scope-root", "on-change", "platforms", "buckets", "extract")
_ANY_BUCKET = Bucket(path="x", kind=BucketKind.DIRECTORY)

BucketList = Callable[[Node, str], tuple[str, ...]]


class GroupReader:
    """Reads groups for platforms with their values; ``buckets`` reads a list of buckets."""

    def __init__(
        self, words: Words, platforms: Mapping[str, Mapping[str, str]], buckets: BucketList, *, has_full_gate: bool
    ) -> None:
        self._words = words
        self._platforms = platforms
        self._buckets = buckets
        self._has_full_gate = has_full_gate

    def read(self, node: Node | None) -> Iterable[InputGroup]:
        """Return the groups of a section."""
        for name, key, value in self._words.reader.entries(node, "inputs") if node else []:
            self._words.matches(name, key, NAME, "the name of a group")
            fields = self._words.reader.fields(value, f"the group {name}", _GROUP)
            if isinstance(value, MappingNode) and not fields.keys() & set(_GROUP[:4]):
                self._words.wrong(key, f"the group {name} has no inputs", f"write one of {', '.join(_GROUP[:4])}")
            yield self._group(name, fields)

    def _group(self, name: str, fields: Mapping[str, Node]) -> InputGroup:
        before = len(self._words.reader.problems)
        group = InputGroup(
            name=name,
            files=self._paths(fields.get("files"), f"the files of {name}"),
            globs=self._globs(fields.get("globs"), f"the globs of {name}"),
            directories=self._paths(fields.get("directories"), f"the directories of {name}"),
            scoped=self._scoped(fields.get("scoped"), f"the scoped files of {name}"),
            scope_root=self._scope_root(fields.get("scope-root")),
            reports_only=self._reports_only(fields.get("on-change"), name),
            platforms=self._platform_list(fields.get("platforms"), name),
            buckets=self._buckets(fields["buckets"], f"the buckets of {name}") if "buckets" in fields else None,
            extract=self._extract(fields.get("extract"), name),
        )
        nodes = [fields[key] for key in ("files", "globs", "directories") if key in fields]
        if nodes and len(self._words.reader.problems) == before:
            self._check_placeholders(group, nodes)
        return group

    def _paths(self, node: Node | None, what: str) -> tuple[str, ...]:
        items = self._words.reader.items(node, what) if node else []
        found = (self._words.path(item, f"an entry of {what}", ErrorCode.INVALID_INPUT) for item in items)
        return tuple(path for path in found if path)

    def _globs(self, node: Node | None, what: str) -> tuple[str, ...]:
        found = []
        for text, item in self._words.reader.texts(node, what) if node else []:
            body = text.removeprefix("!")
            try:
                compile_pattern(body)
            except PatternError as error:
                self._words.wrong(
                    item, f"the pattern {body[:80]!a} is refused: {error.message}", error.help, ErrorCode.INVALID_INPUT
                )
                continue
            doubts = None if PLACEHOLDER.search(body) else human_doubts(body)
            if doubts is not None:
                self._words.reader.wrong(item, doubts[0], doubts[1], warning=True)
            found.append(text)
        return tuple(found)

    def _scoped(self, node: Node | None, what: str) -> tuple[str, ...]:
        found = []
        for text, item in self._words.reader.texts(node, what) if node else []:
            if check_path(text, "") is not None or "/" in text or not GLOB_SIGNS.isdisjoint(text):
                self._words.wrong(
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
        return self._words.path(node, "a scope root", ErrorCode.INVALID_INPUT) or ""

    def _reports_only(self, node: Node | None, name: str) -> bool:
        if node is None:
            return False
        word = node.text if isinstance(node, Scalar) else ""
        if word not in {"invalidate", "report"}:
            self._words.wrong(node, f"on-change of {name} can't be {word[:MAX_NAME]!a}", "write invalidate or report")
        elif word == "report" and not self._has_full_gate:
            self._words.wrong(
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
        for text, item in self._words.reader.texts(node, f"the platforms of {name}"):
            if text in self._platforms:
                found.append(text)
            else:
                known = ", ".join(self._platforms) or "none"
                self._words.wrong(item, f"there is no platform {text[:MAX_NAME]!a}", f"write one of {known}")
        return tuple(found)

    def _extract(self, node: Node | None, name: str) -> str | None:
        what = f"the expression of {name}"
        expression = self._words.expression(node, self._words.reader.text(node, what), what) if node else None
        if node and expression is not None and re.compile(expression).groups != 1:
            self._words.wrong(node, f"{what} must capture one text", "write one pair of ( ), others as (?: )")
            return None
        return expression

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
                        self._words.wrong(
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
                self._words.wrong(
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
                self._words.wrong(
                    node, f"{group.name} means {term.text[:80]!a}: {error.message}", error.help, ErrorCode.INVALID_INPUT
                )
