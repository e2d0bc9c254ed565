"""What a revision names, and how two commits are related."""

from pathlib import Path

import pytest
from support.repository import BuiltRepository, in_order, run_git

from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.edges.git import Commit, Repository

ABSENT = "1" * 40


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> BuiltRepository:
    """Return a repository whose refs try to be mistaken for something else. HEAD is the second commit."""
    built = BuiltRepository(tmp_path_factory.mktemp("named") / "repository")
    first, second = in_order(built, {"src/a": "1"}, {"src/a": "2"})
    built.check_out(second)
    for ref in ("heads/main", "heads/topic/one", "tags/light", f"heads/{second}", f"tags/{second}", "heads/src/a"):
        built.name(f"refs/{ref}", first)
    built.name(f"refs/heads/{ABSENT}", first)
    built.name(f"refs/heads/{'2' * 64}", first)
    built.name("refs/heads/HEAD", first)
    built.annotate("annotated", first)
    built.name("refs/tags/twice", built.annotate("outer", built.git("rev-parse", "annotated")))
    return built


@pytest.mark.parametrize(
    "revision", ["HEAD~1", "main", "refs/heads/main", "topic/one", "light", "annotated", "twice", "HEAD^", "src/a"]
)
def test_names_of_commits_and_tags_lead_to_the_commit(named: BuiltRepository, revision: str) -> None:
    commit = Repository(named.directory).commit(revision)
    assert commit is not None
    assert commit.id == named.git("rev-parse", "HEAD~1")


def test_a_full_id_is_that_commit_even_if_a_branch_and_a_tag_have_its_name(named: BuiltRepository) -> None:
    first, second = named.git("rev-list", "--reverse", "HEAD").split()
    assert Repository(named.directory).commit(second) == Commit(id=second, parents=(first,))


def test_the_id_of_a_tag_object_leads_to_its_commit(named: BuiltRepository) -> None:
    tag = named.git("rev-parse", "refs/tags/annotated")
    commit = Repository(named.directory).commit(tag)
    assert commit is not None
    assert commit.id == named.git("rev-parse", "HEAD~1")


def test_head_is_what_is_checked_out_even_if_a_branch_has_its_name(named: BuiltRepository) -> None:
    commit = Repository(named.directory).commit("HEAD")
    assert commit is not None
    assert commit.id == named.git("rev-list", "-1", "built/last")


@pytest.mark.parametrize(
    "revision",
    [
        pytest.param(ABSENT, id="id of no object, though the name of a branch"),
        pytest.param("2" * 64, id="id of the other object format, though the name of a branch"),
        pytest.param("0" * 40, id="null id"),
        pytest.param("0" * 64, id="null id of the other object format"),
        "nowhere",
        "a b",
        "main extra",
        "main commit 5",
        "HEAD:src/a",
        "HEAD:",
        "HEAD^{tree}",
        "HEAD..main",
        "^main",
        "no\u00e4scii",
        "no\udce9utf8",
        " ",
        "ref\tmain",
        "*",
        ":/Commit",
        "refs/heads/../../HEAD",
    ],
)
def test_what_names_no_commit_is_absent(named: BuiltRepository, revision: str) -> None:
    assert Repository(named.directory).commit(revision) is None


@pytest.mark.parametrize("revision", ["", "-", "-main", "--all", "--output=pwned", "main\nHEAD", "main\n", "ma\0in"])
def test_what_could_be_an_option_or_two_revisions_is_refused(named: BuiltRepository, revision: str) -> None:
    with pytest.raises(CannotClassifyError) as caught:
        Repository(named.directory).commit(revision)
    assert caught.value.cause is FallbackCause.REVISION_INVALID


def test_of_several_revisions_each_is_found_or_absent_in_order(named: BuiltRepository) -> None:
    first, second = named.git("rev-list", "--reverse", "HEAD").split()
    found = Repository(named.directory).commits([ABSENT, "HEAD", "2" * 64, "no where", "main", "nowhere"])
    assert [commit and commit.id for commit in found] == [None, second, None, None, first, None]


def test_forty_digits_are_no_id_among_sha256_objects(tmp_path: Path) -> None:
    built = BuiltRepository(tmp_path / "repository", object_format="sha256")
    commit = built.commit({"a": "1"})
    repository = Repository(built.directory)
    assert repository.commit(commit) == Commit(id=commit, parents=())
    assert repository.commit(commit[:40]) is None


def test_a_merge_names_its_parents_in_order(built: BuiltRepository) -> None:
    base, other, third = built.commit({"a": "1"}), built.commit({"b": "1"}), built.commit({"c": "1"})
    merge = built.commit({}, base, other, third)
    assert Repository(built.directory).commit(merge) == Commit(id=merge, parents=(base, other, third))


def test_a_message_that_looks_like_a_header_adds_no_parent(built: BuiltRepository) -> None:
    base = built.commit({"a": "1"})
    message = f"parent {'1' * 40}\n\nparent {'2' * 40}"
    person = ("-c", "user.name=Builder", "-c", "user.email=builder@localhost")
    commit = built.git(*person, "commit-tree", f"{base}^{{tree}}", "-p", base, "-m", message)
    assert Repository(built.directory).commit(commit) == Commit(id=commit, parents=(base,))


def test_a_repository_without_commits_has_no_head(built: BuiltRepository) -> None:
    assert Repository(built.directory).commit("HEAD") is None
    assert Repository(built.directory).default_branch() is None


# -- ancestry ----------------------------------------------------------------------------------------


