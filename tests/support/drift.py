"""Checkouts in memory, and what is derived from them."""

from collections.abc import Mapping
from pathlib import Path

from ci_classify.core.drift import DriftReport
from ci_classify.core.model import Rules
from ci_classify.derive.checkout import Checkout, Kind
from ci_classify.derive.closure import Closure, Deriver
from ci_classify.derive.comparing import compare
from ci_classify.derive.found import JobBody
from ci_classify.derive.library import Library
from ci_classify.derive.readings import wirings_of
from ci_classify.formats.declared_names import OWN_OUTPUTS
from ci_classify.formats.rules_file import load_rules

TOP = Path(__file__).parents[2]
CASES = TOP / "tests/cases/drift"
WORKFLOW = ".github/workflows/ci.yml"


def checkout(files: Mapping[str, str], submodules: tuple[str, ...] = (), links: tuple[str, ...] = ()) -> Checkout:
    """Return a checkout of these files; the text of a link is its target."""
    kinds = dict.fromkeys(files, Kind.FILE)
    kinds |= dict.fromkeys(submodules, Kind.SUBMODULE) | dict.fromkeys(links, Kind.LINK)
    return Checkout(kinds, lambda path: files[path].encode("utf-8", "surrogateescape"))


def closure_of(found: Checkout, job: str = "job") -> Closure:
    """Return what a job of the workflow reads by itself."""
    return Deriver(Library(found)).closure(JobBody(file=WORKFLOW, job=job))


def drift(rules: str, found: Checkout, *workflows: str, unread: bool = False) -> DriftReport:
    """Return how rules compare with what jobs read."""
    loaded: Rules = load_rules(rules, "rules.yaml", control_paths=["rules.yaml"]).rules
    library = Library(found)
    return compare(loaded, library, wirings_of(loaded, library, workflows, OWN_OUTPUTS), unread=unread)


def nvx() -> dict[str, str]:
    """Return the files of NVX in miniature, rules included; what CI does not read is empty."""
    case = CASES / "nvx"
    files = {path.relative_to(case).as_posix(): path for path in case.rglob("*") if path.is_file()}
    paths = (TOP / "tests/cases/nvx-tree.txt").read_text(encoding="utf-8").splitlines()
    found = {path: files[path].read_text(encoding="utf-8") if path in files else "" for path in (*paths, *files)}
    return found | {"rules.yaml": (TOP / "rules.yaml").read_text(encoding="utf-8")}
