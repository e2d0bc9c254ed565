"""End to end with the real pytest-testmon: record on one commit, validate on the next, select from the validated copy."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.baselines import POLICY, Project, answered, snapshot

BUCKET = "tests/unit/a"
FILES = {
    "one.py": "def one():\n    return 1\n",
    "two.py": "def two():\n    return 2\n",
    "README.md": "hello\n",
    "tools/fetch.py": "URL = 'x'\n",
    "ci/h100.yaml": "gpus: 8\n",
    "tests/unit/conftest.py": "import pytest\n",
    "tests/unit/a/test_one.py": "from one import one\n\ndef test_one():\n    assert one() == 1\n",
    "tests/unit/a/test_two.py": "from two import two\n\ndef test_two():\n    assert two() == 2\n",
}
RUNTIME = {"tool": {"name": "pytest-testmon", "version": "2.2.0"}, "python": "3"}


def run_tests(directory: Path, data: Path) -> str:
    """Run the bucket with testmon as a job does; return what pytest says."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(directory),
        "TESTMON_DATAFILE": str(data),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    words = [sys.executable, "-m", "pytest", "--testmon", "-rA", "-p", "no:xdist", "-p", "no:randomly", BUCKET]
    ran = subprocess.run(words, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode in {0, 5}, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[Project, str]:
    """Return a project whose bucket was recorded on its main branch, and the recorded commit."""
    policy = {**POLICY, "tool": RUNTIME["tool"], "phases": ["prod"]}
    project = Project(tmp_path, policy)
    base = project.built.commit(FILES)
    project.built.check_out(base)
    data = project.recording / "prod" / ".testmondata"
    data.parent.mkdir(parents=True)
    assert "2 passed" in run_tests(project.built.directory, data)
    assert project.identity("recorded.json", BUCKET, rev=base).code == 0
    assert project.record("prod", RUNTIME).code == 0
    assert project.finalize("recorded.json", sha=base).code == 0
    return project, base


def validated(project: Project, commit: str) -> tuple[bool, str, dict[str, list[str]]]:
    """Validate the recording for a commit; it is the same afterwards, to the byte."""
    assert project.identity("current.json", BUCKET, rev=commit).code == 0
    before = snapshot(project.recording)
    found = answered(project.validate("current.json", f"{project.read('current.json')['prefix']}123-1"))
    assert snapshot(project.recording) == before
    return bool(found["ok"]), str(found["reason"]), json.loads(json.dumps(found["changed"]))


def test_the_real_database_is_valid_after_an_unrelated_edit_and_selects_what_a_change_affects(
    recorded: tuple[Project, str],
) -> None:
    project, base = recorded
    head = project.built.commit({"README.md": "edited\n"}, base)
    assert validated(project, head)[:2] == (True, "compatible")
    copy = project.place / "copy"
    shutil.copy(project.recording / "prod" / ".testmondata", copy)
    project.built.check_out(head)
    assert "passed" not in run_tests(project.built.directory, copy)
    project.built.check_out(project.built.commit({"two.py": "def two():\n    return 1 + 1\n"}, head))
    said = run_tests(project.built.directory, copy)
    assert "PASSED tests/unit/a/test_two.py::test_two" in said
    assert "test_one" not in said


def test_an_edit_of_the_root_conftest_is_named_and_refused(recorded: tuple[Project, str]) -> None:
    project, base = recorded
    head = project.built.commit({"tests/unit/conftest.py": "import os\n"}, base)
    assert validated(project, head) == (False, "inputs-changed", {"fixtures": ["tests/unit/conftest.py"]})


def test_a_conftest_of_another_bucket_changes_nothing(recorded: tuple[Project, str]) -> None:
    project, base = recorded
    head = project.built.commit({"tests/unit/tuning/conftest.py": "import os\n"}, base)
    assert validated(project, head)[0]
