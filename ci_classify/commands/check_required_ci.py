"""``ci-classify check-required-ci``: judge whether every job did what was planned."""

from collections.abc import Iterable
from pathlib import Path

from ci_classify.commands import showing
from ci_classify.commands.classifying import classify, open_rules
from ci_classify.commands.exits import FINDINGS, OK, UsageError
from ci_classify.commands.run import RunRequest, situation
from ci_classify.core.errors import CannotClassifyError
from ci_classify.core.model import RequiredCheck
from ci_classify.core.record import Record
from ci_classify.core.required import (
    Answers,
    DetectorPlan,
    Failure,
    Situation,
    Verdict,
    differences,
    judge,
    unreadable,
)
from ci_classify.edges import console, files, github
from ci_classify.edges.git import Repository, top_of
from ci_classify.formats.event_payload import is_same_repository, read_event, tested_commits
from ci_classify.formats.job_results import UnreadableResultsError, from_options, read_needs, with_outputs
from ci_classify.render import messages
from ci_classify.render.markdown import MAX_SUMMARY_BYTES
from ci_classify.render.required import failure_lines, failure_text, verdict_json, verdict_lines, verdict_summary

_RERUN = (
    "This is attempt {attempt} of the run. Running only the failed jobs again keeps the outputs that the detector wrote "
    "in an earlier attempt; run all jobs again to make them new."
)


class CheckRequiredCiRequest(Record):
    """The options of the command, as given. The last five say how to classify again."""

    repo: str
    rules: str | None = None
    needs_json: str | None = None
    outputs: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    event_name: str | None = None
    same_repository: str | None = None
    as_json: bool = False
    recompute: bool = False
    base: str | None = None
    head: str | None = None
    branch: str | None = None
    labels: tuple[str, ...] = ()
    fetch: bool = False


def run(request: CheckRequiredCiRequest) -> int:
    """Judge the results of all jobs and show the verdict; 1 for anything that is not as planned."""
    here = github.runner()
    top = top_of(Path(request.repo))
    rules = open_rules(top, request.rules).rules
    check = rules.required_check
    if check is None:
        raise UsageError(f"{rules.file} has no required-check", "write the section: docs/required-check.md shows one")
    now = _situation(request, here, check)
    try:
        answers = _answers(request, here, check.detector)
    except UnreadableResultsError as error:
        verdict = unreadable(check, f"{error}: pass `toJSON(needs)`")
    else:
        doubts = [*_other_commit(request, here, check, answers), *_again(request, here, top, check, answers)]
        verdict = judge(rules, check, answers, now, doubts)
    notes = [] if verdict.passed or here.attempt == 1 else [_RERUN.format(attempt=here.attempt)]
    _show(verdict, notes, as_json=request.as_json)
    _write_summary(verdict, notes, here)
    return OK if verdict.passed else FINDINGS


def _situation(request: CheckRequiredCiRequest, here: github.Runner, check: RequiredCheck) -> Situation:
    event = request.event_name or here.event_name
    if not event:
        raise UsageError("the event is not known", "give --event-name")
    same: bool | None = True
    if event.startswith("pull_request"):
        same = None if request.same_repository is None else request.same_repository == "true"
        if same is None and here.in_ci:
            same = is_same_repository(github.payload(here)[0])
        if same is None and any(job.same_repository for job in check.jobs):
            raise UsageError(
                "whether the pull request comes from this repository is not known",
                "give --same-repository true or false",
            )
    return Situation(event=event, same_repository=same is True)


def _answers(request: CheckRequiredCiRequest, here: github.Runner, detector: str) -> Answers:
    outputs = [_pair(given, "--output NAME=true or NAME=false") for given in request.outputs]
    results = [_pair(given, "--result JOB=RESULT") for given in request.results]
    if results and request.needs_json is not None:
        raise UsageError("results come from --needs-json or from --result", "give one of the two")
    if results:
        return from_options(results, outputs)
    answers = read_needs(_needs_text(request, here), detector)
    return with_outputs(answers, outputs) if outputs else answers


def _pair(given: str, form: str) -> tuple[str, str]:
    name, sign, value = given.partition("=")
    if not sign or not name:
        raise UsageError(f"{given!r} is no pair", f"give {form}")
    return name, value


def _needs_text(request: CheckRequiredCiRequest, here: github.Runner) -> str | bytes:
    if request.needs_json is None:
        if here.needs is None:
            raise UsageError(
                "there are no results",
                "set NEEDS_JSON to toJSON(needs), or give --needs-json FILE or --result JOB=RESULT",
            )
        return here.needs
    try:
        return files.read_standard_input() if request.needs_json == "-" else files.read(Path(request.needs_json))
    except files.FileProblemError as error:
        raise UsageError(str(error), "name a file that holds toJSON(needs)") from None


def _other_commit(
    request: CheckRequiredCiRequest, here: github.Runner, check: RequiredCheck, answers: Answers
) -> Iterable[Failure]:
    """Return a failure where the outputs are for another commit than the one under test."""
    head = answers.plan.head if isinstance(answers.plan, DetectorPlan) else None
    if head is None:
        return
    asked = tested_commits(read_event(here.event_name or "", *github.payload(here))[1]) if here.in_ci else ()
    tested = dict.fromkeys(commit for commit in (here.sha, *asked, *_checked_out(request)) if commit)
    if tested and head not in tested:
        yield Failure(
            job=check.detector,
            expected=f"outputs for {' or '.join(tested)}",
            got=f"outputs for {head}",
            why="its outputs are for another commit than the one under test: run all jobs again",
        )


def _checked_out(request: CheckRequiredCiRequest) -> Iterable[str]:
    try:
        commits = Repository(Path(request.repo)).commits([request.head or "HEAD"])
    except CannotClassifyError:  # the results can be judged without a repository
        return
    yield from (commit.id for commit in commits if commit is not None)


def _again(
    request: CheckRequiredCiRequest, here: github.Runner, top: Path, check: RequiredCheck, answers: Answers
) -> tuple[Failure, ...]:
    """Return where the outputs differ from those of a plan that is made now, if that is asked for."""
    if not request.recompute:
        return ()
    asked = RunRequest(
        repo=request.repo,
        rules=request.rules,
        event=request.event_name,
        base=request.base,
        head=request.head,
        branch=request.branch,
        labels=request.labels,
        fetch=request.fetch,
    )
    event, compare = situation(asked, here)
    return differences(classify(top, request.rules, event, compare).plan, check.detector, answers)


def _show(verdict: Verdict, notes: Iterable[str], *, as_json: bool) -> None:
    annotations = [messages.error(failure_text(failure), in_ci=True) for failure in verdict.failures]
    if as_json:
        console.write(verdict_json(verdict) + "\n")
        console.say(annotations if console.in_ci() else ())
        return
    if console.in_ci():
        console.write("".join(f"{line}\n" for line in annotations))
    else:
        console.show(failure_lines(verdict))
    console.show([*verdict_lines(verdict), *((0, ((note, ""),)) for note in notes)])


def _write_summary(verdict: Verdict, notes: Iterable[str], here: github.Runner) -> None:
    if here.summary is None:
        return
    try:
        used = files.size(here.summary)
        text = verdict_summary(verdict) + "".join(f"\n{note}\n" for note in notes).encode()
        if used + len(text) > MAX_SUMMARY_BYTES:
            text = b"The verdict of the required check does not fit; see the log of the step.\n"
        files.append(here.summary, (b"\n" if used else b"") + text)
    except files.FileProblemError as error:
        showing.warn(f"The job summary can't be written: {error}.")
