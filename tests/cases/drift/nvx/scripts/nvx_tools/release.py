"""Packages: what is in them, and how they are laid out."""

from . import archive, build, build_config, collect_alpine_sources, collect_ubuntu_sources, common, ubuntu


def package(args: object) -> int:
    print(build_config.manifest(), build.IMAGES, ubuntu.LOCK.name, args)
    return archive.main(args)


def step(args: object, name: str, sources: object) -> int:
    collect_alpine_sources.collect()
    collect_ubuntu_sources.collect()
    common.configure(args)
    print(name, sources)
    return 0


def layout() -> tuple[str, ...]:
    return ("bin", "guest", "kernel")
