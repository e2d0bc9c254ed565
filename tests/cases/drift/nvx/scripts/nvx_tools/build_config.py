"""Where the sources of the kernel and of the images are."""

from . import build_constants
from .common import ROOT

MANIFEST = ROOT / "SOURCE-MANIFEST.json"
KERNEL = ROOT / "kernel"
GUEST = ROOT / "guest"
DOCKERFILE = ROOT / "docker" / "Dockerfile"


def manifest() -> str:
    return MANIFEST.read_text(encoding="utf-8") + build_constants.DESCRIPTION
