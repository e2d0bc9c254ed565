"""Recordings that are damaged, hostile or in the way: a refusal with its code, and nothing is changed."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.baselines import Project, answered, database, snapshot
from support.runner import Ran
from support.text import HOSTILE

BUCKET = "tests/unit/models"
PHASE = "prod"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project with a valid recording; tests damage copies of it."""
    project = Project(tmp_path_factory.mktemp("hostile"))
    files = {"tests/unit/conftest.py": "1\n", "tools/fetch.py": "1\n", f"{BUCKET}/test_a.py": "1\n"}
    project.built.head(project.built.commit(files))
    assert project.identity("identity.json", BUCKET).code == 0
    for phase in ("prod", "experimental"):
        project.fill(phase)
        assert project.record(phase).code == 0
    assert project.finalize("identity.json").code == 0
    return project


@pytest.fixture
def project(made: Project) -> Iterator[Project]:
    kept = made.recording.rename(made.place / "kept")
    _copy(kept, made.recording)
    yield made
    _delete(made.recording)
    kept.rename(made.recording)


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    for path in source.iterdir():
        if path.is_dir():
            _copy(path, target / path.name)
        else:
            (target / path.name).write_bytes(path.read_bytes())


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            _delete(inner)
        path.rmdir()
    else:
        path.unlink()


def validate(project: Project) -> Ran:
    prefix = project.read("identity.json")["prefix"]
    return project.validate("identity.json", f"{prefix}123-1")


def refused(project: Project) -> object:
    """Return the code of the refusal; what lies there is the same afterwards."""
    before = snapshot(project.recording)
    ran = validate(project)
    found = answered(ran)
    assert snapshot(project.recording) == before
    assert (ran.code, found["ok"]) == (1, False)
    return found["reason"]


def test_the_recording_is_valid_before_it_is_damaged(project: Project) -> None:
    before = snapshot(project.recording)
    ran = validate(project)
    assert (ran.code, answered(ran)["reason"]) == (0, "compatible")
    assert snapshot(project.recording) == before


# -- things that are no files -------------------------------------------------------------------------


def directory(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def socket(path: Path) -> None:
    import socket as sockets

    here = os.open(path.parent, os.O_RDONLY)
    with closing(sockets.socket(sockets.AF_UNIX)) as listening:
        listening.bind(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def link_to_nowhere(path: Path) -> None:
    path.symlink_to("/nowhere/at/all")


def link_to_the_real_thing(path: Path) -> None:
    real = path.parent.parent / f"real{path.name}"
    real.write_bytes((path.parent / f"moved{path.name}").read_bytes())
    path.symlink_to(real)


ODDITIES = [directory, pipe, socket, link_to_itself, link_to_nowhere, link_to_the_real_thing]


@pytest.mark.parametrize("odd", ODDITIES, ids=lambda odd: odd.__name__)
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("manifest.json", "manifest-invalid"),
        (f"{PHASE}/metadata.json", "incomplete-phase"),
        (f"{PHASE}/.testmondata", "database-corrupt"),
    ],
)
def test_what_is_no_regular_file_is_refused_without_waiting(
    project: Project, name: str, code: str, odd: Callable[[Path], None]
) -> None:
    path = project.recording / name
    path.rename(path.parent / f"moved{path.name}")
    odd(path)
    assert refused(project) == code


@pytest.mark.parametrize("odd", [directory, pipe, link_to_nowhere], ids=lambda odd: odd.__name__)
@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_log_that_is_no_file_counts_as_one_that_is_not_written_back(
    project: Project, suffix: str, odd: Callable[[Path], None]
) -> None:
    odd(project.recording / PHASE / f".testmondata{suffix}")
    assert refused(project) == "database-uncheckpointed"


def test_a_phase_behind_a_link_is_refused(project: Project) -> None:
    (project.recording / PHASE).rename(project.recording / "real")
    (project.recording / PHASE).symlink_to("real")
    assert refused(project) == "incomplete-phase"


def test_a_phase_that_is_a_file_is_refused(project: Project) -> None:
    _delete(project.recording / PHASE)
    (project.recording / PHASE).write_bytes(b"")
    assert refused(project) == "incomplete-phase"


@pytest.mark.parametrize("kind", ["absent", "file", "pipe"])
def test_a_recording_that_is_no_directory_has_no_manifest(project: Project, kind: str) -> None:
    other = project.place / "other"
    if kind == "file":
        other.write_bytes(b"x")
    if kind == "pipe":
        os.mkfifo(other)
    prefix = project.read("identity.json")["prefix"]
    where = ["--dir", str(other), "--identity", str(project.place / "identity.json")]
    found = answered(project.run("validate", *where, "--matched-key", f"{prefix}123-1"))
    other.unlink(missing_ok=True)
    assert found["reason"] == "manifest-missing"


# -- JSON ---------------------------------------------------------------------------------------------

