"""``ci-classify check-required-ci``: the command behind the one required status check."""

import sys
from collections.abc import Sequence

from ci_classify.commands import canary_check, showing
from ci_classify.commands.classifying import NoOutputsError, classify, open_rules
from ci_classify.commands.exits import FINDINGS, OK, UsageError
from ci_classify.commands.run import RunRequest, situation
from ci_classify.core.explanation import SKIPPED
from ci_classify.core.model import Rules
from ci_classify.core.record import Record
from ci_classify.core.required import Circumstances, JobFailure, Judgement, PlanFacts, RequiredCheck, judge
from ci_classify.edges import console, files, github
from ci_classify.edges.git import top_of
from ci_classify.formats.declared_names import OWN_OUTPUTS
from ci_classify.formats.event_payload import from_same_repository, tested_commits
from ci_classify.formats.job_results import (
    JobResults,
    UnreadableResultsError,
    WrittenPlan,
    read_outputs,
    read_plan,
    read_results,
)
from ci_classify.render.markdown import plain
from ci_classify.render.required_check import failure_text, headline, judgement_json, judgement_summary, judgement_text

_RERUN = (
    "This is attempt {attempt} of the run. Running only the failed jobs again keeps the outputs that the detector wrote "
    "in an earlier attempt; run all jobs again to make them new."
)


class CheckRequest(Record):
    """The options of the command, as given."""

    repo: str
    rules: str | None = None
    needs_json: str | None = None
    outputs: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    event_name: str | None = None
    same_repository: bool | None = None
    recompute: bool = False
    canary: bool = False
    canary_record: str | None = None
    as_json: bool = False


def run(request: CheckRequest) -> int:
    """Judge the results of jobs; 1 if any job did not do what was planned."""
    here = github.runner()
    top = top_of(request.repo)
    loaded = open_rules(top, request.rules)
    check = loaded.rules.required_check
    if check is None:
        raise UsageError(f"{loaded.rules.file} has no required-check", "write the section, with every job to judge")
    circumstances = _circumstances(request, here)
    names = [output.name for output in loaded.rules.outputs]
    try:
        given = _results(request, here)
    except UnreadableResultsError as error:
        given = JobResults(results={}, outputs={})
        unreadable = [
            JobFailure(job=check.detector, expected="the results of jobs", got="nothing readable", why=str(error))
        ]
    else:
        unreadable = []
    written = _outputs(request, check, given)
    # A detector that died wrote nothing; then its own failure says all there is to say.
    trusted = given.results.get(check.detector) == "success" or bool(written)
    outputs, distrust = read_outputs(check.detector, written, names, OWN_OUTPUTS) if trusted else ({}, ())
    stale = _stale(check, written, outputs, here) if not distrust else []
    recomputed = _recomputed(request, check, outputs, here) if request.recompute and not distrust else []
    notes: list[str] = []
    if request.canary_record is not None and not request.canary:
        raise UsageError("--canary-record records a canary, and this is none", "give --canary, too")
    if unreadable:
        judgement = Judgement(results=(), failures=tuple(unreadable), first=None)
    else:
        plan_text = dict(written).get("plan")
        plan = read_plan(plan_text) if plan_text else None
        untried = canary_check.no_canary(check, plan) if request.canary else []
        distrust = (*distrust, *stale, *recomputed, *untried)
        judgement = judge(check, circumstances, given.results, outputs, distrust, _facts(loaded.rules, plan))
        if request.canary and plan is not None and plan.canary is not None:
            unsafe = canary_check.tell(check, circumstances, plan, given.results, request.canary_record)
            notes = canary_check.show(loaded.rules, unsafe, request.repo, circumstances.event, here)
    _show(judgement, here, notes, as_json=request.as_json)
    return OK if judgement.passed else FINDINGS


def _facts(rules: Rules, plan: WrittenPlan | None) -> PlanFacts:
    because = {name: SKIPPED[code] for name, code in (plan.reasons if plan else {}).items() if code in SKIPPED}
    producers = frozenset(producer.name for producer in rules.producers)
    return PlanFacts(producers=producers, skipped_because=because)


def _circumstances(request: CheckRequest, here: github.Runner) -> Circumstances:
    event = request.event_name or here.event_name
    if not event:
        raise UsageError("the event is not known", "give --event-name")
    same = request.same_repository
    if not event.startswith("pull_request"):
        same = True
    elif same is None:
        same = from_same_repository(github.payload(here)[0])
    if same is None:
        raise UsageError("whether the pull request comes from this repository is not known", "give --same-repository")
    return Circumstances(event=event, same_repository=same)


