"""The record of a canary, as ``check-required-ci`` writes it and ``canary report`` reads it: JSON with a version."""

import json

from ci_classify.core.canary import CanaryJob, CanaryRecord
from ci_classify.formats.json_values import read_json, wrong

_SCHEMA = 1
_HELP = "give what `check-required-ci --canary --canary-record FILE` wrote"
_TEXTS = ("job", "output", "reason", "result")


def canary_bytes(record: CanaryRecord) -> bytes:
    """Return a record as JSON."""
    jobs = [{name: getattr(job, name) for name in _TEXTS} for job in record.jobs]
    facts = {"schema": _SCHEMA, "event": record.event, "head": record.head, "jobs": jobs}
    return (json.dumps(facts, indent=2) + "\n").encode("ascii")


def read_canary(content: bytes, file: str) -> CanaryRecord:
    """Return the record of a file, or raise InvalidFileError."""
    value = read_json(content, file, _HELP)
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
        wrong(file, "this is no record of a canary of version 1", _HELP)
    event, head, jobs = value.get("event"), value.get("head"), value.get("jobs")
    if not isinstance(event, str) or not isinstance(head, str | None) or not isinstance(jobs, list):
        wrong(file, "the record lacks its event, its head or its jobs", _HELP)
    found = []
    for job in jobs:
        given = {name: job.get(name) for name in _TEXTS} if isinstance(job, dict) else {}
        texts = {name: text for name, text in given.items() if isinstance(text, str)}
        if len(texts) != len(_TEXTS):
            wrong(file, f"{str(job)[:80]!r} is no job of a canary", _HELP)
        found.append(CanaryJob(**texts))
    return CanaryRecord(event=event, head=head, jobs=tuple(found))
