"""What the identities of all suites cost in a large repository, against the listing that they are made from."""

import gc
import json
import shutil
from pathlib import Path

from benchmarks.measuring import Process, Row, medians
from support.repository import BuiltRepository

from ci_classify.core.identity import identify
from ci_classify.edges.git import Repository
from ci_classify.formats.rules_file import load_rules

FILES = 100_000
SUITES = 50
ROUNDS = 9


def measure(directory: Path) -> list[Row]:
    """Return the row: reading the tree and identifying every suite, against ``git ls-tree -r -z`` with its output read."""
    git = shutil.which("git")
    if git is None:
        raise FileNotFoundError("git")
    built = BuiltRepository(directory / "repository")
    names = (f"crates/part{n % 100}/src/sub{n % 60}/area{n % 37}/module{n}.rs" for n in range(FILES))
    built.head(built.commit(dict.fromkeys(names, "1\n")))
    built.git("gc", "--quiet")
    suites = {
        f"run-{n:02}": {"inputs": ["@common", f"/crates/part{n}/", f"/crates/part{n + 50}/", "!*.txt"]}
        for n in range(SUITES)
    }
    text = {"version": 1, "documentation": ["*.md", "/doc/"], "sets": {"common": ["/crates/part7/"]}, "suites": suites}
    rules = load_rules(json.dumps(text), "rules.yaml").rules
    repository = Repository(built.directory)
    listing = Process(words=[git, "ls-tree", "-r", "-z", "HEAD"], directory=built.directory)

    def identify_all() -> None:
        identify(rules, rules.suites, repository.tree("HEAD"))

    gc.disable()  # as in the command
    try:
        mine, other = medians([identify_all, listing.run], ROUNDS)
    finally:
        gc.enable()
    work = f"identities of {SUITES} suites, {FILES:,} files"
    return [Row(work=work, against="`git ls-tree -r -z`", amount=mine, other=other, bound=3)]
