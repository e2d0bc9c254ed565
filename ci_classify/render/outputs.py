"""The lines of GITHUB_OUTPUT: every output, then the plan as one line of ASCII JSON.

Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

import json

from ci_classify.core.plan import Plan
from ci_classify.core.reasons import code

PLAN_SCHEMA = 1
MAX_PLAN_BYTES = 100_000


def output_lines(plan: Plan) -> bytes | None:
    """Return ``name=true`` or ``name=false`` for each output in the order of the rules, and ``plan`` last.

    None where the names alone are too long for a plan; a file of rules that can be loaded never has so many.
    """
    line = _plan_line(plan)
    if len(line) >= MAX_PLAN_BYTES:
        return None
    lines = [f"{decision.name}={_word(runs=decision.runs)}" for decision in plan.outputs]
    return "".join(f"{line}\n" for line in (*lines, f"plan={line}")).encode("ascii")


def _plan_line(plan: Plan) -> str:
    """Return the plan without paths, as one line; reasons are left out where it is long."""
    facts: dict[str, object] = {
        "schema": PLAN_SCHEMA,
        "event": plan.event[:200],
        "base": plan.comparison.base,
        "head": plan.comparison.head,
        "fallback": plan.fallback.cause.value if plan.fallback else None,
        "changes": {"total": plan.total_changes, "documentation": plan.documentation_changes},
        "outputs": {decision.name: decision.runs for decision in plan.outputs},
        "reasons": {decision.name: code(decision.reason).value for decision in plan.outputs},
    }
    if plan.canary:
        facts["canary"] = plan.would_skip
    line = _line(facts)
    return line if len(line) < MAX_PLAN_BYTES else _line(facts | {"reasons": {}})


def _line(facts: dict[str, object]) -> str:
    return json.dumps(facts, separators=(",", ":"))


def _word(*, runs: bool) -> str:
    return "true" if runs else "false"
