"""``events`` in a rules file: the mode of suites for an event, perhaps for some branches only."""

from ci_classify.core.model import EventMode, Mode
from ci_classify.core.text import quoted, visible
from ci_classify.formats.nodes import Node
from ci_classify.formats.path_sets import is_word
from ci_classify.formats.reader import Reader

_GLOB_STARS = 8  # bounds the time of a match
_NOT_IN_BRANCHES = frozenset(" ~^:[\\\x7f")  # git-check-ref-format(1)
# https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
_EVENTS = (
    "branch_protection_rule",
    "check_run",
    "check_suite",
    "create",
    "delete",
    "deployment",
    "deployment_status",
    "discussion",
    "discussion_comment",
    "fork",
    "gollum",
    "image_version",
    "issue_comment",
    "issues",
    "label",
    "merge_group",
    "milestone",
    "page_build",
    "project",
    "public",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_target",
    "push",
    "registry_package",
    "release",
    "repository_dispatch",
    "schedule",
    "status",
    "watch",
    "workflow_call",
    "workflow_dispatch",
    "workflow_run",
)


def read_event_modes(reader: Reader, node: Node | None, what: str) -> tuple[EventMode, ...]:
    """Return the entries of a section in the order of the file; mistakes go to the reader."""
    modes = []
    for key, key_node, value in reader.entries(node, what, "push: any-change") if node else []:
        event, _, branch = key.partition(" ")
        mode = reader.choice(value, f"the mode for {visible(key)}", [mode.value for mode in Mode])
        mistake = _mistake(event, branch, spaced=" " in key)
        if mistake is not None:
            reader.wrong(key_node, f"{quoted(key)} is no event: {mistake[0]}", mistake[1])
            continue
        if event not in {"*", *_EVENTS}:
            joined = "_".join(filter(None, key.replace("-", "_").split(" ")))
            help_ = f"write {joined}" if joined in _EVENTS else reader.advice(event, _EVENTS)
            reader.wrong(key_node, f"GitHub has no event {visible(event)}", help_, warning=True)
        if mode is not None:
            modes.append(EventMode(event=event, branch=branch or None, mode=Mode(mode), line=key_node.place.line))
    return tuple(modes)


def _mistake(event: str, branch: str, *, spaced: bool) -> tuple[str, str] | None:
    """Return what is wrong with a key of ``events`` and what to write, or None."""
    if event != "*" and not is_word(event):
        return "its name is no word", "write the name of an event, or '*'"
    if spaced and not branch:
        return "no branch follows the space", "delete the space"
    if any(character in _NOT_IN_BRANCHES or character < " " for character in branch):
        return "no branch can have that name", "write one branch; * stays within a slash, ** does not"
    if branch.count("*") > _GLOB_STARS:
        return f"it has more than {_GLOB_STARS} stars", "write an entry for each branch"
    return None
