"""``ci-classify dry-run``: what CI would do with the local branch."""

import json
from pathlib import Path

import pytest
from support.repository import BuiltRepository
from support.runner import Ran, call
from support.step import Step


@pytest.fixture
def branch(step: Step) -> BuiltRepository:
    """Return a repository with a branch that left ``main`` behind, which has moved on since."""
    built = BuiltRepository(step.repository, create=False)
    start = built.git("rev-parse", "HEAD")
    built.name("refs/heads/main", built.commit({"src/later.py": "1"}, start))
    tip = built.commit({"gpu/kernel.cu": "1", "README.md": "1"}, start)
    built.name("refs/heads/topic", tip)
    built.git("checkout", "--quiet", "--force", "topic")
    return built


def dry_run(branch: BuiltRepository, *words: str, cwd: Path | None = None) -> Ran:
    return call("dry-run", *words, cwd=cwd or branch.directory)


def outputs(ran: Ran) -> dict[str, bool]:
    found = json.loads(ran.stdout)["outputs"]
    assert isinstance(found, dict)
    return found


def test_it_compares_with_the_merge_base(branch: BuiltRepository) -> None:
    ran = dry_run(branch, "main")
    assert (ran.code, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    base, head = branch.git("merge-base", "main", "topic"), branch.git("rev-parse", "topic")
    assert lines[0] == "2 paths changed, 1 of them documentation; 2 of 3 outputs run."
    assert lines[1] == f"Compared {base} with {head}."
    assert "skip  Unit tests  run-unit" in lines
    assert "run   GPU tests  run-gpu" in lines
    assert "        gpu/kernel.cu  added  by /gpu/  rules.yaml:7" in lines


@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/remotes/origin/main", "refs/remotes/origin/master"])
def test_the_default_branch_is_found(branch: BuiltRepository, ref: str) -> None:
    main = branch.git("rev-parse", "main")
    branch.git("update-ref", "-d", "refs/heads/main")
    branch.name(ref, main)
    ran = dry_run(branch)
    assert ran.code == 0
    assert ran.stdout.startswith("2 paths changed")


def test_without_a_default_branch_one_must_be_named(branch: BuiltRepository) -> None:
    branch.git("update-ref", "-d", "refs/heads/main")
    ran = dry_run(branch)
    assert (ran.code, ran.stdout) == (2, "")
    assert "name a branch: ci-classify dry-run BRANCH" in ran.stderr


def test_uncommitted_changes_are_left_out_and_said_to_be(branch: BuiltRepository) -> None:
    branch.write({"src/new.py": "1"})
    ran = dry_run(branch, "main", "--format", "json")
    assert outputs(ran) == {"run-unit": False, "run-gpu": True, "run-build": True}
    assert ran.stderr == "warning: Changes that are not committed are left out; --worktree takes them in.\n"


def test_the_working_tree_can_be_taken_in(branch: BuiltRepository) -> None:
    branch.write({"src/new.py": "1"})
    ran = dry_run(branch, "main", "--worktree", "--format", "json")
    assert (ran.code, ran.stderr) == (0, "")
    assert outputs(ran) == {"run-unit": True, "run-gpu": True, "run-build": True}


def test_a_branch_without_a_change_shows_the_empty_diff(branch: BuiltRepository) -> None:
    ran = dry_run(branch, "topic")
    assert ran.code == 0
    assert ran.stdout.startswith("0 paths changed; 3 of 3 outputs run.")
    assert "No path differs, and it runs then." in ran.stdout


def test_event_branch_and_labels_can_be_given(branch: BuiltRepository) -> None:
    branch.write(
        {
            "rules.yaml": "version: 1\nunclaimed: nothing\nevents: {push release/*: never}\n"
            "labels: {slow: {selects: [run-b]}}\nsuites: {run-a: {inputs: [/gpu/]}, run-b: {inputs: [/b/]}}\n"
        }
    )
    ran = dry_run(branch, "main", "--format", "json", "--label", "slow")
    assert outputs(ran) == {"run-a": True, "run-b": True}
    ran = dry_run(branch, "main", "--format", "json", "--event", "push", "--branch", "release/1")
    assert outputs(ran) == {"run-a": False, "run-b": False}


def test_json_on_standard_output_is_the_plan(branch: BuiltRepository) -> None:
    plan = json.loads(dry_run(branch, "main", "--format", "json").stdout)
    assert plan["base"] == branch.git("merge-base", "main", "topic")
    assert plan["decisions"]["run-gpu"]["evidence"] == [
        {"path": "gpu/kernel.cu", "change": "added", "term": "/gpu/", "line": 7}
    ]


def test_it_writes_no_outputs_and_no_summary(branch: BuiltRepository, step: Step) -> None:
    ran = call("dry-run", "main", variables=step.variables("push"), cwd=branch.directory)
    assert ran.code == 0
    assert not step.output.exists()
    assert not step.summary.exists()


def test_a_subdirectory_is_as_good_as_the_top(branch: BuiltRepository) -> None:
    assert dry_run(branch, "main", cwd=branch.directory / "gpu").stdout == dry_run(branch, "main").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "the clone lacks the commit nowhere"),
        (["--", "-x"], "'-x' is no revision"),
        (["main", "topic"], "unexpected extra argument"),
        (["main", "--rules", "/nowhere"], "there are no rules"),
        (["main", "--base", "x"], "No such option"),
    ],
)
def test_wrong_use_is_2_and_says_what_is_wrong(branch: BuiltRepository, words: list[str], said: str) -> None:
    ran = dry_run(branch, *words)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_outside_of_a_repository_it_says_so(tmp_path: Path) -> None:
    ran = call("dry-run", "main", "--repo", str(tmp_path))
    assert (ran.code, ran.stdout) == (2, "")
    assert "is not in a git repository" in ran.stderr


def test_broken_rules_are_2_with_every_mistake(branch: BuiltRepository) -> None:
    branch.write({"rules.yaml": "version: 3\nsuits: {}\n"})
    ran = dry_run(branch, "main")
    assert (ran.code, ran.stdout) == (2, "")
    assert "rules.yaml:1:10: error: " in ran.stderr
    assert "rules.yaml:2:1: error: " in ran.stderr
