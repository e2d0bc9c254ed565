"""The first line of the message of each commit that a report shows, read by GitPython.

GitPython reads objects without starting git, and knows encodings of messages. It can't read SHA-256 repositories,
nor what it does not understand in some others; there plain git gives the same answer.

Refuses: to let GitPython run a git that lies in the repository.
"""

import os
from collections.abc import Sequence

from ci_classify.edges.git import Repository, find_git


def subjects(repository: Repository, commits: Sequence[str]) -> dict[str, str]:
    """Return the first line of the message of each commit, by its full id."""
    if not commits:
        return {}
    if all(len(commit) == 40 for commit in commits):
        try:
            return _by_gitpython(repository, commits)
        except Exception:  # noqa: BLE001, S110 -- whatever it can't read, git reads below
            pass
    return dict(zip(commits, repository.subjects(commits), strict=True))


def _by_gitpython(repository: Repository, commits: Sequence[str]) -> dict[str, str]:
    # It looks for git when it is imported.
    os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = find_git(repository.top)
    from git import Commit, GitDB, Repo  # noqa: PLC0415 -- slow to import

    with Repo(repository.top, odbt=GitDB) as opened:
        found = {}
        for commit in commits:
            message = Commit(opened, bytes.fromhex(commit)).message
            text = message if isinstance(message, str) else message.decode("utf-8", "replace")
            found[commit] = text.split("\n", 1)[0]
        return found
