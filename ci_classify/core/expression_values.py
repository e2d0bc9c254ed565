"""The values of expressions, and what GitHub makes of them: text, numbers, comparisons, JSON.

Source: https://docs.github.com/actions/reference/workflows-and-actions/expressions
"""

import json
from collections.abc import Mapping

from ci_classify.core.record import Record


class FailsError(Exception):
    """GitHub can't evaluate the condition, such as ``fromJSON('')``; the job does not run."""


class Unknown(Record):
    """A value that only a run has; equal names are equal values."""

    name: str


class PlanText(Record):
    """The output ``plan`` of the detector: JSON that holds the outputs, as booleans as far as they are assumed."""

    outputs: Mapping[str, "Value"]


Value = bool | float | str | Unknown | PlanText | tuple["Value", ...] | Mapping[str, "Value"] | None


def compare(operator: str, left: Value, right: Value) -> bool:
    """Compare two known values as GitHub does: texts without regard to case, unlike types as numbers."""
    if isinstance(left, str) and isinstance(right, str):
        one: str | float = left.lower()
        other: str | float = right.lower()
    elif type(left) is type(right) and isinstance(left, (tuple, dict, PlanText)):
        return (left is right) is (operator == "==")
    else:
        one, other = _number(left), _number(right)
    match operator:
        case "==":
            return one == other
        case "!=":
            return one != other
        case "<":
            return one < other  # type: ignore[operator]
        case "<=":
            return one <= other  # type: ignore[operator]
        case ">":
            return one > other  # type: ignore[operator]
        case _:
            return one >= other  # type: ignore[operator]


def _number(value: Value) -> float:
    match value:
        case None:
            return 0.0
        case bool() | float():
            return float(value)
        case str():
            try:
                return float(value.strip() or 0)
            except ValueError:
                return float("nan")
        case _:
            return float("nan")


def text_of(value: Value) -> str:
    """Return a known value as text."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:g}"
        case str():
            return value
        case _:
            return ""


def property_of(value: Value, name: str, path: str) -> Value:
    """Return a property of an object, or of each object of an array."""
    match value:
        case Unknown():
            return Unknown(name=path)
        case dict():
            return value.get(name)
        case tuple():
            return tuple(property_of(item, name, path) for item in value if isinstance(item, dict))
        case _:
            return None


def from_json(value: Value) -> Value:
    """Return what ``fromJSON`` makes of a text, or raise FailsError."""
    if isinstance(value, PlanText):
        return {"outputs": value.outputs}
    try:
        return _from_python(json.loads(text_of(value)))
    except (ValueError, RecursionError):
        raise FailsError from None


def _from_python(value: object) -> Value:
    match value:
        case None | bool() | str():
            return value
        case int() | float():
            return float(value)
        case list():
            return tuple(_from_python(item) for item in value)
        case dict():
            return {str(name).lower(): _from_python(item) for name, item in value.items()}
        case _:
            raise FailsError


def contains(where: Value, what: Value) -> bool:
    """Return whether an array holds a value, or a text another one."""
    if isinstance(where, tuple):
        return any(compare("==", item, what) for item in where)
    return text_of(what).lower() in text_of(where).lower()


def holds_unknown(value: Value) -> bool:
    """Return whether a value, or any within it, is unknown."""
    match value:
        case Unknown():
            return True
        case tuple():
            return any(holds_unknown(item) for item in value)
        case dict():
            return any(holds_unknown(item) for item in value.values())
        case _:
            return False
