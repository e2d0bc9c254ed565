"""Executes what the adversary asks for."""

from . import common


def execute(args: object) -> int:
    common.configure(args)
    return 0
