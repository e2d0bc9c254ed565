"""What a replay came to, as one page of text or Markdown for a comment of a pull request."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ci_classify.core.explanation import sentence
from ci_classify.core.reasons import evidence_of
from ci_classify.core.record import Record
from ci_classify.core.replay import Difference, Moved, Totals
from ci_classify.core.saving import Savings, Spread
from ci_classify.core.statistics import INTERVAL, Rate
from ci_classify.core.text import visible
from ci_classify.core.unsafe import Safety
from ci_classify.render import markdown
from ci_classify.render.tables import Rows, markdown_table, text_table
from ci_classify.render.terminal import PLAIN, RUN, SKIP, TITLE, Line

_SKIPPED = "newly skipped"
_RUN = "newly run"
MARKDOWN_SHOWN = 15  # changes and unsafe skips that fit into a comment


class Report(Record):
    """All that is shown. ``outputs`` are names of all rules, ``present`` says which rules have which."""

    totals: Totals
    event: str
    outputs: tuple[str, ...]
    present: tuple[frozenset[str], ...]
    savings: Savings | None = None
    safety: Safety | None = None


class _Style(Record):
    name: Callable[[str], str]
    plain: Callable[[str], str]
    table: Callable[[Rows], list[str]]
    heading: Callable[[str], str]
    item: str
    most: int


_TEXT = _Style(
    name=visible,
    plain=lambda text: visible(text, longest=600),
    table=text_table,
    heading=lambda text: f"{text}:",
    item="  ",
    most=50,  # of both kinds
)
_MARKDOWN = _Style(
    name=markdown.code,
    plain=markdown.plain,
    table=markdown_table,
    heading=lambda text: f"### {text}\n",
    item="- ",
    most=MARKDOWN_SHOWN,
)


def report_lines(report: Report, subjects: Mapping[str, str]) -> list[Line]:
    """Return the page as lines of a terminal; ``subjects`` are the first lines of commits by their ids."""
    return [_line(text) for text in _page(report, subjects, _TEXT)]


def report_markdown(report: Report, subjects: Mapping[str, str]) -> str:
    """Return the page as Markdown."""
    return "".join(f"{text}\n" for text in _page(report, subjects, _MARKDOWN))


def _line(text: str) -> Line:
    """Return a line of the page with the styles by which an eye finds its way."""
    shown = text.lstrip(" ")
    indent = len(text) - len(shown)
    for word, style in ((_SKIPPED, SKIP), (_RUN, RUN)):
        if indent and shown.startswith(f"{word}: "):
            return indent, ((word, style), (shown.removeprefix(word), PLAIN))
    return indent, ((shown, TITLE if not indent and shown.endswith(":") else PLAIN),)


def _page(report: Report, subjects: Mapping[str, str], style: _Style) -> list[str]:
    parts = [_head(report), *style.table(_counts(report, style)), *_absent(report, style)]
    for section in (_differences(report, subjects, style), _minutes(report, style), _unsafe(report, style)):
        lines = list(section)
        if lines:
            parts += ["", *lines]
    return [line for part in parts for line in part.split("\n")]


def _head(report: Report) -> str:
    changes = report.totals.changes
    return (
        f"{changes:,} change{'' if changes == 1 else 's'} as {visible(report.event)}. Changes that run each output:\n"
    )


def _counts(report: Report, style: _Style) -> Rows:
    totals = report.totals
    rows = [["Output", *(style.plain(name) for name in totals.names)]]
    for output in report.outputs:
        counts = (
            f"{totals.runs(output, number):,}" if output in present else "-"
            for number, present in enumerate(report.present)
        )
        rows.append([style.name(output), *counts])
    return rows


def _absent(report: Report, style: _Style) -> Iterator[str]:
    for number, name in enumerate(report.totals.names[1:], start=1):
        lost = [output for output in report.outputs if output in report.present[number] - report.present[0]]
        if lost:
            yield ""
            yield f"Only {style.plain(name)} has {', '.join(map(style.name, lost))}; the new rules decide nothing about it."


def _differences(report: Report, subjects: Mapping[str, str], style: _Style) -> Iterator[str]:
    totals = report.totals
    for number, name in enumerate(totals.names[1:]):
        skipped, run = totals.newly_skipped[number], totals.newly_run[number]
        heading = f"Against {style.plain(name)}: {skipped:,} newly skip an output, {run:,} only newly run one"
        yield style.heading(heading) if skipped or run else f"Against {style.plain(name)}: no decision differs."
        differences = [difference for difference in totals.differences if difference.against == number]
        for difference in differences[: style.most]:
            yield from _difference(difference, subjects, style)
        rest = skipped + run - len(differences[: style.most])
        if rest > 0:
            yield f"{style.item}and {rest:,} more; --format json lists every change"


def _difference(difference: Difference, subjects: Mapping[str, str], style: _Style) -> Iterator[str]:
    subject = subjects.get(difference.commit, "")
    yield f"{style.item}{difference.commit[:12]} {style.plain(subject)}".rstrip()
    for word, moves in ((_SKIPPED, difference.skipped), (_RUN, difference.run)):
        for move in moves:
            yield f"  {style.item}{word}: {style.name(move.new.name)}. {_reasons(move, style)}"


def _reasons(move: Moved, style: _Style) -> str:
    before = style.plain(sentence(move.old.reason, move.old_plan))
    now = style.plain(sentence(move.new.reason, move.new_plan))
    reason = move.new.reason if evidence_of(move.new.reason).items else move.old.reason
    items = evidence_of(reason).items
    paths = f" ({', '.join(style.name(item.path) for item in items)})" if items else ""
    return f"Before: {before} Now: {now}{paths}"


def _minutes(report: Report, style: _Style) -> Iterator[str]:
    savings = report.savings
    if savings is None:
        return
    for name, saving in zip(report.totals.names[1:], savings.against, strict=True):
        yield style.heading(f"Minutes against {style.plain(name)}")
        rows = [["Minutes", "Sum", "Median", "90th percentile"]]
        rows += [
            _row("Machine, before", saving.old_machine),
            _row("Machine, now", saving.machine),
            _row("Machine, saved by change", saving.saved_machine),
            _row("Wall time, before", saving.old_wall),
            _row("Wall time, now", saving.wall),
            _row("Wall time, saved by change", saving.saved_wall),
        ]
        yield from style.table(rows)
    if savings.without:
        yield ""
        yield f"Without a duration, counted as nothing: {_names(savings.without, style)}."
    if savings.beyond:
        yield ""
        yield f"With a duration, but no job of the rules: {_names(savings.beyond, style)}."


def _row(what: str, spread: Spread) -> list[str]:
    return [what, f"{spread.total:,.1f}", f"{spread.median:,.1f}", f"{spread.slow:,.1f}"]


def _unsafe(report: Report, style: _Style) -> Iterator[str]:
    safety = report.safety
    if safety is None:
        return
    yield style.heading("Unsafe skips: jobs that failed although the rules would have skipped them")
    rows = [["Rules", "Failed", "Of", "Rate", "95 % interval"]]
    rows += [[style.plain(name), *_rate(rate)] for name, rate in zip(report.totals.names, safety.rates, strict=True)]
    yield from style.table(rows)
    yield ""
    yield f"({INTERVAL}.)"
    yield ""
    for skip in safety.skips[: style.most]:
        paths = ", ".join(style.name(path) for path in skip.paths)
        more = f" and {skip.more:,} more" if skip.more else ""
        yield (
            f"{style.item}{skip.commit[:12]}: {style.name(skip.job)} failed; {style.name(skip.output)} skips it, "
            f"though {paths or 'no path'}{more} changed"
        )
    rest = safety.rates[0].hits - len(safety.skips[: style.most])
    if rest > 0:
        yield f"{style.item}and {rest:,} more"
    if safety.unmatched:
        yield f"{safety.unmatched:,} results are of commits that are not among the changes."
    if safety.unjudged:
        yield f"No rule knows {_names(safety.unjudged, style)}."


def _rate(rate: Rate) -> Sequence[str]:
    share = "-" if rate.share is None else f"{100 * rate.share:.2f} %"
    return f"{rate.hits:,}", f"{rate.trials:,}", share, f"{100 * rate.low:.2f} to {100 * rate.high:.2f} %"


def _names(names: Sequence[str], style: _Style) -> str:
    shown = ", ".join(style.name(name) for name in names[:20])
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")
