"""Running git: as what program, with which settings and environment, for how long, and what its failures mean.

Nothing that a user, a repository or the environment configures has influence: no hooks, pagers, replace refs or
external programs, and no network that was not asked for.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from io import BufferedReader
from types import TracebackType

from ci_classify.core.annotations import IO, Self
from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.edges.places import inside

_BLOCK = 1 << 20  # bytes that are read at once
_MOST_ERRORS = 1 << 16  # bytes of them that are kept
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
)


class Git:
    """The git program for one repository: its top, and the directory in it that was named."""

    def __init__(self, top: str, directory: str, time_limit: float) -> None:
        self._top = top
        self._directory = directory
        self._time_limit = time_limit  # seconds for one call
        self._program = find_git(top)

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what git prints, or raise CannotClassifyError where it fails."""
        result = self.call(arguments, stdin=stdin)
        if result is None or result.returncode != 0:
            raise self.failure(arguments[0], result)
        return result.stdout

    def run_quietly(self, *arguments: str) -> str:
        """Return what git prints, or nothing where it fails."""
        result = self.call(arguments)
        return result.stdout.decode("utf-8", "surrogateescape") if result and result.returncode == 0 else ""

    def call(
        self, arguments: Sequence[str], *, stdin: bytes = b"", network: bool = False
    ) -> subprocess.CompletedProcess[bytes] | None:
        """Run git and return what it did, or None if it took too long."""
        # What the network leaves running must not hold a pipe that is waited for.
        output = subprocess.DEVNULL if network else subprocess.PIPE
        try:
            return subprocess.run(  # noqa: S603 -- a fixed program, arguments are validated or ours
                self._command(arguments),
                cwd=self._top,
                env=_environment(os.environ, self._top, network=network),
                input=stdin,
                stdout=output,
                stderr=output,
                timeout=self._time_limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        except OSError as error:
            raise CannotClassifyError(FallbackCause.GIT_MISSING, f"git can't be started: {error}") from None

    def start(self, arguments: Sequence[str], *, stdin: bool = False, time_limit: float | None = None) -> "Running":
        """Start git, for output that is read while it comes; by default it has as long as any other call."""
        try:
            process = subprocess.Popen(  # noqa: S603 -- as for call
                self._command(arguments),
                cwd=self._top,
                env=_environment(os.environ, self._top, network=False),
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,
            )
        except OSError as error:
            raise CannotClassifyError(FallbackCause.GIT_MISSING, f"git can't be started: {error}") from None
        _widen(process)
        try:
            return Running(self, arguments[0], process, time_limit or self._time_limit)
        except RuntimeError as error:  # the system gives no thread
            process.kill()
            process.wait()
            detail = f"git {arguments[0]} can't be watched: {error}"
            raise CannotClassifyError(FallbackCause.GIT_FAILED, detail) from None

    def _command(self, arguments: Sequence[str]) -> list[str]:
        # A repository of another owner is read if its top is what was named, not if it was found above that.
        trust = f"safe.directory={self._directory.replace(os.sep, '/')}"
        settings = [word for setting in (*_SETTINGS, trust) for word in ("-c", setting)]
        return [self._program, "--no-replace-objects", "--no-pager", "--literal-pathspecs", *settings, *arguments]

    def failure(self, name: str, result: subprocess.CompletedProcess[bytes] | None) -> CannotClassifyError:
        """Return what it means that a command of git failed, or took too long."""
        if result is None:
            return CannotClassifyError(
                FallbackCause.GIT_TIMEOUT, f"git {name} took longer than {self._time_limit:g} seconds"
            )
        printed = result.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
        lines = [line for line in printed if not line.startswith("hint:")]
        said = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "")
        if "dubious ownership" in said or "unsafe repository" in said:
            return CannotClassifyError(FallbackCause.NOT_A_REPOSITORY, f"{self._top} belongs to another user")
        if "not a git repository" in said:
            return CannotClassifyError(FallbackCause.NOT_A_REPOSITORY, f"git takes {self._top} for no repository")
        if "bad revision" in said or "nvalid revision range" in said or "nknown revision" in said:
            detail = f"git knows no such commit: {said.removeprefix('fatal: ')[:300]}"
            return CannotClassifyError(FallbackCause.REVISION_INVALID, detail)
        absent = ("nable to read", "ould not read", "could not fetch", "promisor", "missing", "bad object", "transport")
        if any(word in line for line in lines for word in absent):
            return CannotClassifyError(FallbackCause.OBJECTS_MISSING, f"git {name}: {said[:300]}")
        return CannotClassifyError(FallbackCause.GIT_FAILED, f"git {name} ended with {result.returncode}: {said[:300]}")


