"""Which jobs of a workflow an output selects, and which other jobs those use.

Sees ``required-check.jobs``: the output of a job, or without one the outputs of the jobs that it needs. Without that
section, the outputs that a condition depends on, each alone or together with others; for a job whose condition
reads none, the output of its own name, or those of the jobs without which it is skipped.

A job uses all jobs that it waits for, to any depth, save the detector, which only decides.

Can't see a condition that reads too many things that only a run knows; then all outputs in it count together.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

from ci_classify.core.conditions import Condition, TooManyRunsError, World, runs
from ci_classify.core.expression_values import PlanText, Value
from ci_classify.core.expressions import ExpressionError, parse_condition
from ci_classify.core.gate_checks import may_run_for
from ci_classify.core.model import BUILT_IN_MODES, Mode, Producer, Rules
from ci_classify.core.required import JudgedJob
from ci_classify.core.wiring import Wiring
from ci_classify.core.workflow import Job

_MOST_OUTPUTS = 6  # read by one condition, and still looked at one by one

Clause = frozenset[str]  # suites; the job runs only if one of them is selected


class Selection:
    """Which suites the jobs of one workflow belong to."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._rules = wiring.rules
        self._known: dict[str, frozenset[Clause]] = {}
        self._suites = {suite.name: suite for suite in self._rules.suites}
        self._producers = {one.name: one.consumers for one in self._rules.decided if isinstance(one, Producer)}

    def clauses(self, job: Job) -> frozenset[Clause]:
        """Return the sets of suites of which each holds one that is selected, whenever the job runs."""
        if job.id not in self._known:
            self._known[job.id] = frozenset()  # jobs that need each other belong to nothing
            self._known[job.id] = _smallest(self._find(job))
        return self._known[job.id]

    def used(self, job: Job) -> Iterator[tuple[Job, tuple[str, ...]]]:
        """Return a job and all that it waits for, each with the labels on the way, the nearest first."""
        seen = {job.id}
        waiting: list[tuple[Job, tuple[str, ...]]] = [(job, (f"job {job.id}",))]
        for one, chain in waiting:
            yield one, chain
            for name in one.needed:
                other = self._wiring.workflow.jobs.get(name)
                if other is not None and other is not self._wiring.detector and name not in seen:
                    seen.add(name)
                    waiting.append((other, (*chain, f"needs {name}")))

    def waits(self, job: Job) -> bool:
        """Return whether a job is skipped where some job that it needs was skipped."""
        return any(self._skips(job, [], (), name) for name in job.needed)

    def _find(self, job: Job) -> set[Clause]:
        judged = self._wiring.judged.get(job.id)
        found = self._of_judged(judged) if judged else self._of_conditions(job)
        return {clause for clause in found if self._by_inputs(clause, job, judged)}

    def _of_conditions(self, job: Job) -> set[Clause]:
        judged = self._wiring.judged
        read = {self._wiring.outputs[r.part[1]] for r in self._wiring.output_reads(job, condition=True) if r.part[1]}
        if read:
            return {self._suites_of(outputs) for outputs in self._deciding(job, sorted(read))}
        named = None if judged else self._wiring.output_of(job)
        if named is not None:
            return {self._suites_of([named])}
        return set() if judged else self._inherited(job)

    def _of_judged(self, judged: JudgedJob) -> set[Clause]:
        jobs = self._wiring.workflow.jobs
        if judged.output is not None:
            return {self._suites_of([judged.output])}
        return {clause for name in judged.needs if name in jobs for clause in self.clauses(jobs[name])}

    def _by_inputs(self, clause: Clause, job: Job, judged: JudgedJob | None) -> bool:
        """Return whether the inputs of some of these suites can decide about a job, on an event that it runs for."""
        events = frozenset(self._wiring.workflow.triggers or ())
        if judged and judged.events is not None:
            events = judged.events
        elif not events or "workflow_call" in events:
            return True
        decided = [e for e in events if any(Mode.INPUTS in possible_modes(self._rules, name, e) for name in clause)]
        return any(judged is not None or may_run_for(self._wiring, job, [event]) for event in decided)

    def _suites_of(self, outputs: list[str]) -> Clause:
        """Return the suites that make some output true."""
        found: set[str] = set()
        seen: set[str] = set()
        waiting = list(outputs)
        while waiting:
            name = waiting.pop()
            if name in self._suites:
                found.add(name)
            elif name not in seen:
                seen.add(name)
                waiting += self._producers.get(name, ())
        return frozenset(found)

    def _deciding(self, job: Job, outputs: list[str]) -> list[list[str]]:
        """Return the smallest groups of outputs without which the job can be skipped, all others being true."""
        found: list[list[str]] = []
        for size in range(1, len(outputs) + 1) if len(outputs) <= _MOST_OUTPUTS else ():
            for group in combinations(outputs, size):
                if not any(set(smaller) <= set(group) for smaller in found) and self._skips(job, outputs, group, None):
                    found.append(list(group))
        return found if len(outputs) <= _MOST_OUTPUTS else [outputs]

    def _inherited(self, job: Job) -> set[Clause]:
        jobs, detector = self._wiring.workflow.jobs, self._wiring.detector
        needed = [name for name in job.needed if name in jobs and jobs[name] is not detector]
        skipping = [name for name in needed if self.clauses(jobs[name]) and self._skips(job, [], (), name)]
        return {clause for name in skipping for clause in self.clauses(jobs[name])}

    def _skips(self, job: Job, outputs: list[str], false: tuple[str, ...], need: str | None) -> bool:
        """Return whether a job can be skipped because some outputs are false, or because a job was skipped."""
        try:
            condition = Condition(parse_condition(job.condition.text) if job.condition else None)
            with_all, without = self._world(job, outputs, (), None), self._world(job, outputs, false, need)
            answers = runs(lambda choices: condition.holds(with_all, choices) and not condition.holds(without, choices))
            return any(skipped for _, skipped in answers)
        except (ExpressionError, TooManyRunsError):
            return need is None and len(false) == len(outputs)

    def _world(self, job: Job, outputs: list[str], false: tuple[str, ...], skipped: str | None) -> World:
        values: dict[str, Value] = {name.lower(): "false" if name in false else "true" for name in outputs}
        plan = PlanText(outputs={name.lower(): name not in false for name in outputs})
        detector = self._wiring.detector
        return World(
            needs=tuple(name.lower() for name in job.needed),
            ancestors=frozenset(name.lower() for name in self._wiring.workflow.ancestors(job)),
            results={name.lower(): "skipped" if name == skipped else "success" for name in job.needed},
            outputs={detector.id.lower(): {**values, "plan": plan}} if detector else {},
        )


def _smallest(clauses: set[Clause]) -> frozenset[Clause]:
    """Return the clauses that no other one implies."""
    return frozenset(one for one in clauses if one and not any(other < one for other in clauses if other))


def possible_modes(rules: Rules, suite: str, event: str) -> set[Mode]:
    """Return the modes that a suite can have for an event, on some branch."""
    own = next((one.modes for one in rules.suites if one.name == suite), ())
    found: set[Mode] = set()
    for entry in (*BUILT_IN_MODES, *rules.events, *own):
        if entry.event in {"*", event}:
            found = found | {entry.mode} if entry.branch is not None else {entry.mode}
    return found


def judged_without_consumer(wiring: Wiring, job: Job) -> Mapping[str, str]:
    """Return the jobs that a job waits for and whose output its own does not imply, each with that output."""
    own = wiring.output_of(job)
    if own is None:
        return {}
    found = {}
    for name in job.needed:
        needed = wiring.workflow.jobs.get(name)
        other = wiring.output_of(needed) if needed is not None and needed is not wiring.detector else None
        if other is not None and wiring.is_producer(other) and not wiring.implies(own, other):
            found[name] = other
    return found
