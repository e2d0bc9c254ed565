"""What a job checks out: the tracked paths of one revision and, on demand, their texts.

Paths are as git stores them, from the top of the repository; the top itself is the empty text.

Refuses: to touch the world. Who makes a Checkout says how a file is read.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from enum import StrEnum
from posixpath import normpath

MAX_TEXT_BYTES = 4 << 20  # a larger file is data


class Kind(StrEnum):
    """What a tracked path is."""

    FILE = "file"
    LINK = "link"
    SUBMODULE = "submodule"


class Checkout:
    """Tracked paths with their kinds. ``read`` returns the bytes of a file or the target of a link."""

    def __init__(self, kinds: Mapping[str, Kind], read: Callable[[str], bytes]) -> None:
        self.kinds = kinds
        self.paths = tuple(sorted(kinds))
        self.submodules = tuple(path for path in self.paths if kinds[path] is Kind.SUBMODULE)
        self._links = frozenset(path for path in self.paths if kinds[path] is Kind.LINK)
        self._read = read
        self._texts: dict[str, str | None] = {}
        self.unreadable: dict[str, tuple[int, str]] = {}
        """Files that were looked into and can't be read: the line, and why."""

    def is_file(self, path: str) -> bool:
        """Return whether a path is a tracked file, or a link."""
        *_, path = self._followed(path)
        return self.kinds.get(path) in {Kind.FILE, Kind.LINK}

    def is_directory(self, path: str) -> bool:
        """Return whether tracked paths lie below a path, which may be a submodule."""
        *_, path = self._followed(path)
        if not path or path in self.submodules:
            return True
        at = bisect_left(self.paths, path + "/")
        return at < len(self.paths) and self.paths[at].startswith(path + "/")

    def below(self, directory: str) -> tuple[str, ...]:
        """Return all tracked paths below a directory; a submodule is itself."""
        *_, directory = self._followed(directory)
        if not directory:
            return self.paths
        if self.submodule_of(directory):
            return (directory,) if directory in self.submodules else ()
        prefix = directory + "/"
        start, end = bisect_left(self.paths, prefix), bisect_left(self.paths, directory + "0")  # "0" follows "/"
        return self.paths[start:end]

    def named(self, path: str) -> tuple[str, ...]:
        """Return what a path names: links on the way, and a file, all below a directory, or the submodule around it."""
        *links, path = self._followed(path)
        submodule = self.submodule_of(path)
        if submodule is not None:
            return (*links, submodule)
        return (*links, path) if self.is_file(path) else (*links, *self.below(path))

    def submodule_of(self, path: str) -> str | None:
        """Return the submodule that a path is or lies in, or None."""
        return next((name for name in self.submodules if path == name or path.startswith(name + "/")), None)

    def _followed(self, path: str) -> list[str]:
        """Return the links among the directories of a path, and last the path without them."""
        found: list[str] = []
        while self._links and path not in self.kinds:
            link = next((above for above in reversed(ancestors(parent(path))) if above in self._links), None)
            target = self.target(link) if link is not None and link not in found else None
            if link is None or target is None:
                break
            found.append(link)
            path = join(target, path[len(link) + 1 :]) or ""
        return [*found, path]

    def text(self, path: str) -> str | None:
        """Return the text of a file, or None for what is no text: absent, too large, not UTF-8, a submodule."""
        if path not in self._texts:
            self._texts[path] = self._load(path)
        return self._texts[path]

    def target(self, path: str) -> str | None:
        """Return the path that a link leads to, or None where it is no link, or leads out of the repository."""
        if self.kinds.get(path) is not Kind.LINK:
            return None
        return join(parent(path), self._read(path).decode("utf-8", "surrogateescape"))

    def _load(self, path: str) -> str | None:
        seen: set[str] = set()
        *_, path = self._followed(path)
        while path not in seen and (target := self.target(path)) is not None:
            seen.add(path)
            *_, path = self._followed(target)
        if self.kinds.get(path) is not Kind.FILE:
            if seen and not self.is_directory(path):
                self.unreadable[min(seen)] = (1, "it is a link that leads to no file of the repository")
            return None
        content = self._read(path)
        if len(content) > MAX_TEXT_BYTES:
            self.unreadable[path] = (1, f"it is larger than {MAX_TEXT_BYTES >> 20} MiB")
            return None
        try:
            return content.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            self.unreadable[path] = (1, "it is not UTF-8")
            return None


def join(directory: str, path: str) -> str | None:
    """Return a path given from a directory as one from the top, or None where it leads out of the repository."""
    if path.startswith(("/", "~")):
        return None
    found = normpath(f"{directory}/{path}" if directory else path)
    if found == ".":
        return ""
    return None if found == ".." or found.startswith("../") else found


def parent(path: str) -> str:
    """Return the directory of a path; that of a name at the top is the empty text."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Return the last component of a path."""
    return path.rpartition("/")[2]


def ancestors(directory: str) -> tuple[str, ...]:
    """Return a directory and all above it, the top last."""
    found = [directory]
    while found[-1]:
        found.append(parent(found[-1]))
    return tuple(found)
