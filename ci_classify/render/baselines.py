"""What validating a recording found, as a sentence and for the job summary."""

from collections.abc import Mapping, Sequence

from ci_classify.core.record import Record
from ci_classify.core.text import visible
from ci_classify.render.markdown import code, plain

MOST_PATHS = 3


class Validated(Record):
    """Whether a recording is valid, why, and the inputs that changed, by group."""

    baseline: str
    ok: bool
    reason: str
    detail: str
    changed: Mapping[str, Sequence[str]]


def validation_sentence(found: Validated) -> str:
    """Return the answer on one line."""
    return visible(f"{found.baseline}: {_answer(found)} ({found.reason}): {found.detail}", longest=1000)


def validation_markdown(found: Validated) -> str:
    """Return a section for the job summary."""
    lines = [f"### {plain(found.baseline)}: {_answer(found)}", "", f"{plain(found.detail)} ({code(found.reason)})", ""]
    for group, paths in found.changed.items():
        more = f" and {len(paths) - MOST_PATHS:,} more" if len(paths) > MOST_PATHS else ""
        listed = ", ".join(code(path) for path in paths[:MOST_PATHS])
        lines.append(f"- {plain(group)}: {listed or 'the group itself'}{more}")
    return "".join(f"{line}\n" for line in lines)


def _answer(found: Validated) -> str:
    return "the recording is valid" if found.ok else "run in full"
