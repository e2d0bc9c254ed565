"""The first line of the message of each commit that a report shows, read by GitPython.

GitPython can't read SHA-256 repositories, and takes every message for UTF-8. There plain git gives the answer, and
where both give one it is the same.

Refuses: to let GitPython run a git that lies in the repository.
"""

import os
from collections.abc import Sequence

from ci_classify.edges.git import Repository
from ci_classify.edges.git_process import find_git

_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}


def subjects(repository: Repository, commits: Sequence[str]) -> dict[str, str]:
    """Return the first line of the message of each commit, by its full id."""
    if not commits:
        return {}
    if all(len(commit) == 40 for commit in commits):
        try:
            return by_gitpython(repository, commits)
        except Exception:  # noqa: BLE001, S110 -- whatever it can't read, git reads below
            pass
    return dict(zip(commits, repository.subjects(commits), strict=True))


def by_gitpython(repository: Repository, commits: Sequence[str]) -> dict[str, str]:
    """Return the same by GitPython, or raise what it raises."""
    # It looks for git when it is imported.
    os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = find_git(repository.top)
    from git import Commit, Repo  # noqa: PLC0415 -- slow to import

    with Repo(repository.top) as opened:
        opened.git.update_environment(**_ENVIRONMENT, GIT_DIR=str(opened.git_dir))
        found = {}
        for commit in commits:
            message = Commit(opened, bytes.fromhex(commit)).message
            text = message if isinstance(message, str) else message.decode("utf-8", "replace")
            if "\ufffd" in text:
                raise ValueError("the message is no UTF-8")
            found[commit] = text.split("\n", 1)[0]
        return found
