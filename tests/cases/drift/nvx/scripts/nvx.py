"""The command line of NVX. A handler imports what it needs when it is called, so that a command starts fast."""

import argparse
import sys

from nvx_tools import build_constants, ci, common


def _verify(args: argparse.Namespace) -> int:
    return ci.verify(args)


def _setup_cross_os_cache(args: argparse.Namespace) -> int:
    return ci.setup_cross_os_cache(args)


def _build_openvmm(args: argparse.Namespace) -> int:
    return ci.build_openvmm(args)


def _test_openvmm(args: argparse.Namespace) -> int:
    return ci.test_openvmm(args)


def _test_openvmm_unit(args: argparse.Namespace) -> int:
    return ci.test_openvmm(args, suite="unit-tests")


def _guest_identity(args: argparse.Namespace) -> int:
    from nvx_tools import guest_binaries

    return guest_binaries.print_identity(args)


def _build_kernel(args: argparse.Namespace) -> int:
    from nvx_tools import build

    return build.kernel(args)


def _build_image(args: argparse.Namespace) -> int:
    from nvx_tools import build

    return build.image(args)


def _doctor(args: argparse.Namespace) -> int:
    from nvx_tools import doctor

    return doctor.main(args)


def _test_microvm(args: argparse.Namespace) -> int:
    from nvx_tools import microvm_tests

    return microvm_tests.main(args)


def _sandbox(args: argparse.Namespace) -> int:
    from nvx_tools.sandbox import main

    return main(args)


def _test_aci_edge_sandboxes(args: argparse.Namespace) -> int:
    import nvx_tools.aci_edge_sandboxes_tests as tests

    return tests.main(args)


def _benchmark(args: argparse.Namespace) -> int:
    from nvx_tools import benchmark

    return benchmark.main(args)


def _performance(args: argparse.Namespace) -> int:
    from nvx_tools import performance

    return performance.main(args)


def _package(args: argparse.Namespace) -> int:
    from nvx_tools import release

    return release.package(args)


def _archive_release(args: argparse.Namespace) -> int:
    from nvx_tools import archive

    return archive.main(args)


def _materialize(args: argparse.Namespace) -> int:
    return _release_step(args, "provenance")


def _release_step(args: argparse.Namespace, step: str) -> int:
    from nvx_tools import create_linux_source_archive, release

    return release.step(args, step, create_linux_source_archive.main)


def _adversarial(args: argparse.Namespace) -> int:
    from nvx_tools import adversarial

    return adversarial.main(args)


def _publish(args: argparse.Namespace) -> int:
    from nvx_tools import development_release

    return development_release.main(args)


def _add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, handler: object) -> None:
    commands.add_parser(name).set_defaults(handler=handler)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nvx", description=build_constants.DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    _add(commands, "verify", _verify)
    _add(commands, "setup-cross-os-cache", _setup_cross_os_cache)
    _add(commands, "build-openvmm", _build_openvmm)
    _add(commands, "test-openvmm", _test_openvmm)
    _add(commands, "test-openvmm-unit", _test_openvmm_unit)
    _add(commands, "guest-identity", _guest_identity)
    kernel = commands.add_parser("build-kernel")
    kernel.add_argument("--debug", action="store_true")
    kernel.set_defaults(handler=_build_kernel)
    image = commands.add_parser("build-image")
    image.add_argument("--image", choices=["alpine", "ubuntu", "azurelinux"])
    image.set_defaults(handler=_build_image)
    doctor = commands.add_parser("doctor")
    doctor.add_argument("--warp", action="store_true")
    doctor.set_defaults(handler=_doctor)
    _add(commands, "test-microvm", _test_microvm)
    _add(commands, "sandbox", _sandbox)
    _add(commands, "test-aci-edge-sandboxes", _test_aci_edge_sandboxes)
    _add(commands, "benchmark", _benchmark)
    performance = commands.add_parser("performance")
    performance.set_defaults(handler=_performance)
    steps = performance.add_subparsers(dest="step", required=True)
    for step in ("validate-openvmm", "collect", "gate", "persist"):
        steps.add_parser(step)
    _add(commands, "package", _package)
    _add(commands, "archive-release", _archive_release)
    _add(commands, "materialize-kernel-provenance-inputs", _materialize)
    _add(commands, "adversarial", _adversarial)
    _add(commands, "publish-development-release", _publish)
    return parser


def main() -> int:
    args = _parser().parse_args()
    common.configure(args)
    return int(args.handler(args))


if __name__ == "__main__":
    sys.exit(main())
