"""What ``check`` costs in a large repository: 100,000 files and 50 suites, within 500 MiB of addresses."""

import os
import resource
import subprocess
from pathlib import Path

from benchmarks.measuring import COMMAND, Row, medians
from support.repository import BuiltRepository

FILES = 100_000
SUITES = 50
SECONDS = 10
MEMORY = 500 << 20
ROUNDS = 3


def measure(directory: Path) -> list[Row]:
    """Return the row: the command against the time that it may take. Beyond its memory it fails."""
    repository = BuiltRepository(directory / "repository")
    names = (f"dir{n % 97}/sub{n % 1_009}/part{n % SUITES}/file{n}.ext{n % 60}" for n in range(FILES))
    suites = (
        f"  run-{n:02}: {{inputs: [/dir{n}/, '*.ext{n}', '/lib/**/mod{n}*.py', '!/dir{n}/sub{n}/', '**/part{n}/*.c']}}\n"
        for n in range(SUITES)
    )
    rules = f"version: 1\nsuites:\n{''.join(suites)}"
    repository.head(repository.commit({**dict.fromkeys(names, "1\n"), "rules.yaml": rules}))
    repository.write({"rules.yaml": rules})
    (mine,) = medians([lambda: _check(repository.directory)], ROUNDS)
    work = f"`check`, {FILES:,} files, {SUITES} suites, in {MEMORY >> 20} MiB"
    return [Row(work=work, against="what it may take", amount=mine, other=1_000 * SECONDS, bound=1)]


def _check(repository: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    words = [COMMAND, "check", "--rev", "HEAD"]
    ran = subprocess.run(words, cwd=repository, env=os.environ, capture_output=True, check=False, preexec_fn=limit)
    if ran.returncode not in {0, 1} or not ran.stdout:
        raise RuntimeError(ran.stderr[-2_000:])
