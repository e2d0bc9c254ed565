"""Wheels of what is installed here, so that pip can install from a lock file without a network."""

import hashlib
import re
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path


def lock_installed(lock: Path, directory: Path) -> str:
    """Pack each distribution that a lock file names as it is installed; return a lock file that pins these wheels."""
    names = re.findall(r"^([\w.-]+)==", lock.read_text(encoding="utf-8"), re.MULTILINE)
    wheels = {name: _pack(distribution(name), directory) for name in names}
    return "".join(
        f"{name}=={distribution(name).version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"
        for name, wheel in wheels.items()
    )


def _pack(installed: Distribution, directory: Path) -> Path:
    """Write a wheel: https://packaging.python.org/specifications/binary-distribution-format/."""
    tag = re.search(r"^Tag: (.+)$", installed.read_text("WHEEL") or "", re.MULTILINE)
    assert tag, installed.name
    stem = f"{re.sub(r'[-.]+', '_', installed.name)}-{installed.version}"
    kept = [file for file in installed.files or () if ".." not in file.parts and file.suffix != ".pyc"]
    record = next(file for file in kept if file.name == "RECORD")
    wheel = directory / f"{stem}-{tag[1]}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in kept:
            if file != record:
                archive.write(str(file.locate()), file.as_posix())
        archive.writestr(record.as_posix(), "".join(f"{file.as_posix()},,\n" for file in kept))
    return wheel
