"""What a word of a command names: a tracked file, a directory with all below it, the files that a pattern takes.

Sees words, the value behind ``--option=``, a file before ``::``, and patterns of file names. A word that names
nothing tracked is no path.

Can't see what a program makes of a word: every tracked path that is named counts as read.
"""

from collections.abc import Iterator
from posixpath import normpath

from ci_classify.derive.checkout import join
from ci_classify.derive.found import TOP, UNKNOWN, Found, Place, Reads, Unclear
from ci_classify.derive.hash_files import matching
from ci_classify.derive.library import Library
from ci_classify.derive.values import OUTSIDE

GLOB = {"*": "\x03", "?": "\x04", "[": "\x05"}  # signs that are quoted in a script, and so no pattern
_UNQUOTED = str.maketrans({hidden: sign for sign, hidden in GLOB.items()})
_SHOWN = str.maketrans({UNKNOWN: "…", TOP: "."})


def as_written(text: str) -> str:
    """Return a word for a person: what only a run knows is an ellipsis."""
    return unquoted(text).translate(_SHOWN)


def unquoted(text: str) -> str:
    """Return a word with its quoted signs as they are, for what is no path."""
    return text.translate(_UNQUOTED)


def located(word: str, directory: str | None) -> str | None:
    """Return what a word names from a directory: a path from the top, one that starts with / outside, or None.

    None is what only a run knows; so is a directory of None.
    """
    if UNKNOWN in word:
        return None
    if word.startswith(TOP):
        found = join("", word[1:].lstrip("/") or ".")
        return OUTSIDE if found is None else found
    if word.startswith(("/", "~")):
        return word if word.startswith("/") else OUTSIDE
    if directory is None:
        return None
    if directory.startswith("/"):
        return normpath(f"{directory}/{word}")
    found = join(directory, word)
    return OUTSIDE if found is None else found


def named(
    words: list[str], directory: str | None, place: Place, library: Library, *, bare: bool = True
) -> Iterator[Found]:
    """Return the tracked paths that words name. Without ``bare`` a word needs a slash or a dot to be a path."""
    for word in words:
        text = _path_in(word)
        if bare or (text.strip("./") and ("/" in text or "." in text)):
            yield from _named(text, directory, place, library)


def _path_in(word: str) -> str:
    """Return the part of a word that may be a path; the empty text if there is none."""
    if word.startswith("-"):
        _, _, word = word.partition("=")
    word = word.removeprefix("@").partition("::")[0]
    return "" if "://" in word or "\n" in word else word


def _named(text: str, directory: str | None, place: Place, library: Library) -> Iterator[Found]:
    checkout = library.checkout
    if not text:
        return
    if UNKNOWN in text:
        if _may_be_tracked(text, directory, library):
            yield Unclear(place=place, why=f"a part of the path {as_written(text)} is known at run time only")
        return
    path = located(text, directory)
    if path is None or path.startswith("/"):
        return
    paths = matching(path, checkout) if any(sign in path for sign in GLOB) else checkout.named(path)
    if paths:
        yield Reads(label=f"names {as_written(text)}", place=place, paths=paths, exact=paths == (path,))


def _may_be_tracked(text: str, directory: str | None, library: Library) -> bool:
    """Return whether a path that is known in part begins in a tracked directory, or ends as a tracked file does."""
    checkout = library.checkout
    start, _, _ = text.partition(UNKNOWN)
    if "/" in start:
        before = located(start.rpartition("/")[0], directory)
        return bool(before) and checkout.is_directory(before or "")
    _, slash, end = text.rpartition(UNKNOWN)[2].partition("/")
    if start or not slash or not end or any(sign in end for sign in GLOB):
        return False
    return library.remembered(("ends", end), lambda: any(f"/{path}".endswith(f"/{end}") for path in checkout.paths))
