"""Compare two identities: does the prefix change, does the contract, and why."""

from ci_classify.core.baseline_identity import BaselineIdentity, Difference, canonical, difference
from ci_classify.core.record import Record

# What a contract is about: where one of these differs, inputs are not comparable.
_SUBJECTS = {"bucket": "bucket-changed", "kind": "bucket-changed", "platform": "platform-changed"}
_TERMS = {"schema": "schema-changed", "tool": "tool-changed", "hash_scheme": "hash-scheme-changed"}


class Comparison(Record):
    """What differs between two identities; ``reason`` is one code, or several with commas between."""

    prefix_changed: bool
    contract_changed: bool
    reason: str
    inputs: Difference
    reported: Difference


def compare(old: BaselineIdentity, new: BaselineIdentity) -> Comparison:
    """Return the comparison of two identities."""
    inputs = difference(old.contract.get("inputs"), new.contract.get("inputs"))
    reported = difference(old.reported, new.reported)
    contract_changed = canonical(old.contract) != canonical(new.contract)
    reason = _why_changed(old, new, inputs) if contract_changed else _why_not(old, new, reported)
    return Comparison(
        prefix_changed=old.prefix != new.prefix,
        contract_changed=contract_changed,
        reason=reason,
        inputs=inputs,
        reported=reported,
    )


def _why_changed(old: BaselineIdentity, new: BaselineIdentity, inputs: Difference) -> str:
    def differing(fields: dict[str, str]) -> dict[str, None]:
        pairs = ((name, code) for name, code in fields.items())
        return {code: None for name, code in pairs if old.contract.get(name) != new.contract.get(name)}

    subjects = differing(_SUBJECTS)
    if subjects:
        return ",".join(subjects)
    parts = {"input-added": inputs.added, "input-edited": inputs.edited, "input-removed": inputs.removed}
    codes = [*differing(_TERMS), *(code for code, paths in parts.items() if paths)]
    return ",".join(codes or ["groups-changed"])


def _why_not(old: BaselineIdentity, new: BaselineIdentity, reported: Difference) -> str:
    """Return why equal contracts are equal: what else differs has no influence."""
    if reported.by_group:
        return "reported-only"
    if old.tree != new.tree:
        return "not-an-input"
    return "identical-content" if old.diagnostics == new.diagnostics else "diagnostic-only"
