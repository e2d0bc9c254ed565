"""Tests of the life of a sandbox."""

from . import build_constants, common, managed_exec_tests, sandbox_lifecycle


def tests() -> list[object]:
    common.configure(build_constants.IMAGES)
    return [*managed_exec_tests.tests(), sandbox_lifecycle.live]
