"""Findings about files that decide what runs, and whose change would skip what they govern.

Seen are: the workflow itself, the reusable workflow that classifies, the local actions of the detector and of the
required check, nested ones too, and the tracked files that their scripts name. Not seen is what such a file calls in turn.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from ci_classify.core.findings import Code, Finding, Severity
from ci_classify.core.model import Position
from ci_classify.core.survey import suites_that_miss
from ci_classify.core.text import visible
from ci_classify.core.wiring import LOCAL, Wiring
from ci_classify.core.workflow import Step

_ACTION_FILES = ("action.yml", "action.yaml")
_WORKSPACE = re.compile(r"\$\{\{ *github\.(?:workspace|action_path) *\}\}/?|\$\{?GITHUB_(?:WORKSPACE|ACTION_PATH)\}?/?")
_BETWEEN_WORDS = re.compile(r"""[\s"'`=;|&()<>,:]+""")

Steps = Callable[[str], Sequence[Step]]  # the steps of the composite action in a file


def check_steering(wiring: Wiring, tracked: frozenset[str], steps_of: Steps) -> Iterator[Finding]:
    """Return each file that decides what runs and is neither a control file nor an input of all that it steers."""
    if wiring.detector is None:
        return
    files = _Files(tracked, steps_of)
    files.add(wiring.workflow.file, wiring.detector.position)
    for job in (wiring.detector, *wiring.gates):
        if job.uses is not None and job.uses.text.startswith(LOCAL):
            files.add(job.uses.text.removeprefix(LOCAL), job.uses.position)
        files.follow(job.steps, "", None)
    missing = suites_that_miss(wiring.rules, list(files.found))
    for path, position in files.found.items():
        suites = missing[path]
        if suites:
            shown = ", ".join(suites[:4]) + (f" and {len(suites) - 4} more" if len(suites) > 4 else "")
            yield Finding(
                code=Code.STEERING_FILE,
                severity=Severity.ERROR,
                file=wiring.workflow.file,
                position=position,
                message=f"{visible(path)} decides what runs, but its change would not run {shown}",
                help=f"write /{visible(path)} under `control`",
            )


class _Files:
    """The files that decide, each with the place in the workflow that leads to it."""

    def __init__(self, tracked: frozenset[str], steps_of: Steps) -> None:
        self.found: dict[str, Position] = {}
        self._tracked = tracked
        self._steps_of = steps_of

    def add(self, path: str, position: Position) -> bool:
        """Take in a tracked file; whether it is new."""
        if path not in self._tracked or path in self.found:
            return False
        self.found[path] = position
        return True

    def follow(self, steps: Sequence[Step], directory: str, position: Position | None) -> None:
        """Take in what steps use and name; ``position`` is the place in the workflow, where they aren't its own."""
        for step in steps:
            if step.uses is not None and step.uses.text.startswith(LOCAL):
                self._action(step.uses.text, position or step.uses.position)
            if step.run is not None:
                for path in self._named(step.run.text, (step.working_directory, directory)):
                    self.add(path, position or step.run.position)

    def _action(self, uses: str, position: Position) -> None:
        inside = uses.removeprefix(LOCAL).rstrip("/")
        directory = posixpath.normpath(inside) if inside else ""
        for name in _ACTION_FILES:
            path = posixpath.join(directory, name)
            if self.add(path, position):
                self.follow(self._steps_of(path), directory, position)

    def _named(self, script: str, directories: Sequence[str]) -> Iterator[str]:
        for word in _BETWEEN_WORDS.split(_WORKSPACE.sub("", script)):
            for directory in ("", *directories):
                path = posixpath.normpath(posixpath.join(directory, word)) if word else ""
                if path in self._tracked:
                    yield path
