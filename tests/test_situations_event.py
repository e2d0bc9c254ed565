"""Events that have broken tools of this kind, from the payload to the outputs. The ids are those of the collection."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import payloads
from support.repository import BuiltRepository, in_order
from support.runner import Runner, read_output_file
from support.situations import assert_everything_runs, classify, evidence

from ci_classify.core.errors import FallbackCause

RULES = """\
version: 1
unclaimed: nothing
suites:
  run-src: {inputs: [/src/]}
  run-lib: {inputs: [/lib/], events: {merge_group: inputs}}
producers:
  run-build: {consumers: [run-src, run-lib]}
"""
# The same, with suites that look at the change whatever the event is.
LOOKING = RULES.replace("unclaimed: nothing\n", 'unclaimed: nothing\nevents: {"*": inputs}\n')
SRC_ALONE = {"run-src": True, "run-lib": False, "run-build": True}
LIB_ALONE = {"run-src": False, "run-lib": True, "run-build": True}
NULL = "0" * 40


@pytest.fixture
def commits(built: BuiltRepository) -> tuple[str, str]:
    """Return two commits of which the second, at HEAD, changes src alone."""
    base, head = in_order(built, {"src/a": "1", "lib/x": "1"}, {"src/a": "2"})
    built.head(head)
    return base, head


# -- push --------------------------------------------------------------------------------------------


def test_b069_a_new_branch_runs_everything_without_fetching(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    built.git("remote", "add", "origin", "file:///nowhere")
    payload = payloads.push(NULL, commits[1], created=True, ref="refs/heads/topic")
    ran = classify(runner, built, RULES, "push", payload, "--fetch")
    assert_everything_runs(ran, FallbackCause.NEW_BRANCH, "refs/heads/topic")


def test_b070_a_deleted_branch_runs_everything(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    payload = payloads.push(commits[0], NULL, deleted=True, ref="refs/heads/topic")
    assert payload["head_commit"] is None
    ran = classify(runner, built, RULES, "push", payload, "--fetch")
    assert_everything_runs(ran, FallbackCause.DELETED_BRANCH, "refs/heads/topic")


@pytest.mark.parametrize("options", [(), ("--fetch",)])
def test_b071_a_push_from_an_unknown_commit_runs_everything(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str], options: tuple[str, ...]
) -> None:
    ran = classify(runner, built, RULES, "push", payloads.push("1" * 40, commits[1]), *options)
    assert_everything_runs(ran, FallbackCause.COMMIT_MISSING, "1" * 40)
    assert ("could not be fetched" in ran.stderr) is bool(options)


@pytest.mark.parametrize("forced", [True, False, None])
def test_b071_a_forced_push_runs_everything_whatever_the_payload_says(
    runner: Runner, built: BuiltRepository, forced: bool | None
) -> None:
    start = built.commit({"lib/x": "1", "src/y": "1"})
    before, after = built.commit({"lib/x": "2"}, start), built.commit({"src/y": "2"}, start)
    built.head(after)
    ran = classify(runner, built, RULES, "push", payloads.push(before, after, forced=forced))
    assert_everything_runs(ran, FallbackCause.FORCED_PUSH)


@pytest.mark.parametrize("annotated", [False, True], ids=["lightweight", "annotated"])
@pytest.mark.parametrize("moved", [False, True], ids=["new", "moved"])
def test_b074_a_tag_runs_everything(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str], annotated: bool, moved: bool
) -> None:
    after = built.annotate("v1.2", commits[1]) if annotated else commits[1]
    before = commits[0] if moved else NULL
    ran = classify(runner, built, RULES, "push", payloads.push(before, after, ref="refs/tags/v1.2"))
    assert_everything_runs(ran, FallbackCause.TAG, "refs/tags/v1.2")


def test_b074_the_id_of_a_tag_object_stands_for_its_commit(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    tag = built.annotate("v1.2", commits[1])
    ran = classify(
        runner, built, RULES, "push", payloads.push(commits[0], commits[1]), "--base", commits[0], "--head", tag
    )
    assert ran.outputs == SRC_ALONE
    assert ran.plan["head"] == commits[1]


def test_an_ordinary_push_is_compared(runner: Runner, built: BuiltRepository, commits: tuple[str, str]) -> None:
    ran = classify(runner, built, RULES, "push", payloads.push(*commits))
    assert ran.outputs == SRC_ALONE
    assert (ran.plan["base"], ran.plan["head"]) == commits
    assert "::warning" not in ran.stderr


# -- merge queue -------------------------------------------------------------------------------------


def test_b073_a_merge_group_is_compared_with_its_own_base(
    runner: Runner, built: BuiltRepository, tmp_path: Path
) -> None:
    release, head = in_order(built, {"src/a": "1", "lib/x": "1"}, {"lib/x": "2"})
    main = release
    for number in range(50):
        main = built.commit({f"src/{number}": "1"}, main)
    built.name("refs/heads/main", main)
    built.name("refs/heads/release-2.8", release)
    checkout = built.job_checkout(tmp_path / "clone", head)
    payload = payloads.merge_group(release, head, branch="release-2.8")
    first = classify(runner, checkout, LOOKING, "merge_group", payload)
    assert first.outputs == LIB_ALONE
    assert (first.plan["base"], first.plan["head"]) == (release, head)
    checkout.name("refs/remotes/origin/release-2.8", main)
    assert classify(runner, checkout, LOOKING, "merge_group", payload) == first


def test_b073_a_merge_group_without_its_base_runs_everything(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    ran = classify(runner, built, LOOKING, "merge_group", payloads.merge_group("1" * 40, commits[1]))
    assert_everything_runs(ran, FallbackCause.COMMIT_MISSING, "1" * 40)


def test_a_merge_group_runs_everything_unless_the_rules_ask_for_more(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    ran = classify(runner, built, RULES, "merge_group", payloads.merge_group(*commits))
    assert ran.plan["reasons"] == {"run-src": "always", "run-lib": "no-input-changed", "run-build": "consumer-runs"}
    ran = classify(runner, built, RULES.replace("merge_group: inputs", "push: inputs"), "merge_group", None)
    assert set(ran.outputs.values()) == {True}


# -- pull requests -----------------------------------------------------------------------------------


@pytest.mark.parametrize("checked_out", ["merge", "head"])
@pytest.mark.parametrize("from_fork", [False, True], ids=["own", "fork"])
def test_b077_what_the_base_got_is_not_charged_to_a_pull_request_and_the_ids_are_shown(
    runner: Runner, built: BuiltRepository, tmp_path: Path, checked_out: str, from_fork: bool
) -> None:
    older, newer = in_order(built, {"src/a": "1", "lib/x": "1"}, {"lib/x": "2"})
    head = built.commit({"src/a": "2"}, older)
    merge = built.commit({"src/a": "2"}, newer, head)
    built.name("refs/heads/main", newer)
    checkout = built.job_checkout(tmp_path / "clone", {"merge": merge, "head": head}[checked_out])
    ran = classify(runner, checkout, RULES, "pull_request", payloads.pull_request(older, head, from_fork=from_fork))
    assert ran.outputs == SRC_ALONE
    used = {"merge": (newer, merge), "head": (older, head)}[checked_out]
    assert (ran.plan["base"], ran.plan["head"]) == used
    for id_ in used:
        assert id_ in ran.stdout
        assert id_ in ran.summary


def test_a_shallow_checkout_of_the_test_merge_needs_its_first_parent_which_may_be_fetched(
    runner: Runner, built: BuiltRepository, tmp_path: Path
) -> None:
    base = built.commit({"src/a": "1", "lib/x": "1"})
    head = built.commit({"src/a": "2"}, base)
    merge = built.commit({"src/a": "2"}, base, head)
    checkout = built.job_checkout(tmp_path / "clone", merge, depth=1)
    payload = payloads.pull_request(base, head)
    assert_everything_runs(
        classify(runner, checkout, RULES, "pull_request", payload), FallbackCause.COMMIT_MISSING, "shallow", "--fetch"
    )
    assert classify(runner, checkout, RULES, "pull_request", payload, "--fetch").outputs == SRC_ALONE


def test_the_labels_of_the_payload_and_of_the_options_count(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    labelled = f"{RULES}labels:\n  lib: {{selects: [run-lib]}}\n  no-src: {{skips: [run-src]}}\n"
    payload = payloads.pull_request(*commits, labels=["lib"])
    ran = classify(runner, built, labelled, "pull_request", payload, "--label", "no-src")
    assert ran.outputs == LIB_ALONE


# -- events without two commits ----------------------------------------------------------------------


@pytest.mark.parametrize("event", payloads.others("", ""))
def test_b075_b081_an_event_without_two_commits_runs_everything_and_is_named(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str], event: str
) -> None:
    ran = classify(runner, built, RULES, event, payloads.others(*commits)[event])
    assert ran.code == 0
    assert set(ran.outputs.values()) == {True}
    assert (ran.plan["base"], ran.plan["head"]) == (None, None)
    assert event in ran.summary
    assert event in ran.stdout


@pytest.mark.parametrize("event", payloads.others("", ""))
def test_b075_b081_a_suite_that_looks_at_changes_runs_where_there_is_nothing_to_compare(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str], event: str
) -> None:
    ran = classify(runner, built, LOOKING, event, payloads.others(*commits)[event])
    assert ran.code == 0
    assert set(ran.outputs.values()) == {True}
    assert ran.cause == FallbackCause.NOTHING_TO_COMPARE
    assert event in ran.summary
    assert event in ran.stderr


@pytest.mark.parametrize("payload", [{}, {"inputs": None}, {"inputs": {}}, {"inputs": {"before": "1" * 40}}])
def test_b075_a_dispatched_run_with_and_without_inputs_runs_everything(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str], payload: Mapping[str, object]
) -> None:
    assert commits
    ran = classify(runner, built, LOOKING, "workflow_dispatch", payload)
    assert set(ran.outputs.values()) == {True}


def test_given_commits_make_any_event_comparable(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    base, head = commits
    ran = classify(runner, built, LOOKING, "workflow_dispatch", {}, "--base", base, "--head", head, "--format", "json")
    assert ran.outputs == SRC_ALONE
    assert evidence(ran, "run-src") == [("src/a", "modified")]


def test_an_event_may_never_run_a_suite_even_when_nothing_can_be_classified(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    guarded = RULES.replace("merge_group: inputs", "schedule: never, push: never")
    for event, payload in (("schedule", {}), ("push", payloads.push(NULL, commits[1]))):
        ran = classify(runner, built, guarded, event, payload)
        assert ran.outputs == SRC_ALONE


# -- the files and variables of the runner -----------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "variables", "cause", "said"),
    [
        pytest.param({}, {"GITHUB_EVENT_PATH": ""}, FallbackCause.PAYLOAD_MISSING, "GITHUB_EVENT_PATH", id="unset"),
        pytest.param(None, {}, FallbackCause.PAYLOAD_MISSING, "event.json", id="file absent"),
        pytest.param({}, {"GITHUB_EVENT_PATH": "/"}, FallbackCause.PAYLOAD_MISSING, "/", id="a directory"),
        pytest.param(b"", {}, FallbackCause.PAYLOAD_INVALID, "JSON", id="empty"),
        pytest.param(b"{", {}, FallbackCause.PAYLOAD_INVALID, "JSON", id="cut off"),
        pytest.param(b"[]", {}, FallbackCause.PAYLOAD_INVALID, "JSON", id="a list"),
        pytest.param(
            payloads.push(None, 12), {}, FallbackCause.PAYLOAD_INVALID, "before", id="before null and after a number"
        ),
        pytest.param(payloads.push("1" * 40, 12), {}, FallbackCause.PAYLOAD_INVALID, "after", id="after a number"),
        pytest.param(
            payloads.push("--upload-pack=x", "1" * 40), {}, FallbackCause.PAYLOAD_INVALID, "before", id="an option"
        ),
    ],
)
def test_b079_a_payload_that_cannot_be_used_runs_everything_and_says_what_is_wrong(
    runner: Runner,
    built: BuiltRepository,
    commits: tuple[str, str],
    payload: Mapping[str, object] | bytes | None,
    variables: Mapping[str, str],
    cause: FallbackCause,
    said: str,
) -> None:
    assert commits
    built.write({"rules.yaml": RULES})
    ran = runner.run(built.directory, "push", payload, variables=variables)
    assert_everything_runs(ran, cause, said)


def test_b079_a_job_that_names_no_event_runs_everything(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    ran = classify(runner, built, LOOKING, "", payloads.push(*commits))
    assert ran.code == 0
    assert set(ran.outputs.values()) == {True}


def test_the_runner_reads_back_what_was_written_before_and_what_is_added(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    built.write({"rules.yaml": RULES})
    output = runner.directory.parent / "earlier"
    output.write_text("first=1\nlong<<END\na=b\nEND\n", encoding="utf-8")
    variables = {"GITHUB_OUTPUT": str(output)}
    runner.run(built.directory, "push", payloads.push(*commits), variables=variables)
    pairs = read_output_file(output.read_text(encoding="utf-8"))
    assert [name for name, _ in pairs] == ["first", "long", "run-src", "run-lib", "run-build", "plan"]
    assert pairs[1] == ("long", "a=b")
    assert json.loads(pairs[-1][1])["outputs"] == SRC_ALONE


# -- clones that can't answer ------------------------------------------------------------------------


def test_without_a_checkout_everything_runs(runner: Runner, tmp_path: Path) -> None:
    directory = tmp_path / "empty"
    directory.mkdir()
    (directory / "rules.yaml").write_text(RULES, encoding="utf-8")
    ran = runner.run(directory, "push", payloads.push("1" * 40, "2" * 40))
    assert_everything_runs(ran, FallbackCause.NOT_A_REPOSITORY, "is not in a git repository")


def test_without_git_everything_runs(runner: Runner, built: BuiltRepository, commits: tuple[str, str]) -> None:
    built.write({"rules.yaml": RULES})
    ran = runner.run(built.directory, "push", payloads.push(*commits), variables={"PATH": "/nowhere"})
    assert_everything_runs(ran, FallbackCause.GIT_MISSING, "there is no git on the PATH")


def test_in_a_damaged_repository_everything_runs(
    runner: Runner, built: BuiltRepository, commits: tuple[str, str]
) -> None:
    tree = built.git("rev-parse", f"{commits[1]}:src")
    os.unlink(built.directory / ".git/objects" / tree[:2] / tree[2:])
    ran = classify(runner, built, RULES, "push", payloads.push(*commits))
    assert_everything_runs(ran, FallbackCause.OBJECTS_MISSING, tree)


def test_unrelated_histories_run_everything(runner: Runner, built: BuiltRepository, commits: tuple[str, str]) -> None:
    stranger = built.commit({"src/a": "1"})
    built.head(stranger)
    ran = classify(runner, built, RULES, "pull_request", payloads.pull_request(commits[1], stranger))
    assert_everything_runs(ran, FallbackCause.NO_MERGE_BASE)


def test_a_shallow_history_that_does_not_show_the_merge_base_runs_everything(
    runner: Runner, built: BuiltRepository, tmp_path: Path
) -> None:
    base, middle, head = in_order(built, {"src/a": "1"}, {"src/a": "2"}, {"src/a": "3"})
    main = built.commit({"lib/x": "1"}, base)
    assert middle
    checkout = built.job_checkout(tmp_path / "clone", head, depth=1)
    ran = classify(runner, checkout, RULES, "pull_request", payloads.pull_request(main, head), "--fetch")
    assert_everything_runs(ran, FallbackCause.HISTORY_INCOMPLETE, "shallow", "fetch-depth: 0")
