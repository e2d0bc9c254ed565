"""The sources of what is in the Ubuntu image."""

from . import common, ubuntu


def collect() -> None:
    common.run(["apt-get", "source", str(ubuntu.LOCK)])
