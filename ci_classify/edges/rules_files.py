"""Where the rules file of a repository is, and under which names it decides CI."""

import os
from pathlib import Path

from ci_classify.core.record import Record
from ci_classify.edges import files

DEFAULT_NAMES = (".github/ci-classify.yaml", "rules.yaml")


class RulesFile(Record):
    """A rules file: the name to show, where it is, and the paths of the repository that are it.

    All default names are among the paths, since adding or deleting one of them chooses another file; so
    is what a symbolic link leads to.
    """

    shown: str
    path: Path
    paths_in_tree: tuple[str, ...]

    def read(self) -> bytes:
        """Return the bytes of the file, or raise FileProblemError."""
        return files.read(self.path)


def locate(top: Path, given: str | None) -> RulesFile:
    """Return the rules file that was given, else the first default that exists in a repository."""
    if given is not None:
        path = Path(given)
    else:
        path = next((top / name for name in DEFAULT_NAMES if os.path.lexists(top / name)), top / DEFAULT_NAMES[0])
    # As written, links kept; and as resolved, by the function that a circle of links doesn't make fail.
    forms = (os.path.abspath(path), os.path.realpath(path))  # noqa: PTH100
    inside = [_inside(top, Path(form)) for form in forms]
    names = dict.fromkeys((*(name for name in inside if name), *DEFAULT_NAMES))
    return RulesFile(shown=next((name for name in inside if name), str(path)), path=path, paths_in_tree=tuple(names))


def _inside(top: Path, path: Path) -> str | None:
    for root in (Path(os.path.abspath(top)), top.resolve()):  # noqa: PTH100 -- links stay
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return None
