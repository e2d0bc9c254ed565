"""``ci-classify mutate``: which lines of the rules are protected by examples, or by what else is given."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ci_classify.commands import showing
from ci_classify.commands.classifying import open_rules
from ci_classify.commands.drift import checkout_of
from ci_classify.commands.exits import FINDINGS, OK, UsageError
from ci_classify.commands.given import read_given
from ci_classify.core.errors import CannotClassifyError
from ci_classify.core.examples import run_examples
from ci_classify.core.explanation import remedy
from ci_classify.core.model import Event, Rules
from ci_classify.core.mutants import mutants
from ci_classify.core.mutation import Fate, Guard, RangeJudge, Verdict, examples_of, judge
from ci_classify.core.record import Record, replaced
from ci_classify.derive.guarding import drift_guard
from ci_classify.derive.library import Library
from ci_classify.edges import console, history
from ci_classify.edges.git import Repository, top_of
from ci_classify.formats.declared_names import OWN_OUTPUTS
from ci_classify.formats.examples import load_examples
from ci_classify.formats.path_list import read_paths
from ci_classify.render.mutations import mutations_json, mutations_text


class MutateRequest(Record):
    """The options of the command, as given."""

    repo: str
    rules: str | None = None
    rev: str | None = None
    paths_from: str | None = None
    examples: str | None = None
    range: str | None = None
    event: str = "pull_request"
    as_json: bool = False


def run(request: MutateRequest) -> int:
    """Show the mutants that nothing notices; 1 if there are any."""
    loaded = open_rules(top_of(request.repo), request.rules)
    showing.show_problems(loaded.warnings)
    rules = loaded.rules
    if request.examples is not None:
        names = frozenset(output.name for output in rules.decided)
        content = read_given(request.examples, "examples")
        examples = load_examples(content, request.examples, names)
        rules = replaced(rules, examples=examples)
    failures = run_examples(rules, rules.examples)
    if failures:
        raise UsageError(f"the example {failures[0].example.name!r} fails", "correct it first: ci-classify test")
    try:
        with _guarded(request, rules) as (tracked, guards):
            judged = judge(rules, tracked, guards)
            verdicts = list(console.progress(judged, lambda: sum(1 for _ in mutants(rules)), "Mutating"))
        if request.range is not None:
            verdicts = _by_range(request, rules, verdicts)
    except CannotClassifyError as error:
        raise UsageError(error.detail, remedy(error.cause)) from None
    console.write(mutations_json(verdicts, rules.file) if request.as_json else mutations_text(verdicts, rules.file))
    return FINDINGS if any(verdict.fate is Fate.SURVIVED for verdict in verdicts) else OK


@contextmanager
def _guarded(request: MutateRequest, rules: Rules) -> Iterator[tuple[Sequence[str], list[Guard]]]:
    """Return the tracked paths and what may notice mutants, as long as the context lasts."""
    guards = [examples_of(rules)]
    if request.paths_from is not None:
        yield read_paths(read_given(request.paths_from, "paths"), request.paths_from).paths, guards
        return
    repository = Repository(request.repo)
    tree = repository.tree(request.rev or "HEAD")
    with checkout_of(repository, tree) as checkout:
        drift = drift_guard(rules, Library(checkout), OWN_OUTPUTS)
        yield tree.paths, [*guards, *([drift] if drift else [])]


def _by_range(request: MutateRequest, rules: Rules, verdicts: list[Verdict]) -> list[Verdict]:
    """Return the verdicts with survivors killed by the changes of a range."""
    places = [place for place, verdict in enumerate(verdicts) if verdict.fate is Fate.SURVIVED]
    judge = RangeJudge(rules, [verdicts[place] for place in places], Event(name=request.event))
    repository, range_ = Repository(request.repo), request.range or ""
    changes = history.first_parents(repository, range_)
    for change in console.progress(changes, lambda: history.count(repository, range_), "Replaying"):
        if judge.is_done:
            break
        judge.add(change.step.commit, change.changes)
    found = list(verdicts)
    for number, commit in judge.killed.items():
        mutant = verdicts[places[number]].mutant
        found[places[number]] = Verdict(mutant=mutant, fate=Fate.KILLED_BY_RANGE, by=commit)
    return found
