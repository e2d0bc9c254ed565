"""``ci-classify drift``: what the jobs of each suite read, beside what its inputs are."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from ci_classify import __version__
from ci_classify.commands import showing
from ci_classify.commands.at_revision import AtRevision, at_revision
from ci_classify.commands.exits import FINDINGS, OK, UsageError
from ci_classify.commands.explain import path_in_tree
from ci_classify.core.drift import DriftReport
from ci_classify.core.errors import CannotClassifyError
from ci_classify.core.explanation import remedy
from ci_classify.core.findings import DriftCode
from ci_classify.core.record import Record
from ci_classify.core.tree import LINK, SUBMODULE, Tree
from ci_classify.derive.checkout import Checkout, Kind
from ci_classify.derive.comparing import compare
from ci_classify.derive.library import Library
from ci_classify.derive.readings import wirings_of
from ci_classify.edges import console
from ci_classify.edges.git import Repository
from ci_classify.formats.declared_names import OWN_OUTPUTS
from ci_classify.render.drift import drift_findings, drift_json, drift_text
from ci_classify.render.findings import findings_annotations, findings_sarif


class DriftRequest(Record):
    """The options of the command, as given."""

    repo: str
    rules: str | None = None
    rev: str | None = None
    workflows: tuple[str, ...] = ()
    unused: bool = False
    form: Literal["text", "json", "annotations", "sarif"] = "text"


def run(request: DriftRequest) -> int:
    """Show each derived path that a suite's inputs don't contain; 1 if there is any finding."""
    try:
        at = at_revision(request.repo, request.rules, request.rev)
        given = [path_in_tree(path, at.repository.top) for path in request.workflows]
        with checkout_of(at.repository, at.tree) as checkout:
            report = _report(at, checkout, given, unread=request.unused)
        left_out = request.rev is None and at.repository.is_dirty()
    except CannotClassifyError as error:
        raise UsageError(error.detail, remedy(error.cause)) from None
    showing.show_problems(at.loaded.warnings)
    console.write(_shown(report, request.form))
    if left_out:
        showing.warn("Changes that are not committed are left out, save those of the rules.")
    return FINDINGS if report.findings else OK


def _report(at: AtRevision, checkout: Checkout, given: list[str], *, unread: bool) -> DriftReport:
    library = Library(checkout)
    for path in given:
        if library.workflow(path) is None:
            raise UsageError(f"{path} is no workflow at {at.tree.commit[:12]}", "name a tracked workflow file")
    wirings = wirings_of(at.loaded.rules, library, given, OWN_OUTPUTS)
    if not wirings:
        broken = [f"; {path} can't be read: {why}" for path, (_, why) in sorted(checkout.unreadable.items())]
        raise UsageError(f"no workflow reads the outputs of these rules{''.join(broken)}", "name one with --workflow")
    return compare(at.loaded.rules, library, wirings, unread=unread)


def _shown(report: DriftReport, form: str) -> str:
    match form:
        case "text":
            return drift_text(report)
        case "json":
            return drift_json(report)
        case "annotations":
            return findings_annotations(drift_findings(report))
        case _:
            return findings_sarif(drift_findings(report), __version__, DriftCode)


@contextmanager
def checkout_of(repository: Repository, tree: Tree) -> Iterator[Checkout]:
    """Return the files of a tree; they can be read as long as the context lasts."""
    kinds = {LINK: Kind.LINK, SUBMODULE: Kind.SUBMODULE}
    objects = {entry.path: entry.oid for entry in tree}
    with repository.blobs() as read:
        yield Checkout(
            {entry.path: kinds.get(entry.mode, Kind.FILE) for entry in tree}, lambda path: read(objects[path])
        )
