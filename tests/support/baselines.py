"""A project with a baseline: its rules, a repository, recordings of it, and calls of the commands."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from support.inside import run_inside
from support.repository import BuiltRepository
from support.runner import Ran

TABLES = (
    "metadata",
    "environment",
    "test_execution",
    "file_fp",
    "test_execution_file_fp",
    "suite_execution_file_fsha",
)
TOOL: Mapping[str, object] = {"name": "testmon", "version": "2.2.0"}
RUNTIME: Mapping[str, object] = {"python": "3.12.1", "tool": TOOL}
SOURCE_SHA = "b" * 40
NAME = "unit"

Fields = Mapping[str, object]
Found = dict[str, object]

POLICY: Fields = {
    "schema": 1,
    "namespace": "unit-testmon",
    "branch": "refs/heads/main",
    "tool": TOOL,
    "buckets": {"root": "tests/unit"},
    "platforms": {"h100": {"recipe": "ci/h100.yaml"}, "gb200": {"recipe": "ci/gb200.yaml"}},
    "inputs": {
        "dataset": {"files": ["tools/fetch.py"]},
        "fixtures": {"scoped": ["conftest.py"], "scope-root": "tests/unit"},
    },
    "phases": ["prod", "experimental"],
    "artifact": {"kind": "sqlite", "file": ".testmondata", "user-version": 14, "tables": list(TABLES)},
    "selective": {"events": ["push"], "refs": ["refs/pull/[0-9]+/merge"], "always-full": ["merge_group"]},
    "producer": {"ref": "refs/heads/main", "events": ["schedule"], "repository": "org/repo"},
}


def rules_text(policy: Fields, **more: object) -> str:
    """Return a rules file with one baseline."""
    suites = {"run-all": {"inputs": ["**"]}}
    return json.dumps({"version": 1, "suites": suites, "baselines": {NAME: policy}, **more})


def database(path: Path, *, journal: str = "delete", statements: Sequence[str] = ()) -> None:
    """Write a database as the tool would, and run more statements on it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode={journal}")
        if not statements:
            connection.execute("PRAGMA user_version=14")
        for statement in statements or [f"CREATE TABLE {table} (value)" for table in TABLES]:
            connection.execute(statement)


def answered(ran: Ran) -> Found:
    """Return the JSON that a command printed; it says nothing of a bug."""
    assert ran.code in {0, 1, 2}, ran.stderr
    assert "Traceback" not in ran.stderr
    return cast("Found", json.loads(ran.stdout))


@dataclass
class Project:
    """A repository, and beside it the rules, identities and recordings."""

    place: Path
    policy: Fields = field(default_factory=lambda: POLICY)

    def __post_init__(self) -> None:
        self.built = BuiltRepository(self.place / "repository")
        self.recording = self.place / "recording"
        self.rules = self.place / "rules.yaml"
        self.declare(self.policy)

    def declare(self, policy: Fields) -> None:
        self.policy = policy
        self.rules.write_text(rules_text(policy), encoding="utf-8")

    def write(self, name: str, value: object) -> str:
        path = self.place / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return str(path)

    def run(self, command: str, *words: str) -> Ran:
        """Run a command on this project's baseline."""
        where = ["--repo", str(self.built.directory), "--rules", str(self.rules)]
        return run_inside("baseline", command, NAME, *words, *where)

    def identity(self, output: str, bucket: str, *words: str, platform: str = "h100", rev: str | None = None) -> Ran:
        revision = [] if rev is None else ["--rev", rev]
        file = str(self.place / output)
        return self.run("identity", "--bucket", bucket, "--platform", platform, "--output", file, *revision, *words)

    def compare(self, old: str, new: str) -> Found:
        return answered(run_inside("baseline", "compare", str(self.place / old), str(self.place / new)))

    def fill(self, phase: str, *, journal: str = "delete") -> Path:
        """Write the database of a phase."""
        path = self.recording / phase / ".testmondata"
        path.parent.mkdir(parents=True, exist_ok=True)
        database(path, journal=journal)
        return path

    def record(self, phase: str, runtime: Fields = RUNTIME) -> Ran:
        file = self.write("runtime.json", runtime)
        return self.run("record", "--dir", str(self.recording), "--phase", phase, "--runtime", file)

    def finalize(
        self,
        identity: str,
        *,
        sha: str = SOURCE_SHA,
        generation: str = "123-1",
        ref: str = "refs/heads/main",
    ) -> Ran:
        words = ["--source-ref", ref, "--source-sha", sha, "--generation", generation]
        return self.run("finalize", "--dir", str(self.recording), "--identity", str(self.place / identity), *words)

    def validate(self, identity: str, key: str, *words: str) -> Ran:
        where = ["--dir", str(self.recording), "--identity", str(self.place / identity)]
        return self.run("validate", *where, "--matched-key", key, *words)

    def read(self, name: str) -> Found:
        return cast("Found", json.loads((self.place / name).read_text(encoding="utf-8")))


def snapshot(directory: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return everything that lies in a directory: kind and permissions, time of change, bytes or target."""
    found = {}
    for path in sorted([directory, *directory.rglob("*")]):
        status = path.lstat()
        content = b""
        if path.is_symlink():
            content = bytes(path.readlink())
        elif path.is_file():
            content = path.read_bytes()
        found[str(path.relative_to(directory))] = (status.st_mode, status.st_mtime_ns, content)
    return found
