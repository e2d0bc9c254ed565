"""Tests of the edge crate on a machine with a hypervisor."""

from . import build_constants, ci, common

CRATE = common.ROOT / "aci_edge_sandboxes"


def main(args: object) -> int:
    common.run(["cargo", "test", "--locked", "--features", "e2e"], cwd=CRATE)
    print(build_constants.IMAGES)
    return ci.verify(args)
