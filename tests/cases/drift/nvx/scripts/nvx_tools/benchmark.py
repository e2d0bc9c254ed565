"""Measure boots, restores and devices of microVMs."""

from pathlib import Path

from . import adversarial_oracles, build_constants, time_abi
from .common import run

HERE = Path(__file__).parent
SCRIPTS = HERE / "benchmark_scripts"
SUPERVISOR = Path(__file__).with_name("process_supervisor.py")


def script(name: str) -> str:
    return (SCRIPTS / name).read_text(encoding="utf-8")


def main(args: object) -> int:
    run(["python", str(SUPERVISOR), "--once"])
    print(script("guest-exit.sh"), adversarial_oracles.judge(), build_constants.IMAGES, time_abi.probe(), args)
    return 0
