"""The results of jobs, as ``toJSON(needs)`` or as options, become Answers.

Nothing is repaired here: what is no result and no output is carried as it stands, and the judge refuses it.

Source: https://docs.github.com/actions/reference/workflows-and-actions/contexts#needs-context
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ci_classify.core.required import Answers, DetectorPlan
from ci_classify.formats.rules_file import OWN_OUTPUTS

_PLAN_SCHEMA = 1
_SHOWN = 80  # characters of a text that can't be read


class UnreadableResultsError(Exception):
    """The text of results is none; the message says what it is instead."""


def read_needs(text: str | bytes, detector: str) -> Answers:
    """Return what ``toJSON(needs)`` holds, the outputs of the detector among it, or raise UnreadableResultsError."""
    needs = _object(text)
    results = {name: _result(entry) for name, entry in needs.items()}
    entry = needs.get(detector)
    outputs = entry.get("outputs") if isinstance(entry, dict) else None
    return _answers(results, outputs if isinstance(outputs, dict) else {})


def from_options(results: Iterable[tuple[str, str]], outputs: Iterable[tuple[str, str]]) -> Answers:
    """Return what options say. A name that is given twice has both values, and so no valid one."""
    return _answers(_joined(results), _joined(outputs))


def with_outputs(answers: Answers, outputs: Iterable[tuple[str, str]]) -> Answers:
    """Return answers with the outputs that options say instead of the detector's."""
    return _answers(answers.results, _joined(outputs))


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in pairs:
        found[name] = f"{found[name]} and {value}" if name in found else value
    return found


def _object(text: str | bytes) -> dict[str, Any]:
    decoded = text.decode("utf-8-sig", "backslashreplace") if isinstance(text, bytes) else text
    shown = f"{decoded.strip()[:_SHOWN]!r}" if decoded.strip() else "empty"
    try:
        needs = json.loads(decoded, object_pairs_hook=_unique)
    except RecursionError:
        raise UnreadableResultsError("the text of the results is nested too deeply") from None
    except ValueError as error:
        why = f": {error}" if isinstance(error, _TwiceError) else ""
        raise UnreadableResultsError(f"the text of the results is {shown}, no JSON{why}") from None
    if not isinstance(needs, dict):
        raise UnreadableResultsError(f"the text of the results is {shown}, no object of jobs")
    return needs


class _TwiceError(ValueError):
    """A key stands twice in an object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(f"{next(name for name in names if names.count(name) > 1)[:_SHOWN]!r} stands twice in it")
    return found


def _result(entry: Any) -> str:
    """Return the result of a job as given; "" where there is none."""
    if not isinstance(entry, dict):
        return _text(entry)
    return _text(entry.get("result", ""))


def _text(value: Any) -> str:
    """Return a JSON value as text: a string as it is, a boolean as its word, anything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)[:_SHOWN]


def _answers(results: Mapping[str, str], outputs: Mapping[str, Any]) -> Answers:
    return Answers(
        results=results,
        outputs={name: _text(value) for name, value in outputs.items() if name not in OWN_OUTPUTS},
        plan=_plan(outputs["plan"]) if outputs.get("plan") else None,
    )


def _plan(text: Any) -> DetectorPlan | str:
    """Return what the output ``plan`` says, or what is wrong with it."""
    try:
        facts = json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        return "the detector's output plan is no plan"
    if facts.get("schema") != _PLAN_SCHEMA:
        return "the detector's output plan is of another version of ci-classify"
    event, head, fallback = facts.get("event"), facts.get("head"), facts.get("fallback")
    outputs, reasons = facts.get("outputs"), facts.get("reasons")
    if not isinstance(event, str) or not _is_mapping_of(outputs, bool) or not _is_mapping_of(reasons, str):
        return "the detector's output plan is no plan"
    return DetectorPlan(
        event=event,
        head=head if isinstance(head, str) else None,
        fallback=fallback if isinstance(fallback, str) else None,
        outputs=outputs or {},
        reasons=reasons or {},
    )


def _is_mapping_of(value: Any, kind: type) -> bool:
    return isinstance(value, dict) and all(isinstance(item, kind) for item in value.values())
