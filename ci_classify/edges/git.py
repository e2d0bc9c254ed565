"""The only module that talks to git.

It compares trees, so that nothing a user or a repository configures has influence: no rename detection,
no quoting, no external programs, no replace refs, submodules by their recorded commit. Output is bytes
that are parsed here; what isn't understood is a CannotClassifyError, never an empty list.

GitPython is not used here: its diff classes lose entries on unusual names, it can't read SHA-256
repositories, and importing it costs more than all git calls of a run together. What a report shows of commits, it
reads (``subjects``).

Refuses: writing anything, and fetching anything but a commit by its id when that was asked for.
"""

import os
import re
import subprocess
from collections.abc import Iterable, Sequence

from ci_classify.core.commit_ids import is_commit_id
from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.model import ChangeKind, Changes, ChangeType
from ci_classify.core.record import Record
from ci_classify.core.tree import SUBMODULE, Tree
from ci_classify.edges.git_process import Git
from ci_classify.edges.places import AnyPath
from ci_classify.formats.raw_diff import RawDiff

TIME_LIMIT = 120.0  # seconds for one call of git
FETCH_TRIES = 2

_RECORD = re.compile(r"[0-7]{6} (?:blob|commit) (?:[0-9a-f]{40}|[0-9a-f]{64})\t(.+)", re.DOTALL)


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
        request = "".join(f"{revision}^{{commit}}\n" for revision in revisions)
        output = self.git.run("cat-file", "--batch", stdin=request.encode("utf-8", "surrogateescape"))
        found: list[Commit | None] = []
        for revision in revisions:
            header, _, output = output.partition(b"\n")
            words = header.split()
            if len(words) != 3 or words[1] != b"commit":
                found.append(None)
                continue
            size = int(words[2])
            fields = output[:size].partition(b"\n\n")[0].split(b"\n")
            parents = tuple(line[7:].decode() for line in fields if line.startswith(b"parent "))
            commit = Commit(id=words[0].decode(), parents=parents)
            self._trees[commit.id] = fields[0].removeprefix(b"tree ").decode()
            found.append(None if is_commit_id(revision) and len(revision) != len(commit.id) else commit)
            output = output[size + 1 :]
        return found

    def subjects(self, commits: Sequence[str]) -> list[str]:
        """Return the first lines of the messages of commits by their full ids, in one call of git."""
        output = self.git.run("cat-file", "--batch", stdin="".join(f"{commit}\n" for commit in commits).encode())
        found = []
        for _ in commits:
            header, _, output = output.partition(b"\n")
            words = header.split()
            size = int(words[2]) if len(words) == 3 else -1
            head, _, message = output[: max(size, 0)].partition(b"\n\n")
            encoding = next((line[9:].decode() for line in head.split(b"\n") if line.startswith(b"encoding ")), "utf-8")
            found.append(_decoded(message.split(b"\n", 1)[0], encoding))
            output = output[size + 1 :]
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
        return self._raw(
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--full-index",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-relative",
            "--ignore-submodules=none",
            base,
            head,
            "--",
        )

    def worktree_changes(self, bases: Sequence[str]) -> Changes:
        """Return the changes from bases to the working tree, files that git would add included."""
        tracked = union([self._worktree_diff(base) for base in bases])
        listed = self.git.run("ls-files", "--others", "--exclude-standard", "-z").decode("utf-8", "surrogateescape")
        return _with_untracked(tracked, listed.split("\0")[:-1])

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


def parse_listing(output: bytes) -> tuple[list[str], list[str]]:
    """Return paths and records of a recursive listing with ``-z``: "MODE TYPE ID", tab, path, NUL, and so on."""
    records = output.decode("utf-8", "surrogateescape").split("\0")
    if records.pop():
        raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, "the listing of git ends within a record")
    # Before the path, records differ in length by the type alone: most can be cut where the first one is. All whose
    # first tab is there have the same type and length of id, so that reading one of them reads all.
    cut = records[0].find("\t") + 1 if records else 0
    paths = [record[cut:] for record in records]
    others = [place for place, record in enumerate(records) if record.find("\t") + 1 != cut]
    if not all(paths):
        others = list(range(len(records)))
    for place in {*others, *([0] if records else [])}:
        record = records[place]
        match = _RECORD.fullmatch(record)
        if match is None:
            raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, f"git listed the entry {record[:200]!r}")
        paths[place] = match[1]
    return paths, records


def union(parts: Sequence[Changes]) -> Changes:
    """Return the changes of all parts; a path that differs in several ways counts in each."""
    if len(parts) == 1:
        return parts[0]
    return _sorted({pair for part in parts for pair in zip(part.paths, part.kinds, strict=True)})


def _sorted(pairs: Iterable[tuple[str, ChangeKind]]) -> Changes:
    ordered = sorted(pairs, key=lambda pair: (pair[0].encode("utf-8", "surrogateescape"), pair[1].type))
    return Changes(paths=[path for path, _ in ordered], kinds=[kind for _, kind in ordered])


def _with_untracked(tracked: Changes, listed: Sequence[str]) -> Changes:
    """Return changes with those that adding untracked paths would make.

    A repository inside of this one, which git lists as a directory, would become a submodule. What is tracked
    at the base and only lies about here is on both sides.
    """
    new = {path.removesuffix("/"): path.endswith("/") for path in listed}
    known = set(zip(tracked.paths, tracked.kinds, strict=True))
    old = {path: kind.old_is_submodule for path, kind in known if path in new}
    pairs = {(path, kind) for path, kind in known if path not in new}
    for path, is_submodule in new.items():
        type_ = ChangeType.MODIFIED if path in old else ChangeType.ADDED
        was_submodule = old.get(path, False)
        pairs.add((path, ChangeKind(type=type_, old_is_submodule=was_submodule, new_is_submodule=is_submodule)))
    return _sorted(pairs)
