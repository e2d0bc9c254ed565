"""A list of paths, as other programs write them, becomes changes.

Separated by NUL where it holds one, else one path a line with empty lines dropped. Refuses: what would
have to be guessed, such as names that git has quoted, and what can't be a path in a repository.
"""

from ci_classify.core.annotations import NoReturn
from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.model import MODIFIED, Changes

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_NOWHERE = ("/./", "/../")


def read_paths(content: bytes, source: str) -> Changes:
    """Return the paths of a list as changes, each ``modified``, or raise CannotClassifyError."""
    if content.startswith(_UTF_16):
        _refuse(f"{source} is UTF-16; write it as UTF-8")
    if b"\0" in content:
        paths = content.decode("utf-8", "surrogateescape").split("\0")
    else:
        paths = _lines(content.removeprefix(_BYTE_ORDER_MARK).decode("utf-8", "surrogateescape"), source)
    paths = [path for path in paths if path]
    for path in paths:
        if not is_from_top(path):
            _refuse(f"{source} holds {path[:100]!r}, which is no path from the top of a repository")
    return Changes(paths=tuple(paths), kinds=(MODIFIED,) * len(paths))


def is_from_top(path: str) -> bool:
    """Return whether a path (not empty) may be one of a tree, as git writes it."""
    return path[0] != "/" and path[-1] != "/" and not any(part in f"/{path}/" for part in _NOWHERE)


def _lines(text: str, source: str) -> list[str]:
    *lines, rest = text.split("\n")
    returns = sum(line.endswith("\r") for line in lines)
    if returns not in {0, len(lines)}:
        _refuse(f"{source} ends only some of its lines with a carriage return")
    if returns:
        lines = [line.removesuffix("\r") for line in lines]
    lines.append(rest)
    quoted = next((line for line in lines if len(line) > 1 and line[0] == line[-1] == '"'), None)
    if quoted is not None:
        _refuse(f"{source} holds {quoted[:100]}, quoted by git; list paths with -z")
    with_tab = next((line for line in lines if "\t" in line), None)  # which git would have quoted
    if with_tab is not None:
        _refuse(f"{source} holds {with_tab[:100]!r}, more than a path; list paths alone, or with -z")
    return lines


def _refuse(detail: str) -> NoReturn:
    raise CannotClassifyError(FallbackCause.PATHS_UNREADABLE, detail)
