"""What GitHub's runner hands to a step, and the files that a step writes for it.

Source: https://docs.github.com/actions/reference/workflows-and-actions/variables and
https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

import os
from collections.abc import Mapping

from ci_classify.core.record import Record
from ci_classify.edges import files

MAX_PAYLOAD_BYTES = 32 << 20


class Runner(Record):
    """The variables of the runner that matter here; all None outside CI."""

    in_ci: bool
    event_name: str | None
    event_path: str | None
    output: str | None
    summary: str | None
    commit: str | None = None
    needs: str | None = None
    attempt: int = 1


def runner(environment: Mapping[str, str] | None = None) -> Runner:
    """Return what the environment says about the runner."""
    variables = os.environ if environment is None else environment
    attempt = variables.get("GITHUB_RUN_ATTEMPT", "")[:9]
    names = ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_OUTPUT")
    return Runner(
        in_ci=variables.get("GITHUB_ACTIONS") == "true" or any(variables.get(name) for name in names),
        event_name=variables.get("GITHUB_EVENT_NAME") or None,
        event_path=variables.get("GITHUB_EVENT_PATH") or None,
        output=variables.get("GITHUB_OUTPUT") or None,
        summary=variables.get("GITHUB_STEP_SUMMARY") or None,
        commit=variables.get("GITHUB_SHA") or None,
        needs=variables.get("NEEDS_JSON"),
        attempt=int(attempt) if attempt.isascii() and attempt.isdigit() else 1,
    )


def payload(here: Runner) -> tuple[bytes | None, str]:
    """Return the bytes of the event payload, or None and what is wrong."""
    if here.event_path is None:
        return None, "GITHUB_EVENT_PATH is not set"
    try:
        return files.read(here.event_path, limit=MAX_PAYLOAD_BYTES), ""
    except files.FileProblemError as error:
        return None, f"the event payload: {error}"
