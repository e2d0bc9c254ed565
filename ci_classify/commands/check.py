"""``ci-classify check``: findings about the rules, against the tree and the workflows."""

import os
from collections.abc import Iterable, Sequence

from ci_classify import __version__
from ci_classify.commands import showing
from ci_classify.commands.classifying import open_rules
from ci_classify.commands.exits import FINDINGS, OK, UsageError
from ci_classify.commands.explain import path_in_tree
from ci_classify.core.checking import Files
from ci_classify.core.checking import check as find
from ci_classify.core.errors import CannotClassifyError, Problem
from ci_classify.core.explanation import remedy
from ci_classify.core.findings import Finding
from ci_classify.core.model import ChangeType
from ci_classify.core.record import Record
from ci_classify.core.survey import Tracked
from ci_classify.core.tree import SUBMODULE
from ci_classify.core.workflow import Step, Workflow
from ci_classify.edges import console, files
from ci_classify.edges.git import Repository
from ci_classify.formats.declared_names import OWN_OUTPUTS
from ci_classify.formats.workflow_file import read_action_steps, read_workflow
from ci_classify.render.findings import findings_annotations, findings_json, findings_sarif, findings_text

_WORKFLOWS = ".github/workflows/"


class CheckRequest(Record):
    """The options of the command, as given."""

    repo: str
    rules: str | None = None
    rev: str | None = None
    worktree: bool = False
    workflows: tuple[str, ...] = ()
    form: str = "text"


def run(request: CheckRequest) -> int:
    """Show all findings; 1 if any of them is an error or a warning."""
    if request.worktree and request.rev is not None:
        raise UsageError("--worktree and --rev exclude each other", "give one of the two")
    try:
        repository = Repository(request.repo)
        rules = open_rules(repository.top, request.rules).rules
        snapshot = _Snapshot(repository, request.rev or "HEAD", worktree=request.worktree)
        named = [_tracked_workflow(path, snapshot) for path in request.workflows]
        findings = find(rules, _files(snapshot, named), OWN_OUTPUTS)
        left_out = request.rev is None and not request.worktree and repository.is_dirty()
    except CannotClassifyError as error:
        raise UsageError(error.detail, remedy(error.cause)) from None
    console.write(_shown(findings, request.form))
    if left_out:
        showing.warn("Changes that are not committed are left out, save those of the rules; --worktree takes them in.")
    return FINDINGS if any(finding.fails for finding in findings) else OK


def _shown(findings: Sequence[Finding], form: str) -> str:
    match form:
        case "text":
            return findings_text(findings)
        case "json":
            return findings_json(findings)
        case "annotations":
            return findings_annotations(findings)
        case _:
            return findings_sarif(findings, __version__)


class _Snapshot:
    """The tracked files of a revision, or of the working tree, and what is in them."""

    def __init__(self, repository: Repository, revision: str, *, worktree: bool) -> None:
        tree = repository.tree(revision)
        self.top = repository.top
        self._repository = repository
        self._commit = None if worktree else tree.commit
        submodules = {tree.paths[place] for place in tree.places_of(SUBMODULE)}
        paths = list(tree.paths)
        if worktree:
            changes = repository.worktree_changes([tree.commit])
            kinds = dict(zip(changes.paths, changes.kinds, strict=True))
            kept = {path for path in paths if path not in kinds}
            paths = sorted(kept | {path for path, kind in kinds.items() if kind.type is not ChangeType.DELETED})
            submodules = {path for path in submodules if path not in kinds}
            submodules |= {path for path, kind in kinds.items() if kind.new_is_submodule}
        self.tracked = Tracked(paths=paths, submodules=frozenset(submodules))

    def content(self, path: str) -> bytes:
        """Return the bytes of a tracked file."""
        if self._commit is not None:
            content = self._repository.file(self._commit, path)
            if content is None:
                raise UsageError(f"the clone lacks the content of {path}", "fetch it, or check the working tree")
            return content
        try:
            return files.read(os.path.join(self._repository.top, path))
        except files.FileProblemError as error:
            raise UsageError(str(error), "commit the file, or leave --worktree out") from None


def _tracked_workflow(given: str, snapshot: _Snapshot) -> str:
    path = path_in_tree(given, snapshot.top)
    if path not in snapshot.tracked.paths:
        raise UsageError(f"{path} is no tracked file", "commit it, or give --worktree")
    return path


def _files(snapshot: _Snapshot, named: Sequence[str]) -> Files:
    workflows: dict[str, Workflow] = {}
    problems: list[Problem] = []
    for path in dict.fromkeys((*_workflow_files(snapshot.tracked.paths), *named)):
        read = read_workflow(snapshot.content(path), path)
        if read.workflow is not None:
            workflows[path] = read.workflow
        problems += read.problems if not named or path in named else ()

    def steps_of(path: str) -> Sequence[Step]:
        return read_action_steps(snapshot.content(path), path)

    judged = [workflow for path, workflow in workflows.items() if not named or path in named]
    return Files(tracked=snapshot.tracked, workflows=judged, callable=workflows, problems=problems, steps_of=steps_of)


def _workflow_files(paths: Iterable[str]) -> list[str]:
    """Return the files that GitHub takes for workflows: no directory below is looked into."""
    inside = (path for path in paths if path.startswith(_WORKFLOWS) and path.endswith((".yml", ".yaml")))
    return [path for path in inside if "/" not in path.removeprefix(_WORKFLOWS)]
