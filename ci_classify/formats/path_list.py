"""A list of paths, as other programs write them, becomes changes.

Separated by NUL where it holds one, else one path a line with empty lines dropped. Lines that git has
quoted are refused: what they stand for would have to be guessed.
"""

from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.model import MODIFIED, Changes

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def read_paths(content: bytes, source: str) -> Changes:
    """Return the paths of a list as changes, each ``modified``, or raise CannotClassifyError."""
    if content.startswith(_UTF_16):
        raise CannotClassifyError(FallbackCause.PATHS_UNREADABLE, f"{source} is UTF-16; write it as UTF-8")
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    if "\0" in text:
        paths = text.split("\0")
    else:
        paths = text.split("\n")
        lines = paths[:-1] if not paths[-1] else paths
        if lines and all(line.endswith("\r") for line in lines):
            paths = [line.removesuffix("\r") for line in lines]
        quoted = next((line for line in paths if len(line) > 1 and line[0] == line[-1] == '"'), None)
        if quoted is not None:
            raise CannotClassifyError(
                FallbackCause.PATHS_UNREADABLE, f"{source} holds {quoted[:100]}, quoted by git; list paths with -z"
            )
    paths = [path for path in paths if path]
    return Changes(paths=tuple(paths), kinds=(MODIFIED,) * len(paths))
