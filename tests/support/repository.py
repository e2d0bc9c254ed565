"""Real repositories of any shape, built by ``git fast-import``: any name, mode, merge and kind of object.

Dates are fixed, so that the same calls give the same ids everywhere.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_FIRST_DATE = 1_735_689_600  # seconds; each commit of a repository is a minute younger than the one before


@dataclass(frozen=True)
class Executable:
    content: str


@dataclass(frozen=True)
class Link:
    target: str


@dataclass(frozen=True)
class Submodule:
    commit: str


Entry = str | bytes | Executable | Link | Submodule | None  # None deletes the path
Files = Mapping[str, Entry]  # bytes that are no UTF-8 by surrogateescape, as in the package


class BuiltRepository:
    """A repository to build and to break. A commit is its first parent's files with some of them set or deleted."""

    def __init__(
        self, directory: Path, *, bare: bool = False, object_format: str = "sha1", create: bool = True
    ) -> None:
        self.directory = directory
        self._commits = 0
        if create:
            kind = ["--bare"] if bare else []
            command = ["init", "--quiet", "--initial-branch=main", f"--object-format={object_format}", *kind]
            run_git(directory.parent, *command, str(directory))

    def commit(self, files: Files, *parents: str, ref: str = "refs/built/last") -> str:
        """Return the id of a new commit, and let a ref name it."""
        self._commits += 1
        stream = [
            f"commit {ref}\nmark :1\n".encode(),
            f"committer Builder <builder@localhost> {_FIRST_DATE + 60 * self._commits} +0000\n".encode(),
            _data(f"Commit {self._commits}\n".encode()),
        ]
        # Without `from` a commit follows what the ref has named so far.
        stream.insert(0, f"reset {ref}\n\n".encode())
        stream += [f"{'merge' if number else 'from'} {parent}\n".encode() for number, parent in enumerate(parents)]
        stream += [_change(path, entry) for path, entry in files.items()]
        stream.append(b"\nget-mark :1\n")
        return run_git(self.directory, "fast-import", "--quiet", "--force", stdin=b"".join(stream)).decode().strip()

    def annotate(self, tag: str, commit: str) -> str:
        """Return the id of a new tag object."""
        stream = f"tag {tag}\nmark :1\nfrom {commit}\ntagger Builder <builder@localhost> {_FIRST_DATE} +0000\n".encode()
        stream += _data(b"A release\n") + b"get-mark :1\n"
        return run_git(self.directory, "fast-import", "--quiet", stdin=stream).decode().strip()

    def name(self, ref: str, commit: str) -> None:
        """Let a full ref name a commit."""
        self.git("update-ref", ref, commit)

    def head(self, commit: str) -> None:
        """Detach HEAD at a commit, without touching the working tree."""
        self.git("update-ref", "--no-deref", "HEAD", commit)

    def check_out(self, commit: str) -> None:
        """Check a commit out, as the checkout of a job does."""
        self.git("checkout", "--quiet", "--force", "--detach", commit)

    def write(self, files: Mapping[str, str]) -> None:
        """Write files into the working tree, uncommitted."""
        for name, content in files.items():
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def configure(self, settings: Mapping[str, str]) -> None:
        """Set configuration of the repository itself."""
        for key, value in settings.items():
            self.git("config", key, value)

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git here and return what it prints."""
        return run_git(self.directory, *arguments, stdin=stdin).decode("utf-8", "surrogateescape").strip()

    def clone(self, directory: Path, *options: str, commit: str | None = None) -> "BuiltRepository":
        """Clone through the protocol, so that depth and filter count; check a commit out, or nothing."""
        run_git(directory.parent, "clone", "--quiet", "--no-checkout", *options, self.url, str(directory))
        cloned = BuiltRepository(directory, create=False)
        if commit is not None:
            cloned.check_out(commit)
        return cloned

    def job_checkout(
        self, directory: Path, commit: str, *, depth: int | None = None, filter_: str | None = None
    ) -> "BuiltRepository":
        """Check a commit out into a directory as ``actions/checkout`` does with this depth (None: all) and filter."""
        checkout = BuiltRepository(directory, object_format=self.git("rev-parse", "--show-object-format"))
        checkout.git("remote", "add", "origin", self.url)
        everything = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"]
        options = [f"--filter={filter_}"] if filter_ else []
        options += ["--prune", "--no-recurse-submodules", "--no-tags", *([f"--depth={depth}"] if depth else [])]
        checkout.git("fetch", "--quiet", *options, "origin", *([] if depth else everything), commit)
        checkout.check_out(commit)
        return checkout

    @property
    def url(self) -> str:
        """The address under which other repositories fetch from here."""
        return self.directory.as_uri()


def run_git(directory: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git as its tests do: without configuration of the machine or the user."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}
    result = subprocess.run(
        ["git", *arguments], cwd=directory, env=environment, input=stdin, capture_output=True, check=False
    )
    if result.returncode != 0:
        raise AssertionError(f"git {arguments} failed: {result.stderr.decode('utf-8', 'replace')}")
    return result.stdout


def text(raw: bytes) -> str:
    """Return a name that is bytes as the package carries it."""
    return raw.decode("utf-8", "surrogateescape")


def in_order(repository: BuiltRepository, *changes: Files) -> Sequence[str]:
    """Return the ids of commits that follow each other."""
    commits: list[str] = []
    for files in changes:
        commits.append(repository.commit(files, *commits[-1:]))
    return commits


def _change(path: str, entry: Entry) -> bytes:
    quoted = b'"' + b"".join(b"\\%03o" % byte for byte in path.encode("utf-8", "surrogateescape")) + b'"'
    match entry:
        case None:
            return b"D %b\n" % quoted
        case Submodule(commit=commit):
            return b"M 160000 %b %b\n" % (commit.encode(), quoted)
        case Link(target=target):
            return b"M 120000 inline %b\n%b" % (quoted, _data(target.encode()))
        case Executable(content=content):
            return b"M 100755 inline %b\n%b" % (quoted, _data(content.encode()))
        case str():
            return b"M 100644 inline %b\n%b" % (quoted, _data(entry.encode()))
        case bytes():
            return b"M 100644 inline %b\n%b" % (quoted, _data(entry))


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
