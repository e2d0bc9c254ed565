"""Judge the results of jobs against the plan: tell a planned skip from a broken one.

A job is expected to succeed iff its output (if any) is true, the event is among its events (if any), its
repository condition holds and every job that it needs is expected to succeed; otherwise it is expected to be
skipped. The detector must always succeed. Any other result fails.

Refuses: to guess. An output or a result that is not known fails.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from ci_classify.core.record import Record


class Expected(StrEnum):
    """What a job should have done."""

    SUCCESS = "success"
    SKIPPED = "skipped"
    EITHER = "success or skipped"  # its output is not known, which fails the check anyway


MISSING = "missing"
_GOT = {
    "failure": "it failed",
    "cancelled": "it was cancelled",
    MISSING: "it is not among the results; the required job must need it",
}
_DETECTOR = {
    "failure": "the detector failed, so that there is no plan and every gated job runs",
    "cancelled": "the detector was cancelled, so that there is no plan: run all jobs again",
    "skipped": "the detector was skipped, so that there is no plan",
}
_BECAME = {
    "failure": "failed",
    "cancelled": "was cancelled",
    "skipped": "was skipped",
    "success": "ran",
    MISSING: "gave no result",
}
_SETTLED = frozenset({Expected.SUCCESS, Expected.SKIPPED})


class JudgedJob(Record):
    """A job of ``required-check.jobs``. None for ``output`` or ``events`` means no such condition."""

    name: str
    output: str | None
    needs: tuple[str, ...]
    events: frozenset[str] | None
    same_repository: bool
    line: int


class RequiredCheck(Record):
    """What the required check judges: the detector and every other job, in the order of the rules."""

    detector: str
    jobs: tuple[JudgedJob, ...]


class Circumstances(Record):
    """What the jobs ran for. ``same_repository`` is true for everything but a pull request from a fork."""

    event: str
    same_repository: bool


class PlanFacts(Record):
    """What makes a verdict readable: which outputs are producers, and why outputs are false, as a plan has it."""

    producers: frozenset[str] = frozenset()
    skipped_because: Mapping[str, str] = MappingProxyType({})


class JobFailure(Record):
    """A job that did not do what was planned, or outputs that can't be trusted."""

    job: str
    expected: str
    got: str
    why: str


class JudgedResult(Record):
    """What a job should have done, what it did, and why it should have."""

    job: str
    expected: Expected
    got: str
    why: str


class Judgement(Record):
    """All results, the failures among them, and the job to look at first if one explains others."""

    results: tuple[JudgedResult, ...]
    failures: tuple[JobFailure, ...]
    first: str | None

    @property
    def passed(self) -> bool:
        """Whether every job did what was planned."""
        return not self.failures


def judge(
    check: RequiredCheck,
    circumstances: Circumstances,
    results: Mapping[str, str],
    outputs: Mapping[str, bool],
    distrust: Sequence[JobFailure] = (),
    facts: PlanFacts = PlanFacts(),  # noqa: B008 -- a frozen value
) -> Judgement:
    """Return the judgement on results by job. ``distrust`` says what is wrong with the outputs themselves.

    Where the detector failed, an output that is not known counts as true, as the guard of the jobs has it.
    """
    plan = _Plan(check, circumstances, outputs, facts, guarded=results.get(check.detector) != Expected.SUCCESS)
    detector = results.get(check.detector) or MISSING
    judged = [
        JudgedResult(job=check.detector, expected=Expected.SUCCESS, got=detector, why="it decides about the others")
    ]
    for job in check.jobs:
        expected, why = plan.expectation(job.name)
        judged.append(JudgedResult(job=job.name, expected=expected, got=results.get(job.name) or MISSING, why=why))
    failures = [failure for result in judged if (failure := _failure(result, check, plan, results))]
    known = {check.detector, *(job.name for job in check.jobs)}
    for name, got in results.items():
        if name not in known and got not in _SETTLED:
            failures.append(
                JobFailure(job=name, expected="success or skipped", got=got or MISSING, why="no rule judges it")
            )
    return Judgement(
        results=tuple(judged), failures=(*distrust, *failures), first=_first(check, [*distrust, *failures])
    )


