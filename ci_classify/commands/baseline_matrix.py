"""``ci-classify baseline matrix``: the buckets and platforms of a policy, for ``strategy.matrix.include``."""

import json

from ci_classify.commands import showing
from ci_classify.commands.baselines import answer, declared
from ci_classify.commands.exits import OK
from ci_classify.core.baseline_bucket import named_buckets, prefix
from ci_classify.core.record import Record
from ci_classify.edges import console

MOST_JOBS = 256  # that GitHub runs for one matrix


class BaselineMatrixRequest(Record):
    """The options of the command, as given."""

    name: str
    repo: str = "."
    rules: str | None = None


def run(request: BaselineMatrixRequest) -> int:
    """Print one line: an array, empty where the policy names no bucket or no platform."""
    return answer(lambda: _run(request))


def _run(request: BaselineMatrixRequest) -> int:
    baseline = declared(request.repo, request.rules, request.name)
    jobs = [
        {"bucket": bucket, "platform": platform, "prefix": prefix(baseline, bucket, platform)}
        for bucket in named_buckets(baseline)
        for platform in baseline.platforms
    ]
    if len(jobs) > MOST_JOBS:
        showing.warn(f"{len(jobs)} jobs are more than the {MOST_JOBS} that GitHub runs for one matrix.")
    console.write(json.dumps(jobs, separators=(",", ":")) + "\n")
    return OK
