"""The lock files: complete, pinned by hash, of one mind, and silent about where packages come from."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TOP = Path(__file__).parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {name: (TOP / name).read_text(encoding="utf-8") for name in ("requirements.lock", "requirements-dev.lock")}
WANTED = {
    "requirements.lock": PROJECT["project"]["dependencies"],
    "requirements-dev.lock": [
        *PROJECT["project"]["dependencies"],
        *PROJECT["dependency-groups"]["dev"],
        *PROJECT["build-system"]["requires"],
    ],
}


def pins(text: str) -> dict[str, str]:
    """Return the entry of each package, with its hashes."""
    entries = re.split(r"^(?=[a-z])", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    return {entry.partition("==")[0]: entry for entry in entries if entry}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_pins_and_hashes_alone(lock: str) -> None:
    entry = re.compile(r"[a-z0-9-]+==[\w.]+(?: ; [^\\\n/]+)?(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n")
    assert [text for text in pins(LOCKS[lock]).values() if not entry.fullmatch(text)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_says_how_it_is_made(lock: str) -> None:
    assert re.match(rf"# Made by: uv pip compile (?:.*\\\n#)?.* -o {re.escape(lock)}\n", LOCKS[lock])


@pytest.mark.parametrize(("lock", "wanted"), [(lock, text) for lock, texts in WANTED.items() for text in texts])
def test_a_lock_holds_what_the_project_asks_for(lock: str, wanted: str) -> None:
    requirement = Requirement(wanted)
    entry = pins(LOCKS[lock])[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(entry.split()[0].partition("==")[2])


def test_what_runs_is_what_is_tested() -> None:
    tested = pins(LOCKS["requirements-dev.lock"])
    assert {name: entry for name, entry in pins(LOCKS["requirements.lock"]).items() if tested.get(name) != entry} == {}
