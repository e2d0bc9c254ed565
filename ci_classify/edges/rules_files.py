"""Where the rules file of a repository is, and under which names it decides CI."""

import os

from ci_classify.core.record import Record
from ci_classify.edges import files
from ci_classify.edges.places import inside

DEFAULT_NAMES = (".github/ci-classify.yaml", "rules.yaml")


class RulesFile(Record):
    """A rules file: the name to show, where it is, and the paths of the repository that are it.

    All default names are among the paths, since adding or deleting one of them chooses another file; so
    is what a symbolic link leads to.
    """

    shown: str
    path: str
    paths_in_tree: tuple[str, ...]

    def read(self) -> bytes:
        """Return the bytes of the file, or raise FileProblemError."""
        return files.read(self.path)


def locate(top: str, given: str | None) -> RulesFile:
    """Return the rules file that was given, else the first default that exists in a repository."""
    if given is not None:
        path = given
    else:
        defaults = [os.path.join(top, name) for name in DEFAULT_NAMES]
        path = next((default for default in defaults if os.path.lexists(default)), defaults[0])
    roots = (os.path.abspath(top), os.path.realpath(top))
    seen = [inside(form, root) for form in (os.path.abspath(path), os.path.realpath(path)) for root in roots]
    names = [name for name in seen if name]
    paths = dict.fromkeys((*names, *DEFAULT_NAMES))
    return RulesFile(shown=next(iter(names), path), path=path, paths_in_tree=tuple(paths))
