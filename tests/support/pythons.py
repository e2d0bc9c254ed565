"""The Pythons at hand that the project supports: this one, those on the PATH, and those installed beside it."""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path


@cache
def oldest_and_newest() -> tuple[str, ...]:
    """Return the interpreters of the oldest and of the newest version, which may be the same."""
    named = (shutil.which(f"python3.{minor}") for minor in range(11, 20))
    beside = sorted(str(path) for path in Path(sys.base_prefix).parent.glob("*/bin/python3"))
    found = {sys.version_info[:2]: sys.executable}
    for python in (*named, *beside):
        version = _version(python) if python else None
        if python and version and version >= (3, 11):
            found.setdefault(version, python)
    return tuple(dict.fromkeys((found[min(found)], found[max(found)])))


def _version(python: str) -> tuple[int, int] | None:
    words = [python, "-I", "-S", "-c", "import sys; print(*sys.version_info[:2])"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    if ran.returncode:  # a name that stands for no Python
        return None
    major, minor = ran.stdout.split()
    return int(major), int(minor)
