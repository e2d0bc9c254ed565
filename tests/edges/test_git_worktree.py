"""What differs between commits and the working tree, and whether anything is uncommitted."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.repository import BuiltRepository, Executable, in_order

from ci_classify.core.model import ChangeKind, ChangeType
from ci_classify.edges.git import Repository

ADDED = ChangeKind(type=ChangeType.ADDED)
MODIFIED = ChangeKind(type=ChangeType.MODIFIED)
DELETED = ChangeKind(type=ChangeType.DELETED)
TYPE_CHANGED = ChangeKind(type=ChangeType.TYPE_CHANGED)
NEW_SUBMODULE = ChangeKind(type=ChangeType.ADDED, new_is_submodule=True)
MOVED_SUBMODULE = ChangeKind(type=ChangeType.MODIFIED, old_is_submodule=True, new_is_submodule=True)


@pytest.fixture
def checked_out(built: BuiltRepository) -> BuiltRepository:
    """Return a repository whose HEAD is checked out."""
    base = built.commit(
        {"a": "1", "d/b": "1", "run": Executable("1"), ".gitignore": "/ignored\n"}, ref="refs/heads/main"
    )
    built.git("checkout", "--quiet", "main")
    assert built.git("rev-parse", "HEAD") == base
    return built


def found(built: BuiltRepository, *bases: str, below: str = ".") -> dict[str, ChangeKind]:
    changes = Repository(built.directory / below).worktree_changes(bases or ("HEAD",))
    pairs = list(zip(changes.paths, changes.kinds, strict=True))
    assert len(dict(pairs)) == len(pairs), pairs
    assert list(changes.paths) == sorted(changes.paths, key=lambda path: path.encode("utf-8", "surrogateescape"))
    return dict(pairs)


def repository_in(directory: Path) -> BuiltRepository:
    directory.parent.mkdir(exist_ok=True)
    inner = BuiltRepository(directory)
    inner.check_out(inner.commit({"lib": "1"}))
    return inner


def nothing(_: BuiltRepository) -> None:
    """Leave the working tree as it was checked out."""


def touched(built: BuiltRepository) -> None:
    (built.directory / "a").write_text("1", encoding="utf-8")


def edited(built: BuiltRepository) -> None:
    built.write({"a": "2"})


def staged(built: BuiltRepository) -> None:
    built.write({"a": "2", "new": "1"})
    built.git("add", "--all")


def staged_and_undone(built: BuiltRepository) -> None:
    staged(built)
    built.write({"a": "1"})
    (built.directory / "new").unlink()


def untracked(built: BuiltRepository) -> None:
    built.write({"d/\u00e9 new\n": "1", "ignored": "1"})
    Path(str(built.directory) + "/\udce9").write_text("1", encoding="utf-8")


def deleted(built: BuiltRepository) -> None:
    (built.directory / "a").unlink()
    built.git("rm", "--quiet", "d/b")


def moved(built: BuiltRepository) -> None:
    built.git("mv", "a", "e")


def replaced_by_a_link(built: BuiltRepository) -> None:
    (built.directory / "a").unlink()
    (built.directory / "a").symlink_to("d")


def made_executable(built: BuiltRepository) -> None:
    (built.directory / "a").chmod(0o755)


def intended(built: BuiltRepository) -> None:
    built.write({"new": "1"})
    built.git("add", "--intent-to-add", "new")


def forgotten(built: BuiltRepository) -> None:
    built.git("rm", "--quiet", "--cached", "a")


def conflicting(built: BuiltRepository) -> None:
    sides = [built.git("hash-object", "-w", "--stdin", stdin=content) for content in (b"2", b"3")]
    stages = "".join(f"100644 {id_} {stage}\ta\n" for stage, id_ in enumerate(sides, start=2))
    built.git("rm", "--quiet", "--cached", "a")
    built.git("update-index", "--index-info", stdin=stages.encode())
    built.write({"a": "<<<<<<<\n2\n=======\n3\n>>>>>>>\n"})


def repository_inside(built: BuiltRepository) -> None:
    repository_in(built.directory / "d/inner")
    repository_in(built.directory / "ignored")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(nothing, {}, id="nothing"),
        pytest.param(touched, {}, id="written with equal bytes"),
        pytest.param(edited, {"a": MODIFIED}, id="edited"),
        pytest.param(staged, {"a": MODIFIED, "new": ADDED}, id="staged"),
        pytest.param(staged_and_undone, {}, id="staged, then undone"),
        pytest.param(untracked, {"d/\u00e9 new\n": ADDED, "\udce9": ADDED}, id="untracked"),
        pytest.param(deleted, {"a": DELETED, "d/b": DELETED}, id="deleted"),
        pytest.param(moved, {"a": DELETED, "e": ADDED}, id="moved"),
        pytest.param(replaced_by_a_link, {"a": TYPE_CHANGED}, id="replaced by a link"),
        pytest.param(made_executable, {"a": MODIFIED}, id="made executable"),
        pytest.param(intended, {"new": ADDED}, id="intended to be added"),
        pytest.param(forgotten, {"a": MODIFIED}, id="no longer tracked, but there"),
        pytest.param(conflicting, {"a": MODIFIED}, id="in conflict"),
        pytest.param(repository_inside, {"d/inner": NEW_SUBMODULE}, id="a repository inside"),
    ],
)
@pytest.mark.parametrize("below", [".", "d"], ids=["at the top", "below it"])
def test_the_working_tree_is_what_git_would_commit(
    checked_out: BuiltRepository,
    change: Callable[[BuiltRepository], None],
    expected: Mapping[str, ChangeKind],
    below: str,
) -> None:
    change(checked_out)
    (checked_out.directory / "d").mkdir(exist_ok=True)
    assert found(checked_out, below=below) == expected


@pytest.mark.parametrize(
    ("change", "dirty"),
    [
        (nothing, False),
        (touched, False),
        (edited, True),
        (staged, True),
        (untracked, True),
        (deleted, True),
        (conflicting, True),
        (repository_inside, True),
    ],
)
def test_uncommitted_work_is_noticed(
    checked_out: BuiltRepository, change: Callable[[BuiltRepository], None], dirty: bool
) -> None:
    checked_out.configure({"status.showUntrackedFiles": "no", "diff.ignoreSubmodules": "all"})
    change(checked_out)
    assert Repository(checked_out.directory).is_dirty() is dirty


def test_commits_since_the_base_and_uncommitted_work_count_together(built: BuiltRepository) -> None:
    base, head = in_order(built, {"a": "1", "b": "1", "c": "1"}, {"a": "2", "b": "2"})
    built.check_out(head)
    built.write({"b": "1", "c": "2"})
    assert found(built, base) == {"a": MODIFIED, "c": MODIFIED}


def test_of_several_bases_every_difference_to_the_working_tree_counts(built: BuiltRepository) -> None:
    one, other = built.commit({"a": "1", "b": "1"}), built.commit({"a": "2", "b": "1"})
    built.check_out(built.commit({"a": "1", "b": "1"}))
    built.write({"c": "1"})
    assert found(built, one, other) == {"a": MODIFIED, "c": ADDED}


def test_a_submodule_counts_when_another_commit_is_checked_out_in_it_not_for_work_in_it(
    checked_out: BuiltRepository,
) -> None:
    inner = repository_in(checked_out.directory / "inner")
    checked_out.git("add", "inner")
    person = ("-c", "user.name=Builder", "-c", "user.email=builder@localhost")
    checked_out.git(*person, "commit", "--quiet", "--message=Add a submodule")
    (checked_out.directory / ".gitmodules").write_text('[submodule "inner"]\n\tpath = inner\n\tignore = all\n')
    checked_out.git("add", ".gitmodules")
    inner.write({"lib": "2", "more": "1"})
    assert found(checked_out) == {".gitmodules": ADDED}
    inner.check_out(inner.commit({"lib": "3"}))
    assert found(checked_out) == {".gitmodules": ADDED, "inner": MOVED_SUBMODULE}


@pytest.mark.parametrize(
    "settings",
    [
        {"diff.orderFile": "ORDER"},
        {"diff.orderFile": "/nowhere"},
        {"core.abbrev": "4"},
        {"diff.renames": "copies"},
        {"diff.relative": "true"},
        {"diff.autoRefreshIndex": "false"},
        {"core.fsmonitor": "PROGRAM"},
        {"core.untrackedCache": "true"},
        {"core.worktree": "ELSEWHERE"},
        {"diff.external": "PROGRAM"},
        {"core.quotePath": "true"},
    ],
    ids=lambda settings: " ".join(next(iter(settings.items()))),
)
def test_no_setting_changes_what_differs(
    checked_out: BuiltRepository, tmp_path: Path, settings: Mapping[str, str]
) -> None:
    marker, program = tmp_path / "marker", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\n", encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "order").write_text("run\n", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    touched(checked_out)
    moved(checked_out)
    checked_out.write({"run": "2", "\u00e9": "1"})
    places = {"PROGRAM": program, "ORDER": tmp_path / "order", "ELSEWHERE": tmp_path / "elsewhere"}
    checked_out.configure({key: str(places.get(value, value)) for key, value in settings.items()})
    assert found(checked_out, below="d") == {"a": DELETED, "e": ADDED, "run": MODIFIED, "\u00e9": ADDED}
    assert not marker.exists()


def test_a_sparse_working_tree_lacks_nothing(checked_out: BuiltRepository) -> None:
    checked_out.git("sparse-checkout", "set", "--no-cone", "/a")
    assert not (checked_out.directory / "run").exists()
    assert found(checked_out) == {}
