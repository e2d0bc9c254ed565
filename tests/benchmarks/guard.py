"""What ``drift`` costs: 20 jobs of a repository of 3,000 files, of which half are modules that import each other."""

import subprocess
from pathlib import Path

from benchmarks.measuring import COMMAND, Row, medians
from support.repository import BuiltRepository

FILES = 3_000
JOBS = 20
MODULES = 1_500
SCRIPTS = 500
CRATES = 100
SECONDS = 3
ROUNDS = 5


def measure(directory: Path) -> list[Row]:
    """Return the row: the command against the time that it may take."""
    repository = BuiltRepository(directory / "repository")
    repository.check_out(repository.commit(_files()))
    (mine,) = medians([lambda: _guard(repository.directory)], ROUNDS)
    work = f"`drift`, {JOBS} jobs, {FILES:,} files"
    return [Row(work=work, against="what it may take", amount=mine, other=1_000 * SECONDS, bound=1)]


def _files() -> dict[str, str]:
    files = {
        f"app/module{n}.py": "import os\nfrom pathlib import Path\n"
        + "".join(f"from app import module{(n * 7 + k) % MODULES}\n" for k in range(4))
        + f"\n\ndef load() -> str:\n    return Path(__file__).with_name('data{n % 50}.txt').read_text()\n"
        for n in range(MODULES)
    }
    files |= {f"app/data{n}.txt": "" for n in range(50)}
    files |= {
        f"scripts/run{n}.sh": f'#!/bin/bash\nset -e\nDIR="$(dirname "$0")"\n'
        f'bash "$DIR/run{(n * 3 + 1) % SCRIPTS}.sh"\nfor part in a b c; do cat "$DIR/$part.txt"; done\n'
        for n in range(SCRIPTS)
    }
    for n in range(CRATES):
        below = f'c{n + 1} = {{path = "../c{n + 1}"}}\n' if n + 1 < CRATES else ""
        files[f"crates/c{n}/Cargo.toml"] = f'[package]\nname = "c{n}"\n[dependencies]\n{below}'
        files[f"crates/c{n}/src/lib.rs"] = 'const TEXT: &str = include_str!("text");\n'
        files[f"crates/c{n}/src/text"] = ""
    files |= {"app/__init__.py": "", "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n', "Cargo.lock": ""}
    files[".github/workflows/ci.yml"] = "on: pull_request\njobs:\n" + "".join(_job(n) for n in range(JOBS))
    suites = "".join(f"  job{n}: {{inputs: [/app/, /scripts/, /crates/, '/Cargo.*', /doc/]}}\n" for n in range(JOBS))
    files["rules.yaml"] = f"version: 1\ncontrol: [/.github/workflows/]\nsuites:\n{suites}"
    return files | {f"doc/page{n}.md": "" for n in range(FILES - len(files))}


def _job(number: int) -> str:
    steps = (
        f"python -m app.module{number}",
        f"bash scripts/run{number}.sh",
        f"cargo test -p c{number}",
        "echo ${{ hashFiles('**/Cargo.toml', 'app/**') }}",
    )
    return f"  job{number}:\n    runs-on: x\n    steps:\n" + "".join(f'      - run: "{step}"\n' for step in steps)


def _guard(repository: Path) -> None:
    ran = subprocess.run([COMMAND, "drift"], cwd=repository, capture_output=True, check=False)
    if ran.returncode != 0 or not ran.stdout:
        raise RuntimeError(ran.stdout[-2_000:], ran.stderr[-2_000:])
