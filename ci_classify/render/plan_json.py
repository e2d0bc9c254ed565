"""The full plan as JSON, for people and programs: a shape of its own, with a version."""

import json
from collections.abc import Mapping

from ci_classify.core.plan import Decision, Plan
from ci_classify.core.reasons import EvidenceItem, code, evidence_of

SCHEMA = 1


def plan_json(plan: Plan) -> str:
    r"""Return the plan with its evidence, as ASCII: a byte that is no UTF-8 is a ``\udcXX`` escape."""
    facts = {
        "schema": SCHEMA,
        "event": plan.event,
        "base": plan.comparison.base,
        "head": plan.comparison.head,
        "fallback": {"cause": plan.fallback.cause.value, "detail": plan.fallback.detail} if plan.fallback else None,
        "changes": {"total": plan.total_changes, "documentation": plan.documentation_changes},
        "outputs": {decision.name: decision.runs for decision in plan.outputs},
        "decisions": {decision.name: decision_json(decision) for decision in plan.outputs},
    }
    return json_text(facts | ({"canary": plan.would_skip} if plan.canary else {}))


def json_text(facts: Mapping[str, object]) -> str:
    """Return facts as JSON in ASCII, in which no text is a workflow command."""
    return without_commands(json.dumps(facts, indent=2))


def without_commands(text: str) -> str:
    """Return JSON that says the same without workflow commands: a runner reads ``##[`` anywhere in a line."""
    return text.replace("##[", "#\\u0023[")


def decision_json(decision: Decision) -> dict[str, object]:
    """Return a decision with its evidence."""
    evidence = evidence_of(decision.reason)
    return {
        "run": decision.runs,
        "reason": code(decision.reason).value,
        "evidence": [_item(item) for item in evidence.items],
        "more": evidence.more,
    }


def _item(item: EvidenceItem) -> dict[str, object]:
    pattern = item.pattern
    return {
        "path": item.path,
        "change": item.change.value,
        "term": pattern.text if pattern else None,
        "line": pattern.line if pattern and pattern.line else None,
    }
