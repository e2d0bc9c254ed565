"""The action: the scripts of its steps run in bash, on a runner's environment and a hostile checkout."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.payloads import pull_request
from support.repository import BuiltRepository
from support.runner import read_output_file
from support.wheels import lock_installed

TOP = Path(__file__).parents[2]
ACTION = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
SETUP, COMMAND = ACTION["runs"]["steps"]
INPUTS = {name: str(given["default"]) for name, given in ACTION["inputs"].items()}
BASH = shutil.which("bash") or ""
TOO_OLD = f'exec {shlex.quote(sys.executable)} "$1" "$2" "import sys; sys.version_info = (3, 10, 14); $3"'

# Would run if anything in the checkout under test were imported or executed.
TRAP = "import pathlib; pathlib.Path(__file__).with_name('pwned').write_text('')\n"
TRAPS = ("ci_classify/__init__.py", "click.py", "yaml/__init__.py", "site.py", "sitecustomize.py", "json.py", "pip.py")
RULES = """\
version: 1
labels: {"a 'b' \\"c\\"": {skips: [unit]}}
suites: {unit: {inputs: [/src/]}, docs: {inputs: [/docs/]}}
required-check: {detector: changes, jobs: {unit: {output: unit}}}
"""
HOSTILE = ("src/$(touch pwned).txt", "src/`touch pwned`.py", "src/a;touch pwned;b.py", "src/x'y.py", "src/a&&b.py")


@dataclass(frozen=True)
class Job:
    """A job on a runner: its workspace, a checkout of a pull request with traps in it, and what lies beside it."""

    workspace: Path
    temporary: Path
    payload: Path
    action: Path
    programs: Path
    wheels: Path

    def step(
        self, step: Mapping[str, Any], inputs: Mapping[str, str], **variables: str
    ) -> tuple[int, str, dict[str, str]]:
        """Run a step's script as the runner does; return its code, what it printed, and its outputs."""
        output = self.temporary / "output"
        output.write_bytes(b"")
        given = {**INPUTS, **inputs}
        names = {name: re.search(r"inputs\.(\w+)", text) for name, text in dict(step["env"]).items()}
        environment = {
            **os.environ,
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.workspace),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self.action),
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
            [BASH, "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.workspace,
            env=environment,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )
        outputs = dict(read_output_file(output.read_text(encoding="utf-8") or "\n"))
        return ran.returncode, ran.stdout + ran.stderr, outputs

    @property
    def pwned(self) -> list[Path]:
        """What code of the change would have left behind."""
        return list(self.workspace.rglob("pwned"))


