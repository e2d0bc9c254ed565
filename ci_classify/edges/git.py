"""The only module that talks to git.

It compares trees, so that nothing a user or a repository configures has influence: no rename detection,
no quoting, no external programs, no replace refs, submodules by their recorded commit. Output is bytes
that are parsed here; what isn't understood is a CannotClassifyError, never an empty list.

GitPython is not used here: its diff classes lose entries on unusual names, it can't read SHA-256
repositories, and importing it costs more than all git calls of a run together.

Refuses: writing anything, and fetching anything but a commit by its id when that was asked for.
"""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ci_classify.core.commit_ids import is_commit_id
from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.joining import union, with_untracked
from ci_classify.core.model import Changes
from ci_classify.core.record import Record
from ci_classify.core.tree import SUBMODULE, Tree
from ci_classify.edges.git_process import Git
from ci_classify.edges.places import AnyPath
from ci_classify.formats.raw_diff import RawDiff
from ci_classify.formats.tree_listing import parse_listing

TIME_LIMIT = 120.0  # seconds for one call of git
FETCH_TRIES = 2

TREE_DIFF = (
    "-r",
    "-z",
    "--raw",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--ignore-submodules=none",
    "-O/dev/null",
)  # how trees are compared, whatever is configured


class Commit(Record):
    """A commit as it is stored; a shallow clone may lack the parents that it names."""

    id: str
    parents: tuple[str, ...]


def top_of(directory: AnyPath) -> str:
    """Return the top of the working tree that a directory lies in, or the directory itself outside of one."""
    start = above = os.path.realpath(directory)
    if _is_bare(start):
        return start
    while not _holds(above, ".git"):
        above, below = os.path.dirname(above), above
        if above == below:
            return start
    return above


def _is_bare(directory: str) -> bool:
    return not _holds(directory, ".git") and all(_holds(directory, name) for name in ("HEAD", "objects", "refs"))


def _holds(directory: str, name: str) -> bool:
    return os.path.exists(os.path.join(directory, name))


