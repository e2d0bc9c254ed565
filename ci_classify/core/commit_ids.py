"""What the id of a commit looks like: 40 hexadecimal digits (SHA-1), or 64 (SHA-256)."""

_LENGTHS = frozenset({40, 64})


def is_commit_id(text: str) -> bool:
    """Return whether text is a full id."""
    return len(text) in _LENGTHS and not text.strip("0123456789abcdef")


def is_null_id(text: str) -> bool:
    """Return whether an id stands for no commit: zeros only."""
    return not text.strip("0")
