"""Results of jobs over many commits: our own three fields, or the job lists of GitHub's API as they are.

Source: https://docs.github.com/rest/actions/workflow-jobs
"""

from collections.abc import Iterator

from ci_classify.core.unsafe import JobResult
from ci_classify.formats.json_values import read_json, wrong

_HELP = 'write {"commit": ID, "job": NAME, "conclusion": "failure"}, or what the API answers: {"jobs": [...]}'


def read_results_file(content: bytes, file: str) -> tuple[JobResult, ...]:
    """Return the results of a file: one object, a list of them, or one a line. A job that has not ended has none."""
    return tuple(_results(read_json(content, file, _HELP), file))


def _results(value: object, file: str) -> Iterator[JobResult]:
    if isinstance(value, list):
        for item in value:
            yield from _results(item, file)
        return
    if isinstance(value, dict) and isinstance(value.get("jobs"), list):
        yield from _results(value["jobs"], file)
        return
    if not isinstance(value, dict):
        wrong(file, f"{str(value)[:80]!r} is no result of a job", _HELP)
    commit = value.get("commit", value.get("head_sha"))
    job = value.get("job", value.get("name"))
    conclusion = value.get("conclusion")
    if not isinstance(commit, str) or not isinstance(job, str) or "conclusion" not in value:
        wrong(file, f"a result lacks its commit, its job or its conclusion: {str(value)[:80]!r}", _HELP)
    if conclusion is not None:
        if not isinstance(conclusion, str):
            wrong(file, f"the conclusion of {job!r} is no text", _HELP)
        yield JobResult(commit=commit, job=job, conclusion=conclusion)
