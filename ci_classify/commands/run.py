"""``ci-classify run``: classify in CI, write the outputs, the summary and the log.

What is not needed to begin the comparison is imported behind that: git compares meanwhile.
"""

from functools import partial

from ci_classify.commands.exits import OK, USAGE, UsageError
from ci_classify.core.annotations import TYPE_CHECKING
from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.model import Event
from ci_classify.core.record import Record
from ci_classify.edges import files, github
from ci_classify.edges.comparing import Begun, Compared, between, compare
from ci_classify.edges.git import Repository, top_of
from ci_classify.formats.event_payload import Request, read_event

if TYPE_CHECKING:
    from ci_classify.commands.classifying import Compare


class RunRequest(Record):
    """The options of the command, as given."""

    repo: str
    rules: str | None = None
    event: str | None = None
    base: str | None = None
    head: str | None = None
    branch: str | None = None
    labels: tuple[str, ...] = ()
    paths_from: str | None = None
    fetch: bool = False
    canary: bool = False
    as_json: bool = False


def run(request: RunRequest, here: github.Runner | None = None) -> int:
    """Classify and write; 0 also for the fallback, since a run that is unsure has said so and runs everything.

    ``here`` is the runner that the step is on, by default the one that the environment describes.
    """
    here = here or github.runner()
    event, compare_now = situation(request, here)
    from ci_classify.commands import plan_files, showing  # noqa: PLC0415
    from ci_classify.commands.classifying import NoOutputsError, classify  # noqa: PLC0415

    try:
        classified = classify(top_of(request.repo), request.rules, event, compare_now, canary=request.canary)
    except NoOutputsError as error:
        showing.error(f"{error}\nThe names of the outputs can't be known, so that none can be written.")
        return USAGE
    if not plan_files.write_outputs(classified, here):
        return USAGE
    plan_files.write_summary(classified, here)
    showing.show_plan(classified.plan, classified.rules_file, classified.problems, as_json=request.as_json)
    return OK


def situation(request: RunRequest, here: github.Runner) -> "tuple[Event, Compare]":
    """Return the event, and how to find out what changed; options win over the payload."""
    explicit = request.base is not None or request.paths_from is not None
    if request.paths_from is not None and (request.base is not None or request.head is not None):
        raise UsageError("--paths-from needs no commits", "give either --paths-from, or --base and --head")
    if request.head is not None and request.base is None:
        raise UsageError("--head needs --base", "give both, or neither in CI")
    if not explicit and not here.in_ci:
        raise UsageError(
            "this is no GitHub job", "give --base (and --head) or --paths-from, or run `ci-classify dry-run`"
        )
    name = request.event or here.event_name or ("" if here.in_ci and not explicit else "pull_request")
    event, asked = read_event(name, *github.payload(here)) if here.in_ci else read_event(name, None)
    event = Event(
        name=name,
        branch=request.branch or event.branch,
        labels=tuple(dict.fromkeys((*event.labels, *request.labels))),
    )
    if request.paths_from is not None:
        return event, partial(_listed, request.paths_from)
    fetching = partial(_compared, request, asked, fetch=True) if request.fetch else None
    return event, Begun(partial(_compared, request, asked, fetch=False), again=fetching)


def _compared(request: RunRequest, asked: Request, *, fetch: bool) -> Compared:
    repository = Repository(request.repo)
    if request.base is not None:
        return between(repository, request.base, "HEAD" if request.head is None else request.head, fetch=fetch)
    return compare(repository, asked, fetch=fetch)


def _listed(source: str) -> Compared:
    from ci_classify.core.plan import Comparison  # noqa: PLC0415
    from ci_classify.formats.path_list import read_paths  # noqa: PLC0415

    try:
        content = files.read_standard_input() if source == "-" else files.read(source)
    except files.FileProblemError as error:
        raise CannotClassifyError(FallbackCause.PATHS_UNREADABLE, str(error)) from None
    changes = read_paths(content, "standard input" if source == "-" else source)
    return Compared(changes=changes, comparison=Comparison())
