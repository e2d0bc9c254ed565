"""The Ubuntu image and its locked packages."""

from .common import ROOT
from .guests import GUEST, shared

LOCK = ROOT / "ubuntu" / "packages.lock.json"


def image() -> None:
    print(LOCK.read_text(encoding="utf-8"), shared(), (GUEST / "ubuntu" / "nvx-bashrc").read_bytes())