def program(path: Path, script: str) -> None:
    path.write_text(f"#!{BASH}\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Return a job whose directories have odd names, and whose python3 is too old while its python is not."""
    directory = tmp_path_factory.mktemp("a job")
    job = Job(
        workspace=directory / "the workspace",
        temporary=directory / "temp dir",
        payload=directory / "event.json",
        action=directory / "the áction",
        programs=directory / "programs",
        wheels=tmp_path_factory.mktemp("wheels"),  # pip takes a space for the end of a name
    )
    for made in (job.temporary, job.action, job.programs):
        made.mkdir()
    repository = BuiltRepository(job.workspace)
    base = repository.commit({"rules.yaml": RULES, "src/a.py": "1\n", **dict.fromkeys(TRAPS, TRAP)})
    head = repository.commit(dict.fromkeys(HOSTILE, "2\n"), base)
    repository.check_out(repository.commit(dict.fromkeys(HOSTILE, "2\n"), base, head))
    job.payload.write_text(json.dumps(pull_request(base, head)), encoding="utf-8")
    (job.action / "ci_classify").symlink_to(TOP / "ci_classify")
    lock = lock_installed(TOP / "requirements.lock", job.wheels)
    (job.action / "requirements.lock").write_text(lock, encoding="utf-8")
    program(job.programs / "python3", TOO_OLD)
    program(job.programs / "python", f'exec {shlex.quote(sys.executable)} "$@"')
    return job


@pytest.fixture(scope="module")
def python(job: Job) -> str:
    """Return the interpreter that the first step sets up."""
    code, printed, outputs = job.step(SETUP, {})
    assert code == 0, printed
    assert job.pwned == []
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
    assert job.pwned == []
    assert "### unit: run" in (job.temporary / "summary.md").read_text(encoding="utf-8")


def test_labels_come_one_a_line(job: Job, python: str) -> None:
    labels = "other\r\na 'b' \"c\"\r\n\n$(touch pwned)\n--help\n"
    code, printed, outputs = job.step(COMMAND, {"labels": labels}, PYTHON=python)
    assert code == 0, printed
    assert outputs["unit"] == "false"
    assert job.pwned == []


@pytest.mark.parametrize("name", sorted(set(INPUTS) - {"python"}))
@pytest.mark.parametrize("value", ["$(touch pwned)", "--help", "a b'\"\n;touch pwned"])
def test_no_input_is_anything_but_a_value(job: Job, python: str, name: str, value: str) -> None:
    code, _, outputs = job.step(COMMAND, {name: value}, PYTHON=python)
    assert job.pwned == []
    if code == 0:  # an odd branch or event, or a fallback that says why
        assert set(outputs) == {"unit", "docs", "plan"}
    else:  # no output at all, so that every consumer's guard runs it
        assert outputs == {}


@pytest.mark.parametrize("name", ["command", "fetch", "canary"])
def test_another_word_than_the_known_ones_fails(job: Job, python: str, name: str) -> None:
    code, printed, outputs = job.step(COMMAND, {name: "True"}, PYTHON=python)
    assert code == 2
    assert printed.startswith(f"::error title=ci-classify::The input {name} must be ")
    assert outputs == {}


def test_a_fallback_is_complete(job: Job, python: str) -> None:
    code, printed, outputs = job.step(COMMAND, {}, PYTHON=python, GITHUB_EVENT_PATH=str(job.temporary / "absent"))
    assert code == 0, printed
    assert json.loads(outputs.pop("plan"))["fallback"] == "payload-missing"
    assert outputs == {"unit": "true", "docs": "true"}


@pytest.mark.parametrize(
    ("result", "expected"), [("success", 0), ("skipped", 1), ("failure", 1), ("$(touch pwned)\n--help", 1)]
)
@pytest.mark.parametrize("by", ["input", "variable of the caller"])
def test_the_action_judges_the_results_of_jobs(job: Job, python: str, by: str, result: str, expected: int) -> None:
    outputs = {"unit": "true", "docs": "false"}
    needs = json.dumps({"changes": {"result": "success", "outputs": outputs}, "unit": {"result": result}})
    inputs = {"command": "check-required-ci", "needs": needs if by == "input" else ""}
    variables = {} if by == "input" else {"NEEDS_JSON": needs}
    code, printed, written = job.step(COMMAND, inputs, PYTHON=python, **variables)
    assert code == expected, printed
    assert written == {}
    assert job.pwned == []


def test_a_canary_runs_everything_and_its_check_records_what_would_have_been_skipped(job: Job, python: str) -> None:
    code, printed, outputs = job.step(COMMAND, {"canary": "true"}, PYTHON=python)
    assert code == 0, printed
    assert (outputs["unit"], outputs["docs"]) == ("true", "true")
    assert json.loads(outputs["plan"])["canary"] == {"docs": "no-input-changed"}
    needs = json.dumps({"changes": {"result": "success", "outputs": outputs}, "unit": {"result": "success"}})
    record = job.temporary / "a record.json"
    inputs = {"command": "check-required-ci", "needs": needs, "canary": "true", "record": str(record)}
    head = json.loads(outputs["plan"])["head"]
    code, printed, _ = job.step(COMMAND, inputs, PYTHON=python, GITHUB_SHA=head)
    assert code == 0, printed
    assert json.loads(record.read_text(encoding="utf-8"))["jobs"] == []  # no job is judged by docs


@pytest.mark.parametrize("named", ["", "/nowhere/python", "$(touch pwned)", "--help"])
def test_without_a_python_the_step_fails_and_says_so(job: Job, tmp_path: Path, named: str) -> None:
    program(tmp_path / "python3", TOO_OLD)
    code, printed, outputs = job.step(SETUP, {"python": named}, PATH=str(tmp_path))
    assert code == 1
    assert printed.startswith("::error title=ci-classify::There is no Python 3.11 or newer")
    assert outputs == {}
    assert job.pwned == []


def test_a_package_that_is_not_the_pinned_one_is_not_installed(job: Job, tmp_path: Path) -> None:
    pinned = (job.action / "requirements.lock").read_text(encoding="utf-8")
    other = re.sub(r"(?<=sha256:)\w", lambda digit: "1" if digit[0] == "0" else "0", pinned)
    (tmp_path / "requirements.lock").write_text(other, encoding="utf-8")
    code, printed, outputs = replace(job, action=tmp_path, temporary=tmp_path).step(SETUP, {})
    assert code != 0
    assert "DO NOT MATCH THE HASHES" in printed
    assert outputs == {}


@pytest.mark.parametrize("name", ["plan", "fallback", "cause", "base", "head"])
def test_every_output_is_described_and_comes_from_the_plan(name: str) -> None:
    given = ACTION["outputs"][name]
    assert given["description"]
    assert "steps.command.outputs.plan" in given["value"]
