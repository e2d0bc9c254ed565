"""Run examples: compare the plan of each change with what its author expects."""

from collections.abc import Iterable

from ci_classify.core.decision import decide
from ci_classify.core.matching import Matcher
from ci_classify.core.model import Event, Example, Rules
from ci_classify.core.record import Record


class Failure(Record):
    """An output of an example that is not as expected."""

    example: Example
    output: str
    expected: bool
    got: bool


def run_examples(rules: Rules, examples: Iterable[Example]) -> tuple[Failure, ...]:
    """Return what fails, in the order of the examples and of the outputs."""
    matcher = Matcher(rules)
    return tuple(failure for example in examples for failure in _failures(rules, example, matcher))


def _failures(rules: Rules, example: Example, matcher: Matcher) -> Iterable[Failure]:
    event = Event(name=example.event, branch=example.branch, labels=example.labels)
    plan = decide(rules, event, example.changes, matcher=matcher)
    for decision in plan.decisions:
        expected = example.expect.get(decision.name)
        if expected is None and example.selects is not None and (decision.emitted or decision.name in example.selects):
            expected = decision.name in example.selects
        if expected is not None and expected != decision.runs:
            yield Failure(example=example, output=decision.name, expected=expected, got=decision.runs)
