"""``ci-classify explain``: which outputs a path selects and by which line; what an output's inputs are."""

import os

from ci_classify.commands import showing
from ci_classify.commands.classifying import open_rules
from ci_classify.commands.exits import OK, UsageError
from ci_classify.core.errors import CannotClassifyError
from ci_classify.core.model import MODIFIED, ChangeKind, ChangeType, Event
from ci_classify.core.path_explanation import explain_path
from ci_classify.core.record import Record
from ci_classify.edges import console
from ci_classify.edges.git import Repository, top_of
from ci_classify.edges.places import inside
from ci_classify.render.explanations import output_lines, path_lines

_SUBMODULE = ChangeKind(type=ChangeType.MODIFIED, old_is_submodule=True, new_is_submodule=True)


class ExplainRequest(Record):
    """The options of the command, as given."""

    repo: str
    paths: tuple[str, ...] = ()
    output: str | None = None
    rules: str | None = None
    event: str = "pull_request"
    branch: str | None = None


def run(request: ExplainRequest) -> int:
    """Explain paths, or an output."""
    if bool(request.paths) == (request.output is not None):
        raise UsageError("give paths or --output NAME", "for example: ci-classify explain src/main.py")
    top = top_of(request.repo)
    loaded = open_rules(top, request.rules)
    rules = loaded.rules
    showing.show_problems(loaded.warnings)
    if request.output is not None:
        found = next((output for output in rules.decided if output.name == request.output), None)
        if found is None:
            names = ", ".join(output.name for output in rules.decided)
            raise UsageError(f"there is no output {request.output!r}", f"name one of {names}")
        console.show(output_lines(rules, found))
        return OK
    event = Event(name=request.event, branch=request.branch)
    for number, given in enumerate(request.paths):
        path = path_in_tree(given, top)
        kind = _SUBMODULE if _is_submodule(request.repo, path) else MODIFIED
        console.show([*([(0, ())] if number else []), *path_lines(explain_path(rules, event, path, kind), rules.file)])
    return OK


def path_in_tree(given: str, top: str) -> str:
    """Return a path as git stores it: from the current directory where that lies in the repository, else from its top."""
    here = os.path.realpath(os.curdir)
    start = here if inside(here, top) else top
    path = inside(os.path.normpath(os.path.join(start, given)), top)
    if path is None:
        raise UsageError(f"{given!r} lies outside of {top}", "name a path of the repository")
    return path


def _is_submodule(directory: str, path: str) -> bool:
    try:
        return Repository(directory).is_submodule("HEAD", path)
    except CannotClassifyError:  # without a repository every path is a file
        return False
