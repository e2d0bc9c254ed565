"""Rules beside what jobs read: every derived path that the inputs of a suite don't contain.

A control file is contained in every suite, since a change of it runs everything. Documentation that lies in a directory
or that a pattern takes is no input, as the rules say; documentation that is named itself is a finding.
"""

from collections.abc import Iterator, Sequence

from ci_classify.core.drift import DriftFinding, DriftReport, Unread, Unresolved
from ci_classify.core.findings import DriftCode
from ci_classify.core.gate_checks import unjudged_jobs
from ci_classify.core.model import Rules, Suite
from ci_classify.core.survey import Survey, Tracked
from ci_classify.core.unclaimed import directories
from ci_classify.core.wiring import Wiring
from ci_classify.core.workflow import Job
from ci_classify.derive.answers import Answers
from ci_classify.derive.closure import Derived
from ci_classify.derive.found import Absent, Place
from ci_classify.derive.jobs import Clause, judged_without_consumer
from ci_classify.derive.library import Library
from ci_classify.derive.readings import Reading, Readings, Way

_ABSENT = {
    "workflow": DriftCode.WORKFLOW_MISSING,
    "action": DriftCode.ACTION_MISSING,
    "pattern": DriftCode.HASH_OF_NOTHING,
}


def compare(rules: Rules, library: Library, wirings: Sequence[Wiring], *, unread: bool) -> DriftReport:
    """Return all findings about rules and some workflows, and what of these only a run knows."""
    comparison = _Comparison(rules, library, wirings)
    findings = tuple(dict.fromkeys(comparison.findings()))
    return DriftReport(
        findings=sorted(findings, key=lambda one: (one.suite or "", one.code, one.path, one.file, one.line)),
        unresolved=comparison.unresolved(),
        unread=list(comparison.unread()) if unread else None,
        workflows=[wiring.workflow.file for wiring in wirings],
    )


