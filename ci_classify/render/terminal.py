"""A plan as lines of a terminal: spans of text, each with its style.

Whether there are colours at all is decided where the lines are printed.
"""

from ci_classify.core.explanation import headline, remedy, sentence
from ci_classify.core.plan import Decision, Plan
from ci_classify.core.reasons import EvidenceItem, evidence_of
from ci_classify.core.text import visible

Span = tuple[str, str]  # printable text, and its style in the words of rich
Line = tuple[int, tuple[Span, ...]]  # indentation in columns, and what stands behind it

PLAIN = ""
TITLE = "bold"
RUN = "bold green"
SKIP = "yellow"
PATH = "cyan"
FAINT = "dim"
WARNING = "bold yellow"


def plan_lines(plan: Plan, rules_file: str) -> list[Line]:
    """Return the headline, then each output with its decision, sentence and evidence."""
    style = TITLE if plan.fallback is None else WARNING
    lines: list[Line] = [(0, ((visible(headline(plan), longest=600), style),))]
    if plan.fallback is not None:
        lines.append((0, ((f"To do: {remedy(plan.fallback.cause)}.", PLAIN),)))
    lines += [(0, ((note, PLAIN),)) for note in plan.comparison.notes]
    if plan.comparison.head is not None:
        lines.append((0, ((f"Compared {plan.comparison.base} with {plan.comparison.head}.", FAINT),)))
    for decision in plan.outputs:
        lines += [(0, ()), *_decision(decision, plan, rules_file)]
    return lines


def _decision(decision: Decision, plan: Plan, rules_file: str) -> list[Line]:
    word = ("run   ", RUN) if decision.runs else ("skip  ", SKIP)
    name = () if decision.title == decision.name else ((f"  {decision.name}", FAINT),)
    lines: list[Line] = [
        (0, (word, (visible(decision.title), TITLE), *name)),
        (6, ((visible(sentence(decision.reason, plan), longest=600), PLAIN),)),
    ]
    evidence = evidence_of(decision.reason)
    lines += [_item(item, rules_file) for item in evidence.items]
    if evidence.more:
        lines.append((8, ((f"and {evidence.more:,} more", PLAIN),)))
    return lines


def _item(item: EvidenceItem, rules_file: str) -> Line:
    spans = [(visible(item.path), PATH), (f"  {item.change}", FAINT)]
    if item.pattern is not None:
        by = (
            f"by {visible(item.pattern.text)}  {rules_file}:{item.pattern.line}"
            if item.pattern.line
            else "a rules file"
        )
        spans.append((f"  {by}", FAINT))
    return (8, tuple(spans))
