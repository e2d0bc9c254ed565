"""The two failures that cross layers, and the closed list of fallback causes.

Refuses: any third kind of expected failure. What is neither of these is a bug.
"""

from enum import StrEnum

from ci_classify.core.record import Record


class FallbackCause(StrEnum):
    """Why a change could not be classified; each has a remedy in ``explanation``."""

    PAYLOAD_MISSING = "payload-missing"
    PAYLOAD_INVALID = "payload-invalid"
    NOTHING_TO_COMPARE = "nothing-to-compare"
    NEW_BRANCH = "new-branch"
    DELETED_BRANCH = "deleted-branch"
    TAG = "tag"
    FORCED_PUSH = "forced-push"
    REVISION_INVALID = "revision-invalid"
    COMMIT_MISSING = "commit-missing"
    HISTORY_INCOMPLETE = "history-incomplete"
    NO_MERGE_BASE = "no-merge-base"
    OBJECTS_MISSING = "objects-missing"
    NOT_A_REPOSITORY = "not-a-repository"
    GIT_MISSING = "git-missing"
    GIT_FAILED = "git-failed"
    GIT_TIMEOUT = "git-timeout"
    DIFF_UNREADABLE = "diff-unreadable"
    PATHS_UNREADABLE = "paths-unreadable"
    RULES_INVALID = "rules-invalid"
    INTERNAL_ERROR = "internal-error"


class CannotClassifyError(Exception):
    """The change cannot be classified: the plan becomes the fallback, with this cause."""

    def __init__(self, cause: FallbackCause, detail: str) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause = cause
        self.detail = detail


class Problem(Record):
    """One complaint about a file: where (1-based line and column), what, and what to do instead.

    ``code`` is the name of the mistake for programs, where it has one.
    """

    file: str
    line: int
    column: int
    message: str
    help: str
    warning: bool = False
    code: str | None = None

    def __str__(self) -> str:
        """Return the complaint in the one-line form that editors and CI logs link."""
        kind = "warning" if self.warning else "error"
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{where}: {kind}: {self.message}; {self.help}"


class InvalidFileError(Exception):
    """A file is wrong. Carries every problem that was found, in the order of the file."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems
