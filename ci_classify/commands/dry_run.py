"""``ci-classify dry-run``: what CI would do with the local branch."""

from ci_classify.commands import showing
from ci_classify.commands.classifying import open_rules
from ci_classify.commands.exits import OK, UsageError
from ci_classify.core.decision import decide
from ci_classify.core.errors import CannotClassifyError
from ci_classify.core.explanation import remedy
from ci_classify.core.model import Event
from ci_classify.core.record import Record
from ci_classify.edges.comparing import with_branch
from ci_classify.edges.git import Repository


class DryRunRequest(Record):
    """The options of the command, as given."""

    repo: str
    against: str | None = None
    rules: str | None = None
    event: str = "pull_request"
    branch: str | None = None
    labels: tuple[str, ...] = ()
    worktree: bool = False
    as_json: bool = False


def run(request: DryRunRequest) -> int:
    """Classify from the merge base with a branch to HEAD, or to the working tree, and show the plan."""
    try:
        repository = Repository(request.repo)
        against = request.against or repository.default_branch()
        if against is None:
            raise UsageError(
                "the remote's default branch is not known here", "name a branch: ci-classify dry-run BRANCH"
            )
        loaded = open_rules(repository.top, request.rules)
        compared = with_branch(repository, against, worktree=request.worktree)
        left_out = not request.worktree and repository.is_dirty()
    except CannotClassifyError as error:
        raise UsageError(error.detail, remedy(error.cause)) from None
    branch = request.branch or against.removeprefix("origin/")
    event = Event(name=request.event, branch=branch, labels=request.labels)
    plan = decide(loaded.rules, event, compared.changes, compared.comparison)
    showing.show_plan(plan, loaded.rules.file, loaded.warnings, as_json=request.as_json)
    if left_out:
        showing.warn("Changes that are not committed are left out; --worktree takes them in.")
    return OK
