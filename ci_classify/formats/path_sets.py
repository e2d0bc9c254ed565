"""Sets and their terms, as a rules file writes them.

A set that is wrong reads as one that may contain anything, so that nothing else is wrong because of it.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ci_classify.core.model import ChangeType, PathSet, Pattern, SetReference, Term
from ci_classify.core.patterns import PatternError, compile_pattern, human_doubts
from ci_classify.core.text import quoted, visible
from ci_classify.formats.nodes import Listing, Node, Scalar
from ci_classify.formats.nodes import Mapping as MappingNode
from ci_classify.formats.reader import Reader
from ci_classify.formats.references import circles, levels

MAX_SET_DEPTH = 24

_UNREADABLE = PathSet(terms=(Term(matches=Pattern(text="*", line=0), positive=True),))


class SetReader:
    """Reads sets, the named ones first."""

    def __init__(self, reader: Reader, named: Node | None) -> None:
        self._reader = reader
        entries = reader.entries(named, "sets", "name: [PATTERN]") if named else []
        self._names = dict.fromkeys(name for name, _, _ in entries)
        self._names_known = named is None or isinstance(named, MappingNode)
        self._sets = {name: self.read(value, f"the set {visible(name)}") for name, _, value in entries}
        self._check_names({name: key for name, key, _ in entries})

    @property
    def named(self) -> Mapping[str, PathSet]:
        """The named sets in the order of the file."""
        return MappingProxyType(self._sets)

    def read(self, node: Node, what: str) -> PathSet:
        """Return the set that a list of terms, or a mapping with ``paths``, describes."""
        ignore_case, changes, paths = False, None, node
        if isinstance(node, MappingNode):
            fields = self._reader.fields(node, what, ("paths", "ignore-case", "changes"))
            if "ignore-case" in fields:
                ignore_case = self._reader.boolean(fields["ignore-case"], "ignore-case") or False
            if "changes" in fields:
                changes = self._change_types(fields["changes"])
            if "paths" not in fields:
                self._reader.wrong(node, f"there are no paths in {what}", "write `paths: [PATTERN]`")
                return _UNREADABLE
            paths = fields["paths"]
        texts = self._reader.texts(paths, what)
        if isinstance(paths, Listing) and not paths.items:
            self._reader.wrong(paths, f"there is no term in {what}", "write a pattern, or delete the key")
        terms = tuple(self._term(text, item, ignore_case=ignore_case) for text, item in texts)
        complete = isinstance(paths, Listing) and len(terms) == len(paths.items) > 0
        return PathSet(terms=terms, ignore_case=ignore_case, changes=changes) if complete else _UNREADABLE

    def may_contain(self, path_set: PathSet) -> bool:
        """Return whether any term could make a set contain a path."""
        seen: set[str] = set()
        waiting = [path_set]
        while waiting:
            for term in waiting.pop().terms:
                match term.matches:
                    case Pattern() if term.positive:
                        return True
                    case SetReference(name=name) if term.positive and name not in seen:
                        seen.add(name)
                        waiting.append(self._sets[name])
                    case _:
                        pass
        return False

    def _change_types(self, node: Node) -> frozenset[ChangeType] | None:
        known = [change.value for change in ChangeType]
        items = self._reader.items(node, "changes")
        found = [self._reader.choice(item, "a type of change", known) for item in items]
        if isinstance(node, Listing) and not items:
            self._reader.wrong(
                node, "without a type in changes the set contains nothing", "write a type, or delete the key"
            )
        return frozenset(ChangeType(text) for text in found if text) or None

    def _term(self, text: str, node: Node, *, ignore_case: bool) -> Term:
        positive = not text.startswith("!")
        body = text if positive else text[1:]
        if body.startswith("@"):
            return self._reference(body[1:], node, positive=positive)
        try:
            compile_pattern(body, ignore_case=ignore_case)
        except PatternError as error:
            self._reader.wrong(node, f"the pattern {quoted(body)} is refused: {error.message}", error.help)
            return _UNREADABLE.terms[0]
        doubts = human_doubts(body)
        if doubts is not None:
            self._reader.wrong(node, doubts[0], doubts[1], warning=True)
        return Term(matches=Pattern(text=body, line=node.place.line, column=node.place.column), positive=positive)

    def _reference(self, name: str, node: Node, *, positive: bool) -> Term:
        if name in self._names:
            return Term(
                matches=SetReference(name=name, line=node.place.line, column=node.place.column), positive=positive
            )
        if self._names_known:
            known = [other for other in self._names if is_set_name(other)]
            help_ = self._reader.advice(name, known) if known else "define it under `sets:`"
            self._reader.wrong(
                node, f"there is no set {quoted(name)}", f"{help_}; for a path, write '\\@' at its start"
            )
        return _UNREADABLE.terms[0]

    def _check_names(self, keys: Mapping[str, Scalar]) -> None:
        for name, key in keys.items():
            if not is_set_name(name):
                self._reader.wrong(
                    key, f"{quoted(name)} can't be the name of a set", "write letters, digits, - _ and . only"
                )
        uses = {
            name: [term.matches.name for term in path_set.terms if isinstance(term.matches, SetReference)]
            for name, path_set in self._sets.items()
        }
        deep = levels(uses)
        for name, level in deep.items():
            if level == MAX_SET_DEPTH + 1:
                self._reader.wrong(
                    keys[name],
                    f"{visible(name)} refers to sets more than {MAX_SET_DEPTH} levels deep",
                    "write some of them out",
                )
        self._sets |= {name: _UNREADABLE for name in uses if name not in deep}
        for circle in circles(uses) if len(deep) < len(uses) else ():
            self._reader.wrong(
                keys[circle[0]], f"the set contains itself: {chain(circle)}", "take one @ out of the circle"
            )


def chain(names: list[str]) -> str:
    """Return a circle of names for a complaint."""
    shown = [visible(name) for name in names]
    return " -> ".join(shown if len(shown) <= 8 else [*shown[:4], "...", *shown[-2:]])


def is_set_name(text: str) -> bool:
    """Return whether text is ``[A-Za-z0-9_-][A-Za-z0-9_.-]*``."""
    return text[:1] not in {"", "."} and is_word("_" + text.replace(".", "_"))


def is_word(text: str) -> bool:
    """Return whether text is ``[A-Za-z_][A-Za-z0-9_-]*``."""
    return text.isascii() and text[:1] != "-" and text.replace("-", "_").isidentifier()