DEEP = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
NO_OBJECTS = {
    "empty": b"",
    "a list": b"[]",
    "text": b'"x"',
    "null": b"null",
    "truncated": b'{"schema": 1',
    "two values": b"{} {}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "utf-16": "{}".encode("utf-16"),
    "no utf-8": b'{"a": "\xff"}',
    "not a number": b'{"a": NaN}',
    "a key twice": b'{"schema": 1, "schema": 2}',
    "a long number": b'{"a": ' + b"9" * 10_000 + b"}",
    "nested deeply": DEEP,
    "nested a little too deeply": b'{"a":' * 40 + b"1" + b"}" * 40,
    "a deep list": b"[" * 100_000,
    "huge": b'{"a": "' + b"x" * (17 << 20) + b'"}',
    "NUL bytes": b"\0" * 4096,
}


@pytest.mark.parametrize("content", NO_OBJECTS.values(), ids=NO_OBJECTS)
@pytest.mark.parametrize(
    ("name", "code"), [("manifest.json", "manifest-invalid"), (f"{PHASE}/metadata.json", "incomplete-phase")]
)
def test_what_is_no_json_object_is_refused(project: Project, name: str, code: str, content: bytes) -> None:
    (project.recording / name).write_bytes(content)
    assert refused(project) == code


JUNK: list[object] = [None, True, 0, 1.5, -1, "", "x", "\ud800", "::error::x\n", [], [[]], {}, {"a": None}, "9" * 5_000]


@pytest.mark.parametrize(
    ("field", "codes"),
    [
        ("generation", {"invalid-generation"}),
        ("schema", {"schema-mismatch"}),
        ("contract", {"identity-missing", "inputs-changed"}),
        ("source_ref", {"wrong-source-ref"}),
        ("source_sha", {"wrong-source-sha"}),
        ("created_at", {"invalid-created-at", "missing-created-at"}),
    ],
)
@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_a_field_of_the_manifest_may_hold_anything(project: Project, field: str, codes: set[str], junk: object) -> None:
    path = project.recording / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), field: junk}), encoding="utf-8")
    assert refused(project) in codes


@pytest.mark.parametrize("field", ["schema", "phase", "complete", "runtime", "sha256"])
@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_a_field_of_the_metadata_may_hold_anything(project: Project, field: str, junk: object) -> None:
    path = project.recording / PHASE / "metadata.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    if content[field] == junk and type(content[field]) is type(junk):
        return
    path.write_text(json.dumps({**content, field: junk}), encoding="utf-8")
    expected = {"runtime": "runtime-invalid", "sha256": "database-checksum"}.get(field, "incomplete-phase")
    assert refused(project) == expected


@pytest.mark.parametrize(
    "inputs",
    [None, [], {"dataset": None}, {"dataset": ["a"]}, {"dataset": {"tools/fetch.py": 1}}, {"x": {"\ud800": "y"}}],
    ids=repr,
)
def test_the_maps_of_a_contract_may_hold_anything(project: Project, inputs: object) -> None:
    path = project.recording / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["contract"]["inputs"] = inputs
    path.write_text(json.dumps(content), encoding="utf-8")
    assert refused(project) == "inputs-changed"


@pytest.mark.parametrize("key", [name for name in HOSTILE if "\udce9" not in name])
def test_a_key_may_be_any_text(project: Project, key: str) -> None:
    ran = project.validate("identity.json", key)
    assert answered(ran)["reason"] == "key-mismatch"
    assert not any(line.lstrip().startswith("::") for line in ran.stdout.split("\n"))


# -- databases ----------------------------------------------------------------------------------------


def damaged(project: Project, content: bytes) -> object:
    (project.recording / PHASE / ".testmondata").write_bytes(content)
    return refused(project)


