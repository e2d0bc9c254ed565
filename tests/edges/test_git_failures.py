"""Repositories that are damaged, incomplete or slow: never an empty list, always a cause."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.repository import BuiltRepository, in_order
from support.silent_remote import listening

from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.edges.git import Repository


def cause_of_comparing(directory: Path, base: str, head: str) -> FallbackCause:
    with pytest.raises(CannotClassifyError) as caught:
        Repository(directory).changes([base], head)
    assert "\n" not in caught.value.detail
    return caught.value.cause


# -- damaged -----------------------------------------------------------------------------------------


def object_file(built: BuiltRepository, object_name: str) -> Path:
    """Return the file of a loose object, writable."""
    id_ = built.git("rev-parse", object_name)
    path = built.directory / ".git/objects" / id_[:2] / id_[2:]
    path.chmod(0o644)
    return path


@pytest.mark.parametrize("object_name", ["HEAD", "HEAD^{tree}", "HEAD:src", "HEAD~1", "HEAD~1:src"])
@pytest.mark.parametrize(
    ("damage", "causes"),
    [
        pytest.param("delete", {FallbackCause.OBJECTS_MISSING}, id="deleted"),
        pytest.param("", {FallbackCause.OBJECTS_MISSING, FallbackCause.GIT_FAILED}, id="emptied"),
        pytest.param("garbage", {FallbackCause.OBJECTS_MISSING, FallbackCause.GIT_FAILED}, id="overwritten"),
    ],
)
def test_a_damaged_commit_or_tree_is_no_empty_diff(
    built: BuiltRepository, object_name: str, damage: str, causes: set[FallbackCause]
) -> None:
    base, head = in_order(built, {"src/a": "1", "b": "1"}, {"src/a": "2"})
    built.head(head)
    path = object_file(built, object_name)
    if damage == "delete":
        path.unlink()
    else:
        path.write_text(damage, encoding="utf-8")
    assert cause_of_comparing(built.directory, base, head) in causes


def test_a_damaged_commit_is_not_found_or_a_failure(built: BuiltRepository) -> None:
    built.head(built.commit({"a": "1"}))
    object_file(built, "HEAD").write_text("garbage", encoding="utf-8")
    with pytest.raises(CannotClassifyError) as caught:
        Repository(built.directory).commit("HEAD")
    assert caught.value.cause is FallbackCause.GIT_FAILED


def test_damaged_history_gives_no_merge_base(built: BuiltRepository) -> None:
    root, middle, main = in_order(built, {"a": "1"}, {"a": "2"}, {"a": "3"})
    topic = built.commit({"b": "1"}, root)
    object_file(built, middle).unlink()
    for question in (Repository(built.directory).merge_bases, Repository(built.directory).is_ancestor):
        with pytest.raises(CannotClassifyError) as caught:
            question(topic, main)
        assert caught.value.cause is FallbackCause.OBJECTS_MISSING


def test_a_damaged_blob_does_not_matter_since_none_is_read(built: BuiltRepository) -> None:
    base, head = in_order(built, {"a": "1"}, {"a": "2"})
    object_file(built, f"{head}:a").unlink()
    assert Repository(built.directory).changes([base], head).paths == ["a"]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        pytest.param("config", "[core\n", id="settings that are no settings"),
        pytest.param("config", "[core]\n\trepositoryformatversion = 99\n", id="a format of the future"),
        pytest.param(
            "config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheard = of\n", id="an extension"
        ),
        pytest.param("HEAD", "nonsense\n", id="a HEAD that leads nowhere"),
        pytest.param("shallow", "nonsense\n", id="a shallow boundary that is no id"),
    ],
)
def test_a_repository_that_git_refuses_is_a_failure(built: BuiltRepository, file: str, content: str) -> None:
    base, head = in_order(built, {"a": "1"}, {"a": "2"})
    (built.directory / ".git" / file).write_text(content, encoding="utf-8")
    assert cause_of_comparing(built.directory, base, head) in {FallbackCause.GIT_FAILED, FallbackCause.NOT_A_REPOSITORY}


# -- incomplete --------------------------------------------------------------------------------------


@pytest.fixture
def origin(built: BuiltRepository) -> tuple[BuiltRepository, str, str]:
    """Return a repository that serves filtered clones, and the last two of its commits."""
    built.configure({"uploadpack.allowFilter": "true"})
    first, base, head = in_order(built, {"src/a": "1", "b/c": "1"}, {"src/a": "2"}, {"src/a": "3", "b/d": "1"})
    assert first
    built.name("refs/heads/main", head)
    return built, base, head


@pytest.mark.parametrize("reachable", [True, False], ids=["remote reachable", "remote gone"])
def test_a_clone_without_blobs_is_compared_without_fetching(
    origin: tuple[BuiltRepository, str, str], tmp_path: Path, reachable: bool
) -> None:
    built, base, head = origin
    clone = built.clone(tmp_path / "clone", "--filter=blob:none")
    objects = sorted((clone.directory / ".git/objects").rglob("*"))
    if not reachable:
        built.directory.rename(tmp_path / "gone")
    assert Repository(clone.directory).changes([base], head).paths == ["b/d", "src/a"]
    assert sorted((clone.directory / ".git/objects").rglob("*")) == objects


@pytest.mark.parametrize("reachable", [True, False], ids=["remote reachable", "remote gone"])
def test_a_clone_without_trees_is_incomplete_and_stays_so(
    origin: tuple[BuiltRepository, str, str], tmp_path: Path, reachable: bool
) -> None:
    built, base, head = origin
    clone = built.clone(tmp_path / "clone", "--filter=tree:0", commit="HEAD")
    objects = sorted((clone.directory / ".git/objects").rglob("*"))
    if not reachable:
        built.directory.rename(tmp_path / "gone")
    assert cause_of_comparing(clone.directory, base, head) is FallbackCause.OBJECTS_MISSING
    assert sorted((clone.directory / ".git/objects").rglob("*")) == objects


def test_a_commit_that_a_filtered_clone_lacks_is_absent(
    origin: tuple[BuiltRepository, str, str], tmp_path: Path
) -> None:
    built, base, head = origin
    clone = built.clone(tmp_path / "clone", "--filter=blob:none", "--depth=1")
    found = Repository(clone.directory).commits([base, head, "1" * 40])
    assert [commit and commit.id for commit in found] == [None, head, None]


# -- fetching ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [["--depth=1"], ["--depth=1", "--filter=blob:none"]], ids=["shallow", "blobless"])
def test_a_missing_commit_is_fetched_alone_and_leaves_no_trace_but_itself(
    origin: tuple[BuiltRepository, str, str], tmp_path: Path, options: list[str]
) -> None:
    built, base, head = origin
    built.annotate("v1", base)
    clone = built.clone(tmp_path / "clone", *options)
    clone.configure({"remote.origin.tagOpt": "--tags", "fetch.prune": "true", "remote.origin.mirror": "true"})
    kept = {path: path.read_bytes() for path in (clone.directory / ".git").glob("[cHp]*") if path.is_file()}
    refs = clone.git("for-each-ref")
    repository = Repository(clone.directory)
    repository.fetch(base)
    commit = repository.commit(base)
    assert commit is not None
    assert repository.commit(commit.parents[0]) is None
    assert repository.changes([base], head).paths == ["b/d", "src/a"]
    assert clone.git("for-each-ref") == refs
    assert {path: path.read_bytes() for path in (clone.directory / ".git").glob("[cHp]*") if path.is_file()} == kept
    assert not (clone.directory / ".git/FETCH_HEAD").exists()


def test_a_full_clone_stays_full_when_a_commit_is_fetched(
    origin: tuple[BuiltRepository, str, str], tmp_path: Path
) -> None:
    built, base, _ = origin
    clone = built.clone(tmp_path / "clone")
    newer = built.commit({"e": "1"}, built.commit({"f": "1"}, base))
    repository = Repository(clone.directory)
    repository.fetch(newer)
    assert not repository.is_shallow()
    assert repository.is_ancestor(base, newer)


def test_fetching_what_the_remote_does_not_have_leaves_it_absent(
    origin: tuple[BuiltRepository, str, str], tmp_path: Path
) -> None:
    built, _, _ = origin
    clone = built.clone(tmp_path / "clone", "--depth=1")
    repository = Repository(clone.directory)
    repository.fetch("1" * 40)
    assert repository.commit("1" * 40) is None


def test_fetching_without_a_remote_does_nothing(origin: tuple[BuiltRepository, str, str]) -> None:
    built, _, _ = origin
    Repository(built.directory).fetch("1" * 40)
    assert not (built.directory / ".git/FETCH_HEAD").exists()


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"remote.--upload-pack=PROGRAM.url": "URL"}, id="a remote that is an option"),
        pytest.param({"remote.away.url": "ext::PROGRAM", "protocol.ext.allow": "always"}, id="a helper"),
        pytest.param(
            {"remote.away.url": "URL", "remote.away.vcs": "ext", "protocol.allow": "always"}, id="another vcs"
        ),
        pytest.param({"remote.away.url": "URL", "remote.away.uploadpack": "PROGRAM"}, id="a program at the other end"),
        pytest.param({"remote.away.url": "URL", "gc.auto": "1", "maintenance.auto": "true"}, id="hooks"),
    ],
)
def test_fetching_starts_no_hook_and_no_program_in_place_of_gits_own(
    origin: tuple[BuiltRepository, str, str], tmp_path: Path, settings: Mapping[str, str]
) -> None:
    built, base, _ = origin
    clone = built.clone(tmp_path / "clone", "--depth=1")
    marker, program = tmp_path / "marker", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\n", encoding="utf-8")
    program.chmod(0o755)
    clone.git("remote", "remove", "origin")
    for key, value in settings.items():
        clone.git(
            "config",
            key.replace("PROGRAM", str(program)),
            value.replace("PROGRAM", str(program)).replace("URL", built.url),
        )
    clone.configure({"core.fsmonitor": str(program)})
    for hook in ("reference-transaction", "post-checkout", "pre-auto-gc"):
        (clone.directory / ".git/hooks" / hook).write_bytes(program.read_bytes())
        (clone.directory / ".git/hooks" / hook).chmod(0o755)
    Repository(clone.directory).fetch(base)
    assert not marker.exists()


# -- slow --------------------------------------------------------------------------------------------


def test_a_git_that_hangs_is_given_up(built: BuiltRepository) -> None:
    os.mkfifo(built.directory / ".git/packed-refs")
    with pytest.raises(CannotClassifyError) as caught:
        Repository(built.directory, time_limit=0.2).commit("main")
    assert caught.value.cause is FallbackCause.GIT_TIMEOUT
    assert caught.value.detail == "git cat-file took longer than 0.2 seconds"


def test_a_git_that_hangs_behind_a_script_is_given_up_with_all_that_it_started(
    built: BuiltRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, head = in_order(built, {"a": "1"}, {"a": "2"})
    script = tmp_path / "bin/git"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\n{shutil.which("git")} "$@"\nexit $?\n', encoding="utf-8")
    script.chmod(0o755)
    tree = object_file(built, f"{head}^{{tree}}")
    tree.unlink()
    os.mkfifo(tree)
    monkeypatch.setenv("PATH", str(script.parent), prepend=os.pathsep)
    with pytest.raises(CannotClassifyError) as caught:
        Repository(built.directory, time_limit=0.5).changes([base], head)
    assert caught.value.detail == "git diff-tree took longer than 0.5 seconds"


@pytest.mark.parametrize("scheme", ["git", "http"])
def test_a_remote_that_does_not_answer_is_given_up(built: BuiltRepository, scheme: str) -> None:
    with listening() as remote:
        built.git("remote", "add", "origin", remote.url(scheme))
        repository = Repository(built.directory, time_limit=0.2)
        repository.fetch("1" * 40)
        assert repository.commit("1" * 40) is None
        assert remote.connections
