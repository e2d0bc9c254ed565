"""``ci-classify replay``: classify the changes of a range again, by these rules and by others."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ci_classify.commands import showing
from ci_classify.commands.classifying import open_rules
from ci_classify.commands.exits import FINDINGS, OK, UsageError
from ci_classify.commands.given import read_given
from ci_classify.commands.other_rules import other_rules
from ci_classify.core.errors import CannotClassifyError
from ci_classify.core.explanation import remedy
from ci_classify.core.model import Event, Rules
from ci_classify.core.record import Record
from ci_classify.core.replay import Named, Replay
from ci_classify.core.saving import Minutes
from ci_classify.core.unsafe import Unsafe
from ci_classify.edges import console, files, history
from ci_classify.edges.git import Repository
from ci_classify.edges.spool import Spool
from ci_classify.formats.durations_file import read_durations
from ci_classify.formats.pairs_file import read_pairs
from ci_classify.formats.results_file import read_results_file
from ci_classify.render.replay_json import BEGIN, change_json, end_json
from ci_classify.render.replay_report import Report, report_lines, report_markdown
from ci_classify.render.replay_svg import timeline_svg

_EMPTY = "The list of pull requests is empty, so nothing was replayed."
_REVERSED = "A range is written OLD..NEW, so nothing was replayed if it is the wrong way round."


class ReplayRequest(Record):
    """The options of the command, as given."""

    repo: str
    range: str | None = None
    pairs: str | None = None
    rules: str | None = None
    against: tuple[str, ...] = ()
    event: str = "pull_request"
    branch: str | None = None
    durations: str | None = None
    results: str | None = None
    svg: str | None = None
    form: Literal["text", "markdown", "json"] = "text"


def run(request: ReplayRequest) -> int:
    """Show how often each output runs, and what differs; 1 if a job that failed would have been skipped."""
    if (request.range is None) == (request.pairs is None):
        raise UsageError("there is nothing to replay, or too much", "give a range such as v1..HEAD, or --pairs FILE")
    if request.durations is not None and not request.against:
        raise UsageError("--durations says what new rules save, and there are no old ones", "give --against")
    try:
        return _run(request, Repository(Path(request.repo)))
    except CannotClassifyError as error:
        raise UsageError(error.detail, remedy(error.cause)) from None


def _run(request: ReplayRequest, repository: Repository) -> int:
    loaded = open_rules(repository.top, request.rules)
    showing.show_problems(loaded.warnings)
    others = [(name, other_rules(repository, request.rules, name)) for name in request.against]
    rules = [loaded.rules, *(other for _, other in others)]
    unsafe = minutes = None
    if request.results is not None:
        results = read_results_file(read_given(request.results, "results"), request.results)
        unsafe = Unsafe(results, rules, request.event)
    if request.durations is not None:
        samples = read_durations(read_given(request.durations, "durations"), request.durations)
        minutes = Minutes(samples, rules, request.event)
    replay = Replay(
        Named(name="new", rules=loaded.rules),
        [Named(name=name, rules=other) for name, other in others],
        Event(name=request.event, branch=request.branch),
    )
    with Spool() as spool:
        _replay(request, repository, replay, (unsafe, minutes), spool)
        totals = replay.totals()
        safety = unsafe.safety() if unsafe else None
        report = Report(
            totals=totals,
            event=request.event,
            outputs=_outputs(rules),
            present=tuple(frozenset(output.name for output in each.outputs) for each in rules),
            savings=minutes.savings() if minutes else None,
            safety=safety,
        )
        if request.svg is not None:
            _draw(request.svg, report, dated=request.pairs is None)
        if request.form == "json":
            spool.add(end_json(totals, _counts(report), request.event, report.savings, safety))
            spool.show()
        else:
            _show_page(request, repository, report)
    if not totals.changes:
        showing.warn(_EMPTY if request.pairs is not None else f"No commit is in {request.range}. {_REVERSED}")
    return FINDINGS if safety and safety.rates[0].hits else OK


def _replay(
    request: ReplayRequest,
    repository: Repository,
    replay: Replay,
    takers: tuple[Unsafe | None, Minutes | None],
    spool: Spool,
) -> None:
    if request.form == "json":
        spool.add(BEGIN)
    unsafe, minutes = takers
    for place, change in enumerate(_changes(request, repository)):
        commit = change.step.commit
        outcome = replay.add(commit, change.changes, place if change.step.time is None else change.step.time)
        if unsafe is not None:
            unsafe.add(commit, change.changes, outcome)
        if minutes is not None:
            minutes.add(outcome)
        if request.form == "json":
            spool.add(change_json(commit, outcome, first=place == 0))


def _changes(request: ReplayRequest, repository: Repository) -> Iterator[history.Change]:
    range_ = request.range
    if range_ is not None:
        changes = history.first_parents(repository, range_)
        return console.progress(changes, lambda: history.count(repository, range_), "Replaying")
    pairs = read_pairs(read_given(request.pairs or "", "pairs"), request.pairs or "")
    return console.progress(history.pull_requests(repository, pairs), lambda: len(pairs), "Replaying")


def _outputs(rules: list[Rules]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(output.name for each in rules for output in each.outputs))


def _counts(report: Report) -> dict[str, tuple[int | None, ...]]:
    return {
        name: tuple(
            report.totals.runs(name, number) if name in present else None
            for number, present in enumerate(report.present)
        )
        for name in report.outputs
    }


def _show_page(request: ReplayRequest, repository: Repository, report: Report) -> None:
    shown = tuple(dict.fromkeys(difference.commit for difference in report.totals.differences))
    titles = repository.subjects(shown)
    if request.form == "markdown":
        console.write(report_markdown(report, titles))
    else:
        console.show(report_lines(report, titles))


def _draw(name: str, report: Report, *, dated: bool) -> None:
    try:
        files.write_whole(Path(name), timeline_svg(report.totals, report.outputs, report.present, dated=dated))
    except files.FileProblemError as error:
        raise UsageError(str(error), "give --svg the name of a file that can be written") from None
