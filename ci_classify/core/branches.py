"""Branch globs in event keys, such as ``push release/*``.

``*`` and ``?`` (one character, unlike in GitHub's filters) don't cross a slash, ``**`` does; everything else is literal.
"""

import re


def branch_matches(glob: str | None, branch: str | None) -> bool:
    """Return whether a branch fits a glob. No glob fits everything; an unknown branch fits no glob."""
    if glob is None:
        return True
    if branch is None:
        return False
    parts = re.split(r"(\*\*|\*|\?)", glob)
    signs = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(signs.get(part) or re.escape(part) for part in parts), branch, re.DOTALL) is not None
