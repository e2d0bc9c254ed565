"""``ci-classify init``: draft a rules file from what the jobs of a repository read."""

import os
from pathlib import Path

from ci_classify.commands.drift import checkout_of
from ci_classify.commands.exits import OK, UsageError
from ci_classify.commands.explain import path_in_tree
from ci_classify.core.draft import Draft
from ci_classify.core.errors import CannotClassifyError
from ci_classify.core.explanation import remedy
from ci_classify.core.record import Record
from ci_classify.derive.drafting import draft
from ci_classify.derive.library import Library
from ci_classify.edges import console, files, rules_files
from ci_classify.edges.git import Repository
from ci_classify.render.draft import draft_yaml


class InitRequest(Record):
    """The options of the command, as given."""

    repo: str
    rev: str | None = None
    workflows: tuple[str, ...] = ()
    stdout: bool = False


def run(request: InitRequest) -> int:
    """Write the draft where rules are looked for first; a repository that has rules keeps them."""
    try:
        repository = Repository(Path(request.repo))
        found = rules_files.locate(repository.top, None)
        if not request.stdout and os.path.lexists(found.path):
            raise UsageError(f"there are rules already: {found.shown}", "delete them, or give --stdout to see a draft")
        given = [path_in_tree(path, repository.top) for path in request.workflows]
        with checkout_of(repository, repository.tree(request.rev or "HEAD")) as checkout:
            library = Library(checkout)
            for path in given:
                if library.workflow(path) is None:
                    raise UsageError(f"{path} is no workflow", "name a tracked workflow file")
            drafted = draft(library, given, found.paths_in_tree)
    except CannotClassifyError as error:
        raise UsageError(error.detail, remedy(error.cause)) from None
    if not drafted.suites:
        raise UsageError(_nothing(drafted), "name a workflow with --workflow")
    text = draft_yaml(drafted)
    if request.stdout:
        console.write(text)
        return OK
    try:
        files.write_whole(found.path, text.encode())
    except files.FileProblemError as error:
        raise UsageError(str(error), "give --stdout, and store what is printed") from None
    suites, producers = len(drafted.suites), len(drafted.producers)
    console.write(
        f"{found.shown}: {suites} suites, {producers} producers; read it, then run ci-classify check and drift\n"
    )
    return OK


def _nothing(drafted: Draft) -> str:
    if not drafted.control:
        return "no workflow here runs for pull requests or pushes"
    return "no job of the workflows reads anything that a condition could go by"
