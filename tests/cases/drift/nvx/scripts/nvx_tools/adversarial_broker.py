"""Hands out the cases that try to break isolation."""

from pathlib import Path

from . import common

CASES = Path(__file__).with_name("adversarial_cases")


def cases() -> list[str]:
    common.configure(None)
    return sorted(path.name for path in CASES.glob("*.json"))