class Repository:
    """A repository, read through git's plumbing."""

    def __init__(self, directory: AnyPath, *, time_limit: float = TIME_LIMIT) -> None:
        self.directory = os.path.realpath(directory)
        self.top = top_of(self.directory)
        if not os.path.isdir(self.directory):
            raise CannotClassifyError(FallbackCause.NOT_A_REPOSITORY, f"{self.directory} is no directory")
        if not _holds(self.top, ".git") and not _is_bare(self.top):
            raise CannotClassifyError(FallbackCause.NOT_A_REPOSITORY, f"{self.directory} is not in a git repository")
        self.git = Git(self.top, self.directory, time_limit)
        self._trees: dict[str, str] = {}  # by commit, as far as commits were read

    # -- commits -------------------------------------------------------------------------------------

    def commit(self, revision: str) -> Commit | None:
        """Return the commit that a revision names (a tag is peeled), or None if it is absent."""
        return self.commits([revision])[0]

    def commits(self, revisions: Sequence[str]) -> list[Commit | None]:
        """Return the commits that revisions name, each or None if it is absent, in one call of git.

        A full id names that object only, never a branch of such a name nor a longer id.
        """
        for revision in revisions:
            if not revision or revision.startswith("-") or "\n" in revision or "\0" in revision:
                raise CannotClassifyError(FallbackCause.REVISION_INVALID, f"{revision!r} is no revision")
        found: list[Commit | None] = []
        for revision, stored in zip(revisions, self._stored(revisions), strict=True):
            if stored is None:
                found.append(None)
                continue
            id_, content = stored
            fields = content.partition(b"\n\n")[0].split(b"\n")
            parents = tuple(line[7:].decode() for line in fields if line.startswith(b"parent "))
            self._trees[id_] = fields[0].removeprefix(b"tree ").decode()
            other = is_commit_id(revision) and len(revision) != len(id_)
            found.append(None if other else Commit(id=id_, parents=parents))
        return found

    def subjects(self, commits: Sequence[str]) -> dict[str, str]:
        """Return the first line of the message of each commit, by its full id, in one call of git."""
        found = {}
        for commit, stored in zip(commits, self._stored(commits), strict=True):
            head, _, message = (stored[1] if stored else b"").partition(b"\n\n")
            encoding = next((line[9:].decode() for line in head.split(b"\n") if line.startswith(b"encoding ")), "utf-8")
            found[commit] = _decoded(message.split(b"\n", 1)[0], encoding)
        return found

    def _stored(self, revisions: Sequence[str]) -> list[tuple[str, bytes] | None]:
        """Return the ids and contents of commits, each or None if git has none of that name."""
        request = "".join(f"{revision}^{{commit}}\n" for revision in revisions)
        output = self.git.run("cat-file", "--batch", stdin=request.encode("utf-8", "surrogateescape"))
        found: list[tuple[str, bytes] | None] = []
        for _ in revisions:
            header, _, output = output.partition(b"\n")
            words = header.split()
            if len(words) == 3 and words[1] == b"commit" and words[2].isdigit():
                size = int(words[2])
                found.append((words[0].decode(), output[:size]))
                output = output[size + 1 :]
            else:
                found.append(None)
        return found

    def fetch(self, commit: str) -> None:
        """Fetch a commit by its full id, into a shallow clone without its history; quietly give up after a few tries."""
        remotes = self.git.run_quietly("remote").splitlines()
        if not remotes:
            return
        options = ["--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance"]
        options += ["--upload-pack=git-upload-pack"]  # and not what the repository configures
        # A full clone would become shallow by a depth.
        options += ["--depth=1"] if self.is_shallow() else []
        remote = "origin" if "origin" in remotes else remotes[0]
        for _ in range(FETCH_TRIES):
            result = self.git.call(["fetch", *options, "--", remote, commit], network=True)
            if result is not None and result.returncode == 0:
                return

    def is_shallow(self) -> bool:
        """Return whether the clone lacks history."""
        return self.git.run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def is_ancestor(self, old: str, new: str) -> bool:
        """Return whether history leads from one commit to another."""
        return self._merge_base("--is-ancestor", old, new).returncode == 0

    def merge_bases(self, one: str, other: str) -> tuple[str, ...]:
        """Return the best common ancestors of two commits, or raise where the history can't prove them."""
        bases = tuple(self._merge_base("--all", one, other).stdout.decode().split())
        # An ancestor of the other commit is their merge base, whatever else a shallow clone lacks.
        if one not in bases and other not in bases and self.is_shallow():
            self._prove(one, other, bases)
        if not bases:
            raise CannotClassifyError(
                FallbackCause.NO_MERGE_BASE, f"{one[:12]} and {other[:12]} have no common ancestor"
            )
        return bases

    def _merge_base(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run git merge-base. It answers "none" with 1; so do some versions where they can't read the history."""
        result = self.git.call(["merge-base", *arguments])
        if result is None or result.returncode not in {0, 1} or b"error:" in result.stderr:
            raise self.git.failure("merge-base", result)
        return result

    def _prove(self, one: str, other: str, bases: tuple[str, ...]) -> None:
        """Raise unless all history above the merge bases is present in this shallow clone."""
        lines = self.git.run("rev-list", "--parents", one, other, *(f"^{base}" for base in bases), "--").splitlines()
        if not bases or any(b" " not in line for line in lines):
            raise CannotClassifyError(
                FallbackCause.HISTORY_INCOMPLETE,
                f"the clone is shallow, so that the merge base of {one[:12]} and {other[:12]} can't be known",
            )

    # -- trees ---------------------------------------------------------------------------------------

    def changes(self, bases: Sequence[str], head: str) -> Changes:
        """Return the changes from bases to a head; of several bases, the union in order of path."""
        return union([self._diff(base, head) for base in bases])

    def _diff(self, base: str, head: str) -> Changes:
        return self._raw("diff-tree", *TREE_DIFF, base, head, "--")

    def worktree_changes(self, bases: Sequence[str]) -> Changes:
        """Return the changes from bases to the working tree, files that git would add included."""
        tracked = union([self._worktree_diff(base) for base in bases])
        listed = self.git.run("ls-files", "--others", "--exclude-standard", "-z").decode("utf-8", "surrogateescape")
        return with_untracked(tracked, listed.split("\0")[:-1])

    def _worktree_diff(self, base: str) -> Changes:
        return self._raw(
            "diff",
            "-z",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-relative",
            "--ignore-submodules=dirty",
            "-O/dev/null",
            base,
            "--",
        )

    def is_dirty(self) -> bool:
        """Return whether the working tree holds anything that is not committed."""
        return bool(
            self.git.run("status", "--porcelain", "-z", "--ignore-submodules=dirty", "--untracked-files=normal")
        )

    def tree(self, revision: str) -> Tree:
        """Return all entries of the tree of a revision, or raise where the clone lacks any of it."""
        commit = self.commit(revision)
        if commit is None:
            raise CannotClassifyError(FallbackCause.COMMIT_MISSING, f"the clone lacks the commit {revision}")
        tree = self._trees[commit.id]
        paths, records = parse_listing(self.git.run("ls-tree", "-r", "-z", "--full-tree", tree))
        return Tree(commit=commit.id, id=tree, paths=paths, records=records)

    def file(self, commit: str, path: str) -> bytes | None:
        """Return the bytes of a file at a commit, or None if it is not there."""
        result = self.git.call(["cat-file", "blob", f"{commit}:{path}"])
        return result.stdout if result is not None and result.returncode == 0 else None

    def blob(self, oid: str) -> bytes | None:
        """Return the bytes of an object, or None if the clone lacks it."""
        result = self.git.call(["cat-file", "blob", oid])
        return result.stdout if result is not None and result.returncode == 0 else None

    @contextmanager
    def blobs(self) -> Iterator[Callable[[str], bytes]]:
        """Return a function that reads objects by their ids, all through one call of git.

        It raises CannotClassifyError for an object that the clone lacks.
        """
        with self.git.start(["cat-file", "--batch"], stdin=True) as running, running.stdin:
            yield running.object

    def is_submodule(self, revision: str, path: str) -> bool:
        """Return whether a path is a submodule at a revision."""
        return self.git.run("ls-tree", "-z", "--full-tree", revision, "--", path).startswith(SUBMODULE.encode())

    def default_branch(self) -> str | None:
        """Return the name by which the remote's default branch is known here, or None."""
        head = self.git.run_quietly("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").strip()
        candidates = [*([head] if head else []), "origin/main", "origin/master", "main", "master"]
        commits = self.commits(candidates)
        return next((name for name, commit in zip(candidates, commits, strict=True) if commit is not None), None)

    def _raw(self, *arguments: str) -> Changes:
        """Run git and return the differences that it prints, read while it still compares."""
        reader = RawDiff()
        with self.git.start(arguments) as running:
            for block in running.blocks():
                reader.read(block)
        return reader.changes()


def _decoded(text: bytes, encoding: str) -> str:
    try:
        return text.decode(encoding, "replace")
    except LookupError:
        return text.decode("utf-8", "replace")
