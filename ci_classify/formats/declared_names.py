"""The names of outputs that a rules file declares, and lists of them."""

from collections.abc import Mapping

from ci_classify.core.text import quoted, visible
from ci_classify.formats.nodes import Mapping as MappingNode
from ci_classify.formats.nodes import Node, Scalar
from ci_classify.formats.path_sets import is_word
from ci_classify.formats.reader import Reader

OWN_OUTPUTS = frozenset({"plan", "fallback", "cause", "base", "head"})
MAX_NAME = 100
MAX_OUTPUTS = 500


def is_output_name(name: str) -> bool:
    """Return whether an output of a job may have this name."""
    return is_word(name) and len(name) <= MAX_NAME


class DeclaredNames:
    """The names of suites and producers; not known where a section can't be read."""

    def __init__(self, reader: Reader, fields: Mapping[str, Node]) -> None:
        self._reader = reader
        self._fields = fields
        self.suites = _text_keys(fields.get("suites"))
        self.producers = _text_keys(fields.get("producers"))
        self.are_known = isinstance(fields.get("suites"), MappingNode)

    def listed(self, node: Node | None, what: str, *, user: str = "", producers_too: bool = False) -> tuple[str, ...]:
        """Return a list of names of suites (perhaps of producers too) that exist, each once."""
        found: dict[str, None] = {}
        names = self.suites | self.producers if producers_too else self.suites
        if isinstance(node, Scalar) and node.text not in names:
            self._reader.wrong(node, f"{what} must be a list of names", "write [SUITE]")
            return ()
        for text, item in self._reader.texts(node, what) if node else []:
            if text in found:
                self._reader.wrong(item, f"{visible(text)} stands twice in {what}", "delete one")
            elif text in names:
                found[text] = None
            elif text in self.producers:
                self._reader.wrong(
                    item,
                    f"{visible(text)} is a producer; only suites can stand in {what}",
                    "write the suites that consume it",
                )
            elif self.are_known:
                kinds = "suite or producer" if producers_too else "suite"
                self._reader.wrong(
                    item,
                    f"there is no {kinds} {quoted(text)}",
                    self._reader.advice(text, [name for name in names if name != user]),
                )
        return tuple(found)

    def check(self) -> None:
        """Check the names of all outputs together."""
        seen: dict[str, tuple[str, Scalar]] = {}
        keys: list[Scalar] = []
        for section in ("suites", "producers"):
            node = self._fields.get(section)
            pairs = node.pairs if isinstance(node, MappingNode) else []
            texts = [key for key, _ in pairs if isinstance(key, Scalar) and key.kind == "text"]
            # What stands twice in one section is complained about there.
            first = {key.text: key for key in reversed(texts)}
            keys += [key for key in texts if first[key.text] is key]
        for key in keys:
            name = key.text
            if not is_output_name(name):
                self._reader.wrong(
                    key,
                    f"{quoted(name)} can't be the name of an output",
                    f"start with a letter or _, then letters, digits, - and _, at most {MAX_NAME}",
                )
            elif name.lower() in OWN_OUTPUTS:
                self._reader.wrong(key, f"{name} is an output of ci-classify itself", f"write run-{name.lower()}, say")
            elif name.lower() in seen:
                other, known = seen[name.lower()]
                where = f"{other} on line {known.place.line}"
                if other == name:
                    message = f"{where} is an output already"
                else:
                    message = f"{name} and {where} differ in letter case only, which a workflow does not see"
                self._reader.wrong(key, message, "rename one of the two")
            seen.setdefault(name.lower(), (name, key))
        if len(keys) > MAX_OUTPUTS:
            self._reader.wrong(
                keys[MAX_OUTPUTS], f"more than {MAX_OUTPUTS} outputs", "make one suite of those that run together"
            )


def _text_keys(node: Node | None) -> dict[str, None]:
    """Return the keys of a section, each once."""
    if not isinstance(node, MappingNode):
        return {}
    return dict.fromkeys(key.text for key, _ in node.pairs if isinstance(key, Scalar) and key.kind == "text")
