"""What canaries tell, as text and JSON."""

from collections.abc import Sequence

from ci_classify.core.canary import CanaryJob, CanaryTotals
from ci_classify.core.explanation import SKIPPED
from ci_classify.core.statistics import INTERVAL, Rate
from ci_classify.core.text import visible
from ci_classify.render.plan_json import json_text
from ci_classify.render.tables import text_table

_SHOWN = 3


def unsafe_text(job: CanaryJob, where: str, paths: Sequence[str]) -> str:
    """Return what an unsafe skip is, and the rule that is missing. ``where`` is the place of the output in the rules."""
    because = SKIPPED.get(job.reason, job.reason)
    text = f"UNSAFE SKIP: {job.job} failed, and the rules would have skipped it: {job.output}: {because}."
    shown = ", ".join(visible(path) for path in paths[:_SHOWN])
    more = f" and {len(paths) - _SHOWN:,} more" if len(paths) > _SHOWN else ""
    what = f"one of {shown}{more}" if len(paths) > 1 else shown or "what the job reads"
    return f"{text} The rule that is missing: {what} among the inputs of {job.output} ({where}), if the change broke the job."


def totals_text(totals: CanaryTotals) -> str:
    """Return the rates, and each unsafe skip."""
    rows = [["Job", "Unsafe", "Of", "Rate", "95 % interval"]]
    rows += [[visible(name), *_cells(rate)] for name, rate in totals.jobs.items()]
    rows.append(["all", *_cells(totals.rate)])
    lines = [f"{totals.records:,} record{'' if totals.records == 1 else 's'}. Jobs that would have been skipped:", ""]
    lines += [*text_table(rows), "", f"({INTERVAL}.)"]
    for head, job in totals.unsafe:
        lines.append(f"{visible(head or 'unknown commit')[:12]}: {visible(job.job)} failed; {job.output} would skip it")
    return "".join(f"{line}\n" for line in lines)


def totals_json(totals: CanaryTotals) -> str:
    """Return the same as JSON."""
    unsafe = [{"head": head, "job": job.job, "output": job.output, "reason": job.reason} for head, job in totals.unsafe]
    facts = {
        "records": totals.records,
        "interval": INTERVAL,
        "rate": _facts(totals.rate),
        "jobs": {name: _facts(rate) for name, rate in totals.jobs.items()},
        "unsafe_skips": unsafe,
    }
    return json_text(facts) + "\n"


def _cells(rate: Rate) -> list[str]:
    share = "-" if rate.share is None else f"{100 * rate.share:.2f} %"
    return [f"{rate.hits:,}", f"{rate.trials:,}", share, f"{100 * rate.low:.2f} to {100 * rate.high:.2f} %"]


def _facts(rate: Rate) -> dict[str, object]:
    return {"unsafe": rate.hits, "of": rate.trials, "rate": rate.share, "low": rate.low, "high": rate.high}