def _widen(process: subprocess.Popen[bytes]) -> None:
    """Let git go on while what it printed waits, where the system can; elsewhere it waits too."""
    try:
        import fcntl  # noqa: PLC0415 -- there is none on Windows

        if process.stdout is not None:
            fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, _BLOCK)
    except (ImportError, AttributeError, OSError):
        pass


class Running:
    """A started git. It never outlives the block that it was started for, nor its time."""

    def __init__(self, git: Git, name: str, process: subprocess.Popen[bytes], time_limit: float) -> None:
        self._git = git
        self._name = name
        self._process = process
        self._errors = bytearray()
        self._late = False
        self._drain = threading.Thread(target=self._keep_errors, daemon=True)
        self._drain.start()
        self._watch = threading.Timer(time_limit, self._end_late)
        self._watch.daemon = True
        self._watch.start()

    @property
    def stdin(self) -> IO[bytes]:
        """What it reads, if it was started so."""
        if self._process.stdin is None:
            raise TypeError("this git was started without an input")
        return self._process.stdin

    def object(self, oid: str) -> bytes:
        """Return an object from ``cat-file --batch``, or raise CannotClassifyError if the clone lacks it."""
        stream = self._process.stdout
        if stream is None:
            raise TypeError("a started git has an output")
        try:
            self.stdin.write(f"{oid}\n".encode())
            self.stdin.flush()
        except OSError:
            self._finish()
        words = stream.readline().split()
        if len(words) == 2 and words[1] == b"missing":
            raise CannotClassifyError(FallbackCause.OBJECTS_MISSING, f"the clone lacks the object {oid}")
        size = int(words[2]) if len(words) == 3 else 0
        content = stream.read(size + 1) if len(words) == 3 else b""
        if len(content) != size + 1:
            self._finish()
            raise CannotClassifyError(FallbackCause.GIT_FAILED, f"git {self._name} ended early")
        return content[:-1]

    def blocks(self) -> Iterator[bytes]:
        """Return what it prints, as it comes. At its end, raises CannotClassifyError where it failed."""
        stream = self._process.stdout
        if not isinstance(stream, BufferedReader):
            raise TypeError("a pipe of bytes is buffered")
        while block := stream.read1(_BLOCK):
            yield block
        self._finish()

    def lines(self) -> Iterator[bytes]:
        """Return what it prints by line, without the line ends; otherwise as ``blocks``."""
        rest = b""
        for block in self.blocks():
            *lines, rest = (rest + block).split(b"\n")
            yield from lines
        if rest:
            yield rest

    def _finish(self) -> None:
        code = self._process.wait()
        self._drain.join()
        if self._late:
            raise self._git.failure(self._name, None)
        if code != 0:
            result = subprocess.CompletedProcess([self._name], code, b"", bytes(self._errors))
            raise self._git.failure(self._name, result)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End it if it still runs, and close what it left."""
        self._watch.cancel()
        if self._process.poll() is None or self._drain.is_alive():
            self._kill()
        self._process.wait()
        self._drain.join()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _keep_errors(self) -> None:
        stream = self._process.stderr
        while stream is not None and (block := stream.read(_BLOCK)):
            self._errors += block[: _MOST_ERRORS - len(self._errors)]

    def _end_late(self) -> None:
        self._late = True
        self._kill()

    def _kill(self) -> None:
        """End it and what it has started: where `git` is a script, that is git, and holds the pipes."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (AttributeError, OSError):  # no groups on Windows; none left
            self._process.kill()


def find_git(top: str) -> str:
    """Return the path of the git program; one inside the repository is never run."""
    name = "git.exe" if sys.platform == "win32" else "git"
    for entry in os.environ.get("PATH", "").split(os.pathsep):
        if not os.path.isabs(entry):
            continue
        program = os.path.join(entry, name)
        own = inside(os.path.realpath(entry), top) or inside(os.path.realpath(program), top)
        if not own and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    raise CannotClassifyError(FallbackCause.GIT_MISSING, "there is no git on the PATH outside the repository")


def _environment(environment: Mapping[str, str], top: str, *, network: bool) -> dict[str, str]:
    """Return the environment of git: none of its own variables, no questions, no unasked network."""
    own = {name: value for name, value in environment.items() if not name.upper().startswith("GIT_")}
    own |= {
        "LC_ALL": "C",
        # The repository at the top is meant: not one above it, nor the tree that core.worktree names.
        "GIT_CEILING_DIRECTORIES": os.path.dirname(top),
        "GIT_WORK_TREE": top,
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }
    if network:
        own["GIT_ALLOW_PROTOCOL"] = "file:git:http:https:ssh"
    else:
        # The second says it to versions of git that don't know the first.
        own |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    return own
