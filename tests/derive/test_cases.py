"""Small checkouts, one file each: what a job reads, and what is left to a run. The folder names the module."""

import json
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import yaml
from support.drift import CASES, WORKFLOW, checkout, closure_of

FIRST_LINE = 8  # of the script of a case without a workflow; places in it count from there
FILES = sorted(path for path in CASES.glob("*/*.yaml") if path.parent.name != "nvx")


def workflow(case: dict[str, Any]) -> str:
    """Return the workflow of a case: as written, or one job with one step."""
    if "workflow" in case:
        return str(case["workflow"])
    head = (
        f"on: push\njobs:\n  job:\n    runs-on: {case.get('runs-on', 'ubuntu-24.04')}\n    steps:\n      - name: step\n"
    )
    keys = ("uses", "with", "env", "shell", "working-directory")
    rest = "".join(f"        {key}: {json.dumps(case[key])}\n" for key in keys if key in case)
    script = indent(case["run"], " " * 10) if "run" in case else ""
    return head + (f"        run: |\n{script.rstrip()}\n" if script else "") + rest


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}-{path.stem}" for path in FILES])
def test_a_job_reads_exactly(path: Path) -> None:
    case = yaml.safe_load(path.read_text(encoding="utf-8"))
    files = {name: text or "" for name, text in case.get("files", {}).items()}
    submodules, links = tuple(case.get("submodules", ())), tuple(case.get("links", ()))
    found = closure_of(checkout({WORKFLOW: workflow(case), **files}, submodules, links))
    assert sorted(one.path for one in found.paths if one.path != WORKFLOW) == sorted(case["reads"])
    start = 0 if "workflow" in case else FIRST_LINE - 1
    told = [(one.place.file, one.place.line - start * (one.place.file == WORKFLOW), one.why) for one in found.unclear]
    lines = [f"{file}:{line}: {why}".removeprefix(f"{WORKFLOW}:") for file, line, why in told]
    assert sorted(lines) == sorted(case.get("unresolved", []))
    assert sorted(f"{one.kind} {one.path}" for one, _ in found.absent) == sorted(case.get("absent", []))
