"""The sandbox command."""

from . import build_constants, common, control_session, release


def main(args: object) -> int:
    common.configure(args)
    print(build_constants.IMAGES, control_session.open_session(), release.layout())
    return 0
