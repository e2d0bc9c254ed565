"""Publish after the merge."""

from . import common


def main(args: object) -> int:
    common.configure(args)
    return 0
