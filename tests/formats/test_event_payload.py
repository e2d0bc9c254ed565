"""What a payload asks for, and that nothing in it is believed unseen."""

import json
from collections.abc import Callable

import pytest
from support import payloads
from support.payloads import Payload

from ci_classify.core.errors import FallbackCause
from ci_classify.core.model import Event
from ci_classify.formats.event_payload import (
    FromMergeBase,
    NoComparison,
    PullRequest,
    Pushed,
    Request,
    read_event,
)

BASE, HEAD, NULL = "1" * 40, "2" * 40, "0" * 40
BASE_256, HEAD_256, NULL_256 = "1" * 64, "2" * 64, "0" * 64


def read(name: str, payload: object) -> tuple[Event, Request]:
    return read_event(name, json.dumps(payload).encode())


@pytest.mark.parametrize(
    ("name", "payload", "event", "request_"),
    [
        pytest.param(
            "pull_request",
            payloads.pull_request(BASE, HEAD, branch="release/2", labels=["ci: full", "::x"]),
            Event(name="pull_request", branch="release/2", labels=("ci: full", "::x")),
            PullRequest(base=BASE, head=HEAD),
            id="pull request",
        ),
        pytest.param(
            "pull_request",
            payloads.pull_request(BASE_256, HEAD_256, from_fork=True),
            Event(name="pull_request", branch="main"),
            PullRequest(base=BASE_256, head=HEAD_256),
            id="pull request from a fork, SHA-256",
        ),
        pytest.param(
            "push",
            payloads.push(BASE, HEAD, ref="refs/heads/release/2"),
            Event(name="push", branch="release/2"),
            Pushed(before=BASE, after=HEAD, says_not_forced=True),
            id="push",
        ),
        pytest.param(
            "push",
            {"ref": "refs/heads/main", "before": BASE_256, "after": HEAD_256},
            Event(name="push", branch="main"),
            Pushed(before=BASE_256, after=HEAD_256, says_not_forced=False),
            id="push that does not say whether it was forced",
        ),
        pytest.param(
            "merge_group",
            payloads.merge_group(BASE, HEAD, branch="release-2.8"),
            Event(name="merge_group", branch="release-2.8"),
            FromMergeBase(base=BASE, head=HEAD),
            id="merge group",
        ),
    ],
)
def test_a_payload_names_the_event_and_two_commits(name: str, payload: object, event: Event, request_: Request) -> None:
    assert read(name, payload) == (event, request_)


@pytest.mark.parametrize(
    ("payload", "cause", "branch"),
    [
        pytest.param(payloads.push(NULL, HEAD, created=True), FallbackCause.NEW_BRANCH, "main", id="new branch"),
        pytest.param(payloads.push(NULL_256, HEAD_256), FallbackCause.NEW_BRANCH, "main", id="new branch, SHA-256"),
        pytest.param(
            payloads.push(BASE, NULL, deleted=True), FallbackCause.DELETED_BRANCH, "main", id="deleted branch"
        ),
        pytest.param(payloads.push(BASE_256, NULL_256), FallbackCause.DELETED_BRANCH, "main", id="deleted, SHA-256"),
        pytest.param(payloads.push(BASE, HEAD, forced=True), FallbackCause.FORCED_PUSH, "main", id="forced"),
        pytest.param(payloads.push(NULL, HEAD, ref="refs/tags/v1"), FallbackCause.TAG, None, id="tag"),
        pytest.param(payloads.push(BASE, NULL, ref="refs/tags/v1"), FallbackCause.TAG, None, id="deleted tag"),
    ],
)
def test_a_push_that_adds_nothing_to_a_branch_has_its_own_cause(
    payload: Payload, cause: FallbackCause, branch: str | None
) -> None:
    event, request = read("push", payload)
    assert isinstance(request, NoComparison)
    assert request.cause is cause
    assert event == Event(name="push", branch=branch)


@pytest.mark.parametrize("name", payloads.others(BASE, HEAD))
def test_any_other_event_compares_nothing_whatever_ids_it_holds(name: str) -> None:
    _, request = read(name, payloads.others(BASE, HEAD)[name])
    assert isinstance(request, NoComparison)
    assert request.cause is FallbackCause.NOTHING_TO_COMPARE
    assert name in request.detail


def test_labels_and_branch_of_a_pull_request_count_for_every_event_that_carries_it() -> None:
    event, _ = read("pull_request_target", payloads.pull_request(BASE, HEAD, branch="next", labels=["ci: full"]))
    assert event == Event(name="pull_request_target", branch="next", labels=("ci: full",))


