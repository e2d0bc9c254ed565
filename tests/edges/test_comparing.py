"""Which commits each event compares, in every kind of clone that a job can have."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support import payloads
from support.payloads import Payload
from support.repository import BuiltRepository, in_order
from support.silent_remote import listening

from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.edges.comparing import Compared, between, compare, with_branch
from ci_classify.edges.git import Repository
from ci_classify.formats.event_payload import read_event

Expected = Sequence[str] | FallbackCause
TOPIC = ["app/a", "app/b"]


class History:
    """A repository of a host: main, a topic that parted from it two commits ago, and its merge for the test.

    root - fork - lib - tip (main)           merge: tip + topic; old_merge: lib + topic
              \\ a - topic                      group: tip + topic, as a merge queue makes it; longer: group + a commit
    """

    def __init__(self, directory: Path, object_format: str) -> None:
        self.built = built = BuiltRepository(directory, object_format=object_format)
        built.configure({"uploadpack.allowFilter": "true", "uploadpack.allowAnySHA1InWant": "true"})
        root, fork, lib = in_order(built, {"app/a": "1", "lib/x": "1"}, {"README": "1"}, {"lib/x": "2"})
        tip = built.commit({"lib/y": "1"}, lib)
        first = built.commit({"app/a": "2"}, fork)
        topic = built.commit({"app/b": "1"}, first)
        work = {"app/a": "2", "app/b": "1"}
        merge, old_merge, group = (built.commit(work, base, topic) for base in (tip, lib, tip))
        longer = built.commit({"app/c": "1"}, group)
        stranger = built.commit({"other": "1"})
        rewritten = built.commit({"lib/z": "1"}, fork)
        self.ids: Mapping[str, str] = {
            "root": root,
            "fork": fork,
            "lib": lib,
            "tip": tip,
            "first": first,
            "topic": topic,
            "merge": merge,
            "old_merge": old_merge,
            "group": group,
            "longer": longer,
            "stranger": stranger,
            "rewritten": rewritten,
            "null": "0" * len(root),
            "absent": "1" * len(root),
        }
        built.name("refs/heads/main", tip)
        built.name("refs/pull/7/head", topic)
        built.name("refs/pull/7/merge", merge)
        built.annotate("v1", tip)
        self.ids = {**self.ids, "tag": built.git("rev-parse", "refs/tags/v1")}


@pytest.fixture(scope="module", params=["sha1", "sha256"])
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> History:
    """Return the same history for both object formats."""
    return History(tmp_path_factory.mktemp("history") / "origin", request.param)


def checked(
    repository: Path, event: str, payload: Payload, expected: Expected, *, fetch: bool = False
) -> Compared | None:
    """Compare what an event asks for, and check the changed paths or the cause of the failure."""
    _, request = read_event(event, json.dumps(payload).encode())
    if isinstance(expected, FallbackCause):
        with pytest.raises(CannotClassifyError) as caught:
            compare(Repository(repository), request, fetch=fetch)
        assert caught.value.cause is expected
        return None
    compared = compare(Repository(repository), request, fetch=fetch)
    assert compared.changes.paths == expected
    return compared


MISSING = FallbackCause.COMMIT_MISSING
INCOMPLETE = FallbackCause.HISTORY_INCOMPLETE
NO_TREES = FallbackCause.OBJECTS_MISSING


@pytest.mark.parametrize("fetch", [False, True], ids=["", "fetching"])
@pytest.mark.parametrize(
    ("checked_out", "depth", "filter_", "without_fetch", "with_fetch"),
    [
        pytest.param("merge", None, None, TOPIC, TOPIC, id="merge, all history"),
        pytest.param("merge", 2, None, TOPIC, TOPIC, id="merge, depth 2"),
        pytest.param("merge", 1, None, MISSING, TOPIC, id="merge, depth 1"),
        pytest.param("merge", None, "blob:none", TOPIC, TOPIC, id="merge, all history without blobs"),
        pytest.param("merge", 2, "blob:none", TOPIC, TOPIC, id="merge, depth 2 without blobs"),
        pytest.param("merge", 1, "blob:none", MISSING, TOPIC, id="merge, depth 1 without blobs"),
        pytest.param("merge", None, "tree:0", NO_TREES, NO_TREES, id="merge, all history without trees"),
        pytest.param("merge", 2, "tree:0", NO_TREES, NO_TREES, id="merge, depth 2 without trees"),
        pytest.param("topic", None, None, TOPIC, TOPIC, id="head, all history"),
        pytest.param("topic", None, "blob:none", TOPIC, TOPIC, id="head, all history without blobs"),
        pytest.param("topic", None, "tree:0", NO_TREES, NO_TREES, id="head, all history without trees"),
        pytest.param("topic", 2, None, MISSING, INCOMPLETE, id="head, depth 2"),
        pytest.param("topic", 1, None, MISSING, INCOMPLETE, id="head, depth 1"),
        pytest.param("topic", 1, "blob:none", MISSING, INCOMPLETE, id="head, depth 1 without blobs"),
        pytest.param("old_merge", None, None, TOPIC, TOPIC, id="merge with an older base, all history"),
        pytest.param("old_merge", 2, None, TOPIC, TOPIC, id="merge with an older base, depth 2"),
        pytest.param("tip", None, None, MISSING, TOPIC, id="base, all history"),
        pytest.param("tip", 1, None, MISSING, INCOMPLETE, id="base, depth 1"),
    ],
)
def test_a_pull_request_is_what_it_adds_to_its_base(
    history: History,
    tmp_path: Path,
    checked_out: str,
    depth: int | None,
    filter_: str | None,
    without_fetch: Expected,
    with_fetch: Expected,
    fetch: bool,
) -> None:
    ids = history.ids
    checkout = history.built.job_checkout(tmp_path / "clone", ids[checked_out], depth=depth, filter_=filter_)
    expected = with_fetch if fetch else without_fetch
    checked(checkout.directory, "pull_request", payloads.pull_request(ids["tip"], ids["topic"]), expected, fetch=fetch)


@pytest.mark.parametrize("checked_out", ["merge", "topic"])
def test_a_pull_request_from_a_fork_is_compared_like_any_other(
    history: History, tmp_path: Path, checked_out: str
) -> None:
    ids = history.ids
    checkout = history.built.job_checkout(tmp_path / "clone", ids[checked_out])
    payload = payloads.pull_request(ids["tip"], ids["topic"], from_fork=True)
    checked(checkout.directory, "pull_request", payload, TOPIC)


@pytest.mark.parametrize("base", ["root", "fork", "lib", "tip"])
@pytest.mark.parametrize("checked_out", ["merge", "old_merge", "topic"])
def test_nothing_of_the_base_is_charged_to_a_pull_request_however_old_its_payload_is(
    history: History, tmp_path: Path, base: str, checked_out: str
) -> None:
    ids = history.ids
    checkout = history.built.job_checkout(tmp_path / "clone", ids[checked_out])
    expected = ["README", *TOPIC] if checked_out == "topic" and base == "root" else TOPIC
    checked(checkout.directory, "pull_request", payloads.pull_request(ids[base], ids["topic"]), expected)


def test_the_ids_of_a_comparison_are_full_and_those_that_were_compared(history: History, tmp_path: Path) -> None:
    ids = history.ids
    payload = payloads.pull_request(ids["lib"], ids["topic"])
    for checked_out, base, head in (("merge", "tip", "merge"), ("topic", "fork", "topic")):
        checkout = history.built.job_checkout(tmp_path / checked_out, ids[checked_out])
        compared = checked(checkout.directory, "pull_request", payload, TOPIC)
        assert compared is not None
        assert (compared.comparison.base, compared.comparison.head) == (ids[base], ids[head])


def test_a_merge_of_something_else_is_not_taken_for_the_test_merge(history: History, tmp_path: Path) -> None:
    # The branch is checked out, and its last commit merges main into it.
    ids, built = history.ids, history.built
    update = built.commit({"lib/x": "2", "lib/y": "1"}, ids["topic"], ids["tip"])
    checkout = built.job_checkout(tmp_path / "clone", update)
    checked(checkout.directory, "pull_request", payloads.pull_request(ids["tip"], update), TOPIC)
    # Three branches are merged at once.
    octopus = built.commit({"lib/z": "1"}, ids["tip"], ids["topic"], ids["stranger"])
    checkout = built.job_checkout(tmp_path / "octopus", octopus)
    checked(checkout.directory, "pull_request", payloads.pull_request(ids["tip"], ids["topic"]), TOPIC)
    # The merge of an earlier head is checked out, and the payload is about a later one.
    later = built.commit({"app/c": "1"}, ids["topic"])
    checkout = built.job_checkout(tmp_path / "stale", ids["merge"])
    payload = payloads.pull_request(ids["tip"], later)
    checked(checkout.directory, "pull_request", payload, [*TOPIC, "app/c"], fetch=True)


def test_a_pull_request_between_unrelated_histories_has_no_merge_base(history: History, tmp_path: Path) -> None:
    ids = history.ids
    checkout = history.built.job_checkout(tmp_path / "clone", ids["stranger"])
    payload = payloads.pull_request(ids["tip"], ids["stranger"])
    checked(checkout.directory, "pull_request", payload, FallbackCause.NO_MERGE_BASE)


def test_of_several_merge_bases_the_differences_to_all_count_and_a_note_says_so(built: BuiltRepository) -> None:
    root = built.commit({"base": "1"})
    main, topic = built.commit({"m": "1"}, root), built.commit({"t": "1"}, root)
    main_merge, topic_merge = built.commit({"t": "1"}, main, topic), built.commit({"m": "1"}, topic, main)
    head = built.commit({"src/a.py": "1"}, topic_merge)
    payload = payloads.pull_request(main_merge, head)
    compared = checked(built.directory, "pull_request", payload, ["m", "src/a.py", "t"])
    assert compared is not None
    assert "2 merge bases" in compared.comparison.notes[0]


# -- push --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fetch", [False, True], ids=["", "fetching"])
@pytest.mark.parametrize(
    ("before", "after", "depth", "without_fetch", "with_fetch"),
    [
        pytest.param("lib", "tip", None, ["lib/y"], ["lib/y"], id="one commit, all history"),
        pytest.param("lib", "tip", 2, ["lib/y"], ["lib/y"], id="one commit, depth 2"),
        pytest.param("lib", "tip", 1, MISSING, ["lib/y"], id="one commit, depth 1"),
        pytest.param("fork", "tip", None, ["lib/x", "lib/y"], ["lib/x", "lib/y"], id="two commits, all history"),
        pytest.param("fork", "tip", 2, MISSING, ["lib/x", "lib/y"], id="two commits, depth 2"),
        pytest.param("fork", "tip", 1, MISSING, ["lib/x", "lib/y"], id="two commits, depth 1"),
        pytest.param("tip", "merge", 2, TOPIC, TOPIC, id="a merge, depth 2"),
        pytest.param("tip", "tip", 1, [], [], id="the same commit"),
        pytest.param("absent", "tip", None, MISSING, MISSING, id="unknown before, all history"),
        pytest.param("absent", "tip", 1, MISSING, MISSING, id="unknown before, depth 1"),
        pytest.param(
            "rewritten", "tip", None, MISSING, FallbackCause.FORCED_PUSH, id="rewritten, though said to be added to"
        ),
    ],
)
def test_a_push_is_what_it_adds(
    history: History,
    tmp_path: Path,
    before: str,
    after: str,
    depth: int | None,
    without_fetch: Expected,
    with_fetch: Expected,
    fetch: bool,
) -> None:
    ids = history.ids
    checkout = history.built.job_checkout(tmp_path / "clone", ids[after], depth=depth)
    expected = with_fetch if fetch else without_fetch
    checked(checkout.directory, "push", payloads.push(ids[before], ids[after]), expected, fetch=fetch)


@pytest.mark.parametrize(
    ("before", "after", "fields", "expected"),
    [
        pytest.param("null", "tip", {"created": True}, FallbackCause.NEW_BRANCH, id="new branch"),
        pytest.param("null", "tip", {}, FallbackCause.NEW_BRANCH, id="new branch by its null id alone"),
        pytest.param("lib", "tip", {"created": True}, FallbackCause.NEW_BRANCH, id="new branch by its word alone"),
        pytest.param("lib", "null", {"deleted": True}, FallbackCause.DELETED_BRANCH, id="deleted branch"),
        pytest.param("lib", "null", {}, FallbackCause.DELETED_BRANCH, id="deleted branch by its null id alone"),
        pytest.param("lib", "tip", {"deleted": True}, FallbackCause.DELETED_BRANCH, id="deleted by its word alone"),
        pytest.param("null", "null", {}, FallbackCause.DELETED_BRANCH, id="nothing at all"),
        pytest.param("rewritten", "tip", {"forced": True}, FallbackCause.FORCED_PUSH, id="forced"),
        pytest.param("rewritten", "tip", {}, FallbackCause.FORCED_PUSH, id="forced, though said not to be"),
        pytest.param("tip", "lib", {}, FallbackCause.FORCED_PUSH, id="set back"),
        pytest.param("stranger", "tip", {}, FallbackCause.FORCED_PUSH, id="from an unrelated history"),
        pytest.param("null", "tip", {"ref": "refs/tags/v1"}, FallbackCause.TAG, id="lightweight tag"),
        pytest.param("null", "tag", {"ref": "refs/tags/v1"}, FallbackCause.TAG, id="annotated tag"),
        pytest.param("lib", "tip", {"ref": "refs/tags/v1"}, FallbackCause.TAG, id="moved tag"),
        pytest.param("tag", "null", {"ref": "refs/tags/v1", "deleted": True}, FallbackCause.TAG, id="deleted tag"),
        pytest.param("lib", "tip", {"forced": None}, ["lib/y"], id="proven by history alone"),
    ],
)
def test_a_push_that_does_not_add_to_a_branch_is_not_compared(
    history: History, before: str, after: str, fields: Mapping[str, object], expected: Expected
) -> None:
    payload = payloads.push(history.ids[before], history.ids[after], **fields)
    checked(history.built.directory, "push", payload, expected, fetch=True)


@pytest.mark.parametrize("forced", [None, "no", 0, True])
def test_in_a_shallow_clone_only_the_word_of_the_host_shows_that_a_push_was_not_forced(
    history: History, tmp_path: Path, forced: object
) -> None:
    ids = history.ids
    checkout = history.built.job_checkout(tmp_path / "clone", ids["tip"], depth=1)
    payload = payloads.push(ids["fork"], ids["tip"], forced=forced)
    checked(checkout.directory, "push", payload, FallbackCause.FORCED_PUSH, fetch=True)


def test_in_a_shallow_clone_a_parent_proves_that_a_push_was_not_forced(history: History, tmp_path: Path) -> None:
    ids = history.ids
    checkout = history.built.job_checkout(tmp_path / "clone", ids["tip"], depth=1)
    checked(checkout.directory, "push", payloads.push(ids["lib"], ids["tip"], forced=None), ["lib/y"], fetch=True)


# -- merge queue -------------------------------------------------------------------------------------


@pytest.mark.parametrize("fetch", [False, True], ids=["", "fetching"])
@pytest.mark.parametrize(
    ("head", "depth", "without_fetch", "with_fetch"),
    [
        pytest.param("group", None, TOPIC, TOPIC, id="all history"),
        pytest.param("group", 2, TOPIC, TOPIC, id="depth 2"),
        pytest.param("group", 1, MISSING, TOPIC, id="depth 1"),
        pytest.param("longer", None, [*TOPIC, "app/c"], [*TOPIC, "app/c"], id="two entries, all history"),
        pytest.param("longer", 3, [*TOPIC, "app/c"], [*TOPIC, "app/c"], id="two entries, depth 3"),
        pytest.param("longer", 2, MISSING, INCOMPLETE, id="two entries, depth 2"),
    ],
)
def test_a_merge_group_is_what_it_adds_to_its_target(
    history: History,
    tmp_path: Path,
    head: str,
    depth: int | None,
    without_fetch: Expected,
    with_fetch: Expected,
    fetch: bool,
) -> None:
    ids = history.ids
    checkout = history.built.job_checkout(tmp_path / "clone", ids[head], depth=depth)
    payload = payloads.merge_group(ids["tip"], ids[head], branch="release")
    expected = with_fetch if fetch else without_fetch
    checked(checkout.directory, "merge_group", payload, expected, fetch=fetch)


def test_a_merge_group_gives_the_same_answer_wherever_the_branches_of_the_clone_are(
    history: History, tmp_path: Path
) -> None:
    ids = history.ids
    checkout = history.built.job_checkout(tmp_path / "clone", ids["group"])
    payload = payloads.merge_group(ids["tip"], ids["group"], branch="release")
    first = checked(checkout.directory, "merge_group", payload, TOPIC)
    for ref in ("heads/release", "remotes/origin/release", "remotes/origin/main"):
        checkout.name(f"refs/{ref}", ids["root"])
    assert checked(checkout.directory, "merge_group", payload, TOPIC) == first


# -- other events ------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", payloads.others("", ""))
def test_any_other_event_compares_nothing(history: History, event: str) -> None:
    payload = payloads.others(history.ids["lib"], history.ids["tip"])[event]
    checked(history.built.directory, event, payload, FallbackCause.NOTHING_TO_COMPARE)


# -- revisions that are given ------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["lib", "refs/heads/old", "old", "v0", "tip~1"])
def test_given_revisions_are_compared_exactly_as_given(history: History, base: str) -> None:
    built, ids = history.built, history.ids
    built.name("refs/heads/old", ids["lib"])
    built.name("refs/heads/tip", ids["tip"])
    built.name("refs/tags/v0", ids["lib"])
    compared = between(Repository(built.directory), ids.get(base, base), "tip")
    assert compared.changes.paths == ["lib/y"]
    assert (compared.comparison.base, compared.comparison.head) == (ids["lib"], ids["tip"])


def test_given_commits_need_no_common_history(history: History) -> None:
    built, ids = history.built, history.ids
    compared = between(Repository(built.directory), ids["stranger"], ids["root"])
    assert compared.changes.paths == ["app/a", "lib/x", "other"]


@pytest.mark.parametrize(
    "revision",
    [
        pytest.param("null", id="null id"),
        pytest.param("elsewhere", id="name of a branch of the remote"),
        pytest.param("refs/heads/main:refs/heads/written", id="refspec"),
        pytest.param("+refs/heads/main:refs/heads/written", id="forcing refspec"),
        pytest.param("absent", id="unknown id"),
    ],
)
def test_only_a_full_id_is_ever_fetched(history: History, tmp_path: Path, revision: str) -> None:
    ids = history.ids
    history.built.name("refs/heads/elsewhere", ids["stranger"])
    checkout = history.built.job_checkout(tmp_path / "clone", ids["tip"], depth=1)
    refs, objects = checkout.git("for-each-ref"), checkout.git("count-objects", "-v")
    with pytest.raises(CannotClassifyError) as caught:
        between(Repository(checkout.directory), ids.get(revision, revision), "HEAD", fetch=True)
    assert caught.value.cause is FallbackCause.COMMIT_MISSING
    assert "the clone is shallow and lacks" in caught.value.detail
    assert (checkout.git("for-each-ref"), checkout.git("count-objects", "-v")) == (refs, objects)


@pytest.mark.parametrize("revision", ["0" * 40, "0" * 64, "main", "HEAD~1", "refs/heads/main:refs/heads/written"])
def test_a_remote_is_never_asked_for_what_is_no_id(built: BuiltRepository, revision: str) -> None:
    built.check_out(built.commit({"a": "1"}))
    with listening() as remote:
        built.git("remote", "add", "origin", remote.url("git"))
        with pytest.raises(CannotClassifyError):
            between(Repository(built.directory), revision, "HEAD", fetch=True)
        assert not remote.connections


# -- a laptop ----------------------------------------------------------------------------------------


def test_a_local_branch_is_compared_from_where_it_left_the_other(history: History, tmp_path: Path) -> None:
    checkout = history.built.job_checkout(tmp_path / "clone", history.ids["topic"])
    checkout.write({"app/c": "1"})
    repository = Repository(checkout.directory)
    committed = with_branch(repository, "origin/main", worktree=False)
    assert committed.changes.paths == TOPIC
    assert (committed.comparison.base, committed.comparison.head) == (history.ids["fork"], history.ids["topic"])
    assert with_branch(repository, "origin/main", worktree=True).changes.paths == [*TOPIC, "app/c"]


@pytest.mark.parametrize("worktree", [False, True])
def test_a_local_branch_with_several_merge_bases_is_compared_with_all(built: BuiltRepository, worktree: bool) -> None:
    root = built.commit({"base": "1"})
    main, topic = built.commit({"m": "1"}, root), built.commit({"t": "1"}, root)
    built.name("refs/heads/main", built.commit({"t": "1"}, main, topic))
    built.check_out(built.commit({"m": "1"}, topic, main))
    compared = with_branch(Repository(built.directory), "main", worktree=worktree)
    assert compared.changes.paths == ["m", "t"]
    assert "2 merge bases" in compared.comparison.notes[0]
