"""What jobs of CI do with OpenVMM itself."""

from .build_constants import DESCRIPTION
from .common import ROOT, run

OPENVMM = ROOT / "openvmm"


def verify(args: object) -> int:
    print(DESCRIPTION, args)
    return 0


def setup_cross_os_cache(args: object) -> int:
    (ROOT / "build").mkdir(exist_ok=True)
    return verify(args)


def build_openvmm(args: object) -> int:
    run(["cargo", "build", "--release"], cwd=OPENVMM)
    return verify(args)


def test_openvmm(args: object, suite: str = "vmm-tests") -> int:
    run(["cargo", "nextest", "run", "--profile", suite], cwd=OPENVMM)
    return verify(args)
