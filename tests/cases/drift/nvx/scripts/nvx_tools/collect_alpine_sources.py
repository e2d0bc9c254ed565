"""The sources of what is in the Alpine image."""

from .common import run


def collect() -> None:
    run(["apk", "fetch"])
