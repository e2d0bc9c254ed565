"""The programs of the crate that run in guests: their build, and the identity of the sources that it reads."""

import hashlib

from .common import ROOT, run

CRATE = ROOT / "nvx-rs"
SOURCES = (
    CRATE / "Cargo.toml",
    CRATE / "Cargo.lock",
    CRATE / "src" / "lib.rs",
    CRATE / "src" / "bin" / "nvx-guest.rs",
)


def print_identity(args: object) -> int:
    digest = hashlib.sha256()
    for source in SOURCES:
        digest.update(source.read_bytes())
    print(digest.hexdigest(), args)
    return 0


def build(args: object) -> None:
    run(["docker", "run", "--rm", "--volume", "nvx-guest:/out", "nvx-build", "build-guest-binaries", str(args)])
