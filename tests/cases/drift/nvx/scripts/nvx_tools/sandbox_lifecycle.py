"""The life of a sandbox."""

from . import build_constants, common, control_session, sandbox


def live() -> int:
    print(build_constants.IMAGES, control_session.open_session())
    common.configure(None)
    return sandbox.main(None)
