"""The job summary as Markdown: a table of all outputs, then a section for each with its reason and evidence.

Refuses: to let foreign text be markup, and to grow beyond its budget of bytes.
"""

import re
from collections.abc import Iterable

from ci_classify.core.explanation import headline, remedy, sentence
from ci_classify.core.plan import Decision, Plan
from ci_classify.core.reasons import EvidenceItem, evidence_of
from ci_classify.core.text import visible

MAX_SUMMARY_BYTES = 900_000  # GitHub refuses a step's summary beyond 1 MiB
_NOTE_BYTES = 200  # kept free for the line that says what does not fit
_MARKUP = re.compile(r"[\\`*\[\]#|~$<>&@]|\b_|_\b|:(?=//)|(?<=www)\.", re.IGNORECASE)


def summary(plan: Plan, rules_file: str, *, room: int = MAX_SUMMARY_BYTES) -> bytes:
    """Return the summary, at most ``room`` bytes: sections that don't fit are counted at the end."""
    parts = [_table(plan), *_head(plan)]
    used = sum(len(_encode(part)) for part in parts)
    if used > room - _NOTE_BYTES:
        return (
            _encode("The summary of ci-classify does not fit; see the log of the step.\n")
            if room > _NOTE_BYTES
            else b""
        )
    for number, decision in enumerate(plan.outputs):
        section = f"\n### {plain(decision.title)}: {_word(decision)}\n\n{_why(decision, plan, rules_file)}\n"
        used += len(_encode(section))
        if used > room - _NOTE_BYTES:
            parts.append(f"\n{len(plan.outputs) - number} more sections do not fit; see the log of the step.\n")
            break
        parts.append(section)
    return _encode("".join(parts))


def plain(text: str) -> str:
    """Return foreign text as Markdown that shows just that text."""
    return _MARKUP.sub(_escape, visible(text, longest=500))


def _escape(markup: re.Match[str]) -> str:
    # GitHub looks for addresses of mail after all escapes are gone; an empty comment keeps the two halves apart.
    return "@<!-- -->" if markup[0] == "@" else f"\\{markup[0]}"


def code(text: str) -> str:
    """Return foreign text as a code span, behind a fence that is longer than any run of backticks in it."""
    shown = visible(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    edges = {shown[:1], shown[-1:]} if shown.strip(" ") else set()
    padding = " " if edges & {"`", " "} else ""  # a renderer takes one space from either end, if there is more
    return f"{fence}{padding}{shown}{padding}{fence}"


def _table(plan: Plan) -> str:
    titled = any(decision.title != decision.name for decision in plan.outputs)
    rows = [["Output", "Decision", *(["Title"] if titled else []), "Why"]]
    rows.append(["---"] * len(rows[0]))
    for decision in plan.outputs:
        title = [plain(decision.title)] if titled else []
        rows.append([code(decision.name), _word(decision), *title, plain(sentence(decision.reason, plan))])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _head(plan: Plan) -> Iterable[str]:
    if plan.fallback is not None and not plan.fallback.is_by_event:
        yield "\n## Full matrix: run\n"
    yield f"\n{plain(headline(plan))}\n"
    if plan.fallback is not None:
        yield f"\nTo do: {remedy(plan.fallback.cause)}.\n"
    for note in plan.comparison.notes:
        yield f"\n{plain(note)}\n"
    if plan.comparison.base is not None and plan.comparison.head is not None:
        yield f"\nCompared {code(plan.comparison.base)} with {code(plan.comparison.head)}.\n"


def _word(decision: Decision) -> str:
    return "run" if decision.runs else "skip"


def _why(decision: Decision, plan: Plan, rules_file: str) -> str:
    evidence = evidence_of(decision.reason)
    lines = [plain(sentence(decision.reason, plan))]
    if evidence.items:
        lines += ["", *(f"- {_item(item, rules_file)}" for item in evidence.items)]
    if evidence.more:
        lines.append(f"- and {evidence.more:,} more")
    return "\n".join(lines)


def _item(item: EvidenceItem, rules_file: str) -> str:
    found = f"{code(item.path)} ({item.change})"
    if item.pattern is None:
        return found
    if not item.pattern.line:
        return f"{found}, a rules file"
    return f"{found}, by {code(item.pattern.text)} at {plain(rules_file)}:{item.pattern.line}"


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
