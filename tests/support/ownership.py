"""Directories of another user. Only root can make them; elsewhere sudo is asked, which runners of GitHub allow."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65_534


@contextmanager
def owned_by_another_user(*directories: Path) -> Iterator[None]:
    """Give directories (not what they hold) to another user, for as long as a test needs that."""
    _give(_NOBODY, directories)
    try:
        yield
    finally:
        _give(os.getuid(), directories)


def _give(user: int, directories: tuple[Path, ...]) -> None:
    if os.geteuid() == 0:
        for directory in directories:
            os.chown(directory, user, -1)
    else:
        subprocess.run(["sudo", "-n", "chown", str(user), *map(str, directories)], check=True)
