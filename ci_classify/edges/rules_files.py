"""Where the rules file of a repository is, and under which names it decides CI."""

import os

from ci_classify.core.record import Record
from ci_classify.edges import files
from ci_classify.edges.places import inside

_MOST_LINKS = 40  # as many as Linux follows
DEFAULT_NAMES = (".github/ci-classify.yaml", "rules.yaml")


class RulesFile(Record):
    """A rules file: the name to show, where it is, and the paths of the repository that are it.

    All default names are among the paths, since adding or deleting one of them chooses another file; so
    is every symbolic link on the way, and what it leads to.
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
    forms = (*_ways(os.path.abspath(path)), os.path.realpath(path)) if path else ()
    names = [name for form in forms for root in roots if (name := inside(form, root))]
    paths = dict.fromkeys((*names, *DEFAULT_NAMES))
    return RulesFile(shown=next(iter(names), path) or "''", path=path, paths_in_tree=tuple(paths))


def _ways(path: str) -> list[str]:
    """Return an absolute path, and what it becomes as one symbolic link in it after the other is followed."""
    found = [path]
    while len(found) <= _MOST_LINKS:
        link = next((part for part in _parts(found[-1]) if os.path.islink(part)), None)
        if link is None:
            break
        target = os.path.join(os.path.dirname(link), os.readlink(link))
        found.append(os.path.normpath(target + found[-1][len(link) :]))
    return found


def _parts(path: str) -> list[str]:
    """Return an absolute path and the directories above it, the highest first."""
    found = [path]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found[::-1]
