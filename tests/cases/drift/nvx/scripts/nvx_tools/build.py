"""Build the kernel and the images in a container."""

from . import build_config
from .build_constants import IMAGES
from .common import run


def _container() -> None:
    dockerfile = build_config.DOCKERFILE
    run(["docker", "build", "--tag", "nvx-build", "--file", str(dockerfile), str(dockerfile.parent)])


def kernel(args: object) -> int:
    _container()
    patches = sorted((build_config.KERNEL / "patches").glob("*.patch"))
    print(build_config.manifest(), (build_config.KERNEL / "config-microvm").read_text(encoding="utf-8"), patches, args)
    return 0


def image(args: object) -> int:
    from . import azurelinux, guest_binaries, guests, ubuntu

    _container()
    guest_binaries.build(args)
    builders = {"alpine": guests.alpine, "ubuntu": ubuntu.image, "azurelinux": azurelinux.image}
    print(IMAGES, builders)
    return 0
