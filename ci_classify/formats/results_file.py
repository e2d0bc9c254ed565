"""Results of jobs over many commits: our own three fields, or the job lists of GitHub's API as they are.

Source: https://docs.github.com/rest/actions/workflow-jobs
"""

from collections.abc import Iterator

from ci_classify.core.commit_ids import is_commit_id
from ci_classify.core.unsafe import JobResult
from ci_classify.formats.json_values import read_json, wrong

_HELP = 'write {"commit": ID, "job": NAME, "conclusion": "failure"}, or what the API answers: {"jobs": [...]}'


_CONCLUSIONS = frozenset(
    {
        "action_required",
        "cancelled",
        "failure",
        "neutral",
        "skipped",
        "stale",
        "startup_failure",
        "success",
        "timed_out",
    }
)


def read_results_file(content: bytes, file: str) -> tuple[JobResult, ...]:
    """Return the results of a file: objects or lists of them, one after the other. A job that has not ended has none."""
    entries = _entries(read_json(content, file, _HELP), file)
    return tuple(result for entry in entries if (result := _result(entry, file)) is not None)


def _entries(value: object, file: str) -> Iterator[dict[str, object]]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict) and isinstance(item.get("jobs"), list):
            item = item["jobs"]
        if isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, dict):
            yield item
        else:
            wrong(file, f"{str(item)[:80]!r} is no result of a job", _HELP)


def _result(entry: dict[str, object], file: str) -> JobResult | None:
    commit = entry.get("commit", entry.get("head_sha"))
    job = entry.get("job", entry.get("name"))
    if not isinstance(commit, str) or not isinstance(job, str) or "conclusion" not in entry:
        wrong(file, f"a result lacks its commit, its job or its conclusion: {str(entry)[:80]!r}", _HELP)
    commit = commit.lower()
    if not is_commit_id(commit):
        wrong(file, f"the commit of {job!r} is {commit[:80]!r}, no full id", _HELP)
    conclusion = entry["conclusion"]
    if conclusion is None:
        return None
    if not isinstance(conclusion, str) or conclusion not in _CONCLUSIONS:
        wrong(
            file,
            f"the conclusion of {job!r} is {str(conclusion)[:80]!r}",
            f"write one of {', '.join(sorted(_CONCLUSIONS))}",
        )
    return JobResult(commit=commit, job=job, conclusion=conclusion)