def test_the_merge_base_is_where_two_branches_parted(built: BuiltRepository) -> None:
    root, fork, main = in_order(built, {"a": "1"}, {"a": "2"}, {"a": "3"})
    topic = built.commit({"b": "1"}, fork)
    repository = Repository(built.directory)
    assert repository.merge_bases(main, topic) == (fork,)
    assert repository.merge_bases(root, topic) == (root,)
    assert repository.merge_bases(topic, topic) == (topic,)
    assert repository.is_ancestor(root, topic)
    assert not repository.is_ancestor(main, topic)


def test_a_criss_cross_has_both_merge_bases(built: BuiltRepository) -> None:
    root = built.commit({"a": "1"})
    main, topic = built.commit({"m": "1"}, root), built.commit({"t": "1"}, root)
    main_merge, topic_merge = built.commit({"t": "1"}, main, topic), built.commit({"m": "1"}, topic, main)
    assert set(Repository(built.directory).merge_bases(main_merge, topic_merge)) == {main, topic}


def test_unrelated_histories_have_no_merge_base(built: BuiltRepository) -> None:
    one, other = built.commit({"a": "1"}), built.commit({"b": "1"})
    with pytest.raises(CannotClassifyError) as caught:
        Repository(built.directory).merge_bases(one, other)
    assert caught.value.cause is FallbackCause.NO_MERGE_BASE


def _shallow(built: BuiltRepository, directory: Path, depth: int) -> Repository:
    return Repository(built.clone(directory, f"--depth={depth}", "--no-single-branch").directory)


def test_a_merge_base_inside_a_shallow_history_is_proven(built: BuiltRepository, tmp_path: Path) -> None:
    *_, fork = in_order(built, {"a": "1"}, {"a": "2"}, {"a": "3"})
    main = built.commit({"m": "1"}, fork, ref="refs/heads/main")
    topic = built.commit({"t": "1"}, fork, ref="refs/heads/topic")
    repository = _shallow(built, tmp_path / "clone", 2)
    assert repository.is_shallow()
    assert repository.merge_bases(main, topic) == (fork,)


def test_an_ancestor_in_a_shallow_history_is_the_merge_base(built: BuiltRepository, tmp_path: Path) -> None:
    root, other = built.commit({"a": "1"}), built.commit({"b": "1"})
    base = built.commit({"a": "2"}, root)
    merge = built.commit({"b": "1"}, base, other, ref="refs/heads/main")
    assert _shallow(built, tmp_path / "clone", 2).merge_bases(base, merge) == (base,)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_merge_base_beyond_a_shallow_history_is_not_guessed(
    built: BuiltRepository, tmp_path: Path, depth: int
) -> None:
    # `late` is the merge base. A history of three commits has cut it off from topic, and shows `early` instead.
    early, late = in_order(built, {"a": "1"}, {"a": "2"})
    main = built.commit({"a": "3"}, late, ref="refs/heads/main")
    long_way = built.commit({"s": "2"}, built.commit({"s": "1"}, late))
    short_way = built.commit({"t": "1"}, early)
    topic = built.commit({}, short_way, long_way, ref="refs/heads/topic")
    assert Repository(built.directory).merge_bases(main, topic) == (late,)
    repository = _shallow(built, tmp_path / "clone", depth)
    with pytest.raises(CannotClassifyError) as caught:
        repository.merge_bases(main, topic)
    assert caught.value.cause is FallbackCause.HISTORY_INCOMPLETE


# -- the default branch ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refs", "symbolic", "expected"),
    [
        pytest.param(["remotes/origin/trunk", "heads/main"], "trunk", "origin/trunk", id="as the remote says"),
        pytest.param(["remotes/origin/main", "heads/main"], "gone", "origin/main", id="the remote's has been renamed"),
        pytest.param(["remotes/origin/master", "heads/main"], None, "origin/master", id="a usual name at the remote"),
        pytest.param(["heads/master"], None, "master", id="a usual name here"),
        pytest.param(["heads/topic"], None, None, id="unknown"),
    ],
)
def test_the_default_branch_is_the_remotes(
    built: BuiltRepository, refs: list[str], symbolic: str | None, expected: str | None
) -> None:
    commit = built.commit({"a": "1"})
    for ref in refs:
        built.name(f"refs/{ref}", commit)
    if symbolic:
        built.git("symbolic-ref", "refs/remotes/origin/HEAD", f"refs/remotes/origin/{symbolic}")
    assert Repository(built.directory).default_branch() == expected


MESSAGES = [
    (b"A subject\n\nA body\n", "utf-8", "A subject"),
    (b"", "utf-8", ""),
    (b"caf\xe9\n", "latin-1", "café"),
    (b"caf\xc3\xa9\n", "no-such-encoding", "café"),
    (b"\xff broken\n", "utf-8", "\ufffd broken"),
]


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_subjects_are_read_in_the_encoding_of_their_commits(tmp_path: Path, object_format: str) -> None:
    built = BuiltRepository(tmp_path / "repository", object_format=object_format)
    tree = run_git(built.directory, "mktree").decode().strip()
    subjects = {}
    for message, encoding, subject in MESSAGES:
        head = f"tree {tree}\nauthor A <a@localhost> 0 +0000\ncommitter A <a@localhost> 0 +0000\n"
        head += "" if encoding == "utf-8" else f"encoding {encoding}\n"
        stored = head.encode() + b"\n" + message
        written = run_git(built.directory, "hash-object", "-t", "commit", "-w", "--stdin", stdin=stored)
        subjects[written.decode().strip()] = subject
    assert Repository(built.directory).subjects(list(subjects)) == subjects
