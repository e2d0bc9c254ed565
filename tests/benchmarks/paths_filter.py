"""The same change by dorny/paths-filter's own bundle on node, with equivalent filters.

The bundle is not part of this project: ``PATHS_FILTER`` names the ``dist/index.js`` of a checkout of it. Without
that, or without node, the rows are left out and this is said.
"""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from benchmarks.measuring import COMMAND, Process, Row, medians
from support.repository import BuiltRepository

PROJECT = Path(__file__).resolve().parents[2]
FILES = 3_000
MANY, SUITES = 30_000, 50
ROUNDS = 15


def measure(directory: Path) -> list[Row]:
    """Return the rows: one changed file by NVX's rules, and 30,000 by 50 suites of two patterns."""
    node, bundle = shutil.which("node"), os.environ.get("PATHS_FILTER")
    if node is None or bundle is None:
        print("No rows against paths-filter: set PATHS_FILTER to its dist/index.js, with node on the PATH.")  # noqa: T201
        return []
    one = _Change(directory / "one", _nvx(), [f"crates/part{n % 60}/module{n}.rs" for n in range(FILES)])
    one.change(["scripts/nvx_tools/performance.py"])
    many = _Change(directory / "many", _plain(), [f"part{n % 100}/sub{n % 7}/file{n}.x{n % 90}" for n in range(MANY)])
    many.change(many.names)
    return [
        _row(one, [node, bundle], f"`run`, one file of a push, {FILES:,} files, NVX's rules", 0.65),
        _row(many, [node, bundle], f"`run`, {MANY:,} changed files, {SUITES} suites of 2 patterns", 0.5),
    ]


class _Change:
    """A push, with what each of the two reads: rules and filters."""

    def __init__(self, directory: Path, rules: str, names: Sequence[str]) -> None:
        directory.mkdir()
        self.directory = directory
        self.names = names
        self._rules = rules
        self._repository = BuiltRepository(directory / "repository")
        self._base = self._repository.commit({**dict.fromkeys(names, "1\n"), "rules.yaml": rules})

    def change(self, names: Sequence[str]) -> None:
        """Push a commit that changes these files, and check it out."""
        head = self._repository.commit(dict.fromkeys(names, "2\n"), self._base)
        self._repository.git("checkout", "--quiet", "-B", "main", head)  # the filter fetches a branch that is not there
        payload = {"ref": "refs/heads/main", "before": self._base, "after": head, "created": False, "forced": False}
        payload |= {"deleted": False, "repository": {"default_branch": "main", "full_name": "a/b"}}
        (self.directory / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        self._head = head

    def process(self, words: Sequence[str], **more: str) -> Process:
        """Return a step of the job."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
        environment = {
            **kept,
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_EVENT_PATH": str(self.directory / "event.json"),
            "GITHUB_OUTPUT": str(self.directory / "output"),
            "GITHUB_STEP_SUMMARY": str(self.directory / "summary.md"),
            "GITHUB_REPOSITORY": "a/b",
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_SHA": self._head,
            "PYTHONPYCACHEPREFIX": str(self.directory / "bytecode"),
            **more,
        }
        for name in ("output", "summary.md"):
            (self.directory / name).write_bytes(b"")
        return Process(words=words, directory=self._repository.directory, environment=environment)

    def filtering(self, words: Sequence[str]) -> Process:
        """Return the step of paths-filter."""
        inputs = {
            "FILTERS": json.dumps(_filters(yaml.safe_load(self._rules))),
            "BASE": self._base,
            "TOKEN": "",
            "REF": "",
        }
        inputs |= {"LIST-FILES": "none", "INITIAL-FETCH-DEPTH": "10", "PREDICATE-QUANTIFIER": "some"}
        return self.process(words, **{f"INPUT_{name}": value for name, value in inputs.items()})


def _row(change: _Change, words: Sequence[str], work: str, bound: float) -> Row:
    mine = change.process([COMMAND, "run"])
    other = change.filtering(words)
    amount, other_amount = medians([mine.run, other.run], ROUNDS)
    return Row(work=work, against="paths-filter on node", amount=amount, other=other_amount, bound=bound)


def _nvx() -> str:
    return (PROJECT / "rules.yaml").read_text(encoding="utf-8")


def _plain() -> str:
    suites = {f"run-{n:02}": {"inputs": [f"/part{2 * n}/**", f"/part{2 * n + 1}/**/*.x{n}"]} for n in range(SUITES)}
    return json.dumps({"version": 1, "unclaimed": "nothing", "suites": suites})


def _filters(rules: Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]) -> dict[str, list[str]]:
    """Return filters for the same inputs. The bundle has no exceptions within a filter, which only spares it work."""
    sets: Mapping[str, object] = rules.get("sets", {})

    def globs(terms: Sequence[str]) -> list[str]:
        found: list[str] = []
        for term in terms:
            if term.startswith("@"):
                named = sets[term[1:]]
                found += globs(named if isinstance(named, list) else [])
            elif not term.startswith("!"):
                found.append(f"{term[1:]}**" if term.endswith("/") else term[1:])
        return found

    return {name: globs(suite["inputs"]) for name, suite in rules["suites"].items()}
