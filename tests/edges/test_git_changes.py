"""What differs between two trees, whatever its name and kind."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.repository import BuiltRepository, Executable, Files, Link, Submodule, in_order, text

from ci_classify.core.model import ChangeKind, Changes, ChangeType
from ci_classify.edges.git import Repository

ADDED = ChangeKind(type=ChangeType.ADDED)
MODIFIED = ChangeKind(type=ChangeType.MODIFIED)
DELETED = ChangeKind(type=ChangeType.DELETED)
TYPE_CHANGED = ChangeKind(type=ChangeType.TYPE_CHANGED)


def submodule(type_: ChangeType, *, old: bool, new: bool) -> ChangeKind:
    return ChangeKind(type=type_, old_is_submodule=old, new_is_submodule=new)


def listed(changes: Changes) -> list[tuple[str, ChangeKind]]:
    return list(zip(changes.paths, changes.kinds, strict=True))


def changes_between(built: BuiltRepository, before: Files, after: Files) -> list[tuple[str, ChangeKind]]:
    base, head = in_order(built, before, after)
    return listed(Repository(built.directory).changes([base], head))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({}, {"a": "1"}, {"a": ADDED}, id="added"),
        pytest.param({"a": "1"}, {"a": "2"}, {"a": MODIFIED}, id="modified"),
        pytest.param({"a": "1"}, {"a": None}, {"a": DELETED}, id="deleted"),
        pytest.param({"a": "1"}, {"a": "1"}, {}, id="nothing"),
        pytest.param({"a": "1"}, {"a": Executable("1")}, {"a": MODIFIED}, id="mode alone"),
        pytest.param({"a": "b"}, {"a": Link("b")}, {"a": TYPE_CHANGED}, id="file to link with equal bytes"),
        pytest.param({"a": Link("b")}, {"a": Link("c")}, {"a": MODIFIED}, id="link leads elsewhere"),
        pytest.param({"a": "1"}, {"a": None, "b": "1"}, {"a": DELETED, "b": ADDED}, id="moved"),
        pytest.param({"a": "1"}, {"b": "1"}, {"b": ADDED}, id="copied"),
        pytest.param({"a": "1"}, {"a": None, "a/b": "1"}, {"a": DELETED, "a/b": ADDED}, id="file to directory"),
        pytest.param({"a/b": "1"}, {"a/b": None, "a": "1"}, {"a": ADDED, "a/b": DELETED}, id="directory to file"),
        pytest.param(
            {"a": Submodule("1" * 40)},
            {"a": Submodule("2" * 40)},
            {"a": submodule(ChangeType.MODIFIED, old=True, new=True)},
            id="submodule moved on",
        ),
        pytest.param(
            {},
            {"a": Submodule("1" * 40)},
            {"a": submodule(ChangeType.ADDED, old=False, new=True)},
            id="submodule added",
        ),
        pytest.param(
            {"a": Submodule("1" * 40)},
            {"a": None},
            {"a": submodule(ChangeType.DELETED, old=True, new=False)},
            id="submodule deleted",
        ),
        pytest.param(
            {"a": "1"},
            {"a": Submodule("1" * 40)},
            {"a": submodule(ChangeType.TYPE_CHANGED, old=False, new=True)},
            id="file to submodule",
        ),
        pytest.param(
            {"a/b": "1"},
            {"a/b": None, "a": Submodule("1" * 40)},
            {"a": submodule(ChangeType.ADDED, old=False, new=True), "a/b": DELETED},
            id="directory to submodule",
        ),
    ],
)
def test_every_kind_of_difference_is_told(
    built: BuiltRepository, before: Files, after: Files, expected: Mapping[str, ChangeKind]
) -> None:
    found = changes_between(built, {"kept": "0", **before}, after)
    assert found == list(expected.items())


NAMES = {
    "a byte that is no UTF-8": b"docs\xe9.md",
    "an encoded surrogate": b"\xed\xa0\x80.md",
    "every byte but NUL and slash": bytes(byte for byte in range(1, 256) if byte != 0x2F),
    "a line feed": b"docs/x.md\nevil.py",
    "a line feed at the end": b"evil.py\n",
    "a carriage return": b"a\rb",
    "a tab": b"tab\tx.py",
    "a quotation mark": b'q"x.py',
    "a backslash": b"bs\\x.py",
    "a blank in front": b" lead.py",
    "a blank behind": b"trail.py ",
    "a blank alone": b" ",
    "a dash in front": b"-dash.py",
    "an option": b"--output=pwned",
    "a pattern": b"*.py",
    "pathspec magic": b":(top)x.py",
    "more pathspec magic": b":(glob)**",
    "an exclusion": b"!x.py",
    "a record of git": b":100644 100644 0000000 0000000 M",
    "a workflow command": b"::set-output name=x::y",
    "a letter that git would quote": "src/Behörig.py".encode(),
    "a decomposed letter": "src/Beho\u0308rig.py".encode(),
    "an emoji": "🦀.rs".encode(),
    "3,033 bytes": b"/".join([b"d" * 100] * 30) + b"/abc",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_every_name_arrives_with_its_bytes(built: BuiltRepository, name: bytes) -> None:
    (path, kind), *rest = changes_between(built, {"kept": "0"}, {text(name): "1"})
    assert path.encode("utf-8", "surrogateescape") == name
    assert kind == ADDED
    assert not rest


def test_all_odd_names_at_once_are_told_apart_in_the_order_of_git(built: BuiltRepository) -> None:
    found = changes_between(built, {}, dict.fromkeys(map(text, NAMES.values()), "1"))
    assert [path.encode("utf-8", "surrogateescape") for path, _ in found] == sorted(NAMES.values())


def test_a_repository_of_sha256_objects_is_compared(tmp_path: Path) -> None:
    built = BuiltRepository(tmp_path / "repository", object_format="sha256")
    before: Files = {"a": "1", "v": Submodule("1" * 64)}
    found = changes_between(built, before, {"a": Executable("2"), "v": Submodule("2" * 64)})
    assert found == [("a", MODIFIED), ("v", submodule(ChangeType.MODIFIED, old=True, new=True))]


def test_of_several_bases_every_difference_counts_with_its_kind(built: BuiltRepository) -> None:
    one = built.commit({"a": "1", "same": "1"})
    other = built.commit({"b": "1", "same": "1"})
    head = built.commit({"a": "2", "b": "1", "c\xe9": "1", "same": "1"})
    found = listed(Repository(built.directory).changes([one, other], head))
    assert found == [("a", ADDED), ("a", MODIFIED), ("b", ADDED), ("c\xe9", ADDED)]


def test_of_several_bases_a_difference_to_one_of_them_is_enough(built: BuiltRepository) -> None:
    one, other = built.commit({"a": "1"}), built.commit({"a": "2"})
    assert listed(Repository(built.directory).changes([one, other], other)) == [("a", MODIFIED)]
