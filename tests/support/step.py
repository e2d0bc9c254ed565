"""A step of a job whose files and streams can be anything: absent, full, filled before, closed."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.runner import Ran, read_output_file

COMMAND = (sys.executable, "-m", "ci_classify")


@dataclass(frozen=True)
class Step:
    """A directory with the files of a step, and the repository that it classifies."""

    directory: Path
    repository: Path

    @property
    def output(self) -> Path:
        return self.directory / "output"

    @property
    def summary(self) -> Path:
        return self.directory / "summary.md"

    def variables(self, event: str, payload: object = None) -> dict[str, str]:
        """Return the variables of the runner for an event."""
        path = self.directory / "event.json"
        path.write_text(json.dumps({} if payload is None else payload), encoding="utf-8")
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }

    def run(
        self,
        *options: str,
        event: str = "pull_request",
        payload: object = None,
        variables: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        cwd: Path | None = None,
    ) -> Ran:
        """Run ``ci-classify run`` in the repository; a variable that is empty is not set. ``written`` is what it added."""
        environment = {**os.environ, **self.variables(event, payload), **(variables or {})}
        before = self.output.stat().st_size if self.output.exists() else 0
        ran = execute(["run", *options], environment, stdin=stdin, cwd=cwd or self.repository)
        written = self.output.read_bytes()[before:].decode() if self.output.exists() else ""
        summary = self.summary.read_text(encoding="utf-8") if self.summary.is_file() else ""
        return Ran(
            code=ran.code, stdout=ran.stdout, stderr=ran.stderr, written=read_output_file(written), summary=summary
        )

    def classify(self, *paths: str, options: Sequence[str] = (), event: str = "pull_request") -> Ran:
        """Run with a list of paths as the change."""
        listed = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
        return self.run("--paths-from", "-", *options, event=event, stdin=listed)


def execute(words: Sequence[str], environment: Mapping[str, str], *, stdin: bytes = b"", cwd: Path) -> Ran:
    """Run the command; a variable that is empty is not set."""
    kept = {name: value for name, value in environment.items() if value}
    ran = subprocess.run([*COMMAND, *words], env=kept, cwd=cwd, input=stdin, capture_output=True, check=False)
    stdout, stderr = (text.decode("utf-8", "surrogateescape") for text in (ran.stdout, ran.stderr))
    return Ran(code=ran.returncode, stdout=stdout, stderr=stderr)
