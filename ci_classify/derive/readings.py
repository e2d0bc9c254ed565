"""What each suite reads: the jobs that it selects, those that they use, and every path that these read."""

from collections.abc import Sequence
from itertools import groupby

from ci_classify.core.model import Mode, Rules
from ci_classify.core.record import Record
from ci_classify.core.wiring import Wiring
from ci_classify.core.workflow import Job
from ci_classify.derive.closure import Closure, Derived, Deriver
from ci_classify.derive.found import JobBody
from ci_classify.derive.jobs import Clause, Selection, possible_modes
from ci_classify.derive.library import Library


class Way(Record):
    """A way on which a suite reads a path: the job that reads it, and what was derived there."""

    job: str
    labels: tuple[str, ...]
    derived: Derived

    @property
    def chain(self) -> tuple[str, ...]:
        """The labels from the job of the suite to the path."""
        return tuple(label for label, _ in groupby((*self.labels, *self.derived.chain, self.derived.path)))


class Reading(Record):
    """What the jobs read that run only if one of some suites is selected."""

    suites: Clause
    jobs: frozenset[str]
    ways: dict[str, list[Way]]


def wirings_of(rules: Rules, library: Library, given: Sequence[str], own_outputs: frozenset[str]) -> list[Wiring]:
    """Return the workflows to look at: the given ones, else those that outputs of the rules steer."""
    found = {path: workflow for path in library.workflow_files() if (workflow := library.workflow(path))}
    found |= {path: workflow for path in given if (workflow := library.workflow(path))}
    wirings = [
        Wiring(rules, workflow, found, own_outputs) for path, workflow in found.items() if path in given or not given
    ]
    if given:
        return wirings
    judged = frozenset(job.name for job in rules.required_check.jobs) if rules.required_check else frozenset()
    return [
        wiring
        for wiring in wirings
        if any(wiring.output_reads(job) for job in wiring.workflow.jobs.values())
        or judged & wiring.workflow.jobs.keys()
        or (
            wiring.detector is None
            and _is_decided(wiring)
            and any(map(wiring.output_of, wiring.workflow.jobs.values()))
        )
    ]


def _is_decided(wiring: Wiring) -> bool:
    """Return whether inputs decide about any suite on an event of a workflow; not so where others alone call it."""
    events, suites = wiring.workflow.triggers, wiring.rules.suites
    return events is None or any(
        Mode.INPUTS in possible_modes(wiring.rules, suite.name, event) for event in events for suite in suites
    )


class Readings:
    """What each suite reads, derived from workflows."""

    def __init__(self, library: Library, wirings: Sequence[Wiring]) -> None:
        self._deriver = Deriver(library)
        self._closures: dict[JobBody, Closure] = {}
        self.wirings = wirings
        self.by_suites: dict[Clause, Reading] = {}
        for wiring in wirings:
            selection = Selection(wiring)
            for job in wiring.workflow.jobs.values():
                if job is not wiring.detector:
                    for clause in sorted(selection.clauses(job), key=sorted):
                        self._add(wiring, selection, job, clause)

    def closure(self, wiring: Wiring, job: Job) -> Closure:
        """Return what a job reads by itself."""
        body = JobBody(file=wiring.workflow.file, job=job.id)
        if body not in self._closures:
            self._closures[body] = self._deriver.closure(body)
        return self._closures[body]

    def _add(self, wiring: Wiring, selection: Selection, job: Job, clause: Clause) -> None:
        known = self.by_suites.get(clause)
        ways = known.ways if known else {}
        jobs = set(known.jobs) if known else set()
        for used, labels in selection.used(job):
            jobs.add(used.id)
            for derived in self.closure(wiring, used).paths:
                ways.setdefault(derived.path, []).append(Way(job=used.id, labels=labels, derived=derived))
        self.by_suites[clause] = Reading(suites=clause, jobs=frozenset(jobs), ways=ways)
