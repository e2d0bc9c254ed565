"""Warnings and complaints as lines: annotations where GitHub shows them, plain lines elsewhere.

Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from collections.abc import Iterable

from ci_classify.core.errors import Problem
from ci_classify.core.text import visible

_LONGEST = 1000
_MOST = 100


def warning(text: str, *, in_ci: bool) -> str:
    """Return a warning on one line."""
    return _message("warning", text, in_ci=in_ci)


def error(text: str, *, in_ci: bool) -> str:
    """Return an error on one line."""
    return _message("error", text, in_ci=in_ci)


def problems(found: Iterable[Problem], *, in_ci: bool) -> list[str]:
    """Return a line for each complaint about a file, and one that counts those beyond the first 100."""
    listed = list(found)
    lines = [_problem(problem, in_ci=in_ci) for problem in listed[:_MOST]]
    if len(listed) > _MOST:
        lines.append(f"{len(listed) - _MOST} more problems are not shown.")
    return lines


def annotation(level: str, text: str, *, file: str, line: int, column: int, title: str) -> str:
    """Return a message at a place of a file, as GitHub reads it."""
    place = f"file={_property(file)},line={line},col={column},title={_property(title)}"
    return f"::{level} {place}::{_data(_as_written(text))}"


def group(title: str, body: str) -> str:
    """Return a text that the log of a job shows folded under a title."""
    return f"::group::{_data(title)}\n{body}::endgroup::\n"


def _problem(problem: Problem, *, in_ci: bool) -> str:
    if not in_ci:
        return _as_written(str(problem))
    level = "warning" if problem.warning else "error"
    place = f" file={_property(problem.file)},line={problem.line},col={problem.column}" if problem.line else ""
    return f"::{level}{place}::{_data(_as_written(f'{problem.message}; {problem.help}'))}"


def _as_written(text: str) -> str:
    # A complaint shows patterns, and what to write instead of them.
    return visible(text, longest=_LONGEST, double_backslashes=False)


def _message(level: str, text: str, *, in_ci: bool) -> str:
    shown = visible(text, longest=_LONGEST)
    return f"::{level} title=ci-classify::{_data(shown)}" if in_ci else f"{level}: {shown}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
