"""Expressions of GitHub's workflows: text becomes a tree, as GitHub reads it.

Names of contexts, properties and functions don't know upper from lower case. An ``if`` is one expression, with or
without ``${{ }}`` around it; with other text beside it GitHub makes a text of it, and a text is true.

Refuses: to evaluate; ``conditions`` does.
Source: https://docs.github.com/actions/reference/workflows-and-actions/expressions
"""

import re
from collections.abc import Iterator

from ci_classify.core.record import Record

MAX_DEPTH = 50  # as GitHub has it


class ExpressionError(ValueError):
    """A text is no expression; the message says why."""


class Literal(Record):
    """A constant. Numbers are floats, as GitHub has no others."""

    value: bool | float | str | None


class Context(Record):
    """A name without anything before it, such as ``needs``, in lower case."""

    name: str


class Property(Record):
    """``of.name``, or ``of['name']``; the name is in lower case."""

    of: "Expression"
    name: str


class Index(Record):
    """``of[index]`` with an index that is no text."""

    of: "Expression"
    index: "Expression"


class Filter(Record):
    """``of.*``: all elements."""

    of: "Expression"


class Call(Record):
    """A function, in lower case, and its arguments."""

    name: str
    arguments: tuple["Expression", ...]


class Not(Record):
    """``!of``."""

    of: "Expression"


class Compare(Record):
    """Two sides and a comparison."""

    operator: str
    left: "Expression"
    right: "Expression"


class Chain(Record):
    """``a && b && c`` or ``a || b || c``."""

    operator: str
    parts: tuple["Expression", ...]


Expression = Literal | Context | Property | Index | Filter | Call | Not | Compare | Chain

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|\.?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?)(?![A-Za-z_]))"
    r"|(?P<text>'(?:[^']|'')*')"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_-]*)"
    r"|(?P<sign>&&|\|\||==|!=|<=|>=|[()\[\].,*!<>]))"
)
_CHAINS = ("||", "&&")
_COMPARISONS = (("==", "!="), ("<", "<=", ">", ">="))
_WORDS: dict[str, bool | float | None] = {
    "true": True,
    "false": False,
    "null": None,
    "nan": float("nan"),
    "infinity": float("inf"),
}


def parse_expression(text: str) -> Expression:
    """Return the tree of what stands between ``${{`` and ``}}``, or raise ExpressionError."""
    return _Parser(text).whole()


def parse_condition(text: str) -> Expression:
    """Return the tree of an ``if``. A text beside an expression is true, whatever the expression is."""
    pieces = list(fenced(text))
    if not pieces:
        return parse_expression(text)
    parsed = [parse_expression(inner) for _, inner in pieces]
    return Literal(value=text) if is_text_condition(text) else parsed[0]


def is_text_condition(text: str) -> bool:
    """Return whether an ``if`` has text beside its expression, if only a line end, and so is always true."""
    pieces = list(fenced(text))
    return bool(pieces) and text != "${{" + pieces[0][1] + "}}"


def fenced(text: str) -> Iterator[tuple[int, str]]:
    """Return what stands between each ``${{`` and its ``}}``, with its offset in the text."""
    at = text.find("${{")
    while at >= 0:
        end = _end_of_fence(text, at + 3)
        if end is None:
            raise ExpressionError("${{ has no }}")
        yield at, text[at + 3 : end]
        at = text.find("${{", end + 2)


def _end_of_fence(text: str, at: int) -> int | None:
    quoted = False
    while at < len(text):
        if text[at] == "'":
            quoted = not quoted
        elif not quoted and text.startswith("}}", at):
            return at
        at += 1
    return None


def below(expression: Expression) -> Iterator[Expression]:
    """Return an expression and all that it is made of."""
    yield expression
    match expression:
        case Literal() | Context():
            parts: tuple[Expression, ...] = ()
        case Property() | Filter() | Not():
            parts = (expression.of,)
        case Index():
            parts = (expression.of, expression.index)
        case Call():
            parts = expression.arguments
        case Compare():
            parts = (expression.left, expression.right)
        case Chain():
            parts = expression.parts
    for part in parts:
        yield from below(part)


def path_of(expression: Expression) -> tuple[str, ...] | None:
    """Return ``("needs", "unit", "result")`` for ``needs.unit.result``, or None for what is no such path."""
    match expression:
        case Context(name=name):
            return (name,)
        case Property(of=of, name=name):
            start = path_of(of)
            return None if start is None else (*start, name)
        case _:
            return None


