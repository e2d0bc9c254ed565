"""What each commit of a range, or each pair of a list, changed: two long-running calls of git, read as they print.

``git rev-list`` names the commits, ``git diff-tree --stdin`` compares each with its first parent. Neither the number
of calls nor the memory depends on the length of the range.

Refuses: to take the oldest commit of a shallow clone for one without parents.
"""

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.joining import union
from ci_classify.core.model import ChangeKind, Changes
from ci_classify.core.record import Record
from ci_classify.edges.git import TREE_DIFF, Repository
from ci_classify.formats.raw_diff import kind_of

_TIME_LIMIT = 24 * 3600.0  # seconds; a history may be long
_DIFF = ("diff-tree", "--stdin", "--always", "--root", *TREE_DIFF)  # always: a commit that changes nothing is named too


class Step(Record):
    """A commit, what it is compared with (None for the empty tree), and when it was made, in seconds since 1970.

    ``continues`` where the next step compares the same head with another of several merge bases.
    """

    commit: str
    base: str | None
    time: int | None
    continues: bool = False


class Change(Record):
    """A step and what it changed."""

    step: Step
    changes: Changes


def first_parents(repository: Repository, range_: str) -> Iterator[Change]:
    """Return every first-parent change of a range, the oldest last, or raise CannotClassifyError."""
    _refuse_options(range_)
    shallow = repository.is_shallow()
    yield from _compared(repository, _steps(repository, range_, shallow=shallow))


def pull_requests(repository: Repository, pairs: Sequence[tuple[str, str]]) -> Iterator[Change]:
    """Return what each pull request of a list of bases and heads adds: from the merge base to the head, as in CI.

    The merge base of each pair costs a call of git, unless the base is a parent of the head.
    """
    parts: list[Changes] = []
    for change in _compared(repository, _steps_of_pairs(repository, pairs)):
        parts.append(change.changes)
        if not change.step.continues:
            yield Change(step=change.step, changes=union(parts))
            parts = []


def count(repository: Repository, range_: str) -> int:
    """Return the number of first-parent changes of a range, or raise CannotClassifyError."""
    _refuse_options(range_)
    return int(repository.git.run("rev-list", "--count", "--first-parent", range_, "--"))


def _refuse_options(range_: str) -> None:
    if not range_ or range_.startswith("-") or "\0" in range_ or "\n" in range_:
        raise CannotClassifyError(FallbackCause.REVISION_INVALID, f"{range_!r} is no range")


def _steps(repository: Repository, range_: str, *, shallow: bool) -> Iterator[Step]:
    arguments = ["rev-list", "--first-parent", "--parents", "--timestamp", range_, "--"]
    with repository.git.start(arguments, time_limit=_TIME_LIMIT) as listing:
        for line in listing.lines():
            time, commit, *parents = line.decode().split()
            if not parents and shallow:
                _prove_root(repository, commit)
            yield Step(commit=commit, base=parents[0] if parents else None, time=int(time))


def _prove_root(repository: Repository, commit: str) -> None:
    """Raise where a commit has parents that the clone lacks. A range reaches at most one such commit."""
    stored = repository.commit(commit)
    if stored is None or stored.parents:
        raise CannotClassifyError(
            FallbackCause.HISTORY_INCOMPLETE, f"the clone is shallow and lacks the parent of {commit[:12]}"
        )


def _steps_of_pairs(repository: Repository, pairs: Sequence[tuple[str, str]]) -> Iterator[Step]:
    bases = repository.commits([base for base, _ in pairs]) if pairs else []
    heads = repository.commits([head for _, head in pairs]) if pairs else []
    for given, base, head in zip(pairs, bases, heads, strict=True):
        if base is None or head is None:
            missing = given[0] if base is None else given[1]
            raise CannotClassifyError(FallbackCause.COMMIT_MISSING, f"the clone lacks the commit {missing}")
        several = (base.id,) if base.id in head.parents else repository.merge_bases(base.id, head.id)
        for one in several:
            yield Step(commit=head.id, base=one, time=None, continues=one != several[-1])


def _compared(repository: Repository, steps: Iterable[Step]) -> Iterator[Change]:
    asked: deque[Step] = deque()
    trouble: list[BaseException] = []
    with repository.git.start(_DIFF, stdin=True, time_limit=_TIME_LIMIT) as comparing:
        feeding = threading.Thread(target=_feed, args=(comparing.stdin, steps, asked, trouble), daemon=True)
        feeding.start()
        try:
            yield from _changes(comparing.blocks(), asked)
            feeding.join()
        except CannotClassifyError:
            if trouble:  # it came first, and the output ended by it
                raise trouble[0] from None
            raise
        if trouble:
            raise trouble[0]
        if asked:
            raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, "git printed fewer comparisons than asked for")


def _feed(stdin: IO[bytes], steps: Iterable[Step], asked: deque[Step], trouble: list[BaseException]) -> None:
    """Ask for each comparison. The pipe holds back what git has not come to yet."""
    try:
        with stdin:
            for step in steps:
                asked.append(step)
                stdin.write(f"{step.commit} {step.base}\n".encode() if step.base else f"{step.commit}\n".encode())
    except BrokenPipeError:
        pass  # git ended early, which its exit code tells
    except BaseException as error:  # noqa: BLE001 -- raised again where the output is read
        trouble.append(error)


def _changes(blocks: Iterable[bytes], asked: deque[Step]) -> Iterator[Change]:
    """Return the changes of each step in the output of git: an id, NUL, then a record, NUL, a path, NUL, and so on."""
    reader = _Reader(asked)
    for block in blocks:
        yield from reader.read(block)
    yield from reader.end()


class _Reader:
    """Takes output apart that comes in blocks."""

    def __init__(self, asked: deque[Step]) -> None:
        self._asked = asked
        self._rest = b""
        self._record: str | None = None
        self._step: Step | None = None
        self._paths: list[str] = []
        self._kinds: list[ChangeKind] = []
        self._known: dict[tuple[int, str, str], ChangeKind] = {}

    def read(self, block: bytes) -> Iterator[Change]:
        """Return what is complete with this block."""
        whole, _, self._rest = (self._rest + block).rpartition(b"\0")
        record = self._record
        for word in whole.decode("utf-8", "surrogateescape").split("\0") if whole else ():
            if record is not None:
                if not word or self._step is None:
                    raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, "git printed an empty path")
                self._paths.append(word)
                self._kinds.append(self._known.get((len(record), record[:15], record[-2:])) or self._kind(record))
                record = None
            elif word[:1] == ":":
                record = word
            else:
                yield from self._done()
                self._begin(word)
        self._record = record

    def end(self) -> Iterator[Change]:
        """Return what is complete with the end."""
        if self._rest or self._record is not None:
            raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, "the output of git ends within a record")
        yield from self._done()

    def _begin(self, commit: str) -> None:
        if not self._asked or self._asked[0].commit != commit:
            raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, f"git printed {commit[:200]!r}")
        self._step = self._asked.popleft()

    def _kind(self, record: str) -> ChangeKind:
        kind = self._known[len(record), record[:15], record[-2:]] = kind_of(record)
        return kind

    def _done(self) -> Iterator[Change]:
        if self._step is not None:
            yield Change(step=self._step, changes=Changes(paths=self._paths, kinds=self._kinds))
            self._paths, self._kinds = [], []
