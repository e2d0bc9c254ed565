"""Tables of words, as text in columns and as Markdown."""

from collections.abc import Sequence

Rows = Sequence[Sequence[str]]  # the first one is the head


def text_table(rows: Rows) -> list[str]:
    """Return lines whose columns are aligned: the first to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def markdown_table(rows: Rows) -> list[str]:
    """Return a table of cells that are Markdown already, numbers to the right."""
    head, *rest = rows
    rule = ["---", *["--:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rest)]
