"""A webhook payload becomes the event and the comparison that it asks for.

Every field is checked before it is used; an id is hexadecimal or it is not used at all.

Source: https://docs.github.com/webhooks/webhook-events-and-payloads
"""

import json
from collections.abc import Mapping

from ci_classify.core.commit_ids import is_commit_id, is_null_id
from ci_classify.core.errors import FallbackCause
from ci_classify.core.model import Event
from ci_classify.core.record import Record

_BRANCH = "refs/heads/"
_TAG = "refs/tags/"


class PullRequest(Record):
    """What the pull request adds: from its base as merged for the test, else from the merge base, to its head."""

    base: str
    head: str


class Pushed(Record):
    """What a push to a branch adds. ``says_not_forced``: GitHub states that history was only added."""

    before: str
    after: str
    says_not_forced: bool


class FromMergeBase(Record):
    """From the merge base of two commits to the second."""

    base: str
    head: str


class NoComparison(Record):
    """The event gives nothing to compare, for a reason."""

    cause: FallbackCause
    detail: str


Request = PullRequest | Pushed | FromMergeBase | NoComparison


class _BadPayloadError(Exception):
    """A field is missing or no id."""


def read_event(name: str, text: bytes | None, problem: str = "") -> tuple[Event, Request]:
    """Return the event of a payload (None where it couldn't be read, for the reason ``problem``)."""
    if text is None:
        return Event(name=name), NoComparison(cause=FallbackCause.PAYLOAD_MISSING, detail=problem)
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return Event(name=name), _invalid("the event payload is no JSON")
    if not isinstance(payload, dict):
        return Event(name=name), _invalid("the event payload is no JSON object")
    event = _event(name, payload)
    try:
        return event, _request(name, payload)
    except _BadPayloadError as error:
        return event, _invalid(f"the {name} payload {error}")


def from_same_repository(text: bytes | None) -> bool | None:
    """Return whether a pull request comes from the repository itself, or None if its payload does not say."""
    payload = _payload(text)
    pull_request = _object(payload, "pull_request")
    base = _text(_object(_object(pull_request, "base"), "repo"), "full_name")
    here = _text(_object(payload, "repository"), "full_name") or base
    if here is None or "head" not in pull_request:
        return None
    # The repository of a head may be gone, which leaves null.
    return _text(_object(_object(pull_request, "head"), "repo"), "full_name") == here


def tested_commits(text: bytes | None, checked_out: str | None) -> frozenset[str]:
    """Return the ids that a plan for this event may be for: what is checked out, or the head that it merges."""
    payload = _payload(text)
    heads = (
        _text(_object(_object(payload, "pull_request"), "head"), "sha"),
        _text(_object(payload, "merge_group"), "head_sha"),
        _text(payload, "after"),
        checked_out,
    )
    return frozenset(head for head in heads if head)


def _payload(text: bytes | None) -> Mapping[str, object]:
    try:
        payload = json.loads(text or b"{}")
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _invalid(detail: str) -> NoComparison:
    return NoComparison(cause=FallbackCause.PAYLOAD_INVALID, detail=detail)


def _event(name: str, payload: Mapping[str, object]) -> Event:
    pull_request = _object(payload, "pull_request")
    branch = _text(_object(pull_request, "base"), "ref")
    ref = _text(payload, "ref")
    if branch is None and name == "merge_group":
        branch = _branch(_text(_object(payload, "merge_group"), "base_ref"))
    if branch is None and name == "push":
        branch = _branch(ref)
    listed = pull_request.get("labels")
    labels = [label.get("name") for label in listed if isinstance(label, dict)] if isinstance(listed, list) else []
    return Event(name=name, branch=branch, labels=tuple(label for label in labels if isinstance(label, str)))


def _request(name: str, payload: Mapping[str, object]) -> Request:
    match name:
        case "pull_request":
            pull_request = _object(payload, "pull_request")
            return PullRequest(
                base=_id(_object(pull_request, "base"), "sha", "pull_request.base.sha"),
                head=_id(_object(pull_request, "head"), "sha", "pull_request.head.sha"),
            )
        case "push":
            return _push(payload)
        case "merge_group":
            group = _object(payload, "merge_group")
            return FromMergeBase(
                base=_id(group, "base_sha", "merge_group.base_sha"),
                head=_id(group, "head_sha", "merge_group.head_sha"),
            )
        case _:
            return NoComparison(
                cause=FallbackCause.NOTHING_TO_COMPARE, detail=f"a {name} event gives no commits to compare"
            )


def _push(payload: Mapping[str, object]) -> Request:
    ref = _text(payload, "ref") or ""
    before, after = _id(payload, "before", "before"), _id(payload, "after", "after")
    if ref.startswith(_TAG):
        return NoComparison(cause=FallbackCause.TAG, detail=f"{ref} is a tag")
    if payload.get("deleted") is True or is_null_id(after):
        return NoComparison(cause=FallbackCause.DELETED_BRANCH, detail=f"the push deletes {ref or 'its branch'}")
    if payload.get("created") is True or is_null_id(before):
        return NoComparison(cause=FallbackCause.NEW_BRANCH, detail=f"the push creates {ref or 'its branch'}")
    if payload.get("forced") is True:
        return NoComparison(cause=FallbackCause.FORCED_PUSH, detail=f"the push to {ref or 'its branch'} was forced")
    return Pushed(before=before, after=after, says_not_forced=payload.get("forced") is False)


def _object(payload: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = payload.get(key)
    return value if isinstance(value, dict) else {}


def _text(payload: Mapping[str, object], key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) else None


def _id(payload: Mapping[str, object], key: str, shown: str) -> str:
    value = payload.get(key)
    if value is None:
        raise _BadPayloadError(f"has no {shown}")
    if not isinstance(value, str) or not is_commit_id(value):
        raise _BadPayloadError(f"has no commit id in {shown}")
    return value


def _branch(ref: str | None) -> str | None:
    return ref.removeprefix(_BRANCH) if ref and ref.startswith(_BRANCH) else None
