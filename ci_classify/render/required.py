"""The verdict of the required check: as JSON, as lines, and as a table for the job summary."""

from ci_classify.core.required import Failure, Row, Verdict
from ci_classify.core.text import visible
from ci_classify.render.markdown import code, plain
from ci_classify.render.plan_json import json_text
from ci_classify.render.terminal import FAINT, RUN, SKIP, TITLE, WARNING, Line

_LONGEST = 600


def verdict_json(verdict: Verdict) -> str:
    """Return whether the check passed, and every failure."""
    failures = [
        {"job": failure.job, "expected": failure.expected, "got": failure.got, "why": failure.why}
        for failure in verdict.failures
    ]
    return json_text({"passed": verdict.passed, "failures": failures})


def headline(verdict: Verdict) -> str:
    """Return the verdict in a sentence or two; the second says where to start."""
    if verdict.passed:
        succeeded = sum(row.expected == row.got == "success" for row in verdict.rows)
        return f"All {len(verdict.rows)} jobs did what was planned: {succeeded} succeeded, the others were skipped."
    text = f"Not as planned: {_names([failure.job for failure in verdict.failures])}."
    if verdict.first is None:
        return text
    others = "1 other failure" if verdict.first.explains == 1 else f"{verdict.first.explains} other failures"
    return f"{text} Look at {verdict.first.job} first: it explains {others}."


def failure_text(failure: Failure) -> str:
    """Return a failure on one line: name, expected, got, why."""
    return f"{failure.job}: expected {failure.expected}, got {failure.got}: {failure.why}"


def failure_lines(verdict: Verdict) -> list[Line]:
    """Return a line for each failure."""
    return [(0, ((visible(failure_text(failure), longest=_LONGEST), WARNING),)) for failure in verdict.failures]


def verdict_lines(verdict: Verdict) -> list[Line]:
    """Return the headline, then every job."""
    width = max((len(visible(row.job)) for row in verdict.rows), default=0)
    head = visible(headline(verdict), longest=_LONGEST)
    return [(0, ((head, TITLE if verdict.passed else WARNING),)), *(_row_line(row, width) for row in verdict.rows)]


def verdict_summary(verdict: Verdict) -> bytes:
    """Return the verdict as Markdown: the headline, failures that are no row of the table, a table of every job."""
    rows = {(row.job, row.expected, row.got) for row in verdict.rows}
    other = [failure for failure in verdict.failures if (failure.job, failure.expected, failure.got) not in rows]
    parts = [
        f"### Required check: {'passed' if verdict.passed else 'failed'}\n\n{plain(headline(verdict))}\n",
        *(["\n"] if other else []),
        *(f"- {plain(failure_text(failure))}\n" for failure in other),
    ]
    if verdict.rows:
        parts.append("\n| Job | Expected | Got | Why |\n| --- | --- | --- | --- |\n")
        parts += [_row_markdown(row) for row in verdict.rows]
    return "".join(parts).encode("utf-8", "backslashreplace")


def _row_line(row: Row, width: int) -> Line:
    word, style = ("ok    ", RUN) if row.got == "success" else ("skip  ", SKIP)
    if not row.passed:
        word, style = "FAIL  ", WARNING
    note = f"{row.got}, expected {row.expected}: {row.note}" if not row.passed else row.note
    name = visible(row.job)
    return (
        0,
        ((word, style), (name if not note else f"{name:<{width}}  ", TITLE), (visible(note, longest=_LONGEST), FAINT)),
    )


def _row_markdown(row: Row) -> str:
    got = plain(row.got) if row.passed else f"**{plain(row.got)}**"
    return f"| {code(row.job)} | {plain(row.expected)} | {got} | {plain(row.note)} |\n"


def _names(names: list[str]) -> str:
    unique = list(dict.fromkeys(names))
    return ", ".join(unique[:5]) + (f" and {len(unique) - 5} more" if len(unique) > 5 else "")
