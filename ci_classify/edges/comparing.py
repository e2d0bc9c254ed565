"""Which commits an event compares, and what differs between them.

``event_payload`` says what an event asks for; here that meets the clone. Where the clone can't answer,
CannotClassifyError says why.
"""

import sys
import threading
from collections.abc import Callable, Sequence

from ci_classify.core.annotations import assert_never
from ci_classify.core.commit_ids import is_commit_id, is_null_id
from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.model import Changes
from ci_classify.core.plan import Comparison
from ci_classify.core.record import Record
from ci_classify.edges.git import Commit, Repository
from ci_classify.formats.event_payload import FromMergeBase, NoComparison, PullRequest, Pushed, Request

_TURN = 0.0005  # seconds until a thread whose git has answered goes on; by default it is as long as git takes


class Compared(Record):
    """The changes of an event and the commits that they lie between."""

    changes: Changes
    comparison: Comparison


class Begun:
    """A comparison that has begun, without the network: git works while the rules are read.

    Calling it waits for what came of it, and makes ``again`` of a comparison that only lacked a commit.
    """

    def __init__(self, comparison: Callable[[], Compared], again: Callable[[], Compared] | None = None) -> None:
        self._comparison = comparison
        self._again = again
        self._compared: Compared | None = None
        self._error: Exception | None = None
        self._thread: threading.Thread | None = threading.Thread(target=self._compare, daemon=True)
        sys.setswitchinterval(_TURN)
        try:
            self._thread.start()
        except RuntimeError:  # the system gives no thread
            self._thread = None

    def __call__(self) -> Compared:
        """Return the comparison, or raise what it or its second try raised."""
        if self._thread is not None:
            self._thread.join()
        elif self._compared is None and self._error is None:
            self._compare()
        if self._again is not None and _lacks_a_commit(self._error):
            self._comparison, self._again = self._again, None
            self._compare()
        if self._compared is None:
            raise self._error or RuntimeError("a comparison ended with nothing")
        return self._compared

    def _compare(self) -> None:
        try:
            self._compared, self._error = self._comparison(), None
        except Exception as error:  # noqa: BLE001 -- whoever asks for the result gets it
            self._error = error


def _lacks_a_commit(error: Exception | None) -> bool:
    return isinstance(error, CannotClassifyError) and error.cause is FallbackCause.COMMIT_MISSING


def compare(repository: Repository, request: Request, *, fetch: bool) -> Compared:
    """Return what differs between the commits that an event asks for, or raise CannotClassifyError."""
    match request:
        case NoComparison():
            raise CannotClassifyError(request.cause, request.detail)
        case PullRequest():
            return _pull_request(repository, request, fetch=fetch)
        case Pushed():
            return _pushed(repository, request, fetch=fetch)
        case FromMergeBase():
            base = present(repository, request.base, fetch=fetch)
            head = present(repository, request.head, fetch=fetch)
            return _from_merge_base(repository, base, head)
        case _:
            assert_never(request)


def between(repository: Repository, base: str, head: str, *, fetch: bool = False) -> Compared:
    """Return what differs between two revisions, exactly as given."""
    old, new = present(repository, base, fetch=fetch), present(repository, head, fetch=fetch)
    return _compared(repository, [old.id], new)


def with_branch(repository: Repository, branch: str, *, worktree: bool) -> Compared:
    """Return what differs between the merge base with a branch and HEAD, or the working tree."""
    base, head = _present_all(repository, [branch, "HEAD"], fetch=False)
    bases = repository.merge_bases(base.id, head.id)
    if not worktree:
        return _compared(repository, bases, head)
    changes = repository.worktree_changes(bases)
    return Compared(changes=changes, comparison=_comparison(bases, "the working tree"))


def present(repository: Repository, revision: str, *, fetch: bool) -> Commit:
    """Return the commit of a revision, fetched by its id if that is allowed, or raise."""
    return _present_all(repository, [revision], fetch=fetch)[0]


def _present_all(repository: Repository, revisions: Sequence[str], *, fetch: bool) -> list[Commit]:
    commits = repository.commits(revisions)
    for place, revision in enumerate(revisions):
        if commits[place] is None and fetch and is_commit_id(revision) and not is_null_id(revision):
            repository.fetch(revision)
            commits[place] = repository.commit(revision)
    missing = [revision for revision, commit in zip(revisions, commits, strict=True) if commit is None]
    if missing:
        shallow = "the clone is shallow and lacks" if repository.is_shallow() else "the clone lacks"
        tried = ", which could not be fetched" if fetch else ""
        raise CannotClassifyError(FallbackCause.COMMIT_MISSING, f"{shallow} the commit {missing[0]}{tried}")
    return [commit for commit in commits if commit is not None]


def _pull_request(repository: Repository, request: PullRequest, *, fetch: bool) -> Compared:
    checked_out = repository.commit("HEAD")
    if checked_out is not None and len(checked_out.parents) == 2 and checked_out.parents[1] == request.head:
        # GitHub's test merge: what the pull request adds to its base as it is now.
        base = present(repository, checked_out.parents[0], fetch=fetch)
        return _compared(repository, [base.id], checked_out)
    base, head = _present_all(repository, [request.base, request.head], fetch=fetch)
    return _from_merge_base(repository, base, head)


def _pushed(repository: Repository, request: Pushed, *, fetch: bool) -> Compared:
    before, after = _present_all(repository, [request.before, request.after], fetch=fetch)
    # A shallow clone can't show that history leads from one to the other; then GitHub's word counts.
    added_to = before.id in after.parents or repository.is_ancestor(before.id, after.id)
    if not added_to and not (request.says_not_forced and repository.is_shallow()):
        raise CannotClassifyError(FallbackCause.FORCED_PUSH, f"{before.id[:12]} is no ancestor of {after.id[:12]}")
    return _compared(repository, [before.id], after)


def _from_merge_base(repository: Repository, base: Commit, head: Commit) -> Compared:
    # A shallow clone may cut off a parent that it holds; the commit itself still names it.
    bases = (base.id,) if base.id in head.parents else repository.merge_bases(base.id, head.id)
    return _compared(repository, bases, head)


def _compared(repository: Repository, bases: Sequence[str], head: Commit) -> Compared:
    return Compared(changes=repository.changes(bases, head.id), comparison=_comparison(bases, head.id))


def _comparison(bases: Sequence[str], head: str) -> Comparison:
    notes: tuple[str, ...] = ()
    if len(bases) > 1:
        notes = (f"{len(bases)} merge bases were found; the differences to all of them count.",)
    return Comparison(base=bases[0], head=head, notes=notes)
