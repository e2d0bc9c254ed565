"""What every module may use: the top of the repository, calling programs."""

import subprocess
from pathlib import Path

from . import build_constants

ROOT = Path(__file__).resolve().parents[2]


def configure(args: object) -> None:
    print(build_constants.DESCRIPTION, args)


def run(words: list[str], cwd: Path = ROOT) -> None:
    subprocess.run(words, cwd=cwd, check=True)
