"""Unsafe skips: jobs that failed on a change for which rules would have skipped them.

The rate counts the jobs that ran and would have been skipped: those that failed, of those that failed or succeeded. A job
that ran several times on a commit failed if any of the runs did. What was cancelled or skipped says nothing.
"""

from collections.abc import Mapping, Sequence

from ci_classify.core.jobs import Jobs
from ci_classify.core.model import Changes, Rules
from ci_classify.core.record import Record
from ci_classify.core.replay import Outcome, Selected
from ci_classify.core.statistics import Rate

MOST_SHOWN = 25
_FIRST = 3
_FAILED = frozenset({"failure", "timed_out", "startup_failure"})


class JobResult(Record):
    """What a job came to on a commit."""

    commit: str
    job: str
    conclusion: str


class UnsafeSkip(Record):
    """A job that failed, the output by which the new rules would have skipped it, and what changed."""

    commit: str
    job: str
    output: str
    paths: tuple[str, ...]
    more: int


class Safety(Record):
    """What results say about rules: a rate for each, the new ones' first, and their unsafe skips.

    ``unmatched`` counts results of commits that were not replayed, ``unjudged`` names jobs that no rules know.
    """

    rates: tuple[Rate, ...]
    skips: tuple[UnsafeSkip, ...]
    unmatched: int
    unjudged: tuple[str, ...]


class Unsafe:
    """Holds results against decisions, a change at a time."""

    def __init__(self, results: Sequence[JobResult], rules: Sequence[Rules], event: str) -> None:
        self._jobs = [Jobs(each, event) for each in rules]
        self._failed: dict[str, dict[str, bool]] = {}
        for result in results:
            failed = result.conclusion in _FAILED
            if failed or result.conclusion == "success":
                known = self._failed.setdefault(result.commit, {})
                known[result.job] = failed or known.get(result.job, False)
        self._seen: set[str] = set()
        self._unjudged: set[str] = set()
        self._hits = [0] * len(rules)
        self._trials = [0] * len(rules)
        self._skips: list[UnsafeSkip] = []

    def add(self, commit: str, changes: Changes, outcome: Outcome) -> None:
        """Take in a change."""
        results = self._failed.get(commit)
        if results is None:
            return
        self._seen.add(commit)
        for number, selected in enumerate((outcome.new, *outcome.against)):
            for job, failed in self._skipped(number, selected, results).items():
                self._trials[number] += 1
                self._hits[number] += failed
                if failed and number == 0 and len(self._skips) < MOST_SHOWN:
                    self._skips.append(self._skip(commit, job, changes))

    def safety(self) -> Safety:
        """Return what it came to."""
        rates = (Rate(hits=hits, trials=trials) for hits, trials in zip(self._hits, self._trials, strict=True))
        missed = (len(jobs) for commit, jobs in self._failed.items() if commit not in self._seen)
        return Safety(
            rates=tuple(rates),
            skips=tuple(self._skips),
            unmatched=sum(missed),
            unjudged=tuple(sorted(self._unjudged)),
        )

    def _skipped(self, number: int, selected: Selected, results: Mapping[str, bool]) -> dict[str, bool]:
        """Return the jobs with results that would have been skipped, and whether each failed."""
        jobs = self._jobs[number]
        skipped = jobs.skipped(selected)
        found: dict[str, bool] = {}
        for name, failed in results.items():
            job = jobs.named(name)
            if job is None:
                if number == 0:
                    self._unjudged.add(name)
            elif job in skipped:
                found[job] = failed or found.get(job, False)
        return found

    def _skip(self, commit: str, job: str, changes: Changes) -> UnsafeSkip:
        first = tuple(changes.paths[:_FIRST])
        output = self._jobs[0].output_of(job)
        return UnsafeSkip(commit=commit, job=job, output=output, paths=first, more=len(changes.paths) - len(first))
