"""Findings: what is wrong with rules or workflows, where, and what to do about it.

A closed list of codes. Errors and warnings are findings that fail the check; a note is a fact that is worth knowing;
``unknown`` says what only a run can tell, which is never guessed.
"""

from collections.abc import Iterable
from enum import StrEnum

from ci_classify.core.model import Position
from ci_classify.core.record import Record


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    UNKNOWN = "unknown"


class Code(StrEnum):
    """The stable names of findings."""

    # Rules against the tree.
    TERM_MATCHES_NOTHING = "term-matches-nothing"
    TERM_IS_POINTLESS = "term-is-pointless"
    SUITE_NEVER_RUNS = "suite-never-runs"
    SUITES_ALWAYS_EQUAL = "suites-always-equal"
    UNCLAIMED_FILES = "unclaimed-files"
    UNANCHORED_NAME = "unanchored-name"
    DOCUMENTATION_AS_INPUT = "documentation-as-input"
    # The wiring of a workflow.
    WORKFLOW_UNREADABLE = "workflow-unreadable"
    EXPRESSION_UNREADABLE = "expression-unreadable"
    DETECTOR_MISSING = "detector-missing"
    OUTPUT_NOT_DECLARED = "output-not-declared"
    OUTPUT_UNKNOWN = "output-unknown"
    OUTPUT_MAPPED_WRONGLY = "output-mapped-wrongly"
    OUTPUT_READ_ELSEWHERE = "output-read-elsewhere"
    CONDITION_READS_WRONG_OUTPUT = "condition-reads-wrong-output"
    CONDITION_WITHOUT_GUARD = "condition-without-guard"
    CONDITION_IGNORES_OUTPUT = "condition-ignores-output"
    CONDITION_NEVER_HOLDS = "condition-never-holds"
    CONDITION_UNKNOWN = "condition-unknown"
    PRODUCER_NOT_AWAITED = "producer-not-awaited"
    PRODUCER_WITHOUT_CONSUMER = "producer-without-consumer"
    NEED_MAY_BE_SKIPPED = "need-may-be-skipped"
    NEED_MISSING = "need-missing"
    JOB_MISSING = "job-missing"
    JOB_NOT_JUDGED = "job-not-judged"
    GATE_MISSING = "gate-missing"
    GATE_LACKS_NEED = "gate-lacks-need"
    GATE_LACKS_RESULTS = "gate-lacks-results"
    GATE_IN_SHELL = "gate-in-shell"
    STEERING_FILE = "steering-file"
    # Traps of required checks.
    GATE_NOT_ALWAYS = "gate-not-always"
    CONTINUE_ON_ERROR = "continue-on-error"
    NEED_NOT_DECLARED = "need-not-declared"
    TRIGGER_MISSING = "trigger-missing"
    TRIGGER_FILTER = "trigger-filter"
    MERGE_GROUP = "merge-group"
    MATRIX_SKIPPED = "matrix-skipped"
    REUSABLE_SKIPPED = "reusable-skipped"


class DriftCode(StrEnum):
    """The stable names of findings about what suites really read."""

    INPUT_MISSING = "input-missing"
    INPUT_IS_DOCUMENTATION = "input-is-documentation"
    JOB_NOT_JUDGED = "job-not-judged"
    PRODUCER_WITHOUT_CONSUMER = "producer-without-consumer"
    WORKFLOW_MISSING = "workflow-missing"
    ACTION_MISSING = "action-missing"
    HASH_OF_NOTHING = "hash-of-nothing"
    IGNORE_HIDES_NOTHING = "ignore-hides-nothing"
    ALSO_READS_NOTHING = "also-reads-nothing"
    DRIFT_NAME_UNKNOWN = "drift-name-unknown"
    READ_UNRESOLVED = "read-unresolved"


class Finding(Record):
    """One finding: a line of a report. Line and column are 1-based."""

    code: Code | DriftCode
    severity: Severity
    file: str
    position: Position
    message: str
    help: str

    @property
    def fails(self) -> bool:
        """Whether the check fails by it."""
        return self.severity in {Severity.ERROR, Severity.WARNING}


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order of their files, each once."""
    unique = dict.fromkeys(findings)
    return tuple(sorted(unique, key=lambda finding: (finding.file, finding.position, finding.code, finding.message)))
