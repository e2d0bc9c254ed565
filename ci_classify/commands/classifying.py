"""Rules, an event and a comparison become a plan. The one place that turns "cannot classify" into a plan."""

from collections.abc import Callable, Iterator

from ci_classify.commands import showing
from ci_classify.core.annotations import TYPE_CHECKING
from ci_classify.core.decision import decide, everything_runs, looks_at_changes
from ci_classify.core.errors import CannotClassifyError, FallbackCause, InvalidFileError, Problem
from ci_classify.core.matching import Matcher
from ci_classify.core.model import Changes, Event, Rules
from ci_classify.core.plan import Comparison, Fallback, Plan
from ci_classify.core.record import Record, replaced
from ci_classify.edges import files, rules_files
from ci_classify.edges.comparing import Compared
from ci_classify.edges.git import Repository

if TYPE_CHECKING:
    from ci_classify.formats.rules_file import LoadedRules

Compare = Callable[[], Compared]


class NoOutputsError(Exception):
    """The names of the outputs can't be known, so that not even the fallback can be written."""


class Classified(Record):
    """A plan, and what else a person should see: the rules file's name and its problems."""

    plan: Plan
    rules_file: str
    problems: tuple[Problem, ...] = ()


def open_rules(top: str, given: str | None) -> "LoadedRules":
    """Return the rules of a repository, or raise InvalidFileError; an absent file is a problem like any other."""
    found = rules_files.locate(top, given)
    try:
        content = found.read()
    except files.FileProblemError as error:
        problem = Problem(
            file=found.shown,
            line=0,
            column=0,
            message=f"there are no rules: {error}",
            help=f"write {' or '.join(rules_files.DEFAULT_NAMES)}, or give --rules",
        )
        raise InvalidFileError((problem,)) from None
    from ci_classify.formats.rules_file import load_rules  # noqa: PLC0415 -- git compares while YAML is imported

    return load_rules(content, found.shown, control_paths=found.paths_in_tree)


def classify(top: str, rules_given: str | None, event: Event, compare: Compare, *, canary: bool = False) -> Classified:
    """Return the plan of an event; whatever goes wrong on the way is the fallback with its cause.

    Raises NoOutputsError where not even the names of the outputs can be known.
    """
    try:
        loaded = open_rules(top, rules_given)
    except InvalidFileError as error:
        return _without_rules(top, rules_given, event, compare, _invalid(error.problems), error.problems)
    except Exception as error:  # noqa: BLE001 -- as below
        return _without_rules(top, rules_given, event, compare, _bug(error), ())
    rules = loaded.rules
    try:
        plan = _plan(rules, event, compare)
        if canary:
            from ci_classify.core.canary import as_canary  # noqa: PLC0415 -- no other run pays for it

            plan = as_canary(rules, plan)
    except Exception as error:  # noqa: BLE001 -- a bug of ours must run everything, not fail the detector
        plan = everything_runs(event, (output.name for output in rules.outputs), _bug(error))
        plan = replaced(plan, canary=canary)
    return Classified(plan=plan, rules_file=rules.file, problems=loaded.warnings)


def _plan(rules: Rules, event: Event, compare: Compare) -> Plan:
    if not looks_at_changes(rules, event):
        return decide(rules, event, Changes(paths=(), kinds=()), Comparison(needed=False))
    matcher = Matcher(rules)  # made while git may still compare
    try:
        compared = compare()
    except CannotClassifyError as error:
        return decide(rules, event, Fallback(cause=error.cause, detail=error.detail))
    return decide(rules, event, compared.changes, compared.comparison, matcher=matcher)


def _bug(error: Exception) -> Fallback:
    showing.bug(error)
    return Fallback(cause=FallbackCause.INTERNAL_ERROR, detail=f"{type(error).__name__}: {error}"[:300])


def _invalid(problems: tuple[Problem, ...]) -> Fallback:
    first = next(problem for problem in problems if not problem.warning)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    where = f"{first.file}:{first.line}" if first.line else first.file
    return Fallback(cause=FallbackCause.RULES_INVALID, detail=f"{where}: {first.message}{more}")


def _without_rules(
    top: str,
    rules_given: str | None,
    event: Event,
    compare: Compare,
    fallback: Fallback,
    problems: tuple[Problem, ...],
) -> Classified:
    """Return the fallback under the names that the broken file and the rules of the base give."""
    from ci_classify.formats.output_names import output_names  # noqa: PLC0415 -- only a fallback needs it

    found = rules_files.locate(top, rules_given)
    names: dict[str, str] = {}
    at_base = (output_names(content, found.shown) for content in _contents_at_base(top, found, compare))
    # A symbolic link holds no names: what it led to is another of the paths.
    for listed in (output_names(_content_here(found), found.shown), next(filter(None, at_base), ())):
        for name in listed:
            names.setdefault(name.lower(), name)
    if not names:
        raise NoOutputsError("\n".join(map(str, problems)))
    plan = everything_runs(event, names.values(), fallback)
    return Classified(plan=plan, rules_file=found.shown, problems=problems)


def _content_here(found: rules_files.RulesFile) -> bytes:
    try:
        return found.read()
    except files.FileProblemError:
        return b""


def _contents_at_base(top: str, found: rules_files.RulesFile, compare: Compare) -> Iterator[bytes]:
    try:
        base = compare().comparison.base
        repository = Repository(top)
        contents = (repository.file(base, path) for path in found.paths_in_tree) if base else ()
        yield from (content for content in contents if content is not None)
    except CannotClassifyError:
        return
