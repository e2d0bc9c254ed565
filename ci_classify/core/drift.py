"""What a comparison of rules with what jobs read comes to."""

from collections.abc import Sequence

from ci_classify.core.findings import DriftCode
from ci_classify.core.record import Record


class DriftFinding(Record):
    """A derived path that no rule covers, or an answer of the rules that answers nothing.

    ``chain`` says how the path was reached, from a job to the path itself; ``suite`` is None where no single suite
    is concerned. ``file`` and ``line`` are the place that names the path.
    """

    code: DriftCode
    suite: str | None
    path: str
    chain: tuple[str, ...]
    file: str
    line: int


class Unresolved(Record):
    """What a job reads and only a run knows."""

    job: str
    file: str
    line: int
    why: str


class Unread(Record):
    """Files that a suite claims and nothing that it runs reads: all below a directory, or some of its own files.

    ``line`` is that of the rule that claims the first of them.
    """

    suite: str
    path: str
    files: int
    line: int


class DriftReport(Record):
    """All that was found. ``unread`` is None where nobody asked."""

    findings: Sequence[DriftFinding]
    unresolved: Sequence[Unresolved]
    unread: Sequence[Unread] | None
    workflows: Sequence[str]
