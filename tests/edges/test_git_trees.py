"""A tree as git lists it: any name, every mode, and nothing that is not understood."""

from pathlib import Path

import pytest
from support.repository import BuiltRepository, Executable, Files, Link, Submodule

from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.tree import LINK, SUBMODULE, TreeEntry
from ci_classify.edges.git import Repository
from ci_classify.formats.tree_listing import parse_listing


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("first", ["a file", "a submodule"])
def test_every_entry_has_its_path_mode_and_id(tmp_path: Path, object_format: str, first: str) -> None:
    built = BuiltRepository(tmp_path / "repository", object_format=object_format)
    pin = "1" * (40 if object_format == "sha1" else 64)
    files: Files = {
        "a\tb": "1",
        "ab\tc": "1",
        "\t": "1",
        "x\ny": Executable("1"),
        "caf\udce9": "1",
        "ä/\U0001f600": Link("x"),
        "vendor/lib": Submodule(pin),
        " 100644 blob ": "1",
    }
    files = {**files, " first": Submodule(pin)} if first == "a submodule" else files
    commit = built.commit(files)
    tree = Repository(built.directory).tree(commit)
    assert (tree.commit, tree.id) == (commit, built.git("rev-parse", f"{commit}^{{tree}}"))
    assert list(tree.paths) == sorted(files, key=lambda path: path.encode("utf-8", "surrogateescape"))
    blob = built.git("hash-object", "--stdin", stdin=b"1")
    assert TreeEntry(path="ab\tc", mode="100644", oid=blob) in list(tree)
    assert TreeEntry(path="x\ny", mode="100755", oid=blob) in list(tree)
    assert TreeEntry(path="vendor/lib", mode=SUBMODULE, oid=pin) in list(tree)
    assert {tree.paths[place] for place in tree.places_of(SUBMODULE)} == {"vendor/lib", " first"} & files.keys()
    assert [tree.paths[place] for place in tree.places_of(LINK)] == ["ä/\U0001f600"]


def test_an_empty_tree_has_no_entries(built: BuiltRepository) -> None:
    tree = Repository(built.directory).tree(built.commit({}))
    assert list(tree) == []


def test_a_tag_leads_to_the_tree_of_its_commit(built: BuiltRepository) -> None:
    commit = built.commit({"a": "1"})
    built.annotate("v1", commit)
    assert Repository(built.directory).tree("v1").commit == commit


def test_a_commit_that_is_not_there_has_no_tree(built: BuiltRepository) -> None:
    with pytest.raises(CannotClassifyError) as raised:
        Repository(built.directory).tree("0" * 40)
    assert raised.value.cause is FallbackCause.COMMIT_MISSING


def test_a_clone_without_trees_says_so(built: BuiltRepository, tmp_path: Path) -> None:
    built.name("refs/heads/main", built.commit({"a/b/c": "1"}))
    built.configure({"uploadpack.allowFilter": "true"})
    clone = built.clone(tmp_path / "clone", "--filter=tree:0")
    built.directory.rename(tmp_path / "gone")
    with pytest.raises(CannotClassifyError) as raised:
        Repository(clone.directory).tree("HEAD")
    assert raised.value.cause is FallbackCause.OBJECTS_MISSING


ID = b"1" * 40


@pytest.mark.parametrize(
    "output",
    [
        b"100644 blob " + ID + b"\ta",
        b"\0",
        b"100644 blob " + ID + b"\t\0",
        b"100644 blob " + ID + b"\ta\0" + b"100644 blob " + ID + b"\t\0",
        b"100644 blob " + ID + b" a\0",
        b"100644 tree " + ID + b"\ta\0",
        b"1006448 blob " + ID + b"\ta\0",
        b"100644 blob 123\ta\0",
        b"100644 blob " + ID + b"\ta\0" + b"nonsense\0",
        b"warning: x\0",
    ],
)
def test_a_listing_that_is_not_understood_is_no_empty_tree(output: bytes) -> None:
    with pytest.raises(CannotClassifyError) as raised:
        parse_listing(output)
    assert raised.value.cause is FallbackCause.DIFF_UNREADABLE
