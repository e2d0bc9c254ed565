"""Where a path leads, as text: importing ``pathlib`` takes longer than some of a run's calls of git.

The functions of ``os.path`` also never raise where the methods of ``Path`` do: on loops of links, and where they
may not look.
"""

import os

AnyPath = str | os.PathLike[str]


def inside(path: str, directory: str) -> str | None:
    """Return a path as seen from a directory that it is in, with slashes, or None; both absolute and normal."""
    if path == directory:
        return "."
    start = os.path.join(directory, "")
    if not os.path.normcase(path).startswith(os.path.normcase(start)):
        return None
    return path[len(start) :].replace(os.sep, "/")
