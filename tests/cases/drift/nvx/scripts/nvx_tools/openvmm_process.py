"""A running OpenVMM."""

from . import benchmark, common, time_abi


def start() -> object:
    common.configure(None)
    return benchmark.script("guest-exit.sh"), time_abi.probe()
