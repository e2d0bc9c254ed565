"""The action: the scripts of its steps run in bash, on a runner's environment and a hostile checkout."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.payloads import pull_request
from support.repository import BuiltRepository
from support.runner import read_output_file

TOP = Path(__file__).parents[2]
ACTION = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
SETUP, COMMAND = ACTION["runs"]["steps"]
INPUTS = {name: str(given["default"]) for name, given in ACTION["inputs"].items()}

# Would run if anything in the checkout under test were imported or executed.
TRAP = "import pathlib; pathlib.Path(__file__).with_name('pwned').write_text('')\n"
TRAPS = ("ci_classify/__init__.py", "click.py", "yaml/__init__.py", "site.py", "sitecustomize.py", "json.py", "pip.py")
RULES = """\
version: 1
labels: {"a 'b' \\"c\\"": {skips: [unit]}}
suites: {unit: {inputs: [/src/]}, docs: {inputs: [/docs/]}}
"""
HOSTILE = ("src/$(touch pwned).txt", "src/`touch pwned`.py", "src/a;touch pwned;b.py", "src/x'y.py", "src/a&&b.py")


@dataclass(frozen=True)
class Job:
    """A job on a runner: its workspace, a checkout of a pull request with traps in it, and its temporary directory."""

    workspace: Path
    temporary: Path
    payload: Path

    def step(
        self, step: Mapping[str, Any], inputs: Mapping[str, str], **variables: str
    ) -> tuple[int, str, dict[str, str]]:
        """Run a step's script as the runner does; return its code, what it printed, and its outputs."""
        output = self.temporary / "output"
        output.write_bytes(b"")
        given = {**INPUTS, **inputs}
        names = {name: re.search(r"inputs\.(\w+)", text) for name, text in dict(step["env"]).items()}
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(TOP),
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(self.payload),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary.md"),
            "RUNNER_TEMP": str(self.temporary),
            **{name: given[match[1]] for name, match in names.items() if match},
            **variables,
        }
        script = self.temporary / "script.sh"
        script.write_text(step["run"], encoding="utf-8")
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.workspace,
            env=environment,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )
        outputs = dict(read_output_file(output.read_text(encoding="utf-8") or "\n"))
        return ran.returncode, ran.stdout + ran.stderr, outputs


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Return a job whose directories have spaces in their names."""
    directory = tmp_path_factory.mktemp("a job")
    repository = BuiltRepository(directory / "the workspace")
    base = repository.commit({"rules.yaml": RULES, "src/a.py": "1\n", **dict.fromkeys(TRAPS, TRAP)})
    head = repository.commit(dict.fromkeys(HOSTILE, "2\n"), base)
    merge = repository.commit(dict.fromkeys(HOSTILE, "2\n"), base, head)
    repository.check_out(merge)
    payload = directory / "event.json"
    payload.write_text(json.dumps(pull_request(base, head)), encoding="utf-8")
    temporary = directory / "temp dir"
    temporary.mkdir()
    return Job(workspace=repository.directory, temporary=temporary, payload=payload)


@pytest.fixture(scope="module")
def python(job: Job) -> str:
    """Return the interpreter that the first step sets up, from what the lock file pins."""
    code, printed, outputs = job.step(SETUP, {})
    assert code == 0, printed
    return outputs["python"]


def test_the_scripts_take_nothing_but_variables() -> None:
    assert [step["id"] for step in ACTION["runs"]["steps"] if "${{" in step["run"]] == []


def test_the_action_classifies_and_runs_nothing_of_the_checkout(job: Job, python: str) -> None:
    code, printed, outputs = job.step(COMMAND, {}, PYTHON=python)
    assert code == 0, printed
    plan = json.loads(outputs.pop("plan"))
    assert outputs == {"unit": "true", "docs": "false"}
    assert plan["outputs"] == {"unit": True, "docs": False}
    assert plan["changes"]["total"] == len(HOSTILE)
    assert [path.name for path in job.workspace.rglob("pwned")] == []
    assert "### unit: run" in (job.temporary / "summary.md").read_text(encoding="utf-8")


def test_labels_come_one_a_line(job: Job, python: str) -> None:
    labels = "other\r\na 'b' \"c\"\n\n$(touch pwned)\n"
    code, printed, outputs = job.step(COMMAND, {"labels": labels}, PYTHON=python)
    assert code == 0, printed
    assert outputs["unit"] == "false"
    assert [path.name for path in job.workspace.rglob("pwned")] == []


@pytest.mark.parametrize("name", ["rules", "repo", "event", "base", "branch", "fetch", "command"])
@pytest.mark.parametrize("value", ["$(touch pwned)", "--help", "a b'\"\n;touch pwned"])
def test_no_input_is_anything_but_a_value(job: Job, python: str, name: str, value: str) -> None:
    code, _, outputs = job.step(COMMAND, {name: value}, PYTHON=python)
    assert [path.name for path in job.workspace.rglob("pwned")] == []
    if code == 0:  # an odd branch or event, or a fallback that says why
        assert set(outputs) == {"unit", "docs", "plan"}
    else:  # no output at all, so that every consumer's guard runs it
        assert outputs == {}


def test_a_fallback_is_complete(job: Job, python: str) -> None:
    code, printed, outputs = job.step(COMMAND, {}, PYTHON=python, GITHUB_EVENT_PATH=str(job.temporary / "absent"))
    assert code == 0, printed
    assert json.loads(outputs.pop("plan"))["fallback"] == "payload-missing"
    assert outputs == {"unit": "true", "docs": "true"}


def test_without_a_python_the_step_fails_and_says_so(job: Job) -> None:
    code, printed, outputs = job.step(SETUP, {"python": "/nowhere/python"})
    assert code == 1
    assert printed.startswith("::error title=ci-classify::There is no Python 3.11 or newer")
    assert outputs == {}


@pytest.mark.parametrize("name", ["plan", "fallback", "cause", "base", "head"])
def test_every_output_is_described_and_comes_from_the_plan(name: str) -> None:
    given = ACTION["outputs"][name]
    assert given["description"]
    assert "steps.command.outputs.plan" in given["value"]