def _results(request: CheckRequest, here: github.Runner) -> JobResults:
    """Return the results from the options, or else from a file, standard input or the variable."""
    if request.results:
        if request.needs_json is not None:
            raise UsageError("--result and --needs-json exclude each other", "give one of the two")
        pairs = [_pair(text, "--result") for text in request.results]
        jobs = [job for job, _ in pairs]
        twice = next((job for job in jobs if jobs.count(job) > 1), None)
        if twice is not None:
            raise UnreadableResultsError(f"the result of {twice} is given twice")
        return JobResults(results=dict(pairs), outputs={})
    if request.needs_json is None:
        if here.needs is None:
            raise UsageError(
                "there are no results of jobs", "give --needs-json FILE, or set NEEDS_JSON to ${{ toJSON(needs) }}"
            )
        return read_results(here.needs)
    if request.needs_json == "-":
        return read_results(sys.stdin.buffer.read().decode("utf-8", "replace"))
    try:
        return read_results(files.read(request.needs_json).decode("utf-8-sig", "replace"))
    except files.FileProblemError as error:
        raise UsageError(str(error), "give --needs-json the name of a file, or - for standard input") from None


def _outputs(request: CheckRequest, check: RequiredCheck, given: JobResults) -> list[tuple[str, str]]:
    if request.outputs:
        return [_pair(text, "--output") for text in request.outputs]
    return list(given.outputs.get(check.detector, {}).items())


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"{option} {text!r} is no NAME=VALUE", f"write {option} NAME=VALUE")
    return name, value


def _stale(
    check: RequiredCheck, written: Sequence[tuple[str, str]], outputs: dict[str, bool], here: github.Runner
) -> list[JobFailure]:
    """Return what the detector's plan contradicts: its own outputs, or the commit that is tested now."""
    text = dict(written).get("plan")
    if text is None:
        return []
    plan = read_plan(text)
    if plan is None:
        why = "the plan is not what ci-classify writes"
        return [JobFailure(job=check.detector, expected="a plan", got=text[:60], why=why)]
    found = [
        JobFailure(
            job=check.detector,
            expected=f"{name}={_word(plan.outputs[name])}",
            got=f"{name}={_word(value)}",
            why="the output differs from the detector's own plan",
        )
        for name, value in outputs.items()
        if name in plan.outputs and plan.outputs[name] != value
    ]
    tested = tested_commits(github.payload(here)[0], here.commit) if here.in_ci else frozenset()
    if plan.head is not None and tested and plan.head not in tested:
        why = "the outputs are for another commit, perhaps of an earlier attempt; run all jobs again"
        found.append(JobFailure(job=check.detector, expected=f"a plan for {min(tested)}", got=plan.head, why=why))
    return found


def _recomputed(
    request: CheckRequest, check: RequiredCheck, outputs: dict[str, bool], here: github.Runner
) -> list[JobFailure]:
    """Classify again, and return each output that differs from the detector's."""
    asked = RunRequest(repo=request.repo, rules=request.rules, event=request.event_name)
    event, compare = situation(asked, here)
    try:
        plan = classify(top_of(request.repo), request.rules, event, compare, canary=request.canary).plan
    except NoOutputsError as error:
        raise UsageError(str(error), "correct the rules") from None
    because = f" (classified again: {plan.fallback.cause})" if plan.fallback else ""
    return [
        JobFailure(
            job=check.detector,
            expected=f"{decision.name}={_word(decision.runs)}",
            got=f"{decision.name}={_word(outputs[decision.name])}",
            why=f"classifying again gives another answer{because}: the detector is wrong or stale",
        )
        for decision in plan.outputs
        if decision.name in outputs and outputs[decision.name] != decision.runs
    ]


def _word(value: bool) -> str:  # noqa: FBT001 -- the value of an output
    return "true" if value else "false"


def _show(judgement: Judgement, here: github.Runner, found: Sequence[str], *, as_json: bool) -> None:
    notes = list(found)
    notes += [_RERUN.format(attempt=here.attempt)] if here.attempt > 1 and not judgement.passed else []
    if console.in_ci():
        for failure in judgement.failures:
            showing.error(failure_text(failure))
    if here.summary is not None:
        try:
            files.append(
                here.summary, judgement_summary(judgement) + "".join(f"\n{plain(note)}\n" for note in notes).encode()
            )
        except files.FileProblemError as error:
            showing.warn(f"The job summary can't be written: {error}.")
    if not judgement.passed and judgement.first is not None and console.in_ci():
        showing.warn(headline(judgement))
    text = judgement_text(judgement) + "".join(f"{note}\n" for note in notes)
    console.write(judgement_json(judgement) if as_json else text)
