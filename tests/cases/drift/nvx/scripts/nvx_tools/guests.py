"""The parts that all images share, and the Alpine image."""

from .build_config import GUEST
from .common import run

COMMON = GUEST / "common"


def shared() -> list[str]:
    return [path.name for path in COMMON.iterdir()]


def alpine() -> None:
    run(["tar", "--create", "--file", "build/alpine.tar", str(GUEST / "alpine")])
    print(shared())
