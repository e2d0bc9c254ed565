"""What a change of 100,000 files costs: against git printing it, against one specification a suite, and how it grows."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pathspec
from benchmarks.measuring import COMMAND, Process, Row, medians
from support.repository import BuiltRepository

from ci_classify.core.matching import Matcher
from ci_classify.core.model import MODIFIED, Changes
from ci_classify.formats.rules_file import load_rules

FILES, SUITES, TERMS = 100_000, 100, 20
MEMORY = 250  # MB that are resident
SAMPLE = 2_000  # paths that each suite's specification is asked about
ROUNDS = 11


def measure(directory: Path) -> list[Row]:
    """Return the rows of the large change."""
    repository = BuiltRepository(directory / "repository")
    base = repository.commit(dict.fromkeys(_paths(FILES), "1\n"))
    tenth = repository.commit(dict.fromkeys(_spread(FILES // 10), "2\n"), base)
    whole = repository.commit(dict.fromkeys(_paths(FILES), "2\n"), base)
    repository.git("repack", "-adq")
    git = shutil.which("git")
    if git is None:
        raise FileNotFoundError("git")
    printing = Process(
        words=[git, "diff-tree", "-r", "-z", "--raw", "--no-renames", base, whole], directory=repository.directory
    )
    run = _run(directory, repository, base, whole, SUITES)
    fewer_files = _run(directory, repository, base, tenth, SUITES)
    fewer_suites = _run(directory, repository, base, whole, SUITES // 10)
    works = [run.run, printing.run, fewer_files.run, fewer_suites.run]
    mine, git_alone, tenth_of_files, tenth_of_suites = medians(works, ROUNDS)
    work = f"`run`, {FILES:,} changed files, {SUITES} suites of {TERMS} terms"
    return [
        Row(work=work, against="`git diff-tree` printing that difference", amount=mine, other=git_alone, bound=2),
        Row(work=work, against="a tenth of the files", amount=mine, other=tenth_of_files, bound=11),
        Row(work=work, against="a tenth of the suites", amount=mine, other=tenth_of_suites, bound=4),
        Row(work=work, against="the memory that it may take", amount=_memory(run), other=MEMORY, bound=1, unit="MB"),
        _specifications(),
    ]


def _paths(count: int) -> Iterator[str]:
    for n in range(count):
        yield f"crates/part{n % 200}/src/area{n % 1_000 // 200}/file{n}.x{n // 1_000 % 60}"


def _spread(count: int) -> list[str]:
    return list(_paths(FILES))[:: FILES // count]


def _rules(suites: int) -> str:
    return json.dumps(
        {"version": 1, "suites": {f"run-{n:03}": {"inputs": list(_terms(n))} for n in range(suites)}}, indent=1
    )


def _terms(suite: int) -> Iterator[str]:
    for n in range(TERMS - 1):
        part = (7 * suite + n) % 200
        yield f"/crates/part{part}/src/area{n % 5}/" if n % 3 else f"/crates/part{part}/**/*.x{(suite + n) % 60}"
    yield f"!/crates/part{suite}/src/area1/"


def _run(directory: Path, repository: BuiltRepository, base: str, head: str, suites: int) -> Process:
    rules = directory / f"rules-{suites}.json"
    rules.write_text(_rules(suites), encoding="utf-8")
    words = [COMMAND, "run", "--base", base, "--head", head, "--rules", str(rules)]
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
    environment = {
        **kept,
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(directory / "output"),
        "GITHUB_STEP_SUMMARY": str(directory / "summary.md"),
        "PYTHONPYCACHEPREFIX": str(directory / "bytecode"),
    }
    return Process(words=words, directory=repository.directory, environment=environment)


def _memory(run: Process) -> float:
    """Return the most memory that the process had resident, in MB."""
    with subprocess.Popen(run.words, cwd=run.directory, env=run.environment, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"it ended with {process.returncode}")
    return usage.ru_maxrss * 1024 / 1e6


def _specifications() -> Row:
    """Return the row: the matcher against one specification of pathspec for each suite, whose answers are the same."""
    rules = load_rules(_rules(SUITES), "rules.yaml").rules
    paths = list(_spread(SAMPLE))
    changes = Changes(paths=paths, kinds=[MODIFIED] * len(paths))
    specifications = [pathspec.PathSpec.from_lines("gitignore", _terms(n)) for n in range(SUITES)]
    start = time.perf_counter()
    slow = [{path for path in paths if specification.match_file(path)} for specification in specifications]
    other = 1_000 * (time.perf_counter() - start)
    fast: list[set[str]] = [set() for _ in range(SUITES)]
    matcher = Matcher(rules)
    for path in paths:
        for number, _ in matcher.verdict(path, MODIFIED).inputs:
            fast[number].add(path)
    if fast != slow:
        raise RuntimeError("pathspec gives other answers")
    (mine,) = medians([lambda: Matcher(rules).group(changes)], ROUNDS)
    work = f"matching {len(paths):,} paths, {SUITES} suites of {TERMS} terms"
    return Row(work=work, against="one specification of pathspec a suite", amount=mine, other=other, bound=0.1)
