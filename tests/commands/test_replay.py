import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import history
from support.command import run_command
from support.repository import BuiltRepository, run_git
from support.runner import Ran

from ci_classify.commands.classifying import open_rules
from ci_classify.core.decision import decide
from ci_classify.core.model import Changes, Event
from ci_classify.formats.raw_diff import parse_raw

COMMITS = 2_000
TOP = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return history.build(tmp_path_factory.mktemp("long") / "repository", COMMITS).directory


def replay(capsys: pytest.CaptureFixture[str], repository: Path, *words: str) -> Ran:
    return run_command(capsys, "replay", "--repo", str(repository), *words)


def commits_of(repository: Path) -> list[tuple[str, list[str]]]:
    """Return each first-parent commit with its parents, oldest last."""
    lines = run_git(repository, "log", "--first-parent", "--format=%H %P", "main").decode().splitlines()
    return [(line.split()[0], line.split()[1:]) for line in lines]


def one_by_one(repository: Path) -> Iterator[tuple[str, Changes]]:
    for commit, parents in commits_of(repository):
        base = parents[0] if parents else "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        raw = run_git(repository, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", base, commit)
        yield commit, parse_raw(raw)


@pytest.fixture(scope="module")
def diffed(long: Path) -> list[tuple[str, Changes]]:
    return list(one_by_one(long))


@pytest.mark.parametrize("event", ["pull_request", "push"])
def test_a_replay_decides_as_each_commit_by_itself(
    capsys: pytest.CaptureFixture[str], long: Path, diffed: list[tuple[str, Changes]], event: str
) -> None:
    ran = replay(capsys, long, "main", "--event", event, "--format", "json")
    rules = open_rules(str(long), None).rules
    expected = []
    for commit, changes in diffed:
        plan = decide(rules, Event(name=event), changes)
        expected.append((commit, [decision.name for decision in plan.outputs if decision.runs]))
    got = json.loads(ran.stdout)
    assert [(change["commit"], change["selected"]) for change in got["changes"]] == expected
    assert len(expected) == COMMITS
    assert len({tuple(names) for _, names in expected}) > 10
    assert got["outputs"] == {
        output.name: {"new": sum(output.name in names for _, names in expected), "against": []}
        for output in rules.outputs
    }


