"""The required check: did each job do what was planned? A planned skip passes, an unplanned one does not.

A job is expected to succeed exactly when its output (if any) is true, the event is among its events (if any), the
repository fits, and every job that it needs is expected to succeed; otherwise it must be skipped. What the plan
leaves open (an output is missing) passes nothing: the check has failed by then, and says which job is why.

Refuses: to take any other result for either of these two.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import assert_never

from ci_classify.core.model import JudgedJob, Producer, RequiredCheck, Rules
from ci_classify.core.plan import Plan
from ci_classify.core.reasons import ReasonCode
from ci_classify.core.record import Record

MISSING = "missing"


class Result(StrEnum):
    """The results of a job in a workflow."""

    SUCCESS = "success"
    SKIPPED = "skipped"
    FAILURE = "failure"
    CANCELLED = "cancelled"


class Situation(Record):
    """The run of the workflow. ``same_repository`` is false for a pull request from another repository only."""

    event: str
    same_repository: bool


class DetectorPlan(Record):
    """What the detector's output ``plan`` says, as far as the check looks at it."""

    event: str
    head: str | None
    fallback: str | None
    outputs: Mapping[str, bool]
    reasons: Mapping[str, str]


class Answers(Record):
    """What came back: the result of each job as given ("" where there is none), and the detector's outputs.

    ``plan`` is None where the detector has no such output, and a text where it is no plan.
    """

    results: Mapping[str, str]
    outputs: Mapping[str, str]
    plan: DetectorPlan | str | None = None


class Succeeds(Record):
    """The job is planned."""


class Skips(Record):
    """The job is not planned, for a reason that completes "skipped, since"."""

    why: str


class Open(Record):
    """The plan does not say, for want of an output."""

    output: str


Expectation = Succeeds | Skips | Open


class Failure(Record):
    """Something that is not as planned: a line of the report."""

    job: str
    expected: str
    got: str
    why: str


class Row(Record):
    """A job and what became of it. ``note`` says why it fails, or why it is not selected."""

    job: str
    expected: str
    got: str
    passed: bool
    note: str


class First(Record):
    """The failure to look at first, and how many others it explains."""

    job: str
    explains: int


class Verdict(Record):
    """The judgement of a run: every job in order, everything that fails, and perhaps where to start."""

    rows: tuple[Row, ...]
    failures: tuple[Failure, ...]
    first: First | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing fails."""
        return not self.failures


def unreadable(check: RequiredCheck, why: str) -> Verdict:
    """Return the verdict where no results could be read."""
    failure = Failure(job=check.detector, expected=Result.SUCCESS, got=MISSING, why=why)
    return Verdict(rows=(), failures=(failure,))


def judge(
    rules: Rules, check: RequiredCheck, answers: Answers, situation: Situation, doubts: Iterable[Failure] = ()
) -> Verdict:
    """Return the verdict on a run. ``doubts`` are failures that were found by other means."""
    return _Judge(rules, check, answers, situation).verdict(tuple(doubts))


def differences(plan: Plan, detector: str, answers: Answers) -> tuple[Failure, ...]:
    """Return where the detector's outputs differ from a plan that was made again."""
    again = "classifying again gives another plan, so that the outputs are stale or the detector is wrong"
    if plan.fallback is not None and not plan.fallback.is_by_event:
        again = f"classifying again fell back ({plan.fallback.cause}: {plan.fallback.detail}) and runs everything"
    return tuple(
        Failure(
            job=detector,
            expected=f"{decision.name}={_word(value=decision.runs)}",
            got=f"{decision.name}={answers.outputs[decision.name]}",
            why=again,
        )
        for decision in plan.outputs
        if answers.outputs.get(decision.name) in {"true", "false"}
        and answers.outputs[decision.name] != _word(value=decision.runs)
    )


