"""Make what runs without an installation, from this checkout and the libraries that are installed.

``.action/libraries`` is committed: what the commands of the action import, as plain files, since Python compiles a
module of a zip file twice. ``dist/ci-classify.pyz`` is not: the whole program as one file, with its SHA-256 beside it.

The bytes depend on the sources alone, not on the machine: entries are sorted, have one date and one mode, and are
stored, since compressors differ.

Refuses: a library in another version than ``requirements.lock`` pins, or with a file that is not as it was published.
"""

import argparse
import base64
import hashlib
import io
import re
import sys
import zipfile
from collections.abc import Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
LIBRARIES = TOP / ".action/libraries"
SINGLE_FILE = TOP / "dist/ci-classify.pyz"
COMMAND = "python .action/bundle.py"

_Entries = Mapping[str, bytes]
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # no zip file knows an earlier one
_FOR_THE_ACTION = {"click": "click", "pyyaml": "yaml"}  # distributions, and the package of each
_FOR_EVERYTHING = _FOR_THE_ACTION | {
    "gitdb": "gitdb",
    "gitpython": "git",
    "pathspec": "pathspec",
    "rich": "rich",
    "smmap": "smmap",
}
_OWN_FACE = "yaml/__init__.py"  # the one file below .action/libraries that is written here
_YAML = tuple(f"yaml/{name}.py" for name in ("error", "events", "parser", "scanner", "tokens"))


def main() -> int | str:
    """Write the files, or compare the libraries with those that are committed."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Make .action/libraries and dist/ci-classify.pyz.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if .action/libraries is stale")
    check = parser.parse_args().check
    libraries = _libraries(_FOR_THE_ACTION)
    committed = {name: (LIBRARIES / name).read_bytes() for name in _names(LIBRARIES)}
    if check:
        stale = [name for name in libraries.keys() | committed.keys() if libraries.get(name) != committed.get(name)]
        return f"not what this checkout makes: {', '.join(sorted(stale))}; run {COMMAND}" if stale else 0
    for name in committed.keys() - libraries.keys():
        (LIBRARIES / name).unlink()
    for name, content in libraries.items():
        _write(LIBRARIES / name, content)
    program = _archive(_program())
    _write(SINGLE_FILE, program)
    SINGLE_FILE.chmod(0o755)
    line = f"{hashlib.sha256(program).hexdigest()}  {SINGLE_FILE.name}\n"
    _write(SINGLE_FILE.with_name(f"{SINGLE_FILE.name}.sha256"), line.encode())
    return 0


def _program() -> _Entries:
    """Return the whole program, ready to run."""
    sources = [name for name in _names(TOP / "ci_classify") if name.endswith((".json", ".py", ".yaml"))]
    return {
        **_libraries(_FOR_EVERYTHING),
        **{f"ci_classify/{name}": _own(f"ci_classify/{name}") for name in sources},
        "__main__.py": _own(".action/start.py"),
        "licenses/ci-classify/LICENSE": _own("LICENSE"),
    }


def _names(directory: Path) -> list[str]:
    """Return the files below a directory but for byte code."""
    files = (path.relative_to(directory) for path in directory.rglob("*") if path.is_file())
    return [file.as_posix() for file in files if "__pycache__" not in file.parts]


def _own(name: str) -> bytes:
    """Return a text of the checkout, whose lines end as they do in git."""
    return (TOP / name).read_bytes().replace(b"\r\n", b"\n")


def _libraries(packages: Mapping[str, str]) -> _Entries:
    """Return the modules of libraries, and their licences; of PyYAML its scanner and parser behind a face of ours."""
    lock = (TOP / "requirements.lock").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE))
    entries = {_OWN_FACE: _own(f".action/libraries/{_OWN_FACE}")}
    for name, package in packages.items():
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            sys.exit(f"{name} is not installed here; install requirements-dev.lock")
        if installed.version != pins.get(name):
            pinned = pins.get(name, "none")
            sys.exit(f"{name} is {installed.version} here, requirements.lock pins {pinned}; install what it pins")
        entries |= _published(installed, name, package)
    return entries


def _published(installed: Distribution, name: str, package: str) -> _Entries:
    """Return a library's modules and licences, each as its author published it."""
    entries = {}
    for file in installed.files or ():
        path = file.as_posix()
        if ".dist-info/" in path and file.name.startswith(("LICENSE", "AUTHORS")):
            entry = f"licenses/{name}/{file.name}"
        elif path in _YAML if package == "yaml" else path.startswith(f"{package}/") and path.endswith(".py"):
            entry = path
        else:
            continue
        content = Path(str(file.locate())).read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        if file.hash is None or file.hash.value != digest:
            sys.exit(f"{path} is not as it was published with {name} {installed.version}; install that anew")
        entries[entry] = content
    return entries


def _archive(entries: _Entries) -> bytes:
    """Return a zip file behind a line that names its interpreter."""
    written = io.BytesIO()
    written.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(entries):
            entry = zipfile.ZipInfo(name, _FIRST_DATE)
            entry.create_system = 3  # the mode is Unix's wherever this runs
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, entries[name])
    return written.getvalue()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


sys.exit(main())
