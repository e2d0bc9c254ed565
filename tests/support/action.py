"""The action's one step as the runner runs it: the script in bash, the inputs in the environment."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import yaml

TOP = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
(STEP,) = ACTION["runs"]["steps"]
SCRIPT = str(STEP["run"])
INPUTS = {name: str(given["default"]) for name, given in ACTION["inputs"].items()}
BASH = shutil.which("bash") or ""
WORDS = (BASH, "--noprofile", "--norc", "-e", "-o", "pipefail")


def variables(action: Path, inputs: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the step with some inputs given, the action lying in a directory."""
    given = {**INPUTS, **inputs}
    found = {name: re.search(r"inputs\.(\w+)", text) for name, text in STEP["env"].items()}
    return {"GITHUB_ACTION_PATH": str(action), **{name: given[match[1]] for name, match in found.items() if match}}


def lay_out(action: Path) -> None:
    """Copy to a directory what the action needs of the checkout, without byte code."""
    for name in ("ci_classify", ".action"):
        shutil.copytree(TOP / name, action / name, ignore=shutil.ignore_patterns("__pycache__"))
