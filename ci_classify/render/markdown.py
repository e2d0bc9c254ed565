"""The job summary as Markdown: a table of all outputs, then a section for each with its reason and evidence.

Refuses: to let foreign text be markup, and to grow beyond its budget of bytes.
"""

import re

from ci_classify.core.explanation import headline, remedy, sentence
from ci_classify.core.plan import Decision, Plan
from ci_classify.core.reasons import EvidenceItem, evidence_of
from ci_classify.core.text import visible

MAX_SUMMARY_BYTES = 900_000  # GitHub refuses a step's summary beyond 1 MiB
_MARKUP = re.compile(r"[\\`*\[\]#|~$<>&@]|\b_|_\b|(?<=http)s?:|(?<=www)\.")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;"}


def summary(plan: Plan, rules_file: str, *, room: int = MAX_SUMMARY_BYTES) -> bytes:
    """Return the summary, at most ``room`` bytes: sections that don't fit are counted at the end."""
    head = [f"{plain(headline(plan))}\n", *(f"{plain(note)}\n" for note in plan.comparison.notes)]
    if plan.fallback is not None and not plan.fallback.is_by_event:
        head.insert(0, "## Full matrix: run\n")
        head.append(f"To do: {plain(remedy(plan.fallback.cause))}.\n")
    if plan.comparison.head is not None:
        head.append(f"Compared {code(plan.comparison.base or '')} with {code(plan.comparison.head)}.\n")
    rows = ["| Output | Decision | Why |\n| --- | --- | --- |"]
    rows += [_row(decision, plan) for decision in plan.outputs]
    parts = ["\n".join(head), "\n" + "\n".join(rows) + "\n"]
    used = sum(len(_encode(part)) for part in parts)
    if used > room - 200:
        return _encode("The summary of ci-classify does not fit; see the step's log.\n") if room > 200 else b""
    for number, decision in enumerate(plan.outputs):
        section = f"\n### {plain(decision.title)}: {_word(decision)}\n\n{_why(decision, plan, rules_file)}\n"
        if used + len(_encode(section)) > room - 200:
            parts.append(f"\n{len(plan.outputs) - number} more sections do not fit into the summary.\n")
            break
        parts.append(section)
        used += len(_encode(section))
    return _encode("".join(parts))


def plain(text: str) -> str:
    """Return foreign text as Markdown that shows just that text."""
    return _MARKUP.sub(_escape, visible(text, longest=500))


def _escape(markup: re.Match[str]) -> str:
    sign = markup[0]
    return _ENTITIES.get(sign) or (f"&#{ord(sign[-1])};" if sign[-1] in ":." else f"\\{sign}")


def code(text: str) -> str:
    """Return foreign text as a code span, behind a fence that is longer than any run of backticks in it."""
    shown = visible(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    padding = " " if shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    return f"{fence}{padding}{shown}{padding}{fence}"


def _row(decision: Decision, plan: Plan) -> str:
    return f"| {code(decision.name)} | {_word(decision)} | {plain(sentence(decision.reason, plan))} |"


def _word(decision: Decision) -> str:
    return "run" if decision.runs else "skip"


def _why(decision: Decision, plan: Plan, rules_file: str) -> str:
    evidence = evidence_of(decision.reason)
    text = plain(sentence(decision.reason, plan))
    if not evidence.items:
        return text
    items = ", ".join(_item(item, rules_file) for item in evidence.items)
    more = f", and {evidence.more:,} more" if evidence.more else ""
    return f"{text} {items}{more}"


def _item(item: EvidenceItem, rules_file: str) -> str:
    if item.pattern is None:
        return f"{code(item.path)} ({item.change})"
    where = f", {plain(rules_file)} line {item.pattern.line}" if item.pattern.line else ""
    return f"{code(item.path)} ({item.change}; {code(item.pattern.text)}{where})"


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
