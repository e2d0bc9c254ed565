"""The judgement of the required check as text, as JSON, and as the Markdown of the job summary."""

import json

from ci_classify.core.required import JobFailure, Judgement
from ci_classify.core.text import visible
from ci_classify.render.markdown import code, plain


def failure_text(failure: JobFailure) -> str:
    """Return a failure in one line."""
    return f"{failure.job}: expected {failure.expected}, got {failure.got}: {failure.why}"


def headline(judgement: Judgement) -> str:
    """Return the verdict in a sentence, and the job to look at first."""
    if judgement.passed:
        ran = sum(result.got == "success" for result in judgement.results)
        return f"Every job did what was planned: {ran} succeeded, {len(judgement.results) - ran} were skipped."
    count = len(judgement.failures)
    first = f" Look at {judgement.first} first: others wait for it." if judgement.first else ""
    return f"{count} failure{'' if count == 1 else 's'}.{first}"


def judgement_text(judgement: Judgement) -> str:
    """Return every job on a line, failures first, and the verdict."""
    lines = [f"FAILED   {visible(failure_text(failure), longest=500)}" for failure in judgement.failures]
    failed = {failure.job for failure in judgement.failures}
    lines += [
        f"{result.got:9}{visible(result.job)}: {visible(result.why, longest=300)}"
        for result in judgement.results
        if result.job not in failed
    ]
    return "".join(f"{line}\n" for line in (*lines, visible(headline(judgement), longest=300)))


def judgement_json(judgement: Judgement) -> str:
    """Return the verdict and the failures as JSON."""
    failures = [
        {"job": failure.job, "expected": failure.expected, "got": failure.got, "why": failure.why}
        for failure in judgement.failures
    ]
    return json.dumps({"passed": judgement.passed, "failures": failures}, indent=2) + "\n"


def judgement_summary(judgement: Judgement) -> bytes:
    """Return a table of all jobs, then the failures."""
    rows = ["| Job | Expected | Result | Why |\n| --- | --- | --- | --- |\n"]
    for result in judgement.results:
        why = next((f.why for f in judgement.failures if f.job == result.job and f.got == result.got), result.why)
        sign = "**" if any(f.job == result.job and f.got == result.got for f in judgement.failures) else ""
        rows.append(f"| {code(result.job)} | {result.expected} | {sign}{plain(result.got)}{sign} | {plain(why)} |\n")
    tail = [f"\n{plain(headline(judgement))}\n"]
    shown = {(result.job, result.got) for result in judgement.results}
    tail += [f"- {plain(failure_text(f))}\n" for f in judgement.failures if (f.job, f.got) not in shown]
    return "".join([*rows, *tail]).encode("utf-8", "backslashreplace")
