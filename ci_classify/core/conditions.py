"""What a condition comes to in the runs that can happen.

A ``World`` fixes what is assumed, such as a detector that failed. Everything else that a condition reads is chosen:
``runs`` evaluates a question once for each combination of choices that makes a difference. What a function makes of
an unknown value is unknown itself, with the text of the call as its name. Too many combinations are no answer.

Source: https://docs.github.com/actions/reference/workflows-and-actions/expressions
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar, assert_never

from ci_classify.core.expression_values import (
    FailsError,
    Unknown,
    Value,
    compare,
    contains,
    from_json,
    holds_unknown,
    property_of,
    text_of,
)
from ci_classify.core.expressions import (
    Call,
    Chain,
    Compare,
    Context,
    Expression,
    Filter,
    Index,
    Literal,
    Not,
    Property,
    below,
    path_of,
    written,
)
from ci_classify.core.record import Record

MAX_RUNS = 4096
STATUS_FUNCTIONS = frozenset({"always", "cancelled", "failure", "success"})
RESULTS = ("success", "failure", "cancelled", "skipped")
OTHER = "another value"

_T = TypeVar("_T")


class TooManyRunsError(Exception):
    """A condition reads more unknown things than can be tried."""


class World(Record):
    """What is assumed of a run: results of jobs and outputs of one of them, all in lower case.

    ``needs`` are the jobs that the judged job waits for, ``ancestors`` those and theirs, to any depth: the
    status functions look at all of them. What is not fixed succeeds, or is chosen where the condition reads it.
    """

    needs: tuple[str, ...]
    ancestors: frozenset[str]
    results: Mapping[str, str]
    outputs: Mapping[str, Mapping[str, Value]]
    cancelled: bool = False


class Choices:
    """The choices of one run: each name is chosen once."""

    def __init__(self, replay: list[tuple[str, tuple[object, ...], int]]) -> None:
        self.trail: list[tuple[str, tuple[object, ...], int]] = []
        self.made: dict[str, object] = {}
        self._replay = replay

    def choose(self, name: str, among: Sequence[_T]) -> _T:
        """Return what is chosen for a name in this run."""
        if name not in self.made:
            at = len(self.trail)
            number = self._replay[at][2] if at < len(self._replay) else 0
            self.trail.append((name, tuple(among), number))
            self.made[name] = among[number]
        return self.made[name]  # type: ignore[return-value]


def runs(question: Callable[[Choices], _T]) -> Iterator[tuple[Mapping[str, object], _T]]:
    """Return every run of a question: what was chosen, and the answer."""
    trail: list[tuple[str, tuple[object, ...], int]] = []
    for _ in range(MAX_RUNS):
        choices = Choices(trail)
        answer = question(choices)
        yield choices.made, answer
        trail = choices.trail
        while trail and trail[-1][2] + 1 == len(trail[-1][1]):
            trail.pop()
        if not trail:
            return
        name, among, number = trail[-1]
        trail[-1] = (name, among, number + 1)
    raise TooManyRunsError


class Condition:
    """The condition of a job, None where it has none. A job without a status function waits for success."""

    def __init__(self, expression: Expression | None) -> None:
        self.expression = expression or Call(name="success", arguments=())
        called = {part.name for part in below(self.expression) if isinstance(part, Call)}
        self.has_status_function = bool(called & STATUS_FUNCTIONS)
        self._compared = _compared(self.expression)

    def holds(self, world: World, choices: Choices) -> bool:
        """Return whether the job runs in a world."""
        evaluation = _Evaluation(world, choices, self._compared)
        try:
            if not self.has_status_function and not evaluation.succeeded():
                return False
            return evaluation.is_true(evaluation.value(self.expression))
        except FailsError:
            return False


def _compared(expression: Expression) -> Mapping[str, tuple[Value, ...]]:
    """Return the constants that each part of an expression is compared with."""
    found: dict[str, list[Value]] = {}
    for part in below(expression):
        if isinstance(part, Compare):
            for side, other in ((part.left, part.right), (part.right, part.left)):
                if isinstance(other, Literal):
                    found.setdefault(written(side), []).append(other.value)
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}


class _Evaluation:
    """One condition in one world and one run."""

    def __init__(self, world: World, choices: Choices, compared: Mapping[str, tuple[Value, ...]]) -> None:
        self._world = world
        self._choices = choices
        self._compared = compared

    # -- jobs ----------------------------------------------------------------------------------------

    def succeeded(self) -> bool:
        """Return what ``success()`` says: every job before this one succeeded."""
        fixed = all(result == "success" for job, result in self._world.results.items() if job in self._world.ancestors)
        return fixed and all(self._result(job) == "success" for job in self._world.needs)

    def _failed(self) -> bool:
        fixed = any(result == "failure" for job, result in self._world.results.items() if job in self._world.ancestors)
        return fixed or any(self._result(job) == "failure" for job in self._world.needs)

    def _result(self, job: str) -> str:
        fixed = self._world.results.get(job)
        return fixed if fixed is not None else self._choices.choose(f"needs.{job}.result", RESULTS)

    def _need(self, job: str) -> Value:
        if job not in self._world.needs:
            return None
        return {
            "result": self._result(job),
            "outputs": self._world.outputs.get(job, Unknown(name=f"needs.{job}.outputs")),
        }

    # -- values --------------------------------------------------------------------------------------

    def value(self, expression: Expression) -> Value:
        match expression:
            case Literal(value=value):
                return value
            case Context() | Property():
                return self._read(expression)
            case Index() | Filter():
                return self._elements(expression)
            case Call():
                return self._call(expression)
            case Not(of=of):
                return not self.is_true(self.value(of))
            case Compare():
                return self._compare(expression)
            case Chain(operator=operator, parts=parts):
                result: Value = None
                for part in parts:
                    result = self.value(part)
                    if self.is_true(result) is (operator == "||"):
                        break
                return result
            case _:
                assert_never(expression)

    def is_true(self, value: Value) -> bool:
        """Return whether a value counts as true."""
        if isinstance(value, Unknown):
            value = self._chosen(value)
        match value:
            case None | False | "":
                return False
            case float():
                return value != 0 and not math.isnan(value)
            case _:
                return True

    def _chosen(self, unknown: Unknown) -> Value:
        constants = self._compared.get(unknown.name, ())
        return self._choices.choose(unknown.name, (*constants, *(v for v in (OTHER, "") if v not in constants)))

    def _read(self, expression: Context | Property) -> Value:
        path = path_of(expression)
        if path is None and isinstance(expression, Property):
            return property_of(self.value(expression.of), expression.name, written(expression))
        if path is None or path[0] != "needs":
            return Unknown(name=written(expression))
        if len(path) == 1:
            return Unknown(name="needs")
        found = self._need(path[1])
        for depth, name in enumerate(path[2:], 3):
            found = property_of(found, name, ".".join(path[:depth]))
        return found

    def _elements(self, expression: Index | Filter) -> Value:
        of = path_of(expression.of)
        if isinstance(expression, Filter) and of == ("needs",):
            return tuple(self._need(job) for job in self._world.needs)
        return Unknown(name=written(expression))

    def _compare(self, expression: Compare) -> Value:
        left, right = self.value(expression.left), self.value(expression.right)
        if isinstance(left, Unknown) and isinstance(right, Unknown) and left == right:
            return expression.operator in {"==", "<=", ">="}
        for side, at, other in ((left, expression.left, expression.right), (right, expression.right, expression.left)):
            if isinstance(side, Unknown) and (not isinstance(other, Literal) or side.name != written(at)):
                return self._choices.choose(written(expression), (True, False))
        values = [self._chosen(side) if isinstance(side, Unknown) else side for side in (left, right)]
        return compare(expression.operator, values[0], values[1])

    # -- functions -----------------------------------------------------------------------------------

    def _call(self, call: Call) -> Value:
        match call.name:
            case "always":
                return True
            case "success":
                return self.succeeded()
            case "failure":
                return self._failed()
            case "cancelled":
                return self._world.cancelled
            case _:
                values = [self.value(argument) for argument in call.arguments]
        known = not any(holds_unknown(value) for value in values)
        if known and call.name == "fromjson" and len(values) == 1:
            return from_json(values[0])
        if known and call.name == "contains" and len(values) == 2:
            return contains(values[0], values[1])
        if known and call.name in {"startswith", "endswith"} and len(values) == 2:
            text, part = (text_of(value).lower() for value in values)
            return text.startswith(part) if call.name == "startswith" else text.endswith(part)
        return Unknown(name=written(call))
