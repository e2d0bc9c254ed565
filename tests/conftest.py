"""Every test starts from an environment without a runner, a user's settings or git's variables."""

import os
from pathlib import Path

import pytest
from support import profiles
from support.repository import BuiltRepository
from support.runner import Runner
from support.snapshots import Snapshots
from support.step import Step

profiles.load()

SMALL_RULES = """\
version: 1
documentation: ["*.md"]
unclaimed: nothing
events: {schedule: always}
suites:
  run-unit: {title: Unit tests, inputs: [/src/]}
  run-gpu: {title: GPU tests, inputs: [/gpu/, /rare]}
  run-deploy: {inputs: [/deploy/], internal: true, events: {"*": never, push: inputs}}
producers:
  run-build: {title: Build, consumers: [run-unit, run-gpu]}
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--snapshot-update", action="store_true", help="rewrite the texts in tests/snapshots")


@pytest.fixture(autouse=True)
def _scrubbed_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in list(os.environ):
        if name.upper().startswith(("GITHUB_", "GIT_", "RUNNER_", "ACTIONS_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """Return a runner whose files lie outside of every repository of the test."""
    return Runner(tmp_path / "runner")


@pytest.fixture
def snapshots(request: pytest.FixtureRequest) -> Snapshots:
    """Return the stored texts."""
    return Snapshots(update=bool(request.config.getoption("snapshot_update")))


@pytest.fixture
def built(tmp_path: Path) -> BuiltRepository:
    """Return an empty repository."""
    return BuiltRepository(tmp_path / "repository")


@pytest.fixture
def step(tmp_path: Path) -> Step:
    """Return a step of a job in a repository with the rules of a small project."""
    (tmp_path / "step").mkdir()
    built = BuiltRepository(tmp_path / "checkout")
    built.check_out(built.commit({"rules.yaml": SMALL_RULES, "src/main.py": "1\n"}))
    return Step(tmp_path / "step", built.directory)
