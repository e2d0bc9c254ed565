"""A throw-away repository with a pull request, built by GitPython, and the files of a runner beside it."""

import json
from collections.abc import Mapping
from pathlib import Path

import git

from ci_classify.edges.github import Runner

_FILES = {
    ".github/workflows/ci.yml": "on: pull_request\n",
    ".gitignore": "/target/\n",
    "README.md": "# A platform for microVMs\n",
    "data/linux-kvm.csv": "boot_ms\n41\n",
    "doc/design.md": "# Design\n",
    "guest/common/init": "#!/bin/sh\nexec nvx-agent\n",
    "kernel/config-microvm": "CONFIG_PCI=n\n",
    "rust-toolchain.toml": '[toolchain]\nchannel = "1.91"\n',
    "scripts/nvx.py": "import nvx_tools\n",
    "scripts/nvx_tools/performance.py": "LIMIT = 1.05\n",
    "src/main.rs": "fn main() {}\n",
}
_EDITS = {
    "doc/design.md": "# Design\n\nThe gate is stricter now.\n",
    "scripts/nvx_tools/performance.py": "LIMIT = 1.03\n",
    "data/linux-kvm.csv": "boot_ms\n41\n40\n",
}
_DATE = "1735689600 +0000"


def build(directory: Path, rules: str) -> Runner:
    """Build the repository in ``directory/repository``, check out the test merge, return the runner of its job."""
    repository = git.Repo.init(directory / "repository", initial_branch="main")
    start = _commit(repository, _FILES | {"rules.yaml": rules}, "Start", [])
    head = _commit(repository, _EDITS, "Tighten the performance gate", [start])
    merge = _commit(repository, {}, "Merge the pull request for its test", [start, head])
    repository.head.reference = merge
    payload = {
        "action": "synchronize",
        "pull_request": {
            "base": {"ref": "main", "sha": start.hexsha},
            "head": {"ref": "gate", "sha": head.hexsha},
            "labels": [],
        },
    }
    event_path = directory / "event.json"
    event_path.write_text(json.dumps(payload), encoding="utf-8")
    repository.close()
    return Runner(
        in_ci=True,
        event_name="pull_request",
        event_path=str(event_path),
        output=str(directory / "output"),
        summary=str(directory / "summary.md"),
    )


def _commit(repository: git.Repo, files: Mapping[str, str], message: str, parents: list[git.Commit]) -> git.Commit:
    top = Path(repository.working_dir)
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, encoding="utf-8", newline="\n")
    if files:
        repository.index.add(sorted(files))
    person = git.Actor("ci-classify demo", "demo@localhost")
    return repository.index.commit(
        message,
        parent_commits=parents,
        author=person,
        committer=person,
        author_date=_DATE,
        commit_date=_DATE,
        skip_hooks=True,
    )
