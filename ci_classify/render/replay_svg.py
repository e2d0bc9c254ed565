"""Runs per output over time as a picture: old against new, an SVG that needs nothing from elsewhere."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from html import escape

from ci_classify.core.replay import Bucket, Totals
from ci_classify.core.text import visible

_WIDTH = 720
_LEFT = 220  # room for names
_ROW = 64
_PLOT = 40  # height of the lines of an output
_LEGEND = (3, 232, 18)  # entries beside each other, the width and the height of one
_COLORS = ("#0969da", "#cf222e", "#8250df", "#9a6700", "#1a7f37")
_INK = "#1f2328"
_FAINT = "#59636e"


def timeline_svg(totals: Totals, outputs: Sequence[str], present: Sequence[Collection[str]], *, dated: bool) -> bytes:
    """Return the picture: a row for each output, in it a line for each rules that have it, the new ones' on top."""
    top = 64 + _LEGEND[2] * -(-len(totals.names) // _LEGEND[0])
    height = top + _ROW * len(outputs) + 32
    size = f'width="{_WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12" role="img">',
        "<title>Runs of each output over time</title>",
        f'<rect {size} fill="#ffffff"/>',
        _text(16, 24, "Share of the changes that run each output, over time"),
        *_legend(totals.names),
    ]
    for row, output in enumerate(outputs):
        numbers = [number for number, names in enumerate(present) if output in names]
        parts += _output(totals, output, numbers, top + _ROW * row)
    if totals.timeline:
        parts += _axis(totals.timeline, height - 12, dated=dated)
    return ("\n".join([*parts, "</svg>"]) + "\n").encode("utf-8", "backslashreplace")


def _legend(names: Sequence[str]) -> list[str]:
    parts = []
    columns, width, height = _LEGEND
    for number, name in enumerate(names):
        left, top = 16 + width * (number % columns), 36 + height * (number // columns)
        parts.append(f'<rect x="{left}" y="{top}" width="12" height="12" fill="{_color(number)}"/>')
        parts.append(_text(left + 18, top + 10, visible(name, longest=28)))
    return parts


def _output(totals: Totals, output: str, numbers: Sequence[int], top: int) -> list[str]:
    bottom = top + _PLOT
    counts = " / ".join(f"{totals.runs(output, number):,}" for number in numbers)
    parts = [
        _text(16, top + 16, visible(output, longest=28)),
        _text(16, top + 32, f"{counts} of {totals.changes:,}", _FAINT),
        *(_line(y) for y in (top, bottom)),
        _text(_LEFT - 6, top + 4, "100 %", _FAINT, "end"),
        _text(_LEFT - 6, bottom + 4, "0 %", _FAINT, "end"),
    ]
    for number in reversed(numbers):
        points = " ".join(
            f"{_x(bucket.start, totals.timeline):.1f},{bottom - _PLOT * bucket.runs[number][output] / bucket.changes:.1f}"
            for bucket in totals.timeline
        )
        runs = f"{visible(totals.names[number])}: {totals.runs(output, number):,} of {totals.changes:,}"
        shape = f'<polyline points="{points}" fill="none" stroke="{_color(number)}" stroke-width="1.5">'
        parts.append(f"{shape}<title>{escape(runs)}</title></polyline>")
        if len(totals.timeline) == 1:
            x, y = points.split(",")
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{_color(number)}"/>')
    return parts


def _line(y: int) -> str:
    return f'<line x1="{_LEFT}" y1="{y}" x2="{_WIDTH - 16}" y2="{y}" stroke="#d0d7de"/>'


def _axis(timeline: Sequence[Bucket], y: int, *, dated: bool) -> list[str]:
    ends = (timeline[0].start, timeline[-1].start)
    first, last = (_date(end) if dated else f"change {end + 1}" for end in ends)
    return [_text(_LEFT, y, first, _FAINT), _text(_WIDTH - 16, y, last, _FAINT, "end")]


def _date(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return str(seconds)


def _x(start: int, timeline: Sequence[Bucket]) -> float:
    first, last = timeline[0].start, timeline[-1].start
    width = _WIDTH - 16 - _LEFT
    return _LEFT + (width * (start - first) / (last - first) if last > first else width / 2)


def _text(x: float, y: float, text: str, ink: str = _INK, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" fill="{ink}" text-anchor="{anchor}">{escape(text)}</text>'


def _color(number: int) -> str:
    return _COLORS[number % len(_COLORS)]
