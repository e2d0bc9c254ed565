"""Plans of the worked example that tell something, one for each thing that a reader may ask about."""

from collections.abc import Mapping
from pathlib import Path

from ci_classify.core.decision import decide, everything_runs
from ci_classify.core.errors import FallbackCause
from ci_classify.core.model import ChangeKind, Changes, ChangeType, Event, Rules
from ci_classify.core.plan import Comparison, Fallback, Plan
from ci_classify.formats.rules_file import load_rules

PROJECT = Path(__file__).resolve().parents[2]
RULES_FILE = "rules.yaml"
RULES_TEXT = (PROJECT / RULES_FILE).read_text(encoding="utf-8")

_COMPARISON = Comparison(base="1" * 40, head="2" * 40)
_PULL_REQUEST = Event(name="pull_request", branch="dev")
_PUSH = Event(name="push", branch="dev")
_LABELS = """
labels:
  "ci: full": {selects: everything}
  "ci: bench": {selects: [run-benchmarks]}
  "ci: no-vmm": {skips: [run-openvmm-vmm-tests]}
"""


def rules(*replacements: tuple[str, str]) -> Rules:
    """Return the rules of the worked example, some of their text replaced."""
    text = RULES_TEXT
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return load_rules(text, RULES_FILE, control_paths=(RULES_FILE,)).rules


def changes(*paths: str, types: Mapping[str, ChangeType] | None = None) -> Changes:
    """Return changes of paths, modified unless ``types`` says else."""
    kinds = (ChangeKind(type=(types or {}).get(path, ChangeType.MODIFIED)) for path in paths)
    return Changes(paths=paths, kinds=tuple(kinds))


def _plan(event: Event, *paths: str) -> Plan:
    return decide(rules(), event, changes(*paths), _COMPARISON)


def inputs_changed() -> Plan:
    paths = (
        "scripts/nvx_tools/performance.py",
        "guest/alpine/nvx-container-enter",
        "kernel/config-microvm",
        "kernel/patches/0001-a-name-that-is-long-enough-to-need-a-second-line-in-a-terminal-of-80-columns.patch",
        "guest/ubuntu/nvx-bashrc",
        "README.md",
        "nvx-rs/src/main.rs",
    )
    types = {paths[1]: ChangeType.ADDED, paths[2]: ChangeType.DELETED, paths[4]: ChangeType.TYPE_CHANGED}
    return decide(rules(), _PULL_REQUEST, changes(*paths, types=types), _COMPARISON)


def labels() -> Plan:
    event = Event(name="pull_request", branch="dev", labels=("ci: bench", "ci: no-vmm"))
    return decide(rules(("\nsuites:\n", f"{_LABELS}\nsuites:\n")), event, changes("openvmm"), _COMPARISON)


def label_alone() -> Plan:
    event = Event(name="pull_request", branch="dev", labels=("ci: full",))
    return decide(rules(("\nsuites:\n", f"{_LABELS}\nsuites:\n")), event, changes("README.md"), _COMPARISON)


def unclaimed() -> Plan:
    everything = rules(("unclaimed: nothing", "unclaimed: everything"))
    return decide(everything, _PULL_REQUEST, changes("scripts/new_tool.py", "data/x.csv"), _COMPARISON)


def shallow_clone() -> Plan:
    detail = f"the clone is shallow and lacks the commit {'1' * 40}"
    return decide(rules(), _PULL_REQUEST, Fallback(cause=FallbackCause.COMMIT_MISSING, detail=detail))


def nothing_to_compare() -> Plan:
    detail = "a workflow_run event gives no commits to compare"
    fallback = Fallback(cause=FallbackCause.NOTHING_TO_COMPARE, detail=detail)
    inputs = rules(("\nsuites:\n", '\nevents: {"*": inputs}\nsuites:\n'))
    return decide(inputs, Event(name="workflow_run"), fallback)


def invalid_rules() -> Plan:
    detail = "rules.yaml:12: the key suits is not known (and 1 more)"
    names = [output.name for output in rules().outputs]
    return everything_runs(_PUSH, names, Fallback(cause=FallbackCause.RULES_INVALID, detail=detail))


def schedule() -> Plan:
    return decide(rules(), Event(name="schedule"), changes(), Comparison(needed=False))


def several_merge_bases() -> Plan:
    notes = ("There are 2 merge bases; the differences to all of them count.",)
    comparison = Comparison(base="1" * 40, head="2" * 40, notes=notes)
    return decide(rules(), _PULL_REQUEST, changes("guest/alpine/a"), comparison)


TELLING = {
    "inputs-changed": inputs_changed(),
    "any-change": _plan(_PUSH, ".vscode/settings.json", "skills/review.txt", "doc/ci.md", "pyproject.toml", "x"),
    "documentation-only": _plan(_PULL_REQUEST, "README.md", "doc/graph.png"),
    "empty-diff": _plan(_PULL_REQUEST),
    "control-changed": _plan(_PULL_REQUEST, ".github/workflows/ci.yml", RULES_FILE, "README.md"),
    "unclaimed": unclaimed(),
    "labels": labels(),
    "label-alone": label_alone(),
    "shallow-clone": shallow_clone(),
    "nothing-to-compare": nothing_to_compare(),
    "rules-invalid": invalid_rules(),
    "schedule": schedule(),
    "several-merge-bases": several_merge_bases(),
    "hostile-names": _plan(
        _PULL_REQUEST,
        "guest/a|b`c``\n| x | false |\n## Heading\n::error::x",
        "guest/<h1>PASS</h1>[l](http://e)![i](x)@team",
        "guest/\udce9\u202e\x1b[31m##[add-path]/tmp",
        "guest/$(id)",
    ),
}
