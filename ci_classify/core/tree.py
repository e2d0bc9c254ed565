"""A tree of git: every path at a commit, with its mode and the id of its object."""

from collections.abc import Iterator, Sequence

from ci_classify.core.record import Record

LINK = "120000"
SUBMODULE = "160000"


class TreeEntry(Record):
    """A path, the mode and the object that git stores for it."""

    path: str
    mode: str
    oid: str


class Tree(Record):
    """All entries of a tree in the order of their paths' bytes, directories left out, as columns of equal length.

    ``commit`` and ``id`` are the full ids of the commit and its tree. A record is "MODE TYPE ID", tab, path, as git
    lists it. Columns of text, because a tree can be 100,000 paths.
    """

    commit: str
    id: str
    paths: Sequence[str]
    records: Sequence[str]

    def entry(self, place: int) -> TreeEntry:
        """Return the entry at a place."""
        mode, _, rest = self.records[place].split(" ", 2)
        return TreeEntry(path=self.paths[place], mode=mode, oid=rest.partition("\t")[0])

    def __iter__(self) -> Iterator[TreeEntry]:
        """Go through the entries."""
        return map(self.entry, range(len(self.paths)))

    def places_of(self, mode: str) -> list[int]:
        """Return the places of the entries with a mode."""
        start, end = f"{mode} ", f"{mode}!"  # a comparison costs half of a call
        return [place for place, record in enumerate(self.records) if record >= start and record < end]