def test_a_replay_agrees_with_run_as_a_process(capsys: pytest.CaptureFixture[str], long: Path) -> None:
    changes = json.loads(replay(capsys, long, "main", "--format", "json").stdout)["changes"]
    for change in changes[:: COMMITS // 12]:
        words = ["run", "--repo", str(long), "--base", f"{change['commit']}^1", "--head", change["commit"]]
        ran = subprocess.run(
            [sys.executable, "-m", "ci_classify", *words, "--format", "json"], capture_output=True, check=True
        )
        outputs = json.loads(ran.stdout)["outputs"]
        assert change["selected"] == [name for name, runs in outputs.items() if runs], change["commit"]


@pytest.mark.parametrize("range_", ["main~10..main", "main"])
def test_git_is_called_as_often_for_a_long_range_as_for_a_short_one(
    capsys: pytest.CaptureFixture[str], long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, range_: str
) -> None:
    log = tmp_path / "calls"
    real = next(Path(entry) / "git" for entry in os.environ["PATH"].split(":") if (Path(entry) / "git").exists())
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin" / "git"
    wrapper.write_text(f'#!/bin/sh\necho x >> "{log}"\nexec "{real}" "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    assert replay(capsys, long, range_, "--format", "json").code == 0
    assert log.read_text(encoding="utf-8").count("x") == 3


def test_what_differs_is_listed_with_newly_skipped_first(
    capsys: pytest.CaptureFixture[str], long: Path, tmp_path: Path
) -> None:
    (tmp_path / "old.yaml").write_text(history.OLD_RULES, encoding="utf-8")
    old = str(tmp_path / "old.yaml")
    got = json.loads(replay(capsys, long, "main", "--against", old, "--format", "json").stdout)
    skipped = [
        change for change in got["changes"] if set(change["against"][0]) - {"run-gone"} - set(change["selected"])
    ]
    assert skipped
    assert got["newly_skipped"] == [len(skipped)]
    kinds = [bool(difference["newly_skipped"]) for difference in got["differences"]]
    assert kinds == sorted(kinds, reverse=True)
    assert got["outputs"]["run-gone"]["new"] is None
    assert got["outputs"]["run-added"]["against"] == [None]
    text = replay(capsys, long, "main", "--against", old).stdout
    assert (
        "newly skipped: run-gpu. Before: Its inputs changed. Now: None of its inputs changed. (gpu/tests/t.py)" in text
    )
    assert "Only " in text
    assert "run-gone" in text


def test_several_other_rules_each_have_a_column_and_their_differences(
    capsys: pytest.CaptureFixture[str], long: Path, tmp_path: Path
) -> None:
    others = {
        "same.yaml": history.RULES,
        "old.yaml": history.OLD_RULES,
        "all.yaml": history.RULES.replace("skip", "run"),
    }
    words = ["main"]
    for name, rules in others.items():
        (tmp_path / name).write_text(rules, encoding="utf-8")
        words += ["--against", str(tmp_path / name)]
    got = json.loads(replay(capsys, long, *words, "--format", "json").stdout)
    assert got["rules"] == ["new", *words[2::2]]
    for number in range(3):
        alone = replay(capsys, long, "main", "--against", words[2 * number + 2], "--format", "json").stdout
        expected = json.loads(alone)
        for key in ("newly_skipped", "newly_run"):
            assert got[key][number] == expected[key][0]
        assert [change["against"][number] for change in got["changes"]] == [
            change["against"][0] for change in expected["changes"]
        ]
        found = [difference | {"against": 0} for difference in got["differences"] if difference["against"] == number]
        assert found == expected["differences"]
    assert got["newly_skipped"][0] == 0
    assert got["newly_skipped"][1] > got["newly_skipped"][2] > 0


@pytest.mark.parametrize("event", ["pull_request", "push"])
def test_the_history_of_nvx_is_decided_as_its_cases_say_and_held_against_other_rules(
    capsys: pytest.CaptureFixture[str], built: BuiltRepository, tmp_path: Path, event: str
) -> None:
    cases = json.loads((TOP / "tests/cases/nvx-changes.json").read_text(encoding="utf-8"))["examples"]
    cases = [case for case in cases if case["event"] == event]
    rules = (TOP / "rules.yaml").read_text(encoding="utf-8")
    history.add_and_remove(built, [case["changed"] for case in cases])
    built.write({"rules.yaml": rules})
    (tmp_path / "old.yaml").write_text(rules.replace('      - "!@microvm-modules"\n', ""), encoding="utf-8")
    words = ("main", "--against", str(tmp_path / "old.yaml"), "--event", event)
    got = json.loads(replay(capsys, built.directory, *words, "--format", "json").stdout)
    expected = [{name for name, runs in case["expect"].items() if runs} for case in cases for _ in range(2)]
    assert [set(change["selected"]) for change in reversed(got["changes"])] == expected
    fewer = [expected[place] < set(change["against"][0]) for place, change in enumerate(reversed(got["changes"]))]
    assert got["newly_skipped"] == [sum(fewer)]
    assert any(fewer) == (event == "pull_request")  # a push runs the benchmarks for any change
    counts = got["outputs"]["run-benchmarks"]
    assert counts["against"][0] - counts["new"] == sum(fewer)
    shown = replay(capsys, built.directory, *words, "--format", "markdown").stdout
    assert f"\n| `run-benchmarks` | {counts['new']} | {counts['against'][0]} |\n" in shown


def test_markdown_holds_the_same_table(capsys: pytest.CaptureFixture[str], long: Path) -> None:
    counts = json.loads(replay(capsys, long, "main", "--format", "json").stdout)["outputs"]
    shown = replay(capsys, long, "main", "--format", "markdown").stdout
    for name, count in counts.items():
        assert f"| `{name}` | {count['new']:,} |" in shown


def test_rules_of_a_revision_are_read_there(capsys: pytest.CaptureFixture[str], built: BuiltRepository) -> None:
    first = built.commit({"rules.yaml": "version: 1\nsuites: {run-x: {inputs: [/a, /b]}}\nunclaimed: nothing\n"})
    second = built.commit({"rules.yaml": "version: 1\nsuites: {run-x: {inputs: [/a]}}\nunclaimed: nothing\n"}, first)
    last = built.commit({"b": "1\n"}, second)
    built.check_out(last)
    got = json.loads(
        replay(capsys, built.directory, f"{second}..{last}", "--against", first, "--format", "json").stdout
    )
    assert got["changes"] == [{"commit": last, "selected": [], "against": [["run-x"]]}]


def test_pull_requests_are_compared_from_their_merge_bases(
    capsys: pytest.CaptureFixture[str], built: BuiltRepository, tmp_path: Path
) -> None:
    rules = "version: 1\nsuites: {run-a: {inputs: [/a]}, run-b: {inputs: [/b]}}\nunclaimed: nothing\n"
    root = built.commit({"rules.yaml": rules})
    base = built.commit({"a": "1\n"}, root)
    head = built.commit({"b": "1\n"}, root)
    built.check_out(head)
    (tmp_path / "pairs").write_text(f"# base head\n\n{base} {head}\n{root} {base}\n", encoding="utf-8")
    got = json.loads(replay(capsys, built.directory, "--pairs", str(tmp_path / "pairs"), "--format", "json").stdout)
    assert got["changes"] == [
        {"commit": head, "selected": ["run-b"], "against": []},
        {"commit": base, "selected": ["run-a"], "against": []},
    ]


def test_of_several_merge_bases_every_difference_counts(
    capsys: pytest.CaptureFixture[str], built: BuiltRepository, tmp_path: Path
) -> None:
    rules = "version: 1\nsuites: {run-a: {inputs: [/a]}, run-b: {inputs: [/b]}}\nunclaimed: nothing\n"
    root = built.commit({"rules.yaml": rules})
    one, other = built.commit({"a": "1\n"}, root), built.commit({"b": "1\n"}, root)
    left = built.commit({"b": "1\n"}, one, other)
    right = built.commit({"b": "1\n", "c": "1\n"}, one, other)
    built.check_out(right)
    (tmp_path / "pairs").write_text(f"{left} {right}\n", encoding="utf-8")
    got = json.loads(replay(capsys, built.directory, "--pairs", str(tmp_path / "pairs"), "--format", "json").stdout)
    assert got["changes"] == [{"commit": right, "selected": ["run-a", "run-b"], "against": []}]


RESULT_RULES = """\
version: 1
unclaimed: nothing
suites: {run-a: {inputs: [/a]}, run-b: {inputs: [/b]}}
required-check:
  detector: detect
  jobs: {job-a: {output: run-a}, job-b: {output: run-b}, after-b: {needs: [job-b]}, lint: {}}
"""


@pytest.fixture
def three(built: BuiltRepository) -> tuple[BuiltRepository, list[str]]:
    commits = [built.commit({"rules.yaml": RESULT_RULES})]
    for name in ("a", "b", "other"):
        commits.append(built.commit({name: "1\n"}, commits[-1]))
    built.check_out(commits[-1])
    return built, commits


OURS = "ours"
API = "api"
PAGES = "pages"
LINES = "lines"
PAGED = "as gh api --paginate prints pages"


@pytest.mark.parametrize("shape", [OURS, API, PAGES, LINES, PAGED])
def test_jobs_that_failed_where_the_rules_skip_them_are_unsafe(
    capsys: pytest.CaptureFixture[str], three: tuple[BuiltRepository, list[str]], tmp_path: Path, shape: str
) -> None:
    built, (root, a, b, other) = three
    facts = [
        (a, "job-a", "success"),
        (a, "job-b (linux)", "failure"),
        (a, "job-b (windows)", "success"),
        (a, "after-b / inner", "skipped"),
        (b, "job-b", "failure"),
        (b, "job-a", "success"),
        (other, "job-a", "timed_out"),
        (other, "job-b", "cancelled"),
        (other, "lint", "failure"),
        (other, "unknown", "failure"),
        ("9" * 40, "job-a", "failure"),
        (other, "after-b", None),
    ]
    results = tmp_path / "results.json"
    ours = [{"commit": commit, "job": job, "conclusion": end} for commit, job, end in facts]
    api = [{"id": 1, "name": job, "head_sha": commit, "conclusion": end} for commit, job, end in facts]
    texts = {
        OURS: json.dumps(ours),
        API: json.dumps({"total_count": len(api), "jobs": api}),
        PAGES: json.dumps([{"jobs": api[:5]}, {"jobs": api[5:]}]),
        PAGED: json.dumps({"jobs": api[:5]}, indent=2) + json.dumps({"jobs": api[5:]}),
        LINES: "".join(f"{json.dumps(entry)}\n" for entry in ours),
    }
    results.write_text(texts[shape], encoding="utf-8")
    ran = replay(capsys, built.directory, f"{root}..{other}", "--results", str(results), "--format", "json")
    found = json.loads(ran.stdout)["results"]
    assert ran.code == 1
    assert [(skip["commit"], skip["job"], skip["output"]) for skip in found["unsafe_skips"]] == [
        (other, "job-a", "run-a"),
        (a, "job-b", "run-b"),
    ]
    assert (found["rates"][0]["unsafe"], found["rates"][0]["of"]) == (2, 3)
    assert (found["unmatched"], found["unjudged"]) == (1, ["unknown"])
    assert found["interval"] == "Wilson score interval"
    text = replay(capsys, built.directory, f"{root}..{other}", "--results", str(results)).stdout
    assert "job-a failed; run-a skips it, though other changed" in text


def test_durations_become_machine_minutes_and_wall_time(
    capsys: pytest.CaptureFixture[str], three: tuple[BuiltRepository, list[str]], tmp_path: Path
) -> None:
    built, (root, *_, last) = three
    (tmp_path / "old.yaml").write_text(RESULT_RULES.replace("[/b]", "[/b, /a]"), encoding="utf-8")
    minutes = {"job-a": [10, 20], "job-b": 30, "after-b": 5, "elsewhere": 1}
    (tmp_path / "minutes.json").write_text(json.dumps(minutes), encoding="utf-8")
    words = (f"{root}..{last}", "--against", str(tmp_path / "old.yaml"), "--durations", str(tmp_path / "minutes.json"))
    found = json.loads(replay(capsys, built.directory, *words, "--format", "json").stdout)["savings"]
    # Changes of a, b and other. Before: 15 + 30 + 5, 35, 0 minutes; now: 15, 35, 0. Waiting before: 35, 35, 0.
    assert found["against"][0] == {
        "machine_minutes": {
            "old": {"sum": 85, "median": 35, "p90": 47},
            "new": {"sum": 50, "median": 15, "p90": 31},
            "saved": {"sum": 35, "median": 0, "p90": 28},
        },
        "wall_minutes": {
            "old": {"sum": 70, "median": 35, "p90": 35},
            "new": {"sum": 50, "median": 15, "p90": 31},
            "saved": {"sum": 20, "median": 0, "p90": 16},
        },
    }
    assert found["jobs_without_duration"] == ["lint"]
    assert found["durations_without_job"] == ["elsewhere"]
    assert "Machine, saved by change" in replay(capsys, built.directory, *words).stdout


def test_the_picture_is_whole_and_needs_nothing_from_elsewhere(
    capsys: pytest.CaptureFixture[str], long: Path, tmp_path: Path
) -> None:
    (tmp_path / "old.yaml").write_text(history.OLD_RULES, encoding="utf-8")
    picture = tmp_path / "runs.svg"
    replay(capsys, long, "main", "--against", str(tmp_path / "old.yaml"), "--svg", str(picture))
    root = ET.parse(picture).getroot()
    lines = [element for element in root.iter() if element.tag.endswith("polyline")]
    assert len(lines) == 2 * 7 - 2  # run-gone and run-added are outputs of one rules only
    assert all(len(line.get("points", "").split()) > 30 for line in lines)
    assert "href" not in picture.read_text(encoding="utf-8")


def test_a_sha_256_repository_is_replayed_like_any_other(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    built = history.build(tmp_path / "new", 60, object_format="sha256")
    old = tmp_path / "old.yaml"
    old.write_text(history.OLD_RULES, encoding="utf-8")
    ran = replay(capsys, built.directory, "main", "--against", str(old))
    same = replay(capsys, history.build(tmp_path / "old", 60).directory, "main", "--against", str(old))
    assert (ran.code, same.code) == (0, 0)
    counts, other = (text.stdout.split("\n\n")[1] for text in (ran, same))
    assert counts == other
    assert ran.stdout.count(" Commit\n") == same.stdout.count(" Commit\n") > 0


def test_the_oldest_commit_of_a_shallow_clone_is_no_root(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    built = history.build(tmp_path / "whole", 30)
    built.name("HEAD", "refs/heads/main")
    clone = built.clone(tmp_path / "shallow", "--depth=5", "--branch=main")
    (clone.directory / "rules.yaml").write_text(history.RULES, encoding="utf-8")
    ran = replay(capsys, clone.directory, "origin/main")
    assert ran.code == 2
    assert "the clone is shallow and lacks the parent of" in ran.stderr
    assert replay(capsys, clone.directory, "origin/main~3..origin/main").code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nothing to replay"),
        (("main", "--pairs", "x"), "too much"),
        (("no-such..main",), "bad revision"),
        (("--pairs", "absent"), "absent can't be read"),
        (("main", "--against", "no-such"), "neither a file nor a commit"),
        (("main", "--durations", "x"), "there are no old ones"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    built = history.build(tmp_path / "repository", 3)
    ran = replay(capsys, built.directory, *words)
    assert ran.code == 2
    assert message in ran.stderr


def test_an_empty_range_has_no_changes(capsys: pytest.CaptureFixture[str], long: Path) -> None:
    got = json.loads(replay(capsys, long, "main..main", "--format", "json").stdout)
    assert (got["changes"], got["total"]) == ([], 0)


def test_rules_at_a_revision_named_like_nothing_are_a_usage_error(
    capsys: pytest.CaptureFixture[str], built: BuiltRepository
) -> None:
    commit = built.commit({"a": "1\n"})
    built.check_out(commit)
    (built.directory / "rules.yaml").write_text(history.RULES, encoding="utf-8")
    ran = replay(capsys, built.directory, "HEAD", "--against", "HEAD")
    assert ran.code == 2
    assert "HEAD has no rules" in ran.stderr
