"""A replay as JSON, in parts, so that the changes of a long range are never in memory together."""

import json
from collections.abc import Mapping

from ci_classify.core.replay import Difference, Moved, Outcome, Totals
from ci_classify.core.saving import Saving, Savings, Spread
from ci_classify.core.statistics import INTERVAL
from ci_classify.core.unsafe import Safety
from ci_classify.render.plan_json import decision_json, without_commands

BEGIN = '{"changes":[\n'


def change_json(commit: str, outcome: Outcome, *, first: bool) -> str:
    """Return what is selected for one change."""
    facts = {"commit": commit, "selected": outcome.new, "against": outcome.against}
    return ("" if first else ",\n") + json.dumps(facts, separators=(",", ":"))


def end_json(
    totals: Totals,
    outputs: Mapping[str, tuple[int | None, ...]],
    event: str,
    savings: Savings | None,
    safety: Safety | None,
) -> str:
    """Return what follows the changes. A count is null for rules that have no such output."""
    facts: dict[str, object] = {
        "event": event,
        "rules": totals.names,
        "total": totals.changes,
        "newly_skipped": totals.newly_skipped,
        "newly_run": totals.newly_run,
        "differences": [_difference(difference) for difference in totals.differences],
        "savings": None if savings is None else _savings(savings),
        "results": None if safety is None else _safety(safety),
    }
    body = json.dumps(facts)
    counted = json.dumps({name: {"new": counts[0], "against": counts[1:]} for name, counts in outputs.items()})
    return without_commands(f'\n],"outputs":{counted},{body[1:]}\n')


def _difference(difference: Difference) -> dict[str, object]:
    return {
        "commit": difference.commit,
        "against": difference.against,
        "newly_skipped": [_moved(move) for move in difference.skipped],
        "newly_run": [_moved(move) for move in difference.run],
    }


def _moved(move: Moved) -> dict[str, object]:
    return {"output": move.new.name, "before": decision_json(move.old), "now": decision_json(move.new)}


def _savings(savings: Savings) -> dict[str, object]:
    return {
        "against": [_saving(saving) for saving in savings.against],
        "jobs_without_duration": savings.without,
        "durations_without_job": savings.beyond,
    }


def _saving(saving: Saving) -> dict[str, object]:
    return {
        "machine_minutes": {
            "old": _spread(saving.old_machine),
            "new": _spread(saving.machine),
            "saved": _spread(saving.saved_machine),
        },
        "wall_minutes": {
            "old": _spread(saving.old_wall),
            "new": _spread(saving.wall),
            "saved": _spread(saving.saved_wall),
        },
    }


def _spread(spread: Spread) -> dict[str, float]:
    return {"sum": round(spread.total, 6), "median": round(spread.median, 6), "p90": round(spread.slow, 6)}


def _safety(safety: Safety) -> dict[str, object]:
    return {
        "interval": INTERVAL,
        "rates": [
            {"unsafe": rate.hits, "of": rate.trials, "rate": rate.share, "low": rate.low, "high": rate.high}
            for rate in safety.rates
        ],
        "unsafe_skips": [
            {"commit": skip.commit, "job": skip.job, "output": skip.output, "paths": skip.paths, "more": skip.more}
            for skip in safety.skips
        ],
        "unmatched": safety.unmatched,
        "unjudged": safety.unjudged,
    }
