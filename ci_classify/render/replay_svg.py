"""Runs per output over time as a picture: old against new, an SVG that needs nothing from elsewhere."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape

from ci_classify.core.replay import Bucket, Totals
from ci_classify.core.text import visible

_WIDTH = 720
_LEFT = 220  # room for names
_ROW = 64
_PLOT = 40  # height of the lines of an output
_TOP = 56
_COLORS = ("#0969da", "#cf222e", "#8250df", "#9a6700", "#1a7f37")


def timeline_svg(totals: Totals, outputs: Sequence[str], *, dated: bool) -> bytes:
    """Return the picture: a row for each output, a line for each rules; the share of changes that run it."""
    height = _TOP + _ROW * len(outputs) + 40
    size = f'width="{_WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12" role="img">',
        "<title>Runs of each output over time</title>",
        f'<rect {size} fill="#ffffff"/>',
        *_legend(totals.names),
    ]
    for row, output in enumerate(outputs):
        parts += _output(totals, output, _TOP + _ROW * row)
    if totals.timeline:
        parts += _axis(totals.timeline, height - 16, dated=dated)
    return ("\n".join([*parts, "</svg>"]) + "\n").encode("utf-8", "backslashreplace")


def _legend(names: Sequence[str]) -> list[str]:
    parts = []
    left = 16
    for number, name in enumerate(names):
        shown = visible(name, longest=24)
        parts.append(f'<rect x="{left}" y="16" width="12" height="12" fill="{_color(number)}"/>')
        parts.append(_text(left + 18, 26, shown))
        left += 40 + 7 * len(shown)
    return parts


def _output(totals: Totals, output: str, top: int) -> list[str]:
    bottom = top + _PLOT
    parts = [_text(16, top + 24, visible(output, longest=28))]
    parts.append(f'<line x1="{_LEFT}" y1="{bottom}" x2="{_WIDTH - 16}" y2="{bottom}" stroke="#d0d7de"/>')
    # The new rules are drawn last, above the others.
    for number in reversed(range(len(totals.names))):
        points = " ".join(
            f"{_x(bucket.start, totals.timeline):.1f},{bottom - _PLOT * bucket.runs[number][output] / bucket.changes:.1f}"
            for bucket in totals.timeline
        )
        runs = f"{visible(totals.names[number])}: {totals.runs(output, number)} of {totals.changes}"
        shape = f'<polyline points="{points}" fill="none" stroke="{_color(number)}" stroke-width="1.5">'
        parts.append(f"{shape}<title>{escape(runs)}</title></polyline>")
        if len(totals.timeline) == 1:
            x, y = points.split(",")
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{_color(number)}"/>')
    return parts


def _axis(timeline: Sequence[Bucket], y: int, *, dated: bool) -> list[str]:
    ends = (timeline[0].start, timeline[-1].start)
    first, last = (_date(end) if dated else f"change {end + 1}" for end in ends)
    return [
        _text(_LEFT, y, first),
        f'<text x="{_WIDTH - 16}" y="{y}" text-anchor="end" fill="#1f2328">{last}</text>',
    ]


def _date(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return str(seconds)


def _x(start: int, timeline: Sequence[Bucket]) -> float:
    first, last = timeline[0].start, timeline[-1].start
    width = _WIDTH - 16 - _LEFT
    return _LEFT + (width * (start - first) / (last - first) if last > first else width / 2)


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" fill="#1f2328">{escape(text)}</text>'


def _color(number: int) -> str:
    return _COLORS[number % len(_COLORS)]