class _Judge:
    def __init__(self, rules: Rules, check: RequiredCheck, answers: Answers, situation: Situation) -> None:
        self._check = check
        self._situation = situation
        self._answers = answers
        self._plan = answers.plan if isinstance(answers.plan, DetectorPlan) else None
        self._emitted = [output.name for output in rules.outputs]
        self._producers = {output.name for output in rules.outputs if isinstance(output, Producer)}
        self._jobs = {job.name: job for job in check.jobs}
        self._expected: dict[str, Expectation] = {}

    def verdict(self, doubts: Sequence[Failure]) -> Verdict:
        unlisted = [name for name in self._answers.results if name not in self._jobs and name != self._check.detector]
        rows = [
            self._detector(),
            *(self._judged(job) for job in self._check.jobs),
            *(self._unlisted(name) for name in unlisted),
        ]
        failed = [row for row in rows if not row.passed]
        failures = [Failure(job=row.job, expected=row.expected, got=row.got, why=row.note) for row in failed]
        failures[1 if failed and failed[0] is rows[0] else 0 : 0] = [*self._about_outputs(), *doubts]
        return Verdict(rows=tuple(rows), failures=tuple(failures), first=self._first(failed))

    # -- what is expected ----------------------------------------------------------------------------

    def _expectation(self, job: JudgedJob) -> Expectation:
        """Return what is expected of a job, after that of the jobs that it needs; the loader refuses circles."""
        waiting = [job]
        while waiting:
            now = waiting[-1]
            needed = [self._jobs[name] for name in now.needs if name not in self._expected]
            if needed:
                waiting += needed
            else:
                self._expected[now.name] = self._by_needs(now)
                waiting.pop()
        return self._expected[job.name]

    def _by_needs(self, job: JudgedJob) -> Expectation:
        output = self._answers.outputs.get(job.output) if job.output else "true"
        if output == "false":
            return Skips(why=self._not_selected(job.output or ""))
        if job.events and self._situation.event not in job.events:
            return Skips(why=f"it runs on {' and '.join(job.events)} only")
        if job.same_repository and not self._situation.same_repository:
            return Skips(why="a pull request from another repository does not run it")
        needs = [(name, self._expected[name]) for name in job.needs]
        unplanned = next((name for name, expected in needs if isinstance(expected, Skips)), None)
        if unplanned is not None:
            return Skips(why=f"{unplanned}, which it needs, is not planned")
        if job.output and output != "true":
            return Open(output=job.output)
        return next((expected for _, expected in needs if isinstance(expected, Open)), Succeeds())

    def _not_selected(self, output: str) -> str:
        reason = self._plan.reasons.get(output, "") if self._plan else ""
        return f"not selected: {_WORDS.get(reason) or f'{output} is false'}"

    # -- what came of it -----------------------------------------------------------------------------

    def _got(self, name: str) -> str:
        return self._answers.results.get(name) or MISSING

    def _detector(self) -> Row:
        got = self._got(self._check.detector)
        notes: dict[str, str] = {
            Result.SUCCESS: "",
            MISSING: "the detector gave no result: name it in the `needs` of this job",
            Result.CANCELLED: "the detector was cancelled, so that there is no plan: run all jobs again",
            Result.SKIPPED: "the detector was skipped, so that there is no plan",
            Result.FAILURE: "the detector failed, so that there is no plan and every gated job runs",
        }
        note = notes.get(got, _NO_RESULT)
        return Row(job=self._check.detector, expected=Result.SUCCESS, got=got, passed=got == Result.SUCCESS, note=note)

    def _unlisted(self, name: str) -> Row:
        got = self._got(name)
        note = f"nothing plans {name}, so that it must succeed: name it under `required-check.jobs`"
        return Row(job=name, expected=Result.SUCCESS, got=got, passed=got == Result.SUCCESS, note=note)

    def _judged(self, job: JudgedJob) -> Row:
        got = self._got(job.name)
        expected = self._expectation(job)
        match expected:
            case Succeeds():
                passed, words = got == Result.SUCCESS, str(Result.SUCCESS)
                note = "" if passed else self._why_no_success(job, got)
            case Skips(why=why):
                passed, words = got == Result.SKIPPED, str(Result.SKIPPED)
                note = why if passed else f"{_RAN.get(got, _NO_RESULT)}: {why}"
            case Open(output=output):
                passed, words = got in {Result.SUCCESS, Result.SKIPPED}, f"{Result.SUCCESS} or {Result.SKIPPED}"
                note = f"can't be judged without the output {output}"
                note = note if passed else f"{_ALONE.get(got, _NO_RESULT)}, and {note}"
            case _:
                assert_never(expected)
        return Row(job=job.name, expected=words, got=got, passed=passed, note=note)

    def _why_no_success(self, job: JudgedJob, got: str) -> str:
        if got != Result.SKIPPED:
            return _ALONE.get(got, _NO_RESULT)
        need = self._failed_need(job)
        if need is not None:
            role = f"its producer {need}" if self._jobs[need].output in self._producers else f"{need}, which it needs,"
            return f"{role} {_BECAME.get(self._got(need), 'gave no result')}"
        detector = self._got(self._check.detector)
        if detector != Result.SUCCESS:
            name = self._check.detector
            return (
                f"{name} {_BECAME.get(detector, 'gave no result')}, and its condition lacks the guard for that: "
                f"needs.{name}.result != 'success'"
            )
        return "nobody planned this skip"

    def _failed_need(self, job: JudgedJob) -> str | None:
        return next((name for name in job.needs if self._got(name) != Result.SUCCESS), None)

    def _first(self, failed: Sequence[Row]) -> First | None:
        """Return the failure that explains most of the others: skips behind it, along the chain of needs."""
        explained: dict[str, int] = {}
        for row in failed:
            root = row.job
            while root in self._jobs and self._got(root) == Result.SKIPPED:
                need = self._failed_need(self._jobs[root])
                if need is None:
                    break
                root = need
            if root != row.job:
                explained[root] = explained.get(root, 0) + 1
        if not explained:
            return None
        job = max(explained, key=lambda name: explained[name])
        return First(job=job, explains=explained[job])

    # -- the outputs ---------------------------------------------------------------------------------

    def _about_outputs(self) -> Iterable[Failure]:
        """Return what is wrong with the detector's outputs: each missing, extra or malformed one, and each that its plan denies."""
        outputs = self._answers.outputs
        died = self._got(self._check.detector) != Result.SUCCESS
        if died and not any(outputs.get(name) for name in self._emitted):
            return  # a dead detector has no outputs; its result says so
        if isinstance(self._answers.plan, str):
            yield Failure(job=self._check.detector, expected="a plan", got="no plan", why=self._answers.plan)
        for name in self._emitted:
            got = outputs.get(name) or MISSING
            if got == MISSING:
                yield self._fault(name, got, f"the detector has no output {name}: declare it in its `outputs`")
            elif got not in {"true", "false"}:
                yield self._fault(name, got, f"the output {name} is neither true nor false")
            elif self._plan is not None and self._plan.outputs.get(name) is not (got == "true"):
                yield self._fault(
                    name, got, f"the detector's own plan gives {name} another value: read that output in its `outputs`"
                )
        for name in outputs:
            if name not in self._emitted:
                yield self._fault(name, outputs[name], f"the rules have no output {name}", expected=f"no output {name}")
        if self._plan is not None and self._plan.event != self._situation.event:
            yield Failure(
                job=self._check.detector,
                expected=f"outputs for {self._situation.event}",
                got=f"outputs for {self._plan.event}",
                why="its outputs are for another event",
            )

    def _fault(self, name: str, got: str, why: str, *, expected: str = "") -> Failure:
        planned = self._plan.outputs.get(name) if self._plan else None
        wanted = f"{name}=true or {name}=false" if planned is None else f"{name}={_word(value=planned)}"
        return Failure(job=self._check.detector, expected=expected or wanted, got=f"{name}={got}", why=why)


_NO_RESULT = "that is no result of a job"
_ALONE: dict[str, str] = {
    Result.FAILURE: "it failed",
    Result.CANCELLED: "it was cancelled",
    MISSING: "it gave no result: name it in the `needs` of this job",
}
_RAN: dict[str, str] = {
    Result.SUCCESS: "nobody planned this run",
    Result.FAILURE: "it failed, and nobody planned this run",
    Result.CANCELLED: "it was cancelled, and nobody planned this run",
    MISSING: "it gave no result, not even that of a skipped job",
}
_BECAME: dict[str, str] = {
    Result.FAILURE: "failed",
    Result.CANCELLED: "was cancelled",
    Result.SKIPPED: "was skipped",
}
_WORDS: dict[str, str] = {
    ReasonCode.NO_INPUT_CHANGED: "none of its inputs changed",
    ReasonCode.ONLY_DOCUMENTATION: "every changed path is documentation",
    ReasonCode.EMPTY_DIFF: "no path differs",
    ReasonCode.NEVER: "the event never runs it",
    ReasonCode.LABEL: "a label skips it",
    ReasonCode.NO_CONSUMER_RUNS: "nothing that needs it runs",
}


def _word(*, value: bool) -> str:
    return "true" if value else "false"
