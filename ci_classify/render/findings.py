"""Findings as text, JSON, annotations of GitHub and SARIF 2.1.0."""

from collections import Counter
from collections.abc import Sequence

from ci_classify.core.findings import Code, DriftCode, Finding, Severity
from ci_classify.core.text import visible
from ci_classify.render.messages import annotation
from ci_classify.render.plan_json import json_text

_LONGEST = 1000
_SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SARIF_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "note",
    Severity.UNKNOWN: "note",
}
_ANNOTATIONS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
    Severity.UNKNOWN: "notice",
}


def findings_text(findings: Sequence[Finding]) -> str:
    """Return each finding with its place, its code and its remedy, and a count at the end."""
    lines = []
    for finding in findings:
        line, column = finding.position
        what = f"{finding.severity}: {finding.message}"
        lines.append(f"{visible(finding.file)}:{line}:{column}: {_shown(what)} [{finding.code}]")
        lines.append(f"    {_shown(finding.help)}")
    return "".join(f"{line}\n" for line in (*lines, _count(findings)))


def _shown(text: str) -> str:
    # Foreign text in it is visible already, and a remedy shows what to write.
    return visible(text, longest=_LONGEST, double_backslashes=False)


def _count(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.severity for finding in findings)
    found = [_number(counts[Severity.ERROR], "error"), _number(counts[Severity.WARNING], "warning")]
    found += [_number(counts[Severity.NOTE], "note")] if counts[Severity.NOTE] else []
    found += [f"{counts[Severity.UNKNOWN]} unknown"] if counts[Severity.UNKNOWN] else []
    return ", ".join(found)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def findings_json(findings: Sequence[Finding]) -> str:
    """Return the findings as JSON."""
    listed = [
        {
            "code": finding.code.value,
            "severity": finding.severity.value,
            "file": finding.file,
            "line": finding.position[0],
            "column": finding.position[1],
            "message": finding.message,
            "help": finding.help,
        }
        for finding in findings
    ]
    return json_text({"findings": listed}) + "\n"


def findings_annotations(findings: Sequence[Finding]) -> str:
    """Return a workflow command for each finding."""
    return "".join(
        annotation(
            _ANNOTATIONS[finding.severity],
            f"{finding.message}; {finding.help}",
            file=finding.file,
            line=finding.position[0],
            column=finding.position[1],
            title=finding.code,
        )
        + "\n"
        for finding in findings
    )


def findings_sarif(findings: Sequence[Finding], version: str, kinds: type[Code] | type[DriftCode] = Code) -> str:
    """Return a log of SARIF 2.1.0, with a rule for each code of these kinds."""
    codes: list[Code | DriftCode] = [*kinds]
    rules = [{"id": code.value, "shortDescription": {"text": code.value.replace("-", " ")}} for code in codes]
    results = [
        {
            "ruleId": finding.code.value,
            "ruleIndex": codes.index(finding.code),
            "level": _SARIF_LEVELS[finding.severity],
            "message": {"text": f"{finding.message}; {finding.help}"},
            "locations": [_location(finding)],
        }
        for finding in findings
    ]
    driver = {"name": "ci-classify", "version": version, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json_text({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}) + "\n"


def _location(finding: Finding) -> dict[str, object]:
    from urllib.parse import quote  # noqa: PLC0415 -- only SARIF needs it

    path = quote(finding.file.encode("utf-8", "surrogateescape"))
    line, column = finding.position
    region = {"startLine": line, "startColumn": column}
    return {"physicalLocation": {"artifactLocation": {"uri": path}, "region": region}}
