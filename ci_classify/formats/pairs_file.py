"""A list of pull requests: the base and the head commit of each, separated by white space, one pair a line."""

from ci_classify.core.commit_ids import is_commit_id, is_null_id
from ci_classify.formats.json_values import wrong

_HELP = "write BASE HEAD on each line, both full commit ids"


def read_pairs(content: bytes, file: str) -> tuple[tuple[str, str], ...]:
    """Return base and head of each pair. Empty lines and what follows a ``#`` are dropped."""
    found = []
    for number, line in enumerate(content.decode("utf-8-sig", "replace").splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not all(is_commit_id(word) and not is_null_id(word) for word in words):
            wrong(file, f"{line[:100]!r} is no pair of commits", _HELP, line=number)
        found.append((words[0], words[1]))
    return tuple(found)
