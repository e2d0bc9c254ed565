"""A runner of GitHub Actions around one call of the command: its variables, its files, and how it reads them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

Json = Mapping[str, object]


@dataclass(frozen=True)
class Ran:
    """What a call of the command left behind."""

    code: int
    stdout: str
    stderr: str
    written: Sequence[tuple[str, str]] = ()  # the outputs as the runner reads them
    summary: str = ""

    @property
    def outputs(self) -> dict[str, bool]:
        """The outputs, each of which must be there once."""
        pairs = [(name, value) for name, value in self.written if name != "plan"]
        assert len({name for name, _ in pairs}) == len(pairs), pairs
        assert {value for _, value in pairs} <= {"true", "false"}, pairs
        return {name: value == "true" for name, value in pairs}

    @property
    def plan(self) -> dict[str, object]:
        """The plan among the outputs."""
        (text,) = [value for name, value in self.written if name == "plan"]
        return cast("dict[str, object]", json.loads(text))

    @property
    def cause(self) -> object:
        """The cause of the fallback, or None."""
        return self.plan["fallback"]

    @property
    def changed(self) -> object:
        """The number of changed paths."""
        return cast("dict[str, object]", self.plan["changes"])["total"]


@dataclass(frozen=True)
class Runner:
    """Where the files of a step lie, and what its environment holds beside them."""

    directory: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(
        self,
        repository: Path,
        event: str,
        payload: Json | bytes | None,
        *options: str,
        variables: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        """Run ``ci-classify run`` as a step of a job that an event started."""
        self.directory.mkdir(parents=True, exist_ok=True)
        step = {name: self.directory / name for name in ("event.json", "output", "summary.md")}
        step["output"].write_bytes(b"")
        step["summary.md"].write_bytes(b"")
        if payload is not None:
            text = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
            step["event.json"].write_bytes(text)
        environment = {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(step["event.json"]),
            "GITHUB_OUTPUT": str(step["output"]),
            "GITHUB_STEP_SUMMARY": str(step["summary.md"]),
        }
        where = () if cwd else ("--repo", str(repository))
        ran = call("run", *where, *options, variables={**environment, **(variables or {})}, cwd=cwd)
        return Ran(
            code=ran.code,
            stdout=ran.stdout,
            stderr=ran.stderr,
            written=read_output_file(step["output"].read_text(encoding="utf-8")),
            summary=step["summary.md"].read_text(encoding="utf-8"),
        )


def call(*arguments: str, variables: Mapping[str, str] | None = None, cwd: Path | None = None) -> Ran:
    """Run the command; a variable that is empty is not set."""
    environment = {name: value for name, value in {**os.environ, **(variables or {})}.items() if value}
    command = [sys.executable, "-m", "ci_classify", *arguments]
    ran = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, check=False)
    stdout, stderr = (text.decode("utf-8", "surrogateescape") for text in (ran.stdout, ran.stderr))
    return Ran(code=ran.returncode, stdout=stdout, stderr=stderr)


def read_output_file(text: str) -> list[tuple[str, str]]:
    """Read a file of outputs as the runner does: ``NAME=VALUE``, or ``NAME<<END``, lines, ``END``."""
    lines = text.split("\n")
    assert lines.pop() == "", "the last line has no end"
    pairs = []
    while lines:
        line = lines.pop(0)
        if not line:
            continue
        name, sign, rest = min((line.partition(sign) for sign in ("=", "<<")), key=lambda parts: len(parts[0]))
        assert name, line
        assert sign, line
        if sign == "=":
            pairs.append((name, rest))
            continue
        end = lines.index(rest)
        pairs.append((name, "\n".join(lines[:end])))
        del lines[: end + 1]
    return pairs
