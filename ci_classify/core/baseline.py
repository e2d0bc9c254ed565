"""What a rules file declares about a baseline: what it depends on, what is recorded, who may use and record it.

docs/baselines.md describes the section. Refuses: computing anything.
"""

from collections.abc import Mapping
from enum import StrEnum

from ci_classify.core.record import Record


class ErrorCode(StrEnum):
    """Why a baseline command could not do its work."""

    UNSUPPORTED_PLATFORM = "unsupported-platform"
    INVALID_BUCKET = "invalid-bucket"
    BUCKET_KIND_MISMATCH = "bucket-kind-mismatch"
    SYMLINKED_INPUT = "symlinked-input"
    INVALID_INPUT = "invalid-input"
    INVALID_POLICY = "invalid-policy"
    REPORT_NEEDS_FULL_GATE = "report-needs-full-gate"
    EXTRACT_EMPTY = "extract-empty"
    UNSUPPORTED_PHASE = "unsupported-phase"
    INVALID_SOURCE_OR_GENERATION = "invalid-source-or-generation"
    INCOMPLETE_PHASE = "incomplete-phase"


class BaselineError(Exception):
    """A baseline command can't do its work: a code for programs, a sentence for people."""

    def __init__(self, code: ErrorCode, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class Tool(Record):
    """What records: another version may read and write other things."""

    name: str
    version: str


class InputGroup(Record):
    """A named group of inputs, as declared: paths may hold ``{placeholders}``.

    ``scoped`` are basenames that count from ``scope_root`` down to a bucket. ``reports_only``: a change is named and
    rejects nothing. ``platforms`` and ``buckets`` limit the group, None to all. ``extract`` puts the text that a
    regular expression captures in place of each file.
    """

    name: str
    files: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    scoped: tuple[str, ...] = ()
    scope_root: str = ""
    reports_only: bool = False
    platforms: tuple[str, ...] | None = None
    buckets: tuple[str, ...] | None = None
    extract: str | None = None


class SqliteArtifact(Record):
    """A database file, its user version, and tables that it must hold."""

    file: str
    user_version: int
    tables: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files."""
        return (self.file,)


class OpaqueArtifact(Record):
    """Files that nobody looks into."""

    files: tuple[str, ...]


Artifact = SqliteArtifact | OpaqueArtifact


class Selective(Record):
    """When a baseline may stand in for a full run. ``refs`` are regular expressions for whole refs."""

    events: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    always_full: tuple[str, ...] = ()
    default_value: str | None = None
    enable_label: str | None = None
    disable_label: str | None = None
    full_labels: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class Recorder(Record):
    """Who may record: one ref, some events, one repository."""

    ref: str
    events: tuple[str, ...]
    repository: str


class Baseline(Record):
    """A declared baseline. ``artifact`` is None where others store what is recorded; then there are no phases."""

    name: str
    schema: int
    namespace: str
    branch: str
    tool: Tool
    bucket_root: str
    bucket_names: tuple[str, ...]
    platforms: Mapping[str, Mapping[str, str]]
    groups: tuple[InputGroup, ...]
    phases: tuple[str, ...]
    artifact: Artifact | None
    selective: Selective
    recorder: Recorder | None
