from pathlib import Path

import pytest
from support.repository import BuiltRepository, run_git

from ci_classify.edges.git import Repository
from ci_classify.edges.subjects import by_gitpython, subjects

MESSAGES = [
    (b"A subject\n\nA body\n", "utf-8", "A subject"),
    (b"", "utf-8", ""),
    (b"caf\xe9\n", "latin-1", "café"),
    (b"\xff broken\n", "utf-8", "\ufffd broken"),
]


def commits(built: BuiltRepository) -> list[str]:
    tree = run_git(built.directory, "mktree").decode().strip()
    made = []
    for message, encoding, _ in MESSAGES:
        head = f"tree {tree}\nauthor A <a@localhost> 0 +0000\ncommitter A <a@localhost> 0 +0000\n"
        head += "" if encoding == "utf-8" else f"encoding {encoding}\n"
        stored = head.encode() + b"\n" + message
        written = run_git(built.directory, "hash-object", "-t", "commit", "-w", "--stdin", stdin=stored)
        made.append(written.decode().strip())
    return made


def test_gitpython_and_git_give_the_same_subjects_of_messages_in_utf_8(built: BuiltRepository) -> None:
    made = commits(built)[:2]
    repository = Repository(built.directory)
    assert list(by_gitpython(repository, made).values()) == [subject for _, _, subject in MESSAGES[:2]]
    assert repository.subjects(made) == [subject for _, _, subject in MESSAGES[:2]]


def test_messages_in_other_encodings_are_left_to_git(built: BuiltRepository) -> None:
    made = commits(built)
    with pytest.raises(ValueError, match="no UTF-8"):
        by_gitpython(Repository(built.directory), made)
    assert list(subjects(Repository(built.directory), made).values()) == [subject for _, _, subject in MESSAGES]


def test_a_sha_256_repository_is_left_to_git(tmp_path: Path) -> None:
    built = BuiltRepository(tmp_path / "repository", object_format="sha256")
    made = commits(built)
    assert list(subjects(Repository(built.directory), made).values()) == [subject for _, _, subject in MESSAGES]


def test_a_repository_that_gitpython_refuses_is_left_to_git(
    built: BuiltRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = commits(built)
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/nowhere")
    assert list(subjects(Repository(built.directory), made).values()) == [subject for _, _, subject in MESSAGES]
