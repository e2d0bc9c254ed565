"""What a text of a workflow says in a place: inputs, the matrix, the environment and paths of the runner put in.

Sees literal values, and what ``&&``, ``||``, ``!``, comparisons, ``format``, ``contains``, ``startsWith`` and
``endsWith`` make of them. All else, such as outputs of steps and secrets, is UNKNOWN.
"""

import re
from collections.abc import Iterator

from ci_classify.core.expression_values import compare, text_of
from ci_classify.core.expressions import (
    Call,
    Chain,
    Compare,
    Context,
    Expression,
    ExpressionError,
    Literal,
    Not,
    Property,
    fenced,
    parse_condition,
    parse_expression,
    path_of,
)
from ci_classify.core.record import Record
from ci_classify.core.workflow import Input, Text
from ci_classify.derive.found import TOP, UNKNOWN, Inputs, Pairs, Value

MAX_VALUE = 1 << 20  # characters: values made of each other grow without end
OUTSIDE = "/runner"  # the start of paths that lie on the runner, out of the checkout

_ON_THE_RUNNER = {("runner", "temp"), ("runner", "tool_cache"), ("github", "event_path"), ("github", "path")}


class Scope(Record):
    """What is known where a text stands. ``action`` is the directory of the action that it belongs to."""

    inputs: Inputs | None = None
    environment: Pairs = ()
    matrix: Pairs = ()
    action: str | None = None


def text_in(text: str, scope: Scope) -> str:
    """Return a text with its expressions replaced by what they come to, or by UNKNOWN."""
    try:
        pieces = list(fenced(text))
    except ExpressionError:
        return text
    found, at = "", 0
    for start, inner in pieces:
        found += text[at:start] + text_of(_value_of(inner, scope))
        at = start + len(inner) + 5
        if len(found) > MAX_VALUE:
            return UNKNOWN
    return found + text[at:]


def value_in(text: str, scope: Scope) -> Value:
    """Return what a text comes to: for a single expression its value, which may be no text."""
    try:
        pieces = list(fenced(text))
    except ExpressionError:
        return text
    if len(pieces) == 1 and text.strip() == "${{" + pieces[0][1] + "}}":
        return _value_of(pieces[0][1], scope)
    return text_in(text, scope)


def given_inputs(declared: dict[str, Input], given: dict[str, Value], *, typed: bool) -> Inputs:
    """Return the inputs of what is called: what is given, else the defaults. An action knows texts alone."""
    found: dict[str, Value] = {}
    for name, one in declared.items():
        value = given.get(name, one.default if one.default is not None else "")
        if typed and one.type == "boolean" and name not in given:
            value = one.default == "true"
        elif not typed and not isinstance(value, str):
            value = text_of(value)
        elif isinstance(value, str) and "${{" in value:
            value = UNKNOWN  # a default that is an expression
        found[name] = value
    return tuple(sorted(found.items()))


def never_holds(condition: Text | None, scope: Scope) -> bool:
    """Return whether an ``if`` is false in every run."""
    if condition is None:
        return False
    try:
        return _truth(folded(parse_condition(condition.text), scope)) is False
    except ExpressionError:
        return False


def expressions_in(text: Text) -> Iterator[tuple[int, Expression]]:
    """Return the expressions of a text, each with its line."""
    try:
        pieces = list(fenced(text.text))
    except ExpressionError:
        return
    for start, inner in pieces:
        try:
            yield line_of(text, start), parse_expression(inner)
        except ExpressionError:
            continue


def line_of(text: Text, offset: int) -> int:
    """Return the line of the file on which a character of a text stands. A text of several lines is a block."""
    before = text.text.count("\n", 0, offset)
    return text.position[0] + before + ("\n" in text.text)


def folded(expression: Expression, scope: Scope) -> Expression:
    """Return an expression with all that is known put in."""
    match expression:
        case Context() | Property():
            return _read(expression, scope)
        case Call(name=name, arguments=arguments):
            return _call(name, tuple(folded(argument, scope) for argument in arguments))
        case Not(of=of):
            inner = folded(of, scope)
            truth = _truth(inner)
            return Not(of=inner) if truth is None else Literal(value=not truth)
        case Compare(operator=operator, left=left, right=right):
            one, other = folded(left, scope), folded(right, scope)
            if isinstance(one, Literal) and isinstance(other, Literal):
                return Literal(value=compare(operator, one.value, other.value))
            return Compare(operator=operator, left=one, right=other)
        case Chain(operator=operator, parts=parts):
            return _chain(operator, [folded(part, scope) for part in parts])
        case _:
            return expression


def _chain(operator: str, parts: list[Expression]) -> Expression:
    """Return what is left of a chain: a part that can't stop it is passed over, one that surely does is the last."""
    left: list[Expression] = []
    for number, part in enumerate(parts):
        truth = _truth(part)
        if truth is (operator == "||"):
            left.append(part)
            break
        if truth is None or number == len(parts) - 1:
            left.append(part)
    return left[0] if len(left) == 1 else Chain(operator=operator, parts=tuple(left))


def _truth(expression: Expression) -> bool | None:
    """Return whether an expression counts as true, or None where only a run knows."""
    match expression:
        case Literal(value=value):
            return value not in {None, False, ""}
        case Not(of=of):
            inner = _truth(of)
            return None if inner is None else not inner
        case Chain(operator=operator, parts=parts):
            truths = [_truth(part) for part in parts]
            deciding = operator == "||"
            if deciding in truths:
                return deciding
            return None if None in truths else not deciding
        case _:
            return None


def _read(expression: Context | Property, scope: Scope) -> Expression:
    path = path_of(expression)
    match path:
        case ("inputs", name) if scope.inputs is not None:
            value = dict(scope.inputs).get(name, None)
        case ("env", name):
            value = {key.lower(): text for key, text in scope.environment}.get(name, UNKNOWN)
        case ("matrix", *names) if names:
            value = dict(scope.matrix).get(".".join(names), UNKNOWN)
        case ("github", "workspace"):
            value = TOP
        case ("github", "action_path") if scope.action is not None:
            value = f"{TOP}/{scope.action}"
        case _ if path in _ON_THE_RUNNER:
            value = f"{OUTSIDE}/{'/'.join(path or ())}"
        case _:
            return expression
    return expression if isinstance(value, str) and UNKNOWN in value else Literal(value=value)


def _call(name: str, arguments: tuple[Expression, ...]) -> Expression:
    call = Call(name=name, arguments=arguments)
    values = [argument.value for argument in arguments if isinstance(argument, Literal)]
    if len(values) < len(arguments):
        return call
    texts = [text_of(value) for value in values]
    match name, texts:
        case "format", [template, *rest]:
            found = _format(template, rest)
            return call if UNKNOWN in found else Literal(value=found)
        case "contains", [text, part]:
            return Literal(value=part.lower() in text.lower())
        case "startswith", [text, part]:
            return Literal(value=text.lower().startswith(part.lower()))
        case "endswith", [text, part]:
            return Literal(value=text.lower().endswith(part.lower()))
        case _:
            return call


def _format(template: str, values: list[str]) -> str:
    def put(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        number = int(match[1])
        return values[number] if number < len(values) else UNKNOWN

    found = re.sub(r"\{\{|\}\}|\{(\d{1,4})\}", put, template)
    return found if len(found) <= MAX_VALUE else UNKNOWN


def _value_of(inner: str, scope: Scope) -> Value:
    try:
        found = folded(parse_expression(inner), scope)
    except ExpressionError:
        return UNKNOWN
    return found.value if isinstance(found, Literal) else UNKNOWN
