"""The nouns: changes, sets, suites, producers, labels, rules, events.

Everything is a frozen value. Refuses: behaviour beyond what a value says about itself.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from ci_classify.core.annotations import TYPE_CHECKING
from ci_classify.core.record import Record

if TYPE_CHECKING:
    from ci_classify.core.baseline import Baseline
    from ci_classify.core.required import RequiredCheck


class ChangeType(StrEnum):
    """How a path differs between base and head. A move is a deletion and an addition."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    TYPE_CHANGED = "type-changed"


class ChangeKind(Record):
    """What a change is, apart from its path.

    git treats the path of a submodule as a directory, so that ``/openvmm/`` matches it; hence both
    sides are kept.
    """

    type: ChangeType
    old_is_submodule: bool = False
    new_is_submodule: bool = False


MODIFIED = ChangeKind(type=ChangeType.MODIFIED)


class Changes(Record):
    """All changes of one comparison in the order of the diff, as two columns of equal length.

    Paths are the bytes that git stores, as text with ``surrogateescape``. Columns, because a change
    can be 100,000 paths.
    """

    paths: Sequence[str]
    kinds: Sequence[ChangeKind]


class Pattern(Record):
    """An accepted pattern: its text as written, and where it stands in the rules file."""

    text: str
    line: int
    column: int = 1


class SetReference(Record):
    """``@name``: matches the paths that the named set contains by its own terms."""

    name: str
    line: int
    column: int = 1


class Term(Record):
    """One line of a set. The last term that matches a path decides whether the set contains it."""

    matches: Pattern | SetReference
    positive: bool

    @property
    def line(self) -> int:
        """The 1-based line of the rules file."""
        return self.matches.line

    @property
    def text(self) -> str:
        """The term as a person writes it."""
        body = self.matches.text if isinstance(self.matches, Pattern) else f"@{self.matches.name}"
        return body if self.positive else f"!{body}"


class PathSet(Record):
    """An ordered list of terms, perhaps limited to types of change and perhaps blind to ASCII case."""

    terms: tuple[Term, ...] = ()
    ignore_case: bool = False
    changes: frozenset[ChangeType] | None = None


class Mode(StrEnum):
    """How a suite is selected for an event."""

    INPUTS = "inputs"
    ANY_CHANGE = "any-change"
    ALWAYS = "always"
    NEVER = "never"


class EventMode(Record):
    """An entry of ``events``: the mode for an event name (or ``*``), perhaps for some branches only."""

    event: str
    branch: str | None
    mode: Mode
    line: int


BUILT_IN_MODES = (
    EventMode(event="*", branch=None, mode=Mode.ALWAYS, line=0),
    EventMode(event="pull_request", branch=None, mode=Mode.INPUTS, line=0),
    EventMode(event="push", branch=None, mode=Mode.INPUTS, line=0),
)


Position = tuple[int, int]  # line and column in the rules file, 1-based


class Suite(Record):
    """A body of CI work with inputs and one output. ``inputs`` is None where the mode alone decides."""

    name: str
    title: str
    inputs: PathSet | None
    modes: tuple[EventMode, ...]
    empty_diff_runs: bool
    keeps_documentation: bool
    internal: bool
    position: Position


class Producer(Record):
    """An output that is true exactly when one of its consumers (suites or producers) is."""

    name: str
    title: str
    consumers: tuple[str, ...]
    position: Position


class Unclaimed(StrEnum):
    """What a change does that nobody claims."""

    EVERYTHING = "everything"
    NOTHING = "nothing"


class Label(Record):
    """What a label on a pull request selects and skips."""

    name: str
    selects_everything: bool
    selects: tuple[str, ...]
    skips: tuple[str, ...]
    line: int


class Example(Record):
    """A test of the rules: a change and what it must select."""

    name: str
    event: str
    branch: str | None
    labels: tuple[str, ...]
    changes: Changes
    expect: Mapping[str, bool]
    selects: frozenset[str] | None
    line: int


class Rules(Record):
    """A loaded rules file. Every name in it is known, every pattern accepted, every chain acyclic."""

    file: str
    sets: Mapping[str, PathSet] = MappingProxyType({})
    documentation: PathSet = PathSet()
    unaffecting: PathSet = PathSet()
    control: PathSet = PathSet()
    rules_files: PathSet = PathSet()  # control files too, whatever ``control`` says
    unclaimed: Unclaimed | tuple[str, ...] = Unclaimed.EVERYTHING
    events: tuple[EventMode, ...] = ()
    labels: tuple[Label, ...] = ()
    suites: tuple[Suite, ...] = ()
    producers: tuple[Producer, ...] = ()
    required_check: "RequiredCheck | None" = None
    examples: tuple[Example, ...] = ()
    baselines: "tuple[Baseline, ...]" = ()

    @property
    def decided(self) -> tuple[Suite | Producer, ...]:
        """All suites and producers in the order of the file, internal ones included."""
        found: list[Suite | Producer] = [*self.suites, *self.producers]
        return tuple(sorted(found, key=lambda output: output.position))

    @property
    def outputs(self) -> tuple[Suite | Producer, ...]:
        """The emitted suites and producers in the order of the file."""
        return tuple(output for output in self.decided if not (isinstance(output, Suite) and output.internal))


class Event(Record):
    """What triggered CI: its name, the branch that its modes look at, the labels of a pull request."""

    name: str
    branch: str | None = None
    labels: tuple[str, ...] = ()
