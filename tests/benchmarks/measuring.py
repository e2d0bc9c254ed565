"""Measure processes against each other: interleaved, so that a busy machine is as busy for each, and by medians."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Work = Callable[[], object]
COMMAND = str(Path(sys.executable).with_name("ci-classify"))  # as installed beside the Python that measures


@dataclass(frozen=True, kw_only=True)
class Process:
    """A process to run: its words, where, its environment and its standard input."""

    words: Sequence[str]
    directory: Path
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    stdin: bytes = b""

    def run(self) -> None:
        """Run it to its end; what it prints is read and dropped."""
        subprocess.run(
            self.words, cwd=self.directory, env=self.environment, input=self.stdin, capture_output=True, check=True
        )


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the table: what was done, what it was compared with, how much of a unit each took, the bound of the ratio.

    Times are medians in ms.
    """

    work: str
    against: str
    amount: float
    other: float
    bound: float
    unit: str = "ms"

    @property
    def ratio(self) -> float:
        """How many times as much the work took as what it is compared with."""
        return self.amount / self.other

    @property
    def holds(self) -> bool:
        """Whether the ratio is within its bound."""
        return self.ratio <= self.bound


def medians(works: Sequence[Work], rounds: int) -> list[float]:
    """Return the median time of each work in ms, after one round that counts for nothing."""
    times: list[list[float]] = [[] for _ in works]
    for number in range(rounds + 1):
        for work, measured in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            if number:
                measured.append(1_000 * (time.perf_counter() - start))
    return [statistics.median(measured) for measured in times]