class _Comparison:
    def __init__(self, rules: Rules, library: Library, wirings: Sequence[Wiring]) -> None:
        self._rules = rules
        self._library = library
        self._wirings = wirings
        self._readings = Readings(library, wirings)
        checkout = library.checkout
        self._survey = Survey(rules, Tracked(paths=checkout.paths, submodules=frozenset(checkout.submodules)))
        self._masks = dict(zip(checkout.paths, self._survey.masks, strict=True))
        self._suites = {suite.name: suite for suite in rules.suites if suite.inputs is not None}
        self._answers = Answers(rules, checkout)

    def findings(self) -> Iterator[DriftFinding]:
        """Return all findings; those about answers last, since the others tell which are needed."""
        reported: set[tuple[str, str]] = set()
        for clause, reading in sorted(
            self._readings.by_suites.items(), key=lambda item: (len(item[0]), sorted(item[0]))
        ):
            for finding in self._missing(clause, self._with_answers(clause, reading)):
                if not any((suite, finding.path) in reported for suite in clause):
                    reported |= {(suite, finding.path) for suite in clause}
                    yield finding
        for wiring in self._wirings:
            yield from self._of_jobs(wiring)
            yield from self._unjudged(wiring)
        yield from self._of_answers()

    # -- suites --------------------------------------------------------------------------------------

    def _with_answers(self, clause: Clause, reading: Reading) -> Reading:
        """Return a reading with the paths that the rules add to it."""
        ways = {path: list(found) for path, found in reading.ways.items()}
        for also in self._answers.also_read((*sorted(clause), *sorted(reading.jobs))):
            place = Place(file=self._rules.file, line=also.line)
            derived = Derived(path=also.path, chain=(), place=place, exact=False)
            way = Way(job="", labels=(f"drift of {also.name}", f"also-reads {also.term}"), derived=derived)
            ways.setdefault(also.path, []).append(way)
        return Reading(suites=reading.suites, jobs=reading.jobs, ways=ways)

    def _missing(self, clause: Clause, reading: Reading) -> Iterator[DriftFinding]:
        suites = [self._suites[name] for name in sorted(clause) if name in self._suites]
        if len(suites) < len(clause) or not suites:
            return  # a suite without inputs runs by its mode alone
        for path, ways in reading.ways.items():
            mask = self._masks[path]
            if self._is_control(mask) or any(self._contains(suite, mask) for suite in suites):
                continue
            by_length = sorted(ways, key=lambda way: len(way.chain))
            shown = [way for way in by_length if not self._answers.hide((*sorted(clause), way.job), path)]
            documentation = self._survey.contains(self._survey.documentation, mask)
            if documentation and any(suite.keeps_documentation for suite in suites):
                documentation = False
            if documentation:
                shown = [way for way in shown if way.derived.exact]
            if shown:
                code = DriftCode.INPUT_IS_DOCUMENTATION if documentation else DriftCode.INPUT_MISSING
                yield _finding(code, " or ".join(sorted(clause)), shown[0])

    def _is_control(self, mask: int) -> bool:
        return self._survey.contains(self._survey.control, mask) or self._survey.contains(
            self._survey.rules_files, mask
        )

    def _contains(self, suite: Suite, mask: int) -> bool:
        return self._survey.selects(suite, mask)

    # -- jobs ----------------------------------------------------------------------------------------

    def _of_jobs(self, wiring: Wiring) -> Iterator[DriftFinding]:
        """Return what is wrong with jobs themselves: files that they lack, producers that nobody consumes for them."""
        for job in wiring.workflow.jobs.values():
            closure = self._readings.closure(wiring, job)
            suite = next(
                (
                    name
                    for clause, one in self._readings.by_suites.items()
                    if job.id in one.jobs
                    for name in sorted(clause)
                ),
                None,
            )
            for absent, chain in closure.absent:
                yield from self._absent(job, absent, chain, suite)
            if job is wiring.detector:
                continue
            for name, output in judged_without_consumer(wiring, job).items():
                yield DriftFinding(
                    code=DriftCode.PRODUCER_WITHOUT_CONSUMER,
                    suite=wiring.output_of(job),
                    path=wiring.workflow.file,
                    chain=(f"job {job.id}", f"needs {name}", f"output {output}"),
                    file=wiring.workflow.file,
                    line=next(need.position[0] for need in job.needs if need.text == name),
                )

    def _absent(self, job: Job, absent: Absent, chain: tuple[str, ...], suite: str | None) -> Iterator[DriftFinding]:
        if self._answers.hide(filter(None, (job.id, suite)), absent.path):
            return
        yield DriftFinding(
            code=_ABSENT[absent.kind],
            suite=suite,
            path=absent.path,
            chain=(f"job {job.id}", *chain, absent.path),
            file=absent.place.file,
            line=absent.place.line,
        )

    def _unjudged(self, wiring: Wiring) -> Iterator[DriftFinding]:
        """Return what jobs read that neither an output selects nor the required check judges, and nobody claims."""
        if not wiring.gates:
            return
        known = {name for reading in self._readings.by_suites.values() for name in reading.jobs}
        for job in unjudged_jobs(wiring):
            if job.id in known:
                continue
            for derived in self._readings.closure(wiring, job).paths:
                mask = self._masks[derived.path]
                if not self._is_claimed(mask):
                    yield _finding(
                        DriftCode.JOB_NOT_JUDGED, None, Way(job=job.id, labels=(f"job {job.id}",), derived=derived)
                    )

    def _is_claimed(self, mask: int) -> bool:
        special = (self._survey.documentation, self._survey.unaffecting)
        inside = self._is_control(mask) or any(self._survey.contains(place, mask) for place in special)
        return inside or any(self._contains(suite, mask) for suite in self._suites.values())

    # -- answers -------------------------------------------------------------------------------------

    def _of_answers(self) -> Iterator[DriftFinding]:
        jobs = {name for wiring in self._wirings for name in wiring.workflow.jobs}
        for code, answer, path, line in self._answers.stale(
            frozenset(jobs | {suite.name for suite in self._rules.suites})
        ):
            yield DriftFinding(
                code=code,
                suite=answer.name if answer.name in self._suites else None,
                path=path,
                chain=(f"drift of {answer.name}", path),
                file=self._rules.file,
                line=line,
            )

    # -- the rest ------------------------------------------------------------------------------------

    def unresolved(self) -> list[Unresolved]:
        """Return what only a run knows, of all jobs that suites use."""
        found: dict[Unresolved, None] = {}
        used = {name for reading in self._readings.by_suites.values() for name in reading.jobs}
        for wiring in self._wirings:
            for job in wiring.workflow.jobs.values():
                for one in self._readings.closure(wiring, job).unclear if job.id in used else ():
                    found[Unresolved(job=job.id, file=one.place.file, line=one.place.line, why=one.why)] = None
            found |= dict.fromkeys(_selected_steps(wiring))
        for path in self._library.workflow_files():
            if self._library.workflow(path) is None and self._library.checkout.text(path) != "":
                line, why = self._library.checkout.unreadable.get(path, (1, "it is no file"))
                found[Unresolved(job="", file=path, line=line, why=f"the workflow can't be read: {why}")] = None
        read = {name for clause in self._readings.by_suites for name in clause}
        for suite in self._suites.values():
            if suite.name not in read:
                why = (
                    f"no job of these workflows is selected by {suite.name} alone, so nothing of what it reads is known"
                )
                found[Unresolved(job="", file=self._rules.file, line=suite.position[0], why=why)] = None
        return sorted(found, key=lambda one: (one.job, one.file, one.line, one.why))

    def unread(self) -> Iterator[Unread]:
        """Return what suites claim and nothing reads, by directory."""
        paths = self._library.checkout.paths
        for suite in self._suites.values():
            read = {
                path
                for clause, reading in self._readings.by_suites.items()
                if suite.name in clause
                for path in self._with_answers(clause, reading).ways
            }
            if not read:
                continue
            marked = [path not in read and self._contains(suite, self._masks[path]) for path in paths]
            for group in directories(paths, marked):
                start = f"{group.directory}/" if group.directory else ""
                named = group.count == 1 and not group.whole
                first = next(
                    path
                    for path, mark in zip(paths, marked, strict=True)
                    if mark and path.startswith(start) and (group.whole or "/" not in path[len(start) :])
                )
                shown = first if named else (start or "/") if group.whole else f"{start}*"
                yield Unread(suite=suite.name, path=shown, files=group.count, line=self._claiming(suite, first))

    def _claiming(self, suite: Suite, path: str) -> int:
        place = self._survey.suites[suite.name]
        indices = self._survey.kinds[self._masks[path]][place]
        return self._survey.evaluator.sets[place].terms[indices[-1]].line


def _selected_steps(wiring: Wiring) -> Iterator[Unresolved]:
    """Return the steps that an output selects inside of a job that runs anyway."""
    for job in wiring.steered():
        places = {step.condition.position for step in job.steps if step.condition is not None}
        for read in wiring.output_reads(job, condition=False):
            if read.position in places:
                why = (
                    f"a step is selected by {wiring.outputs[read.part[1]]}, and what single steps read is not compared"
                )
                yield Unresolved(job=job.id, file=wiring.workflow.file, line=read.position[0], why=why)


def _finding(code: DriftCode, suite: str | None, way: Way) -> DriftFinding:
    place = way.derived.place
    return DriftFinding(
        code=code, suite=suite, path=way.derived.path, chain=way.chain, file=place.file, line=place.line
    )
