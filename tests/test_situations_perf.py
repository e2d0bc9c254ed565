"""Bounded time and memory, whatever comes in: each run has limits of its own, far below what the wrong way needs."""

import json
import os
import resource
import subprocess
from collections.abc import Callable

import pytest
from support.repository import run_git
from support.runner import read_output_file
from support.step import COMMAND, Step

_MIB = 1 << 20


def limited(*, seconds: int, memory: int) -> Callable[[], None]:
    """Return what sets limits in a new process: seconds of a processor, and MiB of addresses."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory * _MIB, memory * _MIB))

    return limit


def run(step: Step, rules: str, paths: bytes, *, seconds: int, memory: int) -> dict[str, str]:
    """Return what a run in bounds writes to GITHUB_OUTPUT."""
    (step.repository / "rules.yaml").write_text(rules, encoding="utf-8")
    ran = subprocess.run(
        [*COMMAND, "run", "--paths-from", "-"],
        input=paths,
        env={**os.environ, **step.variables("pull_request")},
        cwd=step.repository,
        capture_output=True,
        check=False,
        preexec_fn=limited(seconds=seconds, memory=memory),
    )
    assert ran.returncode == 0, ran.stderr[-2_000:]
    assert len(ran.stderr) + len(ran.stdout) < 100_000
    assert step.summary.stat().st_size < 900_000
    return dict(read_output_file(step.output.read_text(encoding="utf-8")))


def suites(inputs: dict[str, list[str]]) -> str:
    return json.dumps(
        {"version": 1, "unclaimed": "nothing", "suites": {name: {"inputs": terms} for name, terms in inputs.items()}}
    )


@pytest.mark.parametrize(
    "pattern",
    [
        "*a*a*a*a*a*a*b",
        "*a" * 60 + "*b",
        "?*" * 30 + "b",
        "[ab]*" * 30 + "c",
        "**/a*/" * 20 + "*a*a*a*b",
        "*" + "a*" * 62 + "b",
    ],
)
def test_b125_a_pattern_of_many_stars_is_answered_or_refused(step: Step, pattern: str) -> None:
    paths = b"".join(b"a" * length + b"\0" for length in (120, 4_000)) + b"a/" * 100 + b"a" * 120 + b"\0"
    written = run(step, suites({"run-x": [pattern]}), paths, seconds=5, memory=300)
    fallback = json.loads(written["plan"])["fallback"]
    assert (written["run-x"], fallback) in {("false", None), ("true", "rules-invalid")}


def test_b127_100_000_paths_and_300_patterns_in_40_suites(step: Step) -> None:
    inputs = {
        f"run-{suite:02}": [
            f"/part{suite}/",
            f"*.ext{suite}",
            f"/lib/**/mod{suite}*.py",
            f"!/part{suite}/tests/",
            f"**/deep{suite}/",
            f"/a/*/b{suite}/?.txt",
            f"!*.skip{suite}",
            f"/last{suite}",
        ][: 8 if suite < 20 else 7]
        for suite in range(40)
    }
    assert sum(map(len, inputs.values())) == 300
    paths = b"".join(
        b"dir%d/sub%d/part%d/file%d.ext%d\0" % (n % 97, n % 1_009, n % 13, n, n % 60) for n in range(100_000)
    )
    written = run(step, suites(inputs), paths, seconds=30, memory=500)
    assert json.loads(written["plan"])["changes"]["total"] == 100_000
    assert {written[name] for name in inputs} == {"true"}


def test_100_000_paths_of_as_many_directories_stay_in_bounds(step: Step) -> None:
    inputs = {f"run-{suite:02}": [f"/{suite}/*/x/", f"!**/y{suite}/*.md", f"**/z{suite}/**/w"] for suite in range(40)}
    paths = b"".join(b"%d/%d/x%d/y/%d.md\0" % (n % 50, n, n % 7, n) for n in range(100_000))
    written = run(step, suites(inputs), paths, seconds=60, memory=700)
    assert json.loads(written["plan"])["fallback"] is None


ALIASES = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 31))
NESTED = "sets:\n  s0: &s0 [/x]\n" + "".join(f"  s{n}: &s{n} [*s{n - 1}, *s{n - 1}]\n" for n in range(1, 31))


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(f"version: 1\n{ALIASES}suites: {{run-x: {{inputs: [/x]}}}}\n", id="B129 at the top"),
        pytest.param(f"version: 1\n{NESTED}suites: {{run-x: {{inputs: [/x]}}}}\n", id="B129 in sets"),
        pytest.param(f"version: 1\n{ALIASES}suites: {{run-x: {{inputs: *a30}}}}\n", id="B129 as inputs"),
        pytest.param("suites: {run-x: {inputs: " + "[" * 100_000 + "}}\n", id="deep nesting"),
        pytest.param("suites: {run-x: {inputs: [/x]}}\n" + "- {" * 50_000, id="deep nesting behind the suites"),
        pytest.param(
            "version: 1\nsuites:\n  run-x:\n" + "".join(f"    k{n}: 1\n" for n in range(50_000)), id="many mistakes"
        ),
        pytest.param(
            "version: 1\nsets:\n"
            + "".join(f'  s{n}: ["@s{n + 1}", "@s{n + 1}"]\n' for n in range(60))
            + '  s60: [/x]\nsuites: {run-x: {inputs: ["@s0"]}}\n',
            id="sets of sets",
        ),
    ],
)
def test_b129_rules_that_grow_when_they_are_read_are_refused_or_read_in_bounds(step: Step, rules: str) -> None:
    written = run(step, rules, b"x\0", seconds=10, memory=300)
    assert written["run-x"] == "true"


def test_b131_1_000_commits_of_50_paths_are_replayed_in_bounds(step: Step) -> None:
    stream = [b"reset refs/heads/long\n\n"]
    for number in range(1_000):
        stream.append(
            b"commit refs/heads/long\ncommitter B <b@localhost> %d +0000\ndata 0\n\n" % (1_600_000_000 + number)
        )
        for path in range(50):
            name = b"%d/%d/%d.c" % (path % 7, number % 90, path)
            content = b"%d" % number
            stream.append(b"M 100644 inline %b\ndata %d\n%b\n" % (name, len(content), content))
    run_git(step.repository, "fast-import", "--quiet", stdin=b"".join(stream))
    ran = subprocess.run(
        [*COMMAND, "replay", "refs/heads/long", "--format", "json"],
        cwd=step.repository,
        capture_output=True,
        check=False,
        preexec_fn=limited(seconds=60, memory=500),
    )
    assert ran.returncode == 0, ran.stderr[-2_000:]
    assert json.loads(ran.stdout)["total"] == 1_000
