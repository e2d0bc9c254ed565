"""Submodules: which recorded commits a job needs.

Sees ``actions/checkout`` with ``submodules``, ``git submodule update``, ``git rev-parse HEAD:path``, and every path that
lies in a submodule, which stands for the whole of it.

Can't see inside a submodule: its content is not part of this repository. ``.gitmodules`` says where a submodule comes
from, not what is in it, and so is no input.
"""

from collections.abc import Iterator

from ci_classify.derive.found import Command, Found, Place, Reads
from ci_classify.derive.library import Library
from ci_classify.derive.naming import located, named

_READING = frozenset(
    {"archive", "grep", "ls-files", "ls-tree", "show", "hash-object", "apply", "log", "blame", "cat-file"}
)


def git(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a call of git reads of the tree."""
    directory, rest = command.directory, words[1:]
    while rest and rest[0].startswith("-"):
        if rest[0] == "-C" and len(rest) > 1:
            directory = located(rest[1], directory)
        rest = rest[2:] if rest[0] in {"-C", "-c"} else rest[1:]
    if rest[:1] == ["submodule"]:
        yield from _updated(rest[1:], directory, command.place, library)
        return
    for word in rest[1:]:
        revision, colon, path = word.partition(":")
        if colon and revision and rest[0] in {"rev-parse", "show", "cat-file", "archive", "ls-tree"}:
            yield from named([path], "", command.place, library)
        elif rest[0] in _READING:
            yield from named([word], directory, command.place, library, bare=False)
    submodule = library.checkout.submodule_of(directory) if directory is not None else None
    if submodule is not None:
        yield Reads(label=f"git in {submodule}", place=command.place, paths=(submodule,))


def checked_out(value: str, place: Place, library: Library) -> Iterator[Found]:
    """Return what the input ``submodules`` of a checkout asks for."""
    if value.strip().lower() in {"true", "recursive"} and library.checkout.submodules:
        yield Reads(label="checks out submodules", place=place, paths=library.checkout.submodules)


def _updated(words: list[str], directory: str | None, place: Place, library: Library) -> Iterator[Found]:
    if "update" not in words:
        return
    operands = [word for word in words[words.index("update") + 1 :] if not word.startswith("-")]
    wanted = [located(word, directory) for word in operands]
    for path in library.checkout.submodules:
        if not operands or path in wanted or None in wanted:
            yield Reads(label=f"updates submodule {path}", place=place, paths=(path,))