@pytest.fixture(scope="module")
def good(made: Project) -> bytes:
    """Return the bytes of a database with some rows, so that it has pages of several kinds."""
    path = made.place / "good"
    database(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE INDEX i ON metadata (value)")
        connection.executemany("INSERT INTO metadata VALUES (?)", [(f"{'x' * 500}{n}",) for n in range(100)])
    return path.read_bytes()


@pytest.mark.parametrize("kept", [0, 1, 15, 16, 50, 99, 100, 511, 512, 4095, 4096, 5000, 12_288])
def test_a_truncated_database_is_refused(project: Project, good: bytes, kept: int) -> None:
    assert damaged(project, good[:kept]) == "database-corrupt"


def test_every_byte_of_a_database_counts(made: Project, good: bytes) -> None:
    @given(st.integers(0, len(good) - 1), st.integers(1, 255))
    def check(place: int, change: int) -> None:
        content = bytearray(good)
        content[place] ^= change
        (made.recording / PHASE / ".testmondata").write_bytes(content)
        assert refused(made) in {"database-corrupt", "database-schema", "database-checksum"}

    kept = (made.recording / PHASE / ".testmondata").read_bytes()
    try:
        check()
    finally:
        (made.recording / PHASE / ".testmondata").write_bytes(kept)


def rewritten(project: Project, *statements: str) -> object:
    database(project.recording / PHASE / ".testmondata", statements=statements)
    return refused(project)


# Cheap for this row; SQLite would ask it for every row, whatever that costs.
SLOW = "v LIKE '%' OR hex(zeroblob(v)) LIKE '%0%0%0%0%0%0%0%1'"


@pytest.mark.parametrize(
    ("statements", "code"),
    [
        (["PRAGMA user_version=-14"], "database-schema"),
        (["DROP TABLE file_fp", "CREATE VIEW file_fp AS SELECT 1 AS value"], "database-schema"),
        (["DROP TABLE file_fp", "CREATE TABLE other (value)"], "database-schema"),
        (["CREATE TRIGGER t AFTER INSERT ON metadata BEGIN DELETE FROM file_fp; END"], "database-checksum"),
        ([f"CREATE TABLE c (v CHECK ({SLOW}))", "INSERT INTO c VALUES (1)"], "database-checksum"),
        (
            ["CREATE TABLE c (v)", "INSERT INTO c VALUES (1)", f"CREATE INDEX j ON c (v) WHERE {SLOW}"],
            "database-checksum",
        ),
        (["CREATE VIRTUAL TABLE f USING fts5(a)"], "database-checksum"),
        (['CREATE TABLE "\x1b[31m::error::x" (value)'], "database-checksum"),
        (["PRAGMA encoding='UTF-16'", "VACUUM"], "database-checksum"),
        (["PRAGMA writable_schema=ON", "UPDATE sqlite_master SET sql='CREATE TABLE x(' "], "database-corrupt"),
        (
            ["PRAGMA writable_schema=ON", "UPDATE sqlite_master SET rootpage=9999 WHERE name='file_fp'"],
            "database-corrupt",
        ),
    ],
)
def test_a_database_with_another_schema_is_refused(project: Project, statements: list[str], code: str) -> None:
    assert rewritten(project, *statements) == code


@contextmanager
def open_in_wal(path: Path) -> Iterator[sqlite3.Connection]:
    """Leave a log behind, as a process that is killed does."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=wal")
        connection.execute("INSERT INTO metadata VALUES (1)")
        yield connection


def test_a_real_log_that_was_not_written_back_is_refused_and_left_alone(project: Project) -> None:
    path = project.recording / PHASE / ".testmondata"
    with open_in_wal(path):
        assert path.with_name(".testmondata-wal").stat().st_size > 0
        assert refused(project) == "database-uncheckpointed"


def test_a_journal_of_an_unfinished_change_is_refused_and_left_alone(project: Project) -> None:
    path = project.recording / PHASE / ".testmondata"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO metadata VALUES (1)")
        assert path.with_name(".testmondata-journal").exists()
        path.with_name("kept-journal").write_bytes(b"journal")
        connection.execute("ROLLBACK")
    path.with_name("kept-journal").rename(path.with_name(".testmondata-journal"))
    assert refused(project) == "database-uncheckpointed"


def test_a_database_in_use_by_another_process_is_only_read(project: Project) -> None:
    with closing(sqlite3.connect(project.recording / PHASE / ".testmondata", isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert answered(validate(project))["reason"] == "compatible"


def test_a_directory_without_write_permission_is_enough(project: Project) -> None:
    paths = [project.recording, *project.recording.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = snapshot(project.recording)
    try:
        assert answered(validate(project))["reason"] == "compatible"
        assert snapshot(project.recording) == before
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("name", ["with space", "100%", "a?mode=rwc", "a#b", "café", "\udce9", "-x", "file:x"])
def test_the_directory_may_have_any_name(project: Project, name: str) -> None:
    other = project.place / name
    _copy(project.recording, other)
    before = snapshot(project.place)
    prefix = project.read("identity.json")["prefix"]
    where = [f"--dir={other}", "--identity", str(project.place / "identity.json")]
    found = answered(project.run("validate", *where, "--matched-key", f"{prefix}123-1"))
    after = snapshot(project.place)
    _delete(other)
    assert found["reason"] == "compatible"
    assert after == before


# -- what the commands are given ----------------------------------------------------------------------


@pytest.mark.parametrize("content", [*NO_OBJECTS.values(), b"{}", b'{"contract": {}}'], ids=[*NO_OBJECTS, "{}", "part"])
def test_a_damaged_identity_is_wrong_use(project: Project, content: bytes) -> None:
    (project.place / "bad.json").write_bytes(content)
    ran = project.validate("bad.json", "key")
    assert (ran.code, answered(ran)["error"]) == (2, "invalid-input")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("baseline", "other"),
        ("schema", 2),
        ("prefix", "other-"),
        ("digest", "0" * 64),
        ("exact_prefix", "x"),
        ("tree", 1),
    ],
)
def test_an_identity_that_was_changed_is_wrong_use(project: Project, field: str, value: object) -> None:
    project.write("bad.json", {**project.read("identity.json"), field: value})
    ran = project.validate("bad.json", "key")
    assert (ran.code, answered(ran)["error"]) == (2, "invalid-input")


def test_an_identity_that_is_not_there_is_wrong_use(project: Project) -> None:
    ran = project.validate("nowhere.json", "key")
    assert (ran.code, answered(ran)["error"]) == (2, "invalid-input")
