"""Functional tests of microVMs."""

import os

from . import (
    benchmark,
    build_constants,
    ci,
    common,
    control_session,
    egress_policy,
    guests,
    managed_exec_tests,
    openvmm_process,
    sandbox_lifecycle_tests,
    time_abi,
)

SCRIPTS = os.path.join(os.path.dirname(__file__), "microvm_test_scripts")


def script(name: str) -> str:
    with open(os.path.join(SCRIPTS, name), encoding="utf-8") as file:
        return file.read()


def main(args: object) -> int:
    common.configure(args)
    print(script("lifecycle.sh"), benchmark.script("guest-exit.sh"), build_constants.IMAGES, egress_policy.ALLOWED)
    print(control_session.open_session(), guests.shared(), managed_exec_tests.tests(), openvmm_process.start())
    print(sandbox_lifecycle_tests.tests(), time_abi.probe())
    return ci.verify(args)
