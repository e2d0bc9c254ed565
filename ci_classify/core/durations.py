"""How long a change keeps machines busy, and how long somebody waits for it, by the durations of its jobs.

A job takes the median of its samples. Machine minutes are the sum over the jobs that run. Wall time is the longest
chain of jobs that need each other, as if a runner were always free; so queues are left out.

Refuses: to guess how long a job takes that has no samples. It counts as nothing, and is named.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from ci_classify.core.record import Record
from ci_classify.core.required import RequiredCheck
from ci_classify.core.statistics import quantile


class Cost(Record):
    """What a change costs, in minutes."""

    machine: float
    wall: float


class Durations:
    """The minutes of jobs."""

    def __init__(self, samples: Mapping[str, Sequence[float]], check: RequiredCheck | None) -> None:
        self._minutes = {job: quantile(Counter(values), 0.5) for job, values in samples.items()}
        self._needs = {job.name: job.needs for job in check.jobs} if check else {}

    def without(self, jobs: Sequence[str]) -> list[str]:
        """Return those of some jobs that have no samples."""
        return [job for job in jobs if job not in self._minutes]

    def beyond(self, jobs: Sequence[str]) -> list[str]:
        """Return the jobs that have samples and are not among some jobs."""
        return sorted(set(self._minutes).difference(jobs))

    def cost(self, running: Sequence[str]) -> Cost:
        """Return what it costs that some jobs run."""
        ends: dict[str, float] = {}
        waiting = list(running)
        while waiting:  # the loader refuses circles
            here = [job for job in waiting if not any(need in waiting for need in self._needs.get(job, ()))]
            for job in here:
                start = max((ends.get(need, 0.0) for need in self._needs.get(job, ())), default=0.0)
                ends[job] = start + self._minutes.get(job, 0.0)
            waiting = [job for job in waiting if job not in ends]
        machine = sum(self._minutes.get(job, 0.0) for job in running)
        return Cost(machine=machine, wall=max(ends.values(), default=0.0))
