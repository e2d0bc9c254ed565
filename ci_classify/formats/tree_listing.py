"""The recursive listing of a tree that git prints with ``-z``: "MODE TYPE ID", tab, path, NUL, and so on.

Source: git-ls-tree(1).
"""

import re

from ci_classify.core.errors import CannotClassifyError, FallbackCause

_ENTRY = r"[0-7]{6} (?:blob|commit) (?:[0-9a-f]{40}|[0-9a-f]{64})\t(.+)"


def parse_listing(output: bytes) -> tuple[list[str], list[str]]:
    """Return paths and records of a whole listing, or raise CannotClassifyError where it is not understood."""
    records = output.decode("utf-8", "surrogateescape").split("\0")
    if records.pop():
        raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, "the listing of git ends within a record")
    # Before the path, records differ in length by the type alone: most can be cut where the first one is. All whose
    # first tab is there have the same type and length of id, so that reading one of them reads all.
    cut = records[0].find("\t") + 1 if records else 0
    paths = [record[cut:] for record in records]
    others = [place for place, record in enumerate(records) if record.find("\t") + 1 != cut]
    if not all(paths):
        others = list(range(len(records)))
    for place in {*others, *([0] if records else [])}:
        record = records[place]
        match = re.fullmatch(_ENTRY, record, re.DOTALL)
        if match is None:
            raise CannotClassifyError(FallbackCause.DIFF_UNREADABLE, f"git listed the entry {record[:200]!r}")
        paths[place] = match[1]
    return paths, records
