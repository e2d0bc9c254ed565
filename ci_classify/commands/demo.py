"""``ci-classify demo``: a complete run in a throw-away repository."""

import tempfile
from importlib.resources import files as package_files
from pathlib import Path

from ci_classify.commands import explain, run
from ci_classify.commands.exits import OK
from ci_classify.edges import console, files
from ci_classify.edges.demo_repository import build

_SKIPPED = "scripts/nvx_tools/performance.py"


def show() -> int:
    """Build a repository with a pull request, classify it as a job would, and show all that comes out."""
    rules = package_files("ci_classify.commands").joinpath("demo_rules.yaml").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        here = build(Path(name), rules)
        repository = str(Path(name, "repository"))
        _heading("The rules of a small platform for microVMs, rules.yaml")
        console.write(rules)
        _heading("Its pull request: a document, performance.py and the history of results")
        console.write("$ ci-classify run\n\n")
        run.run(run.RunRequest(repo=repository), here)
        if here.output is not None and here.summary is not None:
            _heading("What the step wrote to GITHUB_OUTPUT")
            console.write(files.read(here.output).decode())
            _heading("What the step wrote to GITHUB_STEP_SUMMARY")
            console.write(files.read(here.summary).decode())
        _heading(f"$ ci-classify explain {_SKIPPED}")
        explain.run(explain.ExplainRequest(repo=repository, paths=(_SKIPPED,)))
    return OK


def _heading(text: str) -> None:
    console.show([(0, ()), (0, ((f"--- {text}", "bold"),)), (0, ())])