class _Plan:
    """What each job should do, by section 8's rule, each computed once."""

    def __init__(
        self,
        check: RequiredCheck,
        circumstances: Circumstances,
        outputs: Mapping[str, bool],
        facts: PlanFacts,
        *,
        guarded: bool,
    ) -> None:
        self._guarded = guarded
        self._facts = facts
        self._producing = {job.name for job in check.jobs if job.output in facts.producers}
        self._circumstances = circumstances
        self._outputs = outputs
        self._known: dict[str, tuple[Expected, str]] = {
            check.detector: (Expected.SUCCESS, "it decides about the others")
        }
        waiting = list(check.jobs)
        while waiting:  # the loader refuses circles and unknown names
            ready = [job for job in waiting if all(name in self._known for name in job.needs)]
            for job in ready:
                self._known[job.name] = self._expect(job)
            waiting = [job for job in waiting if job.name not in self._known]

    def expectation(self, name: str) -> tuple[Expected, str]:
        """Return what a job should do, and why."""
        return self._known[name]

    def role(self, name: str) -> str:
        """Return what a job is to one that needs it."""
        return f"its producer {name}" if name in self._producing else f"{name}, which it needs,"

    def _expect(self, job: JudgedJob) -> tuple[Expected, str]:
        if job.events is not None and self._circumstances.event not in job.events:
            return Expected.SKIPPED, f"{self._circumstances.event} is none of its events"
        if job.same_repository and not self._circumstances.same_repository:
            return Expected.SKIPPED, "the pull request comes from another repository"
        selected = None if job.output is None else self._outputs.get(job.output)
        if selected is False:
            why = self._facts.skipped_because.get(job.output or "", f"{job.output} is false")
            return Expected.SKIPPED, f"not selected: {why}"
        for name in job.needs:
            if self._known[name][0] is Expected.SKIPPED:
                return Expected.SKIPPED, f"{name}, which it needs, is skipped"
        unknown = next((name for name in job.needs if self._known[name][0] is Expected.EITHER), None)
        if job.output is not None and selected is None:
            if self._guarded:
                return Expected.SUCCESS, "the detector did not succeed, so that it runs"
            return Expected.EITHER, f"{job.output} is not known"
        if unknown is not None:
            return Expected.EITHER, f"whether {unknown} runs is not known"
        return Expected.SUCCESS, "nothing skips it" if job.output is None else f"{job.output} is true"


def _failure(result: JudgedResult, check: RequiredCheck, plan: _Plan, results: Mapping[str, str]) -> JobFailure | None:
    if result.got == result.expected or (result.expected is Expected.EITHER and result.got in _SETTLED):
        return None
    return JobFailure(job=result.job, expected=result.expected, got=result.got, why=_why(result, check, plan, results))


def _why(result: JudgedResult, check: RequiredCheck, plan: _Plan, results: Mapping[str, str]) -> str:
    if result.job == check.detector and result.got in _DETECTOR:
        return _DETECTOR[result.got]
    if result.got in _GOT:
        return _GOT[result.got]
    if result.got == Expected.SUCCESS:
        return f"nobody planned this run: {result.why}"
    if result.got != Expected.SKIPPED:
        return "this is no result that a job can have"
    needs = next((job.needs for job in check.jobs if job.name == result.job), ())
    for name in needs:
        got = results.get(name) or MISSING
        if got != plan.expectation(name)[0]:
            return f"{plan.role(name)} {_BECAME.get(got, f'is {got}')}"
    return f"nobody planned this skip: {result.why}"


def _first(check: RequiredCheck, failures: Sequence[JobFailure]) -> str | None:
    """Return the failed job that others wait for, directly or not, and that waits for no failed job itself."""
    failed = {failure.job for failure in failures}
    if len(failed) < 2:
        return None
    if check.detector in failed:
        return check.detector
    needs = {job.name: set(job.needs) for job in check.jobs}
    for _ in needs:
        for name, direct in needs.items():
            needs[name] = direct.union(*(needs.get(other, set()) for other in direct))
    explained = {name: sum(name in needs.get(other, ()) for other in failed) for name in failed}
    roots = [name for name in failed if explained[name] and not failed & needs.get(name, set())]
    order = [job.name for job in check.jobs]
    return max(sorted(roots, key=order.index), key=lambda name: explained[name], default=None)
