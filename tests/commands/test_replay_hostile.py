"""A replay of what nobody should write: it ends in an error that says where, what and what to do, or shows it harmlessly."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from support import history
from support.command import run_command
from support.repository import BuiltRepository, text
from support.runner import Ran

COMMAND = (sys.executable, "-m", "ci_classify", "replay")
RULES = """\
version: 1
unclaimed: nothing
suites: {run-a: {inputs: [/a/]}, run-b: {inputs: [/b]}}
"""
OLD = RULES.replace("[/a/]", "[/none]")
FULL = "1" * 40


@pytest.fixture
def two(built: BuiltRepository, tmp_path: Path) -> BuiltRepository:
    first = built.commit({"rules.yaml": RULES})
    second = built.commit({"a/x\n::error::pwn": "1\n", text(b"a/\xff\x1b[31m|`"): "1\n"}, first)
    built.check_out(second)
    (tmp_path / "old.yaml").write_text(OLD, encoding="utf-8")
    return built


def replay(capsys: pytest.CaptureFixture[str], repository: BuiltRepository, *words: str) -> Ran:
    return run_command(capsys, "replay", "--repo", str(repository.directory), *words)


def result(**facts: object) -> str:
    return json.dumps({"commit": FULL, "job": "run-b", "conclusion": "failure"} | facts)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("{", ":1:2: error: this is no JSON: Expecting property name", id="cut off"),
        pytest.param(f"[\n{result()},\n{result()[:-1]}\n]", ":4:1: error: this is no JSON", id="cut off in a line"),
        pytest.param("[" * 100_000, "nested too deeply", id="deep"),
        pytest.param("\0", "this is no JSON", id="a NUL"),
        pytest.param("null", "'None' is no result of a job", id="null"),
        pytest.param("[[3]]", "'3' is no result of a job", id="a number"),
        pytest.param(
            '{"message": "Not Found"}', "lacks its commit, its job or its conclusion", id="an error of the API"
        ),
        pytest.param(result(commit="abc1234"), "the commit of 'run-b' is 'abc1234', no full id", id="a short id"),
        pytest.param(result(commit=float("nan")), "NaN is no number in JSON", id="NaN"),
        pytest.param(result(conclusion="failed"), "write one of action_required, cancelled, failure,", id="a word"),
        pytest.param(result(conclusion=[]), "the conclusion of 'run-b' is '[]'", id="a list"),
        pytest.param(result()[:-1] + ', "job": "x"}', "'job' stands twice", id="a name twice"),
        pytest.param(result(job="::error::x\n\x1b[31m", commit="2"), "the commit of", id="commands"),
    ],
)
def test_results_that_are_none_are_refused_with_their_place(
    capsys: pytest.CaptureFixture[str], two: BuiltRepository, tmp_path: Path, content: str, message: str
) -> None:
    file = tmp_path / "results.json"
    file.write_text(content, encoding="utf-8")
    ran = replay(capsys, two, "HEAD", "--results", str(file))
    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(str(file))
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert "\x1b" not in ran.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no object of jobs and minutes"),
        ("{}", "no object of jobs and minutes"),
        ("[1]", "no object of jobs and minutes"),
        ('{"a": NaN}', "NaN is no number in JSON"),
        ('{"a": -1}', "the minutes of 'a' are -1"),
        ('{"a": 1e999}', "the minutes of 'a' are inf"),
        ('{"a": 1e300}', "the minutes of 'a' are 1e+300"),
        (f'{{"a": {"9" * 400}}}', "a number has 400 digits"),
        ('{"a": true}', "the minutes of 'a' are True"),
        ('{"a": "3"}', "the minutes of 'a' are 3"),
        ('{"a": []}', "the minutes of 'a' are []"),
        ('{"a": [1, null]}', "the minutes of 'a' are [1, None]"),
        ('{"a": 1, "a": 2}', "'a' stands twice"),
    ],
)
def test_durations_that_are_none_are_refused(
    capsys: pytest.CaptureFixture[str], two: BuiltRepository, tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "minutes.json").write_text(content, encoding="utf-8")
    words = ("--against", str(tmp_path / "old.yaml"), "--durations", str(tmp_path / "minutes.json"))
    ran = replay(capsys, two, "HEAD", *words)
    assert (ran.code, ran.stdout) == (2, "")
    assert message in ran.stderr


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_paths_and_subjects_are_shown_in_one_line_without_commands(
    capsys: pytest.CaptureFixture[str], two: BuiltRepository, tmp_path: Path, form: str
) -> None:
    message = tmp_path / "message"
    message.write_bytes(b"::error::title \xff\x1b[31m <b>|\n\nmore\n")
    two.git("-c", "user.name=B", "-c", "user.email=b@localhost", "commit", "-q", "--amend", "-F", str(message))
    ran = replay(capsys, two, "HEAD", "--against", str(tmp_path / "old.yaml"), "--format", form)
    assert ran.code == 0
    assert not any(line.startswith("::") or "##[" in line for line in ran.stdout.splitlines())
    assert "\x1b" not in ran.stdout
    assert "<b>" not in ran.stdout or form == "text"
    assert ran.stdout.count(r"a/x\n:") == 1


@pytest.mark.parametrize("range_", ["HEAD..HEAD~1", "HEAD..HEAD", "HEAD^{tree}", "HEAD:rules.yaml", "^HEAD"])
def test_a_range_without_a_commit_is_told(
    capsys: pytest.CaptureFixture[str], two: BuiltRepository, range_: str
) -> None:
    ran = replay(capsys, two, range_, "--format", "json")
    assert (ran.code, json.loads(ran.stdout)["changes"]) == (0, [])
    assert f"warning: No commit is in {range_}. A range is written OLD..NEW" in ran.stderr


@pytest.mark.parametrize("range_", ["", "--all", "-1", "a\nb", "..", "HEAD..", "x y", "HEAD~9", "HEAD@{1}", "0" * 40])
def test_a_range_that_is_none_is_refused_or_has_a_meaning_of_git(
    capsys: pytest.CaptureFixture[str], two: BuiltRepository, range_: str
) -> None:
    ran = replay(capsys, two, "--", range_)
    assert ran.code == (0 if range_ in {"..", "HEAD.."} else 2)
    assert ran.code == 0 or ran.stderr.startswith("error: ")
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"{FULL}\n", ":1:1: error: "),
        ("HEAD~1 HEAD\n", "'HEAD~1 HEAD' is no pair of commits"),
        (f"{FULL} {FULL}\n", f"the clone lacks the commit {FULL}"),
        (f"{'0' * 40} {FULL}\n", "is no pair of commits"),
        (f"{FULL} {FULL} {FULL}\n", "is no pair of commits"),
    ],
)
def test_pairs_that_are_none_are_refused(
    capsys: pytest.CaptureFixture[str], two: BuiltRepository, tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "pairs").write_text(content, encoding="utf-8")
    ran = replay(capsys, two, "--pairs", str(tmp_path / "pairs"))
    assert ran.code == 2
    assert message in ran.stderr


def test_other_rules_that_are_broken_are_told_with_their_place(
    capsys: pytest.CaptureFixture[str], two: BuiltRepository, tmp_path: Path
) -> None:
    (tmp_path / "old.yaml").write_text("version: 1\nsuites: {run-a: {inputs: [a//b]}}\n", encoding="utf-8")
    broken = two.commit({"rules.yaml": "suites: [\n"}, two.git("rev-parse", "HEAD"))
    for other, place in ((str(tmp_path / "old.yaml"), "old.yaml:2:"), (broken, f"{broken}:rules.yaml:")):
        ran = replay(capsys, two, "HEAD", "--against", other)
        assert (ran.code, ran.stdout) == (2, "")
        assert place in ran.stderr


def test_a_picture_is_never_written_over_what_is_no_file(
    capsys: pytest.CaptureFixture[str], two: BuiltRepository, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target, why in (
        (pipe, "no regular file"),
        (tmp_path, "no regular file"),
        (tmp_path / "no" / "x.svg", "No such"),
    ):
        ran = replay(capsys, two, "HEAD", "--svg", str(target))
        assert ran.code == 2
        assert why in ran.stderr
    assert pipe.is_fifo()


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    built = history.build(tmp_path / "long", 300)
    with subprocess.Popen(
        [*COMMAND, "main", "--format", "json"], cwd=built.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdout.readline()
        ran.stdout.close()
        assert ran.stderr.read() == b""
    assert ran.returncode == 0


def test_a_full_disk_is_told(two: BuiltRepository, tmp_path: Path) -> None:
    base, head = two.git("rev-parse", "HEAD~1", "HEAD").split()
    (tmp_path / "pairs").write_text(f"{base} {head}\n" * 20_000, encoding="utf-8")
    ran = subprocess.run(
        [*COMMAND, "--pairs", str(tmp_path / "pairs"), "--format", "json"],
        cwd=two.directory,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "error: no temporary file can be written: File too large\n"


@pytest.mark.parametrize("command", ["rev-list", "diff-tree"])
@pytest.mark.parametrize("blocks", [0, 1])
def test_a_git_that_is_killed_midway_fails_the_replay(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    blocks: int,
) -> None:
    built = history.build(tmp_path / "long", 300)
    real = next(Path(entry) / "git" for entry in os.environ["PATH"].split(":") if (Path(entry) / "git").exists())
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin" / "git"
    killed = f'"{real}" "$@" | head -c {4_000 * blocks}; kill -9 $$'
    wrapper.write_text(f'#!/bin/sh\ncase "$*" in *{command}*) {killed};; esac\nexec "{real}" "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    ran = replay(capsys, built, "main", "--format", "json")
    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: ")
    assert "Traceback" not in ran.stderr


def test_a_clone_without_trees_is_told(
    capsys: pytest.CaptureFixture[str], two: BuiltRepository, tmp_path: Path
) -> None:
    two.configure({"uploadpack.allowFilter": "true"})
    two.name("refs/heads/main", two.git("rev-parse", "HEAD"))
    clone = two.clone(tmp_path / "treeless", "--filter=tree:0", "--branch=main")
    (clone.directory / "rules.yaml").write_text(RULES, encoding="utf-8")
    ran = replay(capsys, clone, "origin/main")
    assert ran.code == 2
    assert ran.stderr.startswith("error: ")
    assert "Traceback" not in ran.stderr
