"""Values out of nodes. Every complaint is collected instead of stopping at the first.

A wrong node is complained about once, and what follows from the mistake is not.
"""

from collections.abc import Sequence

from ci_classify.core.errors import InvalidFileError, Problem
from ci_classify.core.text import quoted, visible
from ci_classify.formats.nodes import REFUSED, Listing, Mapping, Node, Place, Scalar, parse

BOOLEANS = {"true": True, "false": False}
_MOST_LISTED = 20  # choices that advice spells out
_MOST_COMPARED = 100_000  # texts and choices: bounds the time that advice takes


class Reader:
    """Reads values out of nodes. What is wrong is collected in ``problems`` and reads as None, or as nothing."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.errors = 0  # complaints so far, warnings not counted
        self._compared = 0

    def document(self, text: str | bytes) -> Node:
        """Return the root node of a text, or raise InvalidFileError where there is none to read."""
        root, problems = parse(text, self.file)
        self.problems += problems
        self.errors += len(problems)
        return root

    def wrong(
        self, node: Node | Place, message: str, help_: str, *, warning: bool = False, code: str | None = None
    ) -> None:
        """Note a complaint about a node."""
        if isinstance(node, Scalar) and node.kind == REFUSED:
            return
        place = node if isinstance(node, Place) else node.place
        self.errors += not warning
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
        once = {(problem.line, problem.column, problem.help): problem for problem in reversed(self.problems)}
        problems = tuple(sorted(once.values(), key=lambda p: (p.line, p.column, p.message)))
        if any(not problem.warning for problem in problems):
            raise InvalidFileError(problems)
        return problems

    def text(self, node: Node, what: str) -> str | None:
        """Return a text, which may be empty."""
        if not isinstance(node, Scalar):
            sign = "that starts with [" if isinstance(node, Listing) else "with a colon, or that starts with {"
            self.wrong(node, f"{what} must be text, not {_shape(node)}", f"put quotes around a text {sign}")
            return None
        if node.kind == "text":
            return node.text
        if node.kind == "nothing" and not node.text:
            self.wrong(node, f"{what} must be text; there is none", "write it, in quotes if it starts with #, & or !")
        elif node.kind == "a merge key":
            self.wrong(node, "merge keys are not read", "write the keys out, or use sets")
        else:
            self.wrong(
                node,
                f"{what} must be text; YAML reads {visible(node.text)} as {node.kind}",
                f"write {quoted(node.text)}",
            )
        return None

    def boolean(self, node: Node, what: str) -> bool | None:
        """Return true or false, the only two ways to write a boolean."""
        if isinstance(node, Scalar) and node.kind == "a boolean" and node.text in BOOLEANS:
            return BOOLEANS[node.text]
        self.wrong(node, f"{what} must be true or false, not {_shape(node)}", "write true or false, without quotes")
        return None

    def choice(self, node: Node, what: str, choices: Sequence[str]) -> str | None:
        """Return one of a few words."""
        if isinstance(node, Scalar) and node.text in choices:
            return node.text
        if isinstance(node, Scalar) and node.kind == "text":
            self.wrong(node, f"{what} can't be {quoted(node.text)}", self.advice(node.text, choices))
        else:
            self.wrong(node, f"{what} can't be {_shape(node)}", f"write {_one_of(choices)}")
        return None

    def items(self, node: Node, what: str) -> list[Node]:
        """Return the items of a list."""
        if isinstance(node, Listing):
            return node.items
        written = quoted(node.text) if isinstance(node, Scalar) and node.kind == "text" else "..."
        self.wrong(node, f"{what} must be a list, not {_shape(node)}", f"write [{written}]")
        return []

    def texts(self, node: Node, what: str) -> list[tuple[str, Node]]:
        """Return the items of a list of texts, each with its node."""
        pairs = ((self.text(item, f"an entry of {what}"), item) for item in self.items(node, what))
        return [(text, item) for text, item in pairs if text is not None]

    def entries(self, node: Node, what: str, example: str = "name: value") -> list[tuple[str, Scalar, Node]]:
        """Return the entries of a mapping with keys of text, each once: key, the key's node, the value."""
        if not isinstance(node, Mapping):
            glued = isinstance(node, Scalar) and ":" in node.text
            dash = ", without a dash" if isinstance(node, Listing) else ""
            help_ = "write a space behind the colon" if glued else f"write lines such as `{example}`{dash}"
            self.wrong(node, f"{what} must be a mapping, not {_shape(node)}", help_)
            return []
        found: dict[str, tuple[Scalar, Node]] = {}
        for key_node, value in node.pairs:
            key = self.text(key_node, f"a key of {what}")
            if key is None or not isinstance(key_node, Scalar):
                continue
            if key in found:
                first = found[key][0].place.line
                self.wrong(
                    key_node, f"{visible(key)} stands twice in {what}, first on line {first}", "keep one of the two"
                )
                continue
            found[key] = (key_node, value)
        return [(key, key_node, value) for key, (key_node, value) in found.items()]

    def fields(self, node: Node, what: str, known: Sequence[str]) -> dict[str, Node]:
        """Return the entries of a mapping whose keys are a closed list.

        A key that is nearly a known one is wrong, and read as if it were right: its value may be wrong too.
        """
        result: dict[str, Node] = {}
        meant: dict[str, Node] = {}
        for key, key_node, value in self.entries(node, what, f"{known[0]}: ..."):
            if key in known:
                result[key] = value
                continue
            near = self._nearest(key, known)
            self.wrong(key_node, f"{quoted(key)} is no key of {what}", f"write {near or _one_of(known)}")
            if near is not None:
                meant.setdefault(near, value)
        return meant | result

    def advice(self, text: str, choices: Sequence[str]) -> str:
        """Return what to write instead of a wrong text: the choice that it is nearest to, or one of all."""
        return f"write {self._nearest(text, choices) or _one_of(choices)}"

    def _nearest(self, text: str, choices: Sequence[str]) -> str | None:
        self._compared += len(choices)
        if self._compared > _MOST_COMPARED:
            return None
        import difflib  # noqa: PLC0415 -- only a mistake needs it, and it is slow to load

        return next(iter(difflib.get_close_matches(text[:200], choices, n=1, cutoff=0.6)), None)


def _one_of(choices: Sequence[str]) -> str:
    listed = ", ".join(choices[:_MOST_LISTED])
    if len(choices) < 2:
        return listed or "another"
    return f"one of {listed}" + (f" or {len(choices) - _MOST_LISTED} more" if len(choices) > _MOST_LISTED else "")


def _shape(node: Node) -> str:
    match node:
        case Mapping():
            return "a mapping"
        case Listing():
            return "a list"
        case Scalar(kind="nothing"):
            return "nothing"
        case Scalar(kind="text", text=text):
            return f"the text {quoted(text)}"
        case Scalar(text=text):
            return visible(text)