def written(expression: Expression) -> str:
    """Return an expression as text, the same for equal ones."""
    match expression:
        case Literal(value=value):
            if isinstance(value, str):
                return "'" + value.replace("'", "''") + "'"
            return "null" if value is None else f"{value}".lower()
        case Context(name=name):
            return name
        case Property(of=of, name=name):
            return f"{written(of)}.{name}"
        case Index(of=of, index=index):
            return f"{written(of)}[{written(index)}]"
        case Filter(of=of):
            return f"{written(of)}.*"
        case Call(name=name, arguments=arguments):
            return f"{name}({', '.join(written(argument) for argument in arguments)})"
        case Not(of=of):
            return f"!{_in_parentheses(of)}"
        case Compare(operator=operator, left=left, right=right):
            return f"{_in_parentheses(left)} {operator} {_in_parentheses(right)}"
        case Chain(operator=operator, parts=parts):
            shown = (written(part) if isinstance(part, Compare) else _in_parentheses(part) for part in parts)
            return f" {operator} ".join(shown)


def _in_parentheses(expression: Expression) -> str:
    text = written(expression)
    return f"({text})" if isinstance(expression, (Compare, Chain)) else text


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._depth = 0

    def whole(self) -> Expression:
        if not self._tokens:
            raise ExpressionError("the expression is empty")
        expression = self._chain()
        if self._at < len(self._tokens):
            raise ExpressionError(f"{self._tokens[self._at][1]!r} is not expected here")
        return expression

    def _next(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self, *signs: str) -> str:
        """Take one of these signs, or nothing."""
        if self._at < len(self._tokens) and self._tokens[self._at][0] == "sign" and self._next() in signs:
            self._at += 1
            return self._tokens[self._at - 1][1]
        return ""

    def _need(self, sign: str) -> None:
        if not self._take(sign):
            raise ExpressionError(
                f"{sign} is missing before {self._next()!r}" if self._next() else f"{sign} is missing"
            )

    def _chain(self, level: int = 0) -> Expression:
        if level == len(_CHAINS):
            return self._compare()
        parts = [self._chain(level + 1)]
        while self._take(_CHAINS[level]):
            parts.append(self._chain(level + 1))
        return parts[0] if len(parts) == 1 else Chain(operator=_CHAINS[level], parts=tuple(parts))

    def _compare(self, level: int = 0) -> Expression:
        if level == len(_COMPARISONS):
            return self._unary()
        left, before = self._compare(level + 1), self._depth
        while operator := self._take(*_COMPARISONS[level]):
            self._deeper()
            left = Compare(operator=operator, left=left, right=self._compare(level + 1))
        self._depth = before
        return left

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(f"the expression is nested deeper than {MAX_DEPTH} levels")

    def _unary(self) -> Expression:
        before = self._depth
        self._deeper()
        found = Not(of=self._unary()) if self._take("!") else self._access()
        self._depth = before
        return found

    def _access(self) -> Expression:
        found = self._primary()
        while sign := self._take(".", "["):
            self._deeper()
            found = self._part(found, sign)
        return found

    def _part(self, of: Expression, sign: str) -> Expression:
        """Return what is read of a value, behind a dot or a bracket."""
        if self._take("*"):
            found: Expression = Filter(of=of)
        elif sign == ".":
            kind, name = self._token("a name behind the dot")
            if kind != "name":
                raise ExpressionError(f"{name!r} can't stand behind a dot")
            return Property(of=of, name=name.lower())
        else:
            index = self._chain()
            match index:
                case Literal(value=str() as name):
                    found = Property(of=of, name=name.lower())
                case _:
                    found = Index(of=of, index=index)
        if sign == "[":
            self._need("]")
        return found

    def _token(self, what: str) -> tuple[str, str]:
        if self._at == len(self._tokens):
            raise ExpressionError(f"{what} is missing")
        self._at += 1
        return self._tokens[self._at - 1]

    def _primary(self) -> Expression:
        kind, text = self._token("a value")
        if kind == "number":
            return Literal(value=_number(text))
        if kind == "text":
            return Literal(value=text[1:-1].replace("''", "'"))
        if kind == "name":
            name = text.lower()
            if self._take("("):
                return Call(name=name, arguments=self._arguments())
            return Literal(value=_WORDS[name]) if name in _WORDS else Context(name=name)
        if text != "(":
            raise ExpressionError(f"{text!r} is not expected here")
        inner = self._chain()
        self._need(")")
        return inner

    def _arguments(self) -> tuple[Expression, ...]:
        if self._take(")"):
            return ()
        arguments = [self._chain()]
        while self._take(","):
            arguments.append(self._chain())
        self._need(")")
        return tuple(arguments)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            shown = text[at:].split(maxsplit=1)[0][:40]
            raise ExpressionError(f"{shown!r} can't be read; texts stand in single quotes")
        at = match.end()
        yield match.lastgroup, match[match.lastgroup]


def _number(text: str) -> float:
    try:
        if text.lstrip("+-")[:2].lower() in {"0x", "0o"}:
            return float(int(text, 0))
        return float(text)
    except ValueError:
        raise ExpressionError(f"{text!r} is no number") from None