NO_IDS = {
    "null": None,
    "a number": 12,
    "true": True,
    "a list": [BASE],
    "an object": {"sha": BASE},
    "empty": "",
    "39 digits": "1" * 39,
    "41 digits": "1" * 41,
    "63 digits": "1" * 63,
    "capital letters": "A" * 40,
    "another alphabet": "g" * 40,
    "full-width digits": "\uff11" * 40,
    "a line feed behind": "1" * 40 + "\n",
    "a blank in front": " " + "1" * 39,
    "an option": "--upload-pack=touch pwned; " + "1" * 13,
    "a branch": "refs/heads/main",
    "a range": f"{BASE}..{HEAD}",
}
MAKERS: dict[str, tuple[str, Callable[[object], Payload]]] = {
    "base of a pull request": ("pull_request", lambda id_: payloads.pull_request(id_, HEAD)),
    "head of a pull request": ("pull_request", lambda id_: payloads.pull_request(BASE, id_)),
    "before of a push": ("push", lambda id_: payloads.push(id_, HEAD)),
    "after of a push": ("push", lambda id_: payloads.push(BASE, id_)),
    "before of a tag": ("push", lambda id_: payloads.push(id_, HEAD, ref="refs/tags/v1")),
    "base of a merge group": ("merge_group", lambda id_: payloads.merge_group(id_, HEAD)),
    "head of a merge group": ("merge_group", lambda id_: payloads.merge_group(BASE, id_)),
}


@pytest.mark.parametrize("id_", NO_IDS.values(), ids=NO_IDS)
@pytest.mark.parametrize(("name", "make"), MAKERS.values(), ids=MAKERS)
def test_what_is_no_id_is_never_used(name: str, make: Callable[[object], Payload], id_: object) -> None:
    _, request = read(name, make(id_))
    assert isinstance(request, NoComparison)
    assert request.cause is FallbackCause.PAYLOAD_INVALID
    field = {"pull_request": ".sha", "push": "", "merge_group": "merge_group."}[name]
    assert field in request.detail


@pytest.mark.parametrize(
    ("name", "payload", "said"),
    [
        ("pull_request", {}, "has no pull_request.base.sha"),
        ("pull_request", {"pull_request": []}, "has no pull_request.base.sha"),
        ("pull_request", {"pull_request": {"base": BASE, "head": HEAD}}, "has no pull_request.base.sha"),
        ("pull_request", {"pull_request": {"base": {"sha": BASE}, "head": None}}, "has no pull_request.head.sha"),
        ("push", {}, "has no before"),
        ("push", {"before": None, "after": 12}, "has no before"),
        ("push", {"before": BASE, "after": 12}, "has no commit id in after"),
        ("merge_group", {"merge_group": {"head_sha": HEAD}}, "has no merge_group.base_sha"),
    ],
)
def test_a_payload_without_its_ids_says_which_one_is_missing(name: str, payload: object, said: str) -> None:
    _, request = read(name, payload)
    assert request == NoComparison(cause=FallbackCause.PAYLOAD_INVALID, detail=f"the {name} payload {said}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"null", id="null"),
        pytest.param(b'"push"', id="text"),
        pytest.param(b"\xff\xfe{", id="no UTF-8"),
        pytest.param(b"{}\0", id="a NUL behind"),
        pytest.param(b"[" * 200_000, id="deep"),
        pytest.param(b'{"before": ' + b"1" * 10_000 + b"}", id="a huge number"),
        pytest.param(b'{"a": 1} {"b": 2}', id="two payloads"),
    ],
)
@pytest.mark.parametrize("name", ["pull_request", "push", "merge_group"])
def test_a_payload_that_is_no_object_is_invalid(name: str, text: bytes) -> None:
    event, request = read_event(name, text)
    assert event == Event(name=name)
    assert isinstance(request, NoComparison)
    assert request.cause is FallbackCause.PAYLOAD_INVALID


def test_a_payload_that_could_not_be_read_says_why() -> None:
    missing = NoComparison(cause=FallbackCause.PAYLOAD_MISSING, detail="GITHUB_EVENT_PATH is not set")
    assert read_event("push", None, "GITHUB_EVENT_PATH is not set") == (Event(name="push"), missing)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([{"name": "a"}, {"name": "b"}, {"name": "a"}], ("a", "b", "a")),
        ([{"name": None}, {"name": 1}, {}, "a", None, {"name": "b"}], ("b",)),
        ({"name": "a"}, ()),
        ("a", ()),
        (None, ()),
    ],
)
def test_labels_are_the_names_among_them(labels: object, expected: tuple[str, ...]) -> None:
    event, _ = read("pull_request", {"pull_request": {"labels": labels}})
    assert event.labels == expected


@pytest.mark.parametrize(
    ("name", "payload", "branch"),
    [
        ("push", {"ref": "refs/heads/a/b"}, "a/b"),
        ("push", {"ref": "refs/heads/refs/heads/a"}, "refs/heads/a"),
        ("push", {"ref": "refs/tags/a"}, None),
        ("push", {"ref": "a"}, None),
        ("push", {"ref": 1}, None),
        ("push", {"ref": "refs/heads/::error::\n"}, "::error::\n"),
        ("merge_group", {"merge_group": {"base_ref": "refs/heads/a"}}, "a"),
        ("merge_group", {"merge_group": {"base_ref": "a"}}, None),
        ("pull_request", {"pull_request": {"base": {"ref": "a"}}, "ref": "refs/heads/b"}, "a"),
        ("pull_request", {"pull_request": {"base": {"ref": 1}}}, None),
        ("schedule", {"ref": "refs/heads/a"}, None),
    ],
)
def test_the_branch_is_the_base_of_a_pull_request_and_the_one_that_was_pushed(
    name: str, payload: object, branch: str | None
) -> None:
    event, _ = read(name, payload)
    assert event.branch == branch
