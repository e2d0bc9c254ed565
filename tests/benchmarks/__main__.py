"""Measure, and print a table of ratios within this one run; exit 1 where a bound does not hold."""

import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import identities, many_changes, paths_filter, replaying, start_up, whole_tree
from benchmarks.measuring import Row

_MEASURES = (
    start_up.measure,
    paths_filter.measure,
    many_changes.measure,
    identities.measure,
    whole_tree.measure,
    replaying.measure,
)


def main() -> int:
    """Print the machine and the table, a row as soon as it is measured."""
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout.strip()
    say(f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}, {git}\n")
    say("| Work | Against | Work | Against | Ratio | Bound |\n| --- | --- | --: | --: | --: | --: |")
    rows: list[Row] = []
    for measure in _MEASURES:
        with tempfile.TemporaryDirectory() as name:
            found = measure(Path(name))
        rows += found
        for row in found:
            say(_line(row))
    return 0 if all(row.holds for row in rows) else 1


def say(line: str) -> None:
    """Print a line."""
    print(line, flush=True)  # noqa: T201


def _line(row: Row) -> str:
    exceeded = "" if row.holds else ", exceeded"
    amounts = f"{row.amount:.1f} {row.unit} | {row.other:.1f} {row.unit}"
    return f"| {row.work} | {row.against} | {amounts} | {row.ratio:.2f} | {row.bound:g}{exceeded} |"


sys.exit(main())
