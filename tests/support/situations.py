"""What every test of a situation does: write rules, run the command as a step, look at what is there afterwards."""

import json
from collections.abc import Sequence
from typing import cast

from support.repository import BuiltRepository
from support.runner import Json, Ran, Runner

from ci_classify.core.errors import FallbackCause


def classify(
    runner: Runner, built: BuiltRepository, rules: str, event: str, payload: Json | bytes | None, *options: str
) -> Ran:
    """Write the rules into the working tree and run the command there."""
    built.write({"rules.yaml": rules})
    return runner.run(built.directory, event, payload, *options)


def assert_everything_runs(ran: Ran, cause: FallbackCause, *said: str) -> None:
    """Check the fallback: all outputs true, exit status 0, the reason in the summary and on standard error."""
    assert ran.code == 0
    assert ran.outputs
    assert set(ran.outputs.values()) == {True}
    assert ran.cause == cause
    assert "Traceback" not in ran.stdout + ran.stderr
    for words in (cause, *said):
        assert words in ran.summary
        assert words in ran.stderr


def evidence(ran: Ran, output: str) -> Sequence[tuple[str, str]]:
    """Return the paths and types of change behind an output, of a run with ``--format json``."""
    plan = json.loads(ran.stdout)
    items = cast("list[dict[str, str]]", plan["decisions"][output]["evidence"])
    return [(item["path"], item["change"]) for item in items]
