"""The baseline commands: identities, recording, use."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from support.baselines import NAME, POLICY, RUNTIME, SOURCE_SHA, Fields, Project, answered, database
from support.inside import run_inside
from support.repository import BuiltRepository, Files, Link, Submodule, in_order, run_git
from support.runner import call, read_output_file

BUCKET = "tests/unit/models"
FILES: Files = {
    "tests/unit/conftest.py": "1\n",
    f"{BUCKET}/conftest.py": "1\n",
    f"{BUCKET}/test_a.py": "1\n",
    "tools/fetch.py": "1\n",
    "ci/h100.yaml": "gpus_per_node: 8\nother: 1\n",
    "ci/gb200.yaml": "gpus_per_node: 4\r\n",
    "src/native/op.c": "1\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.built.head(project.built.commit(FILES))
    return project


def with_groups(**groups: Fields) -> Fields:
    return {**POLICY, "inputs": groups}


def inputs(project: Project, bucket: str = BUCKET, *words: str, platform: str = "h100") -> Mapping[str, object]:
    found = answered(project.identity("identity.json", bucket, *words, platform=platform))
    contract = found["contract"]
    assert isinstance(contract, dict)
    return dict(contract["inputs"])


def error(project: Project, bucket: str = BUCKET, *words: str, platform: str = "h100") -> object:
    ran = project.identity("identity.json", bucket, *words, platform=platform)
    assert ran.code == 2
    return answered(ran)["error"]


# -- identities ---------------------------------------------------------------------------------------


def test_an_identity_is_printed_and_written(project: Project) -> None:
    ran = project.identity("identity.json", BUCKET, "--diagnostic", "image=sha256:a", "--diagnostic", "node=")
    found = answered(ran)
    assert found == project.read("identity.json")
    blob = {path: project.built.git("rev-parse", f"HEAD:{path}") for path in FILES}
    assert found["contract"] == {
        "schema": 1,
        "tool": {"name": "testmon", "version": "2.2.0"},
        "platform": "h100",
        "bucket": BUCKET,
        "kind": "directory",
        "hash_scheme": "git-sha1",
        "inputs": {
            "dataset": {"tools/fetch.py": f"100644 {blob['tools/fetch.py']}"},
            "fixtures": {
                f"{BUCKET}/conftest.py": f"100644 {blob[f'{BUCKET}/conftest.py']}",
                "tests/unit/conftest.py": f"100644 {blob['tests/unit/conftest.py']}",
            },
        },
    }
    assert found["diagnostics"] == {"image": "sha256:a", "node": "unknown"}
    assert found["reported"] == {}


def test_the_keys_are_the_documented_ones(project: Project) -> None:
    found = answered(project.identity("identity.json", BUCKET))
    bucket = hashlib.sha256(BUCKET.encode()).hexdigest()[:16]
    canonical = json.dumps(found["contract"], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    assert found["prefix"] == f"unit-testmon-v1-main-h100-{bucket}-"
    assert found["digest"] == digest
    assert found["exact_prefix"] == f"{found['prefix']}{digest[:12]}-"


def test_a_repository_with_long_ids_has_another_hash_scheme(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.built = BuiltRepository(tmp_path / "long", object_format="sha256")
    project.built.head(project.built.commit(FILES))
    found = answered(project.identity("identity.json", BUCKET))
    assert isinstance(found["contract"], dict)
    assert found["contract"]["hash_scheme"] == "git-sha256"


@pytest.mark.parametrize(
    ("bucket", "kind"),
    [
        (BUCKET, "directory"),
        (f"{BUCKET}/**/*.py", "glob"),
        (f"{BUCKET}/test_a.py", "file"),
        ("tests/unit", "directory"),
    ],
)
def test_what_a_bucket_is_can_be_seen(project: Project, bucket: str, kind: str) -> None:
    without, given = (answered(project.identity("i.json", bucket, *words)) for words in ([], ["--kind", kind]))
    assert without == given


@pytest.mark.parametrize(
    ("bucket", "words", "code"),
    [
        (f"{BUCKET}/gone", [], "invalid-bucket"),
        (f"{BUCKET}/test_a.py", ["--kind", "directory"], "bucket-kind-mismatch"),
        (BUCKET, ["--kind", "file"], "bucket-kind-mismatch"),
        (BUCKET, ["--kind", "glob"], "bucket-kind-mismatch"),
        (f"{BUCKET}/*.py", ["--kind", "directory"], "bucket-kind-mismatch"),
        (f"{BUCKET}/[a].py", ["--kind", "file"], "bucket-kind-mismatch"),
        ("tests/unit/../unit/models", [], "invalid-bucket"),
        ("./tests/unit/models", [], "invalid-bucket"),
        ("tests/unit/models/", [], "invalid-bucket"),
        ("tests\\unit", [], "invalid-bucket"),
        ("tests/unit/a\tb", ["--kind", "file"], "invalid-bucket"),
        ("tests/unit/a\u202eb", ["--kind", "file"], "invalid-bucket"),
        ("tests/unit/a\x85b", ["--kind", "file"], "invalid-bucket"),
        ("TESTS/unit/models", [], "invalid-bucket"),
        ("", [], "invalid-bucket"),
    ],
)
def test_a_bucket_that_cannot_be_one_is_refused(project: Project, bucket: str, words: Sequence[str], code: str) -> None:
    assert error(project, bucket, *words) == code


@pytest.mark.parametrize("platform", ["H100", "h100 ", "", "h", "h100,gb200", "h100\n"])
def test_a_platform_is_named_exactly(project: Project, platform: str) -> None:
    assert error(project, platform=platform) == "unsupported-platform"


def test_a_policy_may_name_its_buckets(project: Project) -> None:
    project.declare({**POLICY, "buckets": {"root": "tests/unit", "names": [BUCKET]}})
    assert inputs(project)
    assert error(project, "tests/unit") == "invalid-bucket"


@pytest.mark.parametrize("words", [["--diagnostic", "image"], ["--diagnostic", "a b=1"], ["--diagnostic=a=1"] * 2])
def test_a_diagnostic_is_a_key_and_a_value(project: Project, words: Sequence[str]) -> None:
    assert error(project, BUCKET, *words) == "invalid-input"


def test_a_group_counts_for_its_platforms_and_buckets_only(project: Project) -> None:
    project.declare(
        with_groups(
            recipe={"files": ["{recipe}"]},
            gb={"files": ["tools/fetch.py"], "platforms": ["gb200"]},
            native={"directories": ["src/native"], "buckets": [f"{BUCKET}/test_a.py"]},
        )
    )
    assert {name: list(paths) for name, paths in inputs(project).items()} == {"recipe": ["ci/h100.yaml"]}  # type: ignore[call-overload]
    assert list(inputs(project, platform="gb200")) == ["recipe", "gb"]
    assert list(inputs(project, f"{BUCKET}/test_a.py")) == ["recipe", "native"]


@pytest.mark.parametrize(
    ("content", "captured"),
    [
        ("gpus_per_node: 8\n", "8"),
        ("# gpus_per_node: 8\nx: 1\ngpus_per_node:  16\nother: 1", "16"),
        ("gpus_per_node: 8\r\n", "8"),
        ("gpus_per_node: 8\ngpus_per_node: 4\n", "8\n4"),
    ],
)
def test_an_extracted_text_counts_instead_of_the_file(project: Project, content: str, captured: str) -> None:
    project.declare(with_groups(ranks={"files": ["{recipe}"], "extract": "^gpus_per_node: *([0-9]+)$"}))
    project.built.head(project.built.commit({**FILES, "ci/h100.yaml": content}))
    assert inputs(project) == {"ranks": {"ci/h100.yaml": captured}}


@pytest.mark.parametrize("entry", ["", "gpus_per_node: x\n", b"\xff\xfe", Submodule("1" * 40)])
def test_an_expression_that_matches_nothing_is_an_error(project: Project, entry: str | bytes | Submodule) -> None:
    project.declare(with_groups(ranks={"files": ["{recipe}"], "extract": "^gpus_per_node: *([0-9]+)$"}))
    project.built.head(project.built.commit({**FILES, "ci/h100.yaml": entry}))
    assert error(project) == "extract-empty"


def test_an_expression_on_a_file_that_is_not_there_is_none(project: Project) -> None:
    project.declare(with_groups(ranks={"files": ["nowhere"], "extract": "(x)"}))
    assert inputs(project) == {"ranks": {}}


def test_directories_are_taken_without_caches_and_byte_code(project: Project) -> None:
    kept = ["op.c", "a.pyc/x.py", "pycache/x", "deep/b.py", "__pycache__.txt", "mypy_cache/x"]
    left_out = ["a.pyc", "b.pyo", "__pycache__/x", "deep/__pycache__/y/z", ".mypy_cache/x", ".ruff_cache/x"]
    left_out += [".pytest_cache/v/x", "deep/c.pyc"]
    del kept[1]  # a tree can't hold a.pyc as a file and as a directory
    files: dict[str, str] = {f"src/native/{name}": "1" for name in [*kept, *left_out, "d.pyc/x.py"]}
    project.built.head(project.built.commit({**FILES, **files}))
    project.declare(with_groups(sources={"directories": ["src/native"]}))
    (found,) = inputs(project).values()
    assert isinstance(found, dict)
    assert set(found) == {f"src/native/{name}" for name in [*kept, "d.pyc/x.py"]}


def test_a_declared_cache_counts_all_the_same(project: Project) -> None:
    project.built.head(project.built.commit({**FILES, "src/__pycache__/x": "1", "src/a.pyc": "1"}))
    groups: Mapping[str, Fields] = {
        "cache": {"directories": ["src/__pycache__"]},
        "code": {"files": ["src/a.pyc"], "directories": ["src"]},
    }
    project.declare(with_groups(**groups))
    found = inputs(project)
    assert "src/__pycache__/x" in str(found["cache"])
    assert "src/a.pyc" in str(found["code"])


def test_a_glob_may_take_out_what_stands_before_it(project: Project) -> None:
    project.built.head(project.built.commit({**FILES, "docker/a": "1", "docker/b.md": "1", "docker/c.md": "1"}))
    project.declare(with_groups(native={"globs": ["/docker/**", "!*.md"], "files": ["docker/c.md"]}))
    (found,) = inputs(project).values()
    assert list(found) == ["docker/a", "docker/c.md"]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("extra", "groups"),
    [
        ({"linked": Link("tools")}, {"g": {"globs": ["/linked/**"]}}),
        ({"linked": Link("tools")}, {"g": {"directories": ["linked/deep"]}}),
        ({"docker/x": Link("y")}, {"g": {"globs": ["/docker/**"], "on-change": "report"}}),
        ({"docker/x": Link("y")}, {"g": {"globs": ["x"]}}),
        ({"tests/unit/linked": Link("models")}, {"g": {"scoped": ["x"], "scope-root": "tests/unit/linked/a"}}),
    ],
)
def test_a_link_that_is_or_leads_to_an_input_is_refused(
    project: Project, extra: Files, groups: Mapping[str, Fields]
) -> None:
    project.built.head(project.built.commit({**FILES, **extra}))
    project.declare(with_groups(**groups))
    assert error(project) == "symlinked-input"


def test_a_bucket_behind_a_link_is_refused(project: Project) -> None:
    project.built.head(project.built.commit({**FILES, "tests/unit/linked": Link("models")}))
    assert error(project, "tests/unit/linked/test_a.py", "--kind", "file") == "symlinked-input"


def test_a_link_that_is_no_input_is_nothing(project: Project) -> None:
    project.built.head(project.built.commit({**FILES, "elsewhere": Link("tools/fetch.py")}))
    assert inputs(project)


def test_a_path_in_both_kinds_invalidates_and_is_not_reported(project: Project) -> None:
    both: Mapping[str, Fields] = {
        "strict": {"files": ["tools/fetch.py"]},
        "loose": {"globs": ["/tools/**"], "on-change": "report"},
    }
    project.declare(with_groups(**both))
    found = answered(project.identity("identity.json", BUCKET))
    assert found["reported"] == {"loose": {}}
    assert isinstance(found["contract"], dict)
    assert list(found["contract"]["inputs"]["strict"]) == ["tools/fetch.py"]


def test_the_tool_itself_its_commit_and_time_are_no_inputs(project: Project) -> None:
    before = answered(project.identity("old.json", BUCKET))
    project.built.head(project.built.commit({**FILES, "ci_classify/__init__.py": "1\n"}))
    after = answered(project.identity("new.json", BUCKET))
    assert before["contract"] == after["contract"]
    assert project.compare("old.json", "new.json")["reason"] == "not-an-input"


def test_a_policy_change_changes_the_contract(project: Project) -> None:
    answered(project.identity("old.json", BUCKET))
    project.declare({**POLICY, "inputs": {**POLICY["inputs"], "more": {"files": ["nowhere"]}}})  # type: ignore[dict-item]
    answered(project.identity("new.json", BUCKET))
    found = project.compare("old.json", "new.json")
    assert (found["contract_changed"], found["reason"]) == (True, "groups-changed")


def test_b100_an_input_that_is_gone_or_empty_or_a_directory_are_three_different_things(tmp_path: Path) -> None:
    project = Project(tmp_path)
    edits: list[Files] = [FILES, {"tools/fetch.py": None}, {"tools/fetch.py": ""}]
    commits = list(in_order(project.built, *edits))
    commits.append(project.built.commit({"tools/fetch.py": None, "tools/fetch.py/x": "1\n"}, commits[-1]))
    found = [answered(project.identity(f"{n}.json", BUCKET, rev=commit)) for n, commit in enumerate(commits)]
    assert len({str(one["digest"]) for one in found}) == 4
    assert project.compare("0.json", "1.json")["removed"] == ["tools/fetch.py"]


def test_b119_nothing_that_the_repository_names_is_run(project: Project, tmp_path: Path) -> None:
    marker, program = tmp_path / "marker", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\n", encoding="utf-8")
    program.chmod(0o755)
    project.built.check_out(project.built.commit({**FILES, ".gitattributes": "* diff=evil\n"}))
    for key in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "core.pager"):
        project.built.git("config", key, str(program))
    where = ["--repo", str(project.built.directory), "--rules", str(project.rules)]
    variables = {"GIT_EXTERNAL_DIFF": str(program), "GIT_PAGER": str(program)}
    identified = call(
        "baseline", "identity", NAME, "--bucket", BUCKET, "--platform", "h100", *where, variables=variables
    )
    suites = call("identity", *where, variables=variables)
    assert (identified.code, suites.code) == (0, 0)
    assert not marker.exists()


def test_a_shallow_clone_without_blobs_and_without_network_is_enough(project: Project, tmp_path: Path) -> None:
    project.built.name("refs/heads/main", project.built.git("rev-parse", "HEAD"))
    project.built.configure({"uploadpack.allowFilter": "true"})
    clone = tmp_path / "clone"
    options = ["--bare", "--depth=1", "--filter=blob:none"]
    run_git(tmp_path, "clone", "--quiet", *options, project.built.url, str(clone))
    before = answered(project.identity("old.json", BUCKET))
    project.built.directory.rename(tmp_path / "gone")
    project.built.directory = clone
    assert answered(project.identity("new.json", BUCKET)) == before
    project.declare(with_groups(ranks={"files": ["{recipe}"], "extract": "(x)"}))
    assert error(project) == "invalid-input"


def test_rules_that_cannot_be_loaded_are_an_answer_too(project: Project) -> None:
    project.rules.write_text("version: 1\nsuites: []\n", encoding="utf-8")
    assert error(project) == "invalid-policy"
    project.rules.unlink()
    assert error(project) == "invalid-policy"


@pytest.mark.parametrize("rev", ["nowhere", "-x", "0" * 40])
def test_a_commit_that_is_not_there_is_an_answer_too(project: Project, rev: str) -> None:
    assert error(project, BUCKET, f"--rev={rev}") == "invalid-input"


def test_a_baseline_that_is_not_declared_is_named(project: Project) -> None:
    where = ["--repo", str(project.built.directory), "--rules", str(project.rules)]
    found = answered(run_inside("baseline", "matrix", "other", *where))
    assert found["error"] == "invalid-policy"
    assert "'other'" in str(found["detail"])


# -- recording ----------------------------------------------------------------------------------------


def test_recording_writes_the_log_back_into_the_database(project: Project) -> None:
    path = project.fill("prod", journal="wal")
    kept = sqlite3.connect(path, isolation_level=None)
    kept.execute("INSERT INTO metadata VALUES (42)")
    log = path.with_name(".testmondata-wal").read_bytes()
    content = path.read_bytes()
    kept.close()
    path.write_bytes(content)
    path.with_name(".testmondata-wal").write_bytes(log)
    found = answered(project.record("prod"))
    assert (found["ok"], found["reason"]) == (True, "recorded")
    assert sorted(entry.name for entry in path.parent.iterdir()) == [".testmondata", "metadata.json"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT value FROM metadata").fetchall() == [(42,)]
    metadata = json.loads((path.parent / "metadata.json").read_text(encoding="utf-8"))
    assert metadata == {
        "schema": 1,
        "phase": "prod",
        "complete": True,
        "runtime": RUNTIME,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def test_recording_while_somebody_writes_is_refused(project: Project) -> None:
    path = project.fill("prod", journal="wal")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO metadata VALUES (1)")
        connection.execute("BEGIN")
        connection.execute("SELECT * FROM metadata").fetchall()
        with closing(sqlite3.connect(path, isolation_level=None)) as writing:
            writing.execute("INSERT INTO metadata VALUES (2)")
        ran = project.record("prod")
    assert (ran.code, answered(ran)["error"]) == (2, "incomplete-phase")
    assert not path.with_name("metadata.json").exists()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (None, "database-missing"),
        (b"", "database-corrupt"),
        (b"not SQLite", "not a database"),
        ("PRAGMA user_version=13", "database-schema"),
        ("DROP TABLE file_fp", "database-schema"),
    ],
)
def test_recording_what_is_no_good_database_is_refused(project: Project, damage: bytes | str | None, said: str) -> None:
    path = project.fill("prod")
    match damage:
        case None:
            path.unlink()
        case bytes():
            path.write_bytes(damage)
        case str():
            database(path, statements=[damage])
    ran = project.record("prod")
    found = answered(ran)
    assert (ran.code, found["error"]) == (2, "incomplete-phase")
    assert said in str(found["detail"])
    assert not path.with_name("metadata.json").exists()


@pytest.mark.parametrize(
    ("runtime", "code"),
    [
        ({}, "incomplete-phase"),
        ({"tool": "testmon 2.2.0"}, "incomplete-phase"),
        ({"tool": {"name": "testmon", "version": "2.3.0"}}, "incomplete-phase"),
        ([], "invalid-input"),
    ],
)
def test_recording_in_another_runtime_is_refused(project: Project, runtime: Fields, code: str) -> None:
    project.fill("prod")
    ran = project.record("prod", runtime)
    assert (ran.code, answered(ran)["error"]) == (2, code)


@pytest.mark.parametrize("phase", ["other", "", "../prod", "PROD"])
def test_recording_a_phase_that_is_not_declared_is_refused(project: Project, phase: str) -> None:
    project.fill("prod")
    assert answered(project.record(phase))["error"] == "unsupported-phase"


def recorded(project: Project) -> None:
    answered(project.identity("identity.json", BUCKET))
    for phase in ("prod", "experimental"):
        project.fill(phase)
        assert project.record(phase).code == 0


def test_a_manifest_says_where_it_comes_from_and_when(project: Project) -> None:
    recorded(project)
    assert answered(project.finalize("identity.json"))["ok"] is True
    manifest = json.loads((project.recording / "manifest.json").read_text(encoding="utf-8"))
    identity = project.read("identity.json")
    created = manifest.pop("created_at")
    assert created.endswith("+00:00")
    assert manifest == {
        "schema": 1,
        "generation": "123-1",
        "source_ref": "refs/heads/main",
        "source_sha": SOURCE_SHA,
        **{name: identity[name] for name in ("contract", "reported", "diagnostics")},
    }


def test_recording_again_makes_the_old_manifest_void(project: Project) -> None:
    recorded(project)
    assert project.finalize("identity.json").code == 0
    assert project.record("prod").code == 0
    assert not (project.recording / "manifest.json").exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"sha": "abc123"}, "invalid-source-or-generation"),
        ({"sha": "B" * 40}, "invalid-source-or-generation"),
        ({"generation": "123"}, "invalid-source-or-generation"),
        ({"generation": "123-1\n"}, "invalid-source-or-generation"),
        ({"generation": "१-१"}, "invalid-source-or-generation"),
        ({"ref": "refs/tags/main"}, "invalid-source-or-generation"),
        ({"ref": "main"}, "invalid-source-or-generation"),
        ({"identity": "nowhere.json"}, "invalid-input"),
        ({"identity": "other.json"}, "invalid-input"),
    ],
)
def test_finalizing_what_is_not_right_is_refused(project: Project, options: Mapping[str, str], code: str) -> None:
    recorded(project)
    project.write("other.json", {**project.read("identity.json"), "baseline": "other"})
    arguments: dict[str, str] = {"identity": "identity.json", **options}
    assert answered(project.finalize(arguments.pop("identity"), **arguments))["error"] == code
    assert not (project.recording / "manifest.json").exists()


def test_finalizing_checks_every_phase_again(project: Project) -> None:
    recorded(project)
    database(project.recording / "prod" / ".testmondata", statements=["INSERT INTO metadata VALUES (1)"])
    found = answered(project.finalize("identity.json"))
    assert found["error"] == "incomplete-phase"
    assert "database-checksum" in str(found["detail"])


def test_a_file_is_written_whole_or_not_at_all(project: Project) -> None:
    recorded(project)
    (project.recording / "manifest.json").mkdir()
    ran = project.finalize("identity.json")
    assert (ran.code, answered(ran)["error"]) == (2, "invalid-input")
    assert sorted(path.name for path in project.recording.iterdir()) == ["experimental", "manifest.json", "prod"]


def test_an_opaque_artifact_is_files_and_checksums(project: Project) -> None:
    artifact = {"kind": "opaque", "files": ["report.bin", "data/x"]}
    project.declare({**POLICY, "phases": ["all"], "artifact": artifact})
    directory = project.recording / "all"
    (directory / "data").mkdir(parents=True)
    (directory / "report.bin").write_bytes(b"\0\1")
    assert answered(project.record("all"))["error"] == "incomplete-phase"
    (directory / "data/x").write_bytes(b"")
    assert answered(project.record("all"))["ok"] is True
    answered(project.identity("identity.json", BUCKET))
    assert project.finalize("identity.json").code == 0
    key = f"{project.read('identity.json')['prefix']}123-1"
    assert answered(project.validate("identity.json", key))["reason"] == "compatible"
    (directory / "data/x").write_bytes(b"x")
    assert answered(project.validate("identity.json", key))["reason"] == "database-checksum"
    (directory / "data").rename(directory / "real")
    (directory / "data").symlink_to("real")
    assert answered(project.validate("identity.json", key))["reason"] == "database-corrupt"


# -- validating ---------------------------------------------------------------------------------------


def finalized(project: Project, *words: str) -> str:
    """Return the prefix of a valid recording."""
    recorded(project)
    found = answered(project.identity("identity.json", BUCKET, *words))
    assert project.finalize("identity.json").code == 0
    return str(found["prefix"])


def test_the_exact_key_and_the_plain_one_are_valid_and_others_are_not(project: Project) -> None:
    prefix = finalized(project)
    exact = project.read("identity.json")["exact_prefix"]
    reasons = {
        key: answered(project.validate("identity.json", key))["reason"]
        for key in (f"{prefix}123-1", f"{exact}123-1", f"{prefix}123-10", f"{prefix}0123456789ab-123-1", prefix, "")
    }
    assert list(reasons.values()) == ["compatible", "compatible", *["key-mismatch"] * 3, "cache-miss"]


def test_a_key_with_the_digest_of_an_older_contract_says_what_changed(project: Project) -> None:
    finalized(project)
    old = project.read("identity.json")["exact_prefix"]
    project.built.head(project.built.commit({**FILES, "tests/unit/conftest.py": "2\n"}))
    answered(project.identity("new.json", BUCKET))
    found = answered(project.validate("new.json", f"{old}123-1"))
    assert found["reason"] == "inputs-changed"
    assert found["changed"] == {"fixtures": ["tests/unit/conftest.py"]}
    assert "tests/unit/conftest.py" in str(found["detail"])


def test_a_mapped_source_is_named_before_other_inputs(project: Project) -> None:
    project.declare(with_groups(a={"files": ["tools/fetch.py"]}, sources={"directories": ["src/native"]}))
    prefix = finalized(project)
    changes: Files = {**FILES, "tools/fetch.py": "2\n", "src/native/op.c": "2\n"}
    project.built.head(project.built.commit(changes))
    answered(project.identity("new.json", BUCKET))
    found = answered(project.validate("new.json", f"{prefix}123-1"))
    assert found["reason"] == "mapped-source-changed"
    assert found["changed"] == {"a": ["tools/fetch.py"], "sources": ["src/native/op.c"]}


def test_a_runtime_is_compared_where_one_is_given(project: Project) -> None:
    prefix = finalized(project)
    same, other = (
        project.write(name, runtime)
        for name, runtime in (("same.json", RUNTIME), ("other.json", {**RUNTIME, "python": "3.13.0"}))
    )
    assert answered(project.validate("identity.json", f"{prefix}123-1", "--runtime", same))["ok"] is True
    found = answered(project.validate("identity.json", f"{prefix}123-1", "--runtime", other))
    assert found["reason"] == "runtime-changed"
    assert "python" in str(found["detail"])


@pytest.mark.parametrize(
    ("created", "reason"),
    [
        (None, "missing-created-at"),
        ("2026-09-14T00:00:00", "naive-created-at"),
        ("2026-09-14", "naive-created-at"),
        ("2026-09-14T00:00:00Z", "compatible"),
        ("2026-09-14T02:00:00+02:00", "compatible"),
        ("2026-13-14T00:00:00Z", "invalid-created-at"),
        (1_789_000_000, "invalid-created-at"),
    ],
)
def test_the_time_of_a_recording_has_a_zone(project: Project, created: object, reason: str) -> None:
    prefix = finalized(project)
    path = project.recording / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "created_at": created}), encoding="utf-8")
    assert answered(project.validate("identity.json", f"{prefix}123-1"))["reason"] == reason


def test_the_first_phase_that_is_wrong_gives_the_reason(project: Project) -> None:
    prefix = finalized(project)
    (project.recording / "prod" / ".testmondata").unlink()
    (project.recording / "experimental" / "metadata.json").unlink()
    assert answered(project.validate("identity.json", f"{prefix}123-1"))["reason"] == "database-missing"


def test_text_says_the_same(project: Project) -> None:
    prefix = finalized(project)
    valid, missed = (project.validate("identity.json", key, "--format", "text") for key in (f"{prefix}123-1", ""))
    assert (valid.code, valid.stdout) == (0, "unit: the recording is valid (compatible): nothing that counts changed\n")
    assert (missed.code, missed.stdout) == (1, "unit: run in full (cache-miss): no recording was found\n")


def test_a_baseline_that_stores_nothing_has_nothing_to_validate(project: Project) -> None:
    project.declare({key: value for key, value in POLICY.items() if key not in {"phases", "artifact"}})
    answered(project.identity("identity.json", BUCKET))
    assert answered(project.validate("identity.json", "key"))["error"] == "invalid-policy"


# -- in a workflow ------------------------------------------------------------------------------------


class Step:
    """The files of a step around a call of a command."""

    def __init__(self, directory: Path) -> None:
        self.output, self.summary = directory / "output", directory / "summary"
        self.output.touch()
        self.summary.touch()
        self.variables = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }

    @property
    def outputs(self) -> Sequence[tuple[str, str]]:
        return read_output_file(self.output.read_text(encoding="utf-8"))


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Step:
    step = Step(tmp_path)
    for name, value in step.variables.items():
        monkeypatch.setenv(name, value)
    return step


def mode(project: Project, *words: str) -> Fields:
    asked = ["--event", "push", "--ref", "refs/pull/1/merge", "--repository", "org/repo"]
    return answered(project.run("mode", *asked, *words))


def test_an_identity_gives_its_keys_as_outputs(project: Project, step: Step) -> None:
    found = answered(project.identity("identity.json", BUCKET))
    assert step.outputs == [(name, found[name]) for name in ("prefix", "exact_prefix", "digest")]


def test_a_mode_is_written_as_outputs_in_one_append(project: Project, step: Step) -> None:
    found = mode(project, "--validation", "cache-miss")
    assert found["mode"] == "full"
    assert step.outputs == [
        ("mode", "full"),
        ("requested", "false"),
        ("eligible", "false"),
        ("reason", "not-requested"),
    ]


@pytest.mark.parametrize(
    ("validation", "reason"),
    [
        ("", "baseline:missing"),
        ("x\nmode=selective", "baseline:unknown"),
        ("compatible ", "baseline:unknown"),
        ("COMPATIBLE", "baseline:unknown"),
        ("x" * 100, "baseline:unknown"),
        ("no-such-code", "baseline:no-such-code"),
    ],
)
def test_a_validation_that_is_no_code_is_a_full_run(project: Project, step: Step, validation: str, reason: str) -> None:
    selective = {**POLICY["selective"], "default-value": "true"}  # type: ignore[dict-item]
    project.declare({**POLICY, "selective": selective})
    found = mode(project, "--default", "true", "--validation", validation)
    assert (found["mode"], found["reason"]) == ("full", reason)
    assert dict(step.outputs)["reason"] == reason


def test_without_a_place_for_outputs_the_step_fails(project: Project, step: Step) -> None:
    where = ["--repo", str(project.built.directory), "--rules", str(project.rules)]
    asked = ["--event", "push", "--ref", "x", "--repository", "a/b", *where]
    ran = call("baseline", "mode", NAME, *asked, variables={**step.variables, "GITHUB_OUTPUT": ""})
    assert ran.code == 2
    assert "no output can be written" in ran.stderr


def test_what_is_reused_although_something_changed_is_told(project: Project, step: Step) -> None:
    loose = {"loose": {"files": ["tools/fetch.py"], "on-change": "report"}}
    project.declare(with_groups(**loose))
    prefix = finalized(project)
    project.built.head(project.built.commit({**FILES, "tools/fetch.py": "2\n"}))
    answered(project.identity("new.json", BUCKET))
    found = answered(project.validate("new.json", f"{prefix}123-1"))
    assert (found["ok"], found["detail"]) == (True, "reused although loose changed")
    assert found["changed"] == {"loose": ["tools/fetch.py"]}
    assert dict(step.outputs)["reason"] == "compatible"
    assert "reused although loose changed" in step.summary.read_text(encoding="utf-8")
    assert "`tools/fetch.py`" in step.summary.read_text(encoding="utf-8")


# -- modes and the matrix -----------------------------------------------------------------------------


def test_a_job_may_use_no_list_of_changed_files_but_an_unknown_state_is_a_full_run(project: Project) -> None:
    project.declare({**POLICY, "selective": {**POLICY["selective"], "default-value": "true"}})  # type: ignore[dict-item]
    asked = ["--default", "true", "--validation", "compatible"]
    assert mode(project, *asked)["mode"] == "selective"
    for state in ("", "x", "complete\n"):
        found = mode(project, *asked, f"--changed-list={state}")
        assert (found["mode"], found["reason"]) == ("full", "changed-list:unknown")


def test_recording_is_for_the_exact_ref_event_and_repository(project: Project) -> None:
    def produce(event: str, ref: str, repository: str, validation: str = "cache-miss") -> tuple[int, object, object]:
        words = ["--event", event, "--ref", ref, "--repository", repository, "--validation", validation]
        ran = project.run("mode", "--wanted", "baseline", *words)
        found = answered(ran)
        return ran.code, found["mode"], found["reason"]

    right = ("schedule", "refs/heads/main", "org/repo")
    assert produce(*right) == (0, "baseline", "producer")
    assert produce("schedule", "refs/heads/main/x", "org/repo") == (2, "error", "producer-ref")
    assert produce("push", "refs/heads/main", "org/repo") == (2, "error", "producer-event")
    assert produce("schedule", "refs/heads/main", "fork/repo") == (2, "error", "producer-repository")
    assert produce(*right, "identity-error") == (2, "error", "baseline:identity-error")
    assert produce(*right, "symlinked-input") == (2, "error", "baseline:symlinked-input")
    assert produce(*right, "") == (2, "error", "baseline:missing")
    assert produce(*right, "incomplete-phase") == (0, "baseline", "producer")
    project.declare({key: value for key, value in POLICY.items() if key != "producer"})
    assert produce(*right) == (2, "error", "producer-ref")


@pytest.mark.parametrize("bucket", ["tests/other", "../x", "tests/unit/a\nb"])
def test_the_bucket_of_a_mode_is_checked_first(project: Project, bucket: str) -> None:
    asked = ["--event", "push", "--ref", "x", "--repository", "a/b", "--bucket", bucket]
    assert answered(project.run("mode", *asked))["error"] == "invalid-bucket"


def test_the_matrix_is_every_named_bucket_on_every_platform(project: Project) -> None:
    project.declare({**POLICY, "buckets": {"root": "tests/unit", "names": [BUCKET, "tests/unit/**/*.py"]}})
    ran = project.run("matrix")
    jobs = json.loads(ran.stdout)
    assert len(ran.stdout.splitlines()) == 1
    assert [(job["bucket"], job["platform"]) for job in jobs] == [
        (BUCKET, "h100"),
        (BUCKET, "gb200"),
        ("tests/unit/**/*.py", "h100"),
        ("tests/unit/**/*.py", "gb200"),
    ]
    assert jobs[0]["prefix"] == answered(project.identity("identity.json", BUCKET))["prefix"]


def test_the_matrix_takes_buckets_from_where_they_are_named(project: Project) -> None:
    groups = {"g": {"files": ["x"], "buckets": [BUCKET]}}
    project.declare({**with_groups(**groups), "selective": {"never": ["tests/unit/slow/"]}, "platforms": {"one": {}}})
    jobs = json.loads(project.run("matrix").stdout)
    assert [job["bucket"] for job in jobs] == [BUCKET, "tests/unit/slow"]


def test_the_matrix_of_a_policy_that_names_nothing_is_an_empty_array(project: Project) -> None:
    assert project.run("matrix").stdout == "[]\n"
    project.declare({**POLICY, "platforms": {}, "buckets": {"root": "tests/unit", "names": [BUCKET]}})
    assert project.run("matrix").stdout == "[]\n"


def test_a_matrix_that_github_would_refuse_is_warned_about(project: Project) -> None:
    names = [f"tests/unit/b{number}" for number in range(129)]
    project.declare({**POLICY, "buckets": {"root": "tests/unit", "names": names}})
    ran = project.run("matrix")
    assert len(json.loads(ran.stdout)) == 258
    assert "258 jobs are more than the 256" in ran.stderr
