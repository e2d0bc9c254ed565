"""Which outputs one path selects, and for each suite the line of the rules that decides about it."""

from ci_classify.core.decision import decide
from ci_classify.core.matching import Matcher, Verdict
from ci_classify.core.model import ChangeKind, Changes, Event, Rules
from ci_classify.core.plan import Decision, Plan
from ci_classify.core.record import Record
from ci_classify.core.set_evaluator import Match, SetEvaluator


class OutputForPath(Record):
    """The decision about an output if only this path changed, and the term that decided about the path."""

    decision: Decision
    match: Match | None


class PathExplanation(Record):
    """What a change of one path would do. ``verdict`` says which sets contain it."""

    path: str
    plan: Plan
    verdict: Verdict
    outputs: tuple[OutputForPath, ...]


def explain_path(rules: Rules, event: Event, path: str, kind: ChangeKind) -> PathExplanation:
    """Return what a change of this path alone would do on an event."""
    matcher = Matcher(rules)
    plan = decide(rules, event, Changes(paths=(path,), kinds=(kind,)), matcher=matcher)
    suites = {suite.name: suite.inputs for suite in rules.suites if suite.inputs}
    evaluator = SetEvaluator(rules, list(suites.values()))
    mask = evaluator.automaton.masks(path)[kind.new_is_submodule]
    found = {name: evaluator.last_match(number, mask) for number, name in enumerate(suites)}
    return PathExplanation(
        path=path,
        plan=plan,
        verdict=matcher.verdict(path, kind),
        outputs=tuple(OutputForPath(decision=decision, match=found.get(decision.name)) for decision in plan.decisions),
    )
