"""Tell what a machine lacks."""

from . import benchmark, build_constants, ci, common, time_abi


def main(args: object) -> int:
    common.configure(args)
    print(benchmark.script("guest-exit.sh"), build_constants.IMAGES, time_abi.probe())
    return ci.verify(args)
