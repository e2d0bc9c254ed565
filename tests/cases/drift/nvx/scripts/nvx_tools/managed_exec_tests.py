"""Tests of managed execution."""

from .control_session import open_session


def tests() -> list[object]:
    return [open_session]
