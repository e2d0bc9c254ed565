"""The Azure Linux image and its locked packages."""

from .common import ROOT
from .guests import shared


def image() -> None:
    print((ROOT / "azurelinux" / "packages.lock.json").read_text(encoding="utf-8"), shared())
