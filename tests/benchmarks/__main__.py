"""Measure, and print a table of ratios within this one run; exit 1 where a bound does not hold."""

import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import cold_start, identities, start_up, whole_tree
from benchmarks.measuring import Row

_MEASURES = (start_up.measure, cold_start.measure, identities.measure, whole_tree.measure)


def main() -> int:
    """Print the machine and the table."""
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}, {git}\n")  # noqa: T201
    rows: list[Row] = []
    for measure in _MEASURES:
        with tempfile.TemporaryDirectory() as name:
            rows += measure(Path(name))
    for line in _table(rows):
        print(line)  # noqa: T201
    return 0 if all(row.holds for row in rows) else 1


def _table(rows: list[Row]) -> list[str]:
    head = ["| Work | Against | Work, ms | Against, ms | Ratio | Bound |", "| --- | --- | --: | --: | --: | --: |"]
    return head + [
        f"| {row.work} | {row.against} | {1000 * row.time:.1f} | {1000 * row.other_time:.1f} "
        f"| {row.ratio:.2f} | {row.bound:g}{'' if row.holds else ', exceeded'} |"
        for row in rows
    ]


sys.exit(main())
