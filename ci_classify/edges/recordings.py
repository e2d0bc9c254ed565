"""The directory of a recording: its manifest, the metadata and the files of its phases.

Everything in it may come from a damaged or hostile archive: links are not followed and pipes not waited for.
Looking changes nothing.
"""

import hashlib
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

from ci_classify.core.baseline_identity import Json
from ci_classify.core.baseline_validation import FileFacts, NoObject
from ci_classify.edges import files
from ci_classify.formats.manifest_file import read_object

MANIFEST = "manifest.json"
METADATA = "metadata.json"
MAX_JSON_BYTES = 16 << 20

_CHUNK = 1 << 20


def manifest(directory: Path) -> Json | NoObject:
    """Return the manifest of a recording."""
    return _object(directory / MANIFEST)


def forget_manifest(directory: Path) -> None:
    """Delete the manifest of a recording, if there is one, or raise FileProblemError."""
    try:
        (directory / MANIFEST).unlink(missing_ok=True)
    except OSError as error:
        raise files.FileProblemError(f"{directory / MANIFEST} can't be deleted: {error.strerror or error}") from None


def metadata(directory: Path, phase: str) -> Json | NoObject:
    """Return the metadata of a phase."""
    if not _is_directory(directory / phase):
        return NoObject.ABSENT
    return _object(directory / phase / METADATA)


def _object(path: Path) -> Json | NoObject:
    if not os.path.lexists(path):
        return NoObject.ABSENT
    try:
        found = read_object(files.read(path, limit=MAX_JSON_BYTES, opener=files.foreign))
    except files.FileProblemError:
        return NoObject.UNREADABLE
    return NoObject.UNREADABLE if found is None else found


def file_facts(directory: Path, name: str) -> FileFacts:
    """Return what is seen of a file below a directory, none of whose parents below that may be a link."""
    path = directory / name
    if not os.path.lexists(path):
        return _facts(name, exists=False)
    if not all(_is_directory(directory / above) for above in list(Path(name).parents)[:-1]):
        return _facts(name, damage="a directory on the way is a link")
    try:
        with open(path, "rb", opener=files.foreign) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return _facts(name, damage="it is no regular file")
            checksum = hashlib.sha256()
            while chunk := file.read(_CHUNK):
                checksum.update(chunk)
    except OSError as error:
        return _facts(name, damage=error.strerror or str(error))
    return FileFacts(name=name, exists=True, damage=None, size=status.st_size, sha256=checksum.hexdigest())


def _facts(name: str, *, exists: bool = True, damage: str | None = None) -> FileFacts:
    return FileFacts(name=name, exists=exists, damage=damage, size=0, sha256="")


def _is_directory(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def now() -> str:
    """Return the time in UTC, with its offset."""
    return datetime.now(UTC).isoformat(timespec="seconds")
