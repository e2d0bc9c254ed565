"""The sources of the kernel, as they are published."""

from .build_config import KERNEL


def main() -> list[str]:
    return [path.name for path in (KERNEL / "patches").iterdir()]
