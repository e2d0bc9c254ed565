"""Webhook payloads as GitHub sends them, cut down to the fields that could matter."""

from collections.abc import Mapping, Sequence

Payload = dict[str, object]

REPOSITORY: Mapping[str, object] = {"full_name": "owner/project", "default_branch": "main", "fork": False}
FORK: Mapping[str, object] = {"full_name": "stranger/project", "default_branch": "main", "fork": True}


def pull_request(
    base: object, head: object, *, branch: str = "main", labels: Sequence[str] = (), from_fork: bool = False
) -> Payload:
    return {
        "action": "synchronize",
        "number": 7,
        "before": "a" * 40,
        "after": head,
        "pull_request": {
            "number": 7,
            "state": "open",
            "base": {"ref": branch, "sha": base, "repo": REPOSITORY},
            "head": {"ref": "topic", "sha": head, "repo": FORK if from_fork else REPOSITORY},
            "labels": [{"id": number, "name": name} for number, name in enumerate(labels)],
            "merge_commit_sha": "b" * 40,
        },
        "repository": REPOSITORY,
    }


def push(before: object, after: object, *, ref: object = "refs/heads/main", **fields: object) -> Payload:
    """Return the payload of a push; ``created``, ``deleted`` and ``forced`` are false unless they are given."""
    known: Payload = {"created": False, "deleted": False, "forced": False}
    return {
        "ref": ref,
        "before": before,
        "after": after,
        **known,
        **fields,
        "base_ref": None,
        "head_commit": None,
        "commits": [],
        "repository": REPOSITORY,
    }


def merge_group(base: object, head: object, *, branch: str = "main") -> Payload:
    return {
        "action": "checks_requested",
        "merge_group": {
            "base_ref": f"refs/heads/{branch}",
            "base_sha": base,
            "head_ref": f"refs/heads/gh-readonly-queue/{branch}/pr-7-{base}",
            "head_sha": head,
            "head_commit": None,
        },
        "repository": REPOSITORY,
    }


def others(base: str, head: str) -> dict[str, Payload]:
    """Return the payloads of events that compare no commits, by name, with every id that they may hold."""
    run: Payload = {"event": "pull_request", "head_branch": "topic", "head_sha": head, "pull_requests": []}
    return {
        "schedule": {"schedule": "0 3 * * *", "repository": REPOSITORY},
        "workflow_dispatch": {"inputs": {"suite": "all"}, "ref": "refs/heads/main", "repository": REPOSITORY},
        "repository_dispatch": {"action": "bench", "branch": "main", "client_payload": {"before": base, "after": head}},
        "pull_request_target": pull_request(base, head),
        "workflow_run": {"action": "completed", "workflow_run": run, "repository": REPOSITORY},
        "release": {"action": "published", "release": {"tag_name": "v1", "target_commitish": head}},
        "merge_train": {},
        "Pull_Request": pull_request(base, head),
    }
