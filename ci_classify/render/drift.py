"""A comparison of rules with what jobs read, as text, as JSON, and as findings with places."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import assert_never

from ci_classify.core.drift import DriftFinding, DriftReport, Unresolved
from ci_classify.core.findings import DriftCode, Finding, Severity
from ci_classify.core.text import visible
from ci_classify.render.plan_json import json_text

_LONGEST = 400
_MOST_PATHS = 10  # of one chain, in text
_MOST_JOBS = 4
_ANSWER = "say what it reads under `drift`"


def drift_json(report: DriftReport) -> str:
    """Return a report as JSON; ``unread`` is there only where somebody asked."""
    content: dict[str, object] = {
        "findings": [
            {
                "code": one.code.value,
                "suite": one.suite,
                "path": one.path,
                "chain": list(one.chain),
                "file": one.file,
                "line": one.line,
            }
            for one in report.findings
        ],
        "unresolved": [
            {"job": one.job, "file": one.file, "line": one.line, "why": one.why} for one in report.unresolved
        ],
    }
    if report.unread is not None:
        content["unread"] = [
            {"suite": one.suite, "path": one.path, "files": one.files, "line": one.line} for one in report.unread
        ]
    return json_text(content) + "\n"


def drift_text(report: DriftReport) -> str:
    """Return a report for people: findings that come from one place together, then what only a run knows, then counts."""
    lines = [*_findings(report.findings), *_unresolved(report.unresolved)]
    for one in report.unread or ():
        files = f"{one.files} file{'' if one.files == 1 else 's'}"
        lines.append(
            f"unread: {one.suite} claims {_shown(one.path)} ({files}, by line {one.line}), and nothing reads it"
        )
    count = len(report.findings)
    places = len({(one.file, one.line, one.why) for one in report.unresolved})
    looked_at = ", ".join(_shown(file) for file in report.workflows)
    lines.append(f"{count} finding{'' if count == 1 else 's'}, {places} unresolved, in {looked_at}")
    return "".join(f"{line}\n" for line in lines)


def drift_findings(report: DriftReport) -> list[Finding]:
    """Return a report as findings with places; what only a run knows is among them, and fails nothing."""
    found = [
        Finding(
            code=one.code,
            severity=Severity.ERROR,
            file=one.file,
            position=(max(one.line, 1), 1),
            message=f"{_message(one, _shown(one.path))}: {_chain(one.chain)}",
            help=_help(one),
        )
        for one in report.findings
    ]
    return found + [
        Finding(
            code=DriftCode.READ_UNRESOLVED,
            severity=Severity.UNKNOWN,
            file=one.file,
            position=(max(one.line, 1), 1),
            message=_shown(f"{one.job}: {one.why}" if one.job else one.why),
            help=_ANSWER,
        )
        for one in report.unresolved
    ]


def _findings(findings: Sequence[DriftFinding]) -> Iterator[str]:
    def key(one: DriftFinding) -> tuple[object, ...]:
        return (one.suite or "", one.code, one.file, one.line, one.chain[:-1])

    for _, group in groupby(sorted(findings, key=key), key=key):
        members = sorted(group, key=lambda one: one.path)
        first = members[0]
        paths = [_shown(one.path) for one in members[:_MOST_PATHS]]
        more = [f"and {len(members) - _MOST_PATHS} more"] if len(members) > _MOST_PATHS else []
        yield f"{_shown(first.file)}:{first.line}: {_message(first, ', '.join([*paths, *more]))} [{first.code}]"
        yield f"    {_chain(first.chain)}"
        yield f"    {_help(first)}"


def _unresolved(unresolved: Sequence[Unresolved]) -> Iterator[str]:
    def key(one: Unresolved) -> tuple[str, int, str]:
        return (one.file, one.line, one.why)

    for (file, line, why), group in groupby(sorted(unresolved, key=key), key=key):
        jobs = [one.job for one in group if one.job]
        more = f" and {len(jobs) - _MOST_JOBS} more" if len(jobs) > _MOST_JOBS else ""
        used = f" ({', '.join(jobs[:_MOST_JOBS])}{more})" if jobs else ""
        yield f"{_shown(file)}:{line}: unresolved: {_shown(why)}{_shown(used)}"


def _message(finding: DriftFinding, paths: str) -> str:
    suite = finding.suite or "nothing"
    match finding.code:
        case DriftCode.INPUT_MISSING:
            return f"the inputs of {suite} lack {paths}"
        case DriftCode.INPUT_IS_DOCUMENTATION:
            return f"{suite} reads {paths}, which is dropped as documentation"
        case DriftCode.JOB_NOT_JUDGED:
            return f"no suite claims {paths}, which a job reads that no output selects and no required check judges"
        case DriftCode.PRODUCER_WITHOUT_CONSUMER:
            return f"{suite} is no consumer of what its job needs"
        case DriftCode.WORKFLOW_MISSING:
            return f"there is no workflow {paths}"
        case DriftCode.ACTION_MISSING:
            return f"there is no action in {paths}"
        case DriftCode.HASH_OF_NOTHING:
            return f"hashFiles matches no tracked file, so that the key is constant: {paths}"
        case DriftCode.IGNORE_HIDES_NOTHING:
            return f"the ignore of {paths} hides nothing"
        case DriftCode.ALSO_READS_NOTHING:
            return f"{paths} matches no tracked file"
        case DriftCode.DRIFT_NAME_UNKNOWN:
            return f"there is no job and no suite {paths}"
        case DriftCode.READ_UNRESOLVED:
            return f"{paths} is known at run time only"
        case _:
            assert_never(finding.code)


def _help(finding: DriftFinding) -> str:
    match finding.code:
        case DriftCode.INPUT_MISSING | DriftCode.JOB_NOT_JUDGED:
            return "add it to the inputs; if a change of it can't matter, ignore it under `drift`, with the reason"
        case DriftCode.INPUT_IS_DOCUMENTATION:
            return "write `documentation: keep` in the suite, or exclude the path from documentation"
        case DriftCode.PRODUCER_WITHOUT_CONSUMER:
            return "add the suite to the consumers of the producer"
        case DriftCode.WORKFLOW_MISSING | DriftCode.ACTION_MISSING:
            return "correct the path after `uses`"
        case DriftCode.HASH_OF_NOTHING:
            return "correct the pattern; if a step makes the file, ignore the pattern under `drift`"
        case DriftCode.IGNORE_HIDES_NOTHING | DriftCode.ALSO_READS_NOTHING:
            return "delete the line, or correct the path"
        case DriftCode.DRIFT_NAME_UNKNOWN:
            return "correct the name under `drift`, or delete the entry"
        case DriftCode.READ_UNRESOLVED:
            return _ANSWER
        case _:
            assert_never(finding.code)


def _chain(chain: Sequence[str]) -> str:
    return " -> ".join(_shown(link) for link in chain)


def _shown(text: str) -> str:
    return visible(text, longest=_LONGEST, double_backslashes=False)
