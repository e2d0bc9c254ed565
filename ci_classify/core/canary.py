"""The canary: everything runs, and what the rules would have skipped is recorded and held against the results.

A suite that the event never runs stays out, as in the fallback: that is a policy about the event, not about the change.
"""

from collections.abc import Iterable, Mapping, Sequence

from ci_classify.core.model import Rules
from ci_classify.core.plan import Plan
from ci_classify.core.reasons import CanaryRuns, Never, NoConsumerRuns, Reason, RunReason, runs
from ci_classify.core.record import Record, replaced
from ci_classify.core.required import Circumstances, Expected, PlanFacts, RequiredCheck, judge
from ci_classify.core.statistics import Rate

FAILED = "failure"
SUCCEEDED = "success"


def as_canary(rules: Rules, plan: Plan) -> Plan:
    """Return a plan in which everything runs that the event does not exclude."""
    reasons = {decision.name: _tried(decision.reason) for decision in plan.decisions}
    waiting = list(rules.producers)
    while waiting:  # the loader refuses circles
        producer = waiting.pop(0)
        if any(other.name in producer.consumers for other in waiting):
            waiting.append(producer)
            continue
        reason = reasons[producer.name]
        if isinstance(reason, NoConsumerRuns) and any(runs(reasons[name]) for name in producer.consumers):
            reasons[producer.name] = CanaryRuns(instead=reason)
    decisions = tuple(replaced(decision, reason=reasons[decision.name]) for decision in plan.decisions)
    return replaced(plan, decisions=decisions, canary=True)


def _tried(reason: Reason) -> Reason:
    if isinstance(reason, RunReason | Never | NoConsumerRuns):
        return reason
    return CanaryRuns(instead=reason)


class CanaryJob(Record):
    """A job that ran as a canary only: the output by which it would have been skipped, why, and what it came to."""

    job: str
    output: str
    reason: str
    result: str

    @property
    def is_unsafe(self) -> bool:
        """Whether skipping it would have hidden a failure."""
        return self.result == FAILED


class CanaryRecord(Record):
    """What one run tells: the commit (None if it is not known) and the jobs that ran as canaries only."""

    event: str
    head: str | None
    jobs: tuple[CanaryJob, ...]


def canary_jobs(
    check: RequiredCheck,
    circumstances: Circumstances,
    results: Mapping[str, str],
    outputs: Mapping[str, bool],
    would_skip: Mapping[str, str],
) -> tuple[CanaryJob, ...]:
    """Return the jobs that should have run, and would have been skipped without the canary."""
    without = {name: value and name not in would_skip for name, value in outputs.items()}
    ran, skipped = (
        {
            result.job
            for result in judge(check, circumstances, {check.detector: SUCCEEDED}, given, (), PlanFacts()).results
            if result.expected is expected
        }
        for given, expected in ((outputs, Expected.SUCCESS), (without, Expected.SKIPPED))
    )
    found = []
    for job in check.jobs:
        if job.name in ran & skipped:
            output = _deciding(check, job.name, would_skip)
            result = results.get(job.name, "missing")
            found.append(CanaryJob(job=job.name, output=output, reason=would_skip[output], result=result))
    return tuple(found)


def _deciding(check: RequiredCheck, job: str, would_skip: Mapping[str, str]) -> str:
    """Return the output that would skip a job: its own, else that of a job that it needs."""
    by_name = {judged.name: judged for judged in check.jobs}
    waiting = [job]
    while waiting:
        judged = by_name.get(waiting.pop(0))
        if judged is not None and judged.output is not None and judged.output in would_skip:
            return judged.output
        waiting += judged.needs if judged is not None else ()
    raise AssertionError("a job is only skipped by an output, its own or that of a need")


class CanaryTotals(Record):
    """What records come to: a rate over all, one for each job, and the unsafe skips with their commits."""

    records: int
    rate: Rate
    jobs: Mapping[str, Rate]
    unsafe: tuple[tuple[str | None, CanaryJob], ...]


def add_up(records: Sequence[CanaryRecord]) -> CanaryTotals:
    """Return the rate of unsafe skips. A job counts once for a commit, as failed if any of its runs failed."""
    seen: dict[tuple[str, str], tuple[str | None, CanaryJob]] = {}
    for number, record in enumerate(records):
        for job in record.jobs:
            if job.result in {FAILED, SUCCEEDED}:
                key = (record.head or f"record {number}", job.job)
                if key not in seen or job.is_unsafe:
                    seen[key] = (record.head, job)
    names = dict.fromkeys(job.job for _, job in seen.values())
    return CanaryTotals(
        records=len(records),
        rate=_rate(job for _, job in seen.values()),
        jobs={name: _rate(job for _, job in seen.values() if job.job == name) for name in sorted(names)},
        unsafe=tuple((head, job) for head, job in seen.values() if job.is_unsafe),
    )


def _rate(jobs: Iterable[CanaryJob]) -> Rate:
    found = [job.is_unsafe for job in jobs]
    return Rate(hits=sum(found), trials=len(found))
