"""The drift guard as a judge of changed rules: it notices those that miss what a job reads, as the rules do not."""

from collections.abc import Sequence

from ci_classify.core.drift import DriftFinding
from ci_classify.core.model import Rules
from ci_classify.core.mutation import Fate, Guard
from ci_classify.derive.comparing import compare
from ci_classify.derive.library import Library
from ci_classify.derive.readings import wirings_of


def drift_guard(rules: Rules, library: Library, own_outputs: frozenset[str]) -> Guard | None:
    """Return the guard over the workflows that read the outputs of the rules, or None where none does."""
    if not wirings_of(rules, library, [], own_outputs):
        return None

    def findings(of: Rules) -> Sequence[DriftFinding]:
        return compare(of, library, wirings_of(of, library, [], own_outputs), unread=False).findings

    known = {_what(finding) for finding in findings(rules)}

    def notices(mutated: Rules) -> str | None:
        new = (finding for finding in findings(mutated) if _what(finding) not in known)
        return next((f"{finding.suite or finding.code} {finding.path}" for finding in new), None)

    return Guard(fate=Fate.KILLED_BY_DRIFT, notices=notices)


def _what(finding: DriftFinding) -> tuple[str, str | None, str]:
    return finding.code, finding.suite, finding.path
