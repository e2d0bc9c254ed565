"""``ci-classify baseline compare``: how two identities differ, and why."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ci_classify.commands.baselines import answer, show
from ci_classify.commands.exits import OK
from ci_classify.core.baseline_comparison import compare
from ci_classify.core.record import Record
from ci_classify.edges import files
from ci_classify.formats.manifest_file import read_identity


class BaselineCompareRequest(Record):
    """The options of the command, as given."""

    old: str
    new: str


def run(request: BaselineCompareRequest) -> int:
    """Print the comparison; that identities differ is no failure."""
    return answer(lambda: _run(request))


def _run(request: BaselineCompareRequest) -> int:
    old, new = (read_identity(files.read(Path(name)), name) for name in (request.old, request.new))
    found = compare(old, new)
    show(
        {
            "prefix_changed": found.prefix_changed,
            "contract_changed": found.contract_changed,
            "reason": found.reason,
            "added": _paths(found.inputs.added),
            "removed": _paths(found.inputs.removed),
            "edited": _paths(found.inputs.edited),
            "reported": _paths(found.reported.by_group),
        }
    )
    return OK


def _paths(by_group: Mapping[str, Sequence[str]]) -> list[str]:
    return sorted({path for paths in by_group.values() for path in paths})
