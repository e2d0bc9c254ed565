"""Count how often the history of a repository would have invalidated baselines, by a global and by a narrow contract."""

import argparse
import json
import subprocess
from itertools import pairwise
from pathlib import Path

from ci_classify.core.baseline import Baseline
from ci_classify.core.baseline_bucket import BucketKind, bucket_of
from ci_classify.core.baseline_identity import identity
from ci_classify.core.baseline_inputs import inputs_of
from ci_classify.core.tree import Tree
from ci_classify.edges.git import Repository
from ci_classify.formats.rules_file import load_rules


def main() -> None:
    """Print a row for each contract."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path)
    parser.add_argument("buckets", nargs="+")
    parser.add_argument("--commits", type=int, default=400)
    parser.add_argument("--root", required=True)
    parser.add_argument("--global", dest="globs", action="append", default=[], help="what the global contract adds")
    asked = parser.parse_args()
    contracts = {
        "global": _baseline(asked.root, {"fixtures": {"globs": ["**/conftest.py", *asked.globs]}}),
        "per bucket": _baseline(asked.root, {"fixtures": {"scoped": ["conftest.py"]}}),
    }
    words = ["git", "rev-list", "--first-parent", f"-n{asked.commits + 1}", "HEAD"]
    listed = subprocess.run(words, cwd=asked.clone, capture_output=True, text=True, check=True).stdout.split()
    repository = Repository(asked.clone)
    digests: list[dict[str, list[str]]] = []
    for commit in reversed(listed):
        tree = repository.tree(commit)
        digests.append({name: _digests(baseline, asked.buckets, tree) for name, baseline in contracts.items()})
    for name in contracts:
        pairs = pairwise(digests)
        broken = [sum(map(str.__ne__, old[name], new[name])) for old, new in pairs]
        possible = len(broken) * len(asked.buckets)
        print(f"| {name} | {sum(broken)} | {sum(broken) / possible:.1%} | {sum(map(bool, broken))} |")  # noqa: T201


def _baseline(root: str, inputs: object) -> Baseline:
    policy = {
        "schema": 1,
        "branch": "refs/heads/main",
        "tool": {"name": "tool", "version": "1"},
        "buckets": {"root": root},
        "platforms": {"any": {}},
        "inputs": inputs,
        "phases": ["only"],
        "artifact": {"kind": "opaque", "file": "data"},
        "producer": {"ref": "refs/heads/main", "events": ["push"], "repository": "owner/name"},
    }
    text = json.dumps({"version": 1, "suites": {"all": {"inputs": ["*"]}}, "baselines": {"counted": policy}})
    return load_rules(text, "rules.yaml").rules.baselines[0]


def _digests(baseline: Baseline, buckets: list[str], tree: Tree) -> list[str]:
    found = []
    for path in buckets:
        bucket = bucket_of(baseline, path, BucketKind.DIRECTORY)
        inputs = inputs_of(baseline, bucket, "any", tree)
        found.append(identity(baseline, bucket, "any", tree, inputs, {}, {}).digest)
    return found


if __name__ == "__main__":
    main()
