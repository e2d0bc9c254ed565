"""What a replay of 7,000 changes costs with 80 outputs, against git printing the same differences, in 300 MB."""

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import COMMAND, Row, medians
from support.repository import BuiltRepository

CHANGES = 7_000
OUTPUTS = 80
MEMORY = 300_000_000  # bytes that are resident, the command and its two gits each
ROUNDS = 5
_SIZES = (1, 1, 1, 2, 2, 3, 5, 8, 13, 40)  # paths of a change

_GIT = (
    "git rev-list --first-parent --parents main"
    " | git diff-tree --stdin -r -z --raw --root --always --no-renames -m --first-parent > {}"
)


def measure(directory: Path) -> list[Row]:
    """Return the rows: alone, and against other rules."""
    repository = _build(directory / "repository")
    alone = [COMMAND, "replay", "main"]
    against = [*alone, "--against", "old.yaml"]
    works = [
        lambda: _git(repository),
        lambda: _replay(alone, repository),
        lambda: _replay(against, repository),
    ]
    git, one, two = medians(works, ROUNDS)
    work = f"`replay`, {CHANGES:,} changes, {OUTPUTS} outputs"
    other = "git, printing the same differences"
    return [
        Row(work=work, against=other, amount=one, other=git, bound=2),
        Row(work=f"{work}, against other rules", against=other, amount=two, other=git, bound=2),
    ]


def _git(repository: Path) -> None:
    subprocess.run(["sh", "-c", _GIT.format(os.devnull)], cwd=repository, check=True)


def _replay(words: list[str], repository: Path) -> None:
    with subprocess.Popen(words, cwd=repository, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or 1024 * usage.ru_maxrss > MEMORY:
        raise RuntimeError(f"it ended with {process.returncode}, with {usage.ru_maxrss >> 10} MiB")


def _build(directory: Path) -> Path:
    repository = BuiltRepository(directory)
    repository.git("fast-import", "--quiet", stdin=b"".join(_stream()))
    repository.git("repack", "-adq")
    for name, left_out in (("rules.yaml", 1), ("old.yaml", 3)):
        (directory / name).write_text(_rules(left_out), encoding="utf-8")
    return directory


def _rules(left_out: int) -> str:
    suites = (
        f"  run-{n}: {{inputs: [/part{n}/, '!/part{n}/dir{left_out}/', '/part{(n + 7) % OUTPUTS}/dir2/*.c']}}\n"
        for n in range(OUTPUTS)
    )
    return f"version: 1\nunclaimed: nothing\nsuites:\n{''.join(suites)}"


def _stream() -> Iterator[bytes]:
    choose = random.Random(1)
    paths = [
        f"part{part}/dir{below}/deep/er/file{n}.c".encode()
        for part in range(OUTPUTS)
        for below in range(12)
        for n in range(20)
    ]
    for number in range(CHANGES):
        yield b"commit refs/heads/main\ncommitter B <b@localhost> %d +0000\ndata 0\n\n" % (
            1_600_000_000 + 3_600 * number
        )
        for path in choose.sample(paths, choose.choice(_SIZES)) if number else paths:
            content = b"%d" % number
            yield b"M 100644 inline %b\ndata %d\n%b\n" % (path, len(content), content)
