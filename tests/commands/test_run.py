"""``ci-classify run``: what it writes where, what it needs, and how it fails."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.repository import BuiltRepository, Entry, Link, Submodule
from support.runner import Ran, read_output_file
from support.step import COMMAND, Step
from support.text import HOSTILE

from ci_classify.core.text import visible

ORDER = ["run-unit", "run-gpu", "run-build", "plan"]
ALL_RUN = {"run-unit": True, "run-gpu": True, "run-build": True}


def rewrite(step: Step, rules: str | bytes | None, name: str = "rules.yaml") -> None:
    path = step.repository / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    if rules is not None:
        path.write_bytes(rules if isinstance(rules, bytes) else rules.encode())


def commands_in(text: str) -> list[str]:
    """Return the lines that a runner reads as commands."""
    return [line for line in text.splitlines() if line.lstrip().startswith("::") or "##[" in line]


# -- outputs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["pull_request", "push", "merge_group", "schedule", "workflow_dispatch", "issues"])
def test_b067_every_event_writes_every_output_once_with_the_plan_last(step: Step, event: str) -> None:
    ran = step.run(event=event)
    assert ran.code == 0
    assert [name for name, _ in ran.written] == ORDER
    assert ran.outputs == ran.plan["outputs"] == ALL_RUN


def test_outputs_follow_the_change(step: Step) -> None:
    ran = step.classify("src/main.py", "README.md")
    assert ran.code == 0
    assert ran.outputs == {"run-unit": True, "run-gpu": False, "run-build": True}
    assert ran.plan["changes"] == {"total": 2, "documentation": 1}
    assert ran.plan["reasons"] == {
        "run-unit": "inputs-changed",
        "run-gpu": "no-input-changed",
        "run-build": "consumer-runs",
    }


def test_outputs_are_added_behind_what_is_there(step: Step) -> None:
    step.output.write_bytes(b"earlier=1")
    step.classify("src/main.py")
    step.classify("gpu/x")
    written = read_output_file(step.output.read_text(encoding="utf-8"))
    assert [name for name, _ in written] == ["earlier", *ORDER, *ORDER]
    assert written[0] == ("earlier", "1")


def test_outputs_are_appended_in_one_write(step: Step) -> None:
    pipe = step.directory / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []

    def read_once() -> None:
        descriptor = os.open(pipe, os.O_RDONLY)
        received.append(os.read(descriptor, 1 << 20))
        os.close(descriptor)

    reader = threading.Thread(target=read_once)
    reader.start()
    step.run(event="schedule", variables={"GITHUB_OUTPUT": str(pipe)})
    reader.join()
    assert [name for name, _ in read_output_file(received[0].decode())] == ORDER


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("", "GITHUB_OUTPUT is not set"),
        ("/", "is a directory"),
        ("/nowhere/output", "No such file or directory"),
        ("/dev/full", "No space left on device"),
        ("/proc/version", "can't be written"),
    ],
)
def test_b066_outputs_that_cannot_be_written_fail_the_step(step: Step, output: str, said: str) -> None:
    ran = step.run(event="schedule", variables={"GITHUB_OUTPUT": output})
    assert ran.code == 2
    assert said.lower() in ran.stderr.lower()
    assert "Traceback" not in ran.stderr


def test_outputs_of_which_only_some_fit_are_not_written(step: Step) -> None:
    step.output.write_bytes(b"earlier=1\n" * 100)
    words = ["bash", "-c", 'ulimit -f 1 && exec "$@"', "bash", *COMMAND, "run"]  # KiB that a file can have
    environment = {**os.environ, **step.variables("schedule")}
    ran = subprocess.run(words, env=environment, cwd=step.repository, capture_output=True, check=False)
    assert (ran.returncode, step.output.read_bytes()) == (2, b"earlier=1\n" * 100)
    assert b"File too large" in ran.stderr


def test_b059_a_path_cannot_write_an_output(step: Step) -> None:
    ran = step.classify("gpu/x\nEOF\nrun-unit=true\ny", "gpu/<<EOF")
    assert [name for name, _ in ran.written] == ORDER
    assert ran.outputs["run-unit"] is False


def test_no_output_holds_a_path(step: Step) -> None:
    ran = step.classify("gpu/$(touch pwned).txt")
    assert "pwned" not in step.output.read_text(encoding="utf-8")
    assert ran.outputs["run-gpu"] is True


def test_500_outputs_with_names_of_100_letters_are_written_whole(step: Step) -> None:
    names = [f"{number:03}".rjust(100, "n") for number in range(500)]
    rewrite(step, "version: 1\nsuites:\n" + "".join(f"  {name}: {{inputs: [/{name}/]}}\n" for name in names))
    ran = step.classify(f"{names[7]}/x")
    assert ran.code == 0
    assert [name for name, _ in ran.written] == [*names, "plan"]
    assert [name for name, runs in ran.outputs.items() if runs] == [names[7]]
    assert len(ran.written[-1][1]) < 100_000
    assert ran.written[-1][1].isascii()


# -- summary -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("summary", ["/", "/dev/full", "/proc/version", "/nowhere/summary"])
def test_b066_a_summary_that_cannot_be_written_is_a_warning(step: Step, summary: str) -> None:
    ran = step.run(event="schedule", variables={"GITHUB_STEP_SUMMARY": summary})
    assert ran.code == 0
    assert ran.outputs == ALL_RUN
    assert "::warning title=ci-classify::The job summary can't be written" in ran.stderr


def test_a_summary_is_added_behind_what_is_there(step: Step) -> None:
    step.summary.write_bytes(b"Earlier words")
    ran = step.classify("src/main.py")
    assert ran.summary.startswith("Earlier words\n\n| Output |")


def test_no_summary_is_no_failure(step: Step) -> None:
    ran = step.run(event="schedule", variables={"GITHUB_STEP_SUMMARY": ""})
    assert (ran.code, ran.stderr) == (0, "")


def test_b061_a_summary_of_40_000_paths_behind_200_kib_stays_below_the_limit(step: Step) -> None:
    step.summary.write_bytes(b"x" * (200 << 10))
    ran = step.classify(*(f"src/{number:05}".ljust(60, "é") for number in range(40_000)))
    assert ran.code == 0
    assert step.summary.stat().st_size < 900_000
    assert "and 39,997 more" in ran.summary
    assert ran.summary.count("\n### ") == 3


def test_b061_a_summary_without_room_says_that_it_does_not_fit(step: Step) -> None:
    step.summary.write_bytes(b"x" * 899_450)
    ran = step.classify("src/main.py")
    assert ran.code == 0
    assert ran.outputs["run-unit"] is True
    assert step.summary.stat().st_size < 900_000
    assert "does not fit" in ran.summary or "do not fit" in ran.summary


def test_a_summary_beyond_the_limit_stays_as_it_is(step: Step) -> None:
    step.summary.write_bytes(b"x" * 1_000_000)
    assert step.classify("src/main.py").code == 0
    assert step.summary.stat().st_size == 1_000_000


# -- streams -------------------------------------------------------------------------------------------


def test_a_log_is_grouped_and_holds_the_reasons(step: Step) -> None:
    ran = step.classify("src/main.py")
    lines = ran.stdout.splitlines()
    assert lines[0] == "::group::ci-classify: 1 path changed; 2 of 3 outputs run."
    assert lines[-1] == "::endgroup::"
    assert "        src/main.py  modified  by /src/  rules.yaml:6" in lines
    assert ran.stderr == ""


def test_outside_of_ci_nothing_is_a_command(step: Step) -> None:
    variables = dict.fromkeys(step.variables("push"), "")
    ran = step.run("--paths-from", "-", stdin=b"src/main.py\n", variables=variables)
    assert ran.code == 0
    assert ran.stdout.startswith("1 path changed; 2 of 3 outputs run.\n")
    assert not step.output.exists()


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_path_is_a_command_in_the_log(step: Step, form: str) -> None:
    for start in range(0, len(HOSTILE), 3):
        paths = [f"src/{name}" for name in HOSTILE[start : start + 3]]
        ran = step.classify(*paths, options=["--format", form])
        assert ran.code == 0
        assert [line[:9] for line in commands_in(ran.stdout)] == (["::group::", "::endgrou"] if form == "text" else [])
        assert commands_in(ran.stderr) == []


def test_json_on_standard_output_is_pure_whatever_is_said(step: Step) -> None:
    rewrite(step, "version: 1\nsuites: {run-unit: {inputs: [src]}}\n")  # a doubtful pattern
    (step.directory / "as-summary").mkdir()
    ran = step.run(
        "--format", "json", event="push", variables={"GITHUB_STEP_SUMMARY": str(step.directory / "as-summary")}
    )
    plan = json.loads(ran.stdout)
    assert plan["fallback"]["cause"] == "payload-invalid"
    assert list(plan) == ["schema", "event", "base", "head", "fallback", "changes", "outputs", "decisions"]
    assert len([line for line in ran.stderr.splitlines() if line.startswith("::warning")]) == 3


def test_b064_the_full_plan_gives_every_path_back(step: Step) -> None:
    paths = ["gpu/it's.py", 'gpu/q"x.py', "gpu/bs\\x.py", "gpu/\udce9", "gpu/\U0001f600"]
    got = []
    for start in (0, 3):
        ran = step.classify(*paths[start : start + 3], options=["--format", "json"])
        assert ran.stdout.isascii()
        got += [item["path"] for item in json.loads(ran.stdout)["decisions"]["run-gpu"]["evidence"]]
    assert got == paths


def test_evidence_names_path_change_term_and_line(step: Step) -> None:
    ran = step.classify("src/a", "src/b", "src/c", "src/d", options=["--format", "json"])
    decision = json.loads(ran.stdout)["decisions"]["run-unit"]
    assert decision["evidence"][0] == {"path": "src/a", "change": "modified", "term": "/src/", "line": 6}
    assert (decision["run"], decision["reason"], decision["more"]) == (True, "inputs-changed", 1)
    assert "run-deploy" not in json.loads(ran.stdout)["decisions"]


@pytest.mark.parametrize(
    "variables",
    [
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "ascii:strict"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_b065_any_encoding_of_the_terminal_shows_every_name(step: Step, variables: Mapping[str, str]) -> None:
    ran = step.run(
        "--paths-from", "-", stdin="src/lat\udce9-é.py\n".encode("utf-8", "surrogateescape"), variables=variables
    )
    assert ran.code == 0
    assert ran.outputs["run-unit"] is True
    assert "`src/lat\\xe9-é.py`" in ran.summary
    assert "src/lat\\xe9-" in ran.stdout


def run_in_shell(step: Step, tail: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **step.variables("schedule")}
    words = " ".join([*COMMAND, "run", "--format", "json"])
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{words} {tail}"],
        env=environment,
        cwd=step.repository,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("tail", ["| head -c 1", "| true", ">&-", "> /dev/null", "2>&-", "<&-"])
def test_a_reader_that_leaves_is_no_failure(step: Step, tail: str) -> None:
    ran = run_in_shell(step, tail)
    assert ran.returncode == 0
    assert ran.stderr == b""
    assert [name for name, _ in read_output_file(step.output.read_text(encoding="utf-8"))] == ORDER


def test_standard_output_that_is_full_is_an_error_and_leaves_the_outputs_whole(step: Step) -> None:
    ran = run_in_shell(step, "> /dev/full")
    assert ran.returncode == 2
    assert b"standard output can't be written: No space left on device" in ran.stderr
    assert b"Traceback" not in ran.stderr
    assert [name for name, _ in read_output_file(step.output.read_text(encoding="utf-8"))] == ORDER


def test_standard_error_that_is_full_changes_nothing(step: Step) -> None:
    environment = {**os.environ, **step.variables("push")}
    words = " ".join([*COMMAND, "run", "2> /dev/full"])
    ran = subprocess.run(["sh", "-c", words], env=environment, cwd=step.repository, capture_output=True, check=False)
    assert ran.returncode == 0


# -- fallback ------------------------------------------------------------------------------------------


def test_a_fallback_is_a_warning_with_its_cause_and_what_to_do(step: Step) -> None:
    lost = "1" * 40
    payload = {"ref": "refs/heads/main", "before": lost, "after": lost, "forced": False}
    ran = step.run(event="push", payload=payload)
    assert (ran.code, ran.cause, ran.outputs) == (0, "commit-missing", ALL_RUN)
    (warning,) = ran.stderr.splitlines()
    assert warning.startswith("::warning title=ci-classify::The change could not be classified (commit-missing)")
    assert "`fetch-depth: 0`" in warning
    assert "## Full matrix: run" in ran.summary
    assert "commit-missing" in ran.summary
    assert "fetch-depth: 0" in ran.summary


def test_an_event_that_compares_nothing_needs_no_warning(step: Step) -> None:
    ran = step.run(event="schedule")
    assert ran.stderr == ""
    assert ran.plan["fallback"] is None


# -- lists of paths ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("listed", "total", "unit"),
    [
        (b"src/a\0gpu/b\0", 2, True),
        (b"src/a\0gpu/b", 2, True),
        (b"src/a\ngpu/b\n", 2, True),
        (b"src/a\ngpu/b", 2, True),
        (b"\n\nsrc/a\n\n", 1, True),
        (b"src/a\r\ngpu/b\r\n", 2, True),
        (b"src/a\r\ngpu/b", 2, True),
        (b"\r\nsrc/a\r\n", 1, True),
        (b"\xef\xbb\xbfsrc/a\n", 1, True),
        (b"\xef\xbb\xbfsrc/a\0", 1, False),  # nothing that separates by NUL writes a mark: it is part of the name
        (b"gpu/x\nsrc/a\0", 1, False),
        (b"", 0, True),
        (b"\0", 0, True),
        (b'"src/a', 1, False),
        (b'"src/a"\0', 1, False),
        (b"src/lat\xe9\n", 1, True),
        (b"src/a b c\n", 1, True),
        (b"-rf\n--base\n", 2, False),
    ],
)
@pytest.mark.parametrize("through", ["-", "list"])
def test_lists_of_paths_are_read(step: Step, listed: bytes, total: int, *, unit: bool, through: str) -> None:
    source = "-" if through == "-" else str(step.directory / "list")
    if through != "-":
        Path(source).write_bytes(listed)
    ran = step.run("--paths-from", source, stdin=listed if through == "-" else b"")
    assert (ran.code, ran.cause, ran.changed) == (0, None, total)
    assert ran.outputs["run-unit"] is unit


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        (b"\xff\xfes\0r\0c\0/\0a\0\n\0", "UTF-16"),
        (b"\xfe\xff\0s\0r\0c", "UTF-16"),
        (b'gpu/x\n"src/Beh\\303\\266rig.py"\n', "quoted by git"),
        (b"src/a\r\ngpu/b\n", "only some of its lines"),
        (b"./src/a\n", "no path"),
        (b"/src/a\n", "no path"),
        (b"src/../gpu/a\n", "no path"),
        (b"gpu/x\0src/.\0", "no path"),
        (b"src/\n", "no path"),
        (b"M\tsrc/a\n", "more than a path"),
    ],
)
def test_lists_that_would_have_to_be_guessed_run_everything(step: Step, listed: bytes, said: str) -> None:
    ran = step.run("--paths-from", "-", stdin=listed)
    assert (ran.code, ran.cause, ran.outputs) == (0, "paths-unreadable", ALL_RUN)
    assert said in ran.stderr


@pytest.mark.parametrize("source", ["/nowhere/list", "/", "/dev/zero"])
def test_a_list_that_cannot_be_read_runs_everything(step: Step, source: str) -> None:
    ran = step.run("--paths-from", source)
    assert (ran.code, ran.cause, ran.outputs) == (0, "paths-unreadable", ALL_RUN)


def test_a_system_without_threads_runs_everything_and_says_why(step: Step) -> None:
    script = 'ulimit -s 200000000000 && exec "$@"'  # KiB of stack for each thread: more than can be addressed
    words = ["bash", "-c", script, "bash", *COMMAND, "run", "--base", "HEAD"]
    environment = {**os.environ, **step.variables("pull_request")}
    ran = subprocess.run(words, env=environment, cwd=step.repository, capture_output=True, check=False)
    written = dict(read_output_file(step.output.read_text(encoding="utf-8")))
    assert (ran.returncode, json.loads(written["plan"])["fallback"]) == (0, "git-failed")
    assert b"diff-tree can't be watched" in ran.stderr


@pytest.mark.parametrize("command", ["run", "mutate"])
def test_an_interrupt_ends_it_without_an_output_and_without_a_traceback(step: Step, command: str) -> None:
    started = subprocess.Popen(
        [*COMMAND, command, "--paths-from", "-"],
        env={**os.environ, **step.variables("pull_request")},
        cwd=step.repository,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pipesize=4096,
    )
    with started as process:
        assert process.stdin is not None
        process.stdin.write(b"x" * 8192)  # more than fits: somebody reads
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        assert process.stderr is not None
        assert process.stderr.read().strip() == b""
    assert process.returncode == 130
    assert not step.output.exists()


def test_standard_input_that_is_closed_runs_everything(step: Step) -> None:
    environment = {**os.environ, **step.variables("push")}
    words = f"{' '.join(COMMAND)} run --paths-from - <&-"
    ran = subprocess.run(["sh", "-c", words], env=environment, cwd=step.repository, capture_output=True, check=False)
    assert ran.returncode == 0
    written = dict(read_output_file(step.output.read_text(encoding="utf-8")))
    assert json.loads(written["plan"])["fallback"] == "paths-unreadable"


def test_a_list_needs_no_repository(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "step").mkdir()
    (tmp_path / "plain" / "rules.yaml").write_text("version: 1\nsuites: {run-x: {inputs: [/a]}}\n", encoding="utf-8")
    ran = Step(tmp_path / "step", tmp_path / "plain").classify("a")
    assert (ran.code, ran.outputs) == (0, {"run-x": True})


# -- rules ---------------------------------------------------------------------------------------------

BROKEN = """\
version: 1
suits: {}
suites:
  run-unit: {inputs: [/src//x]}
  run-new: {inputs: 3}
producers:
  run-build: {consumers: [run-unit]}
"""


def pull_request(step: Step, rules: str | bytes | None, **files: str) -> Ran:
    """Run for a pull request that replaces the rules."""
    built = BuiltRepository(step.repository, create=False)
    base = built.git("rev-parse", "HEAD")
    head = built.commit({"rules.yaml": rules, **files}, base)
    built.check_out(head)
    payload = {"pull_request": {"base": {"ref": "main", "sha": base}, "head": {"sha": head}, "labels": []}}
    return step.run(payload=payload)


def test_broken_rules_run_everything_under_the_names_of_both_sides(step: Step) -> None:
    ran = pull_request(step, BROKEN)
    assert (ran.code, ran.cause) == (0, "rules-invalid")
    assert ran.outputs == {**ALL_RUN, "run-new": True, "run-deploy": True}
    assert ran.plan["reasons"] == dict.fromkeys(ran.outputs, "fallback")


def test_broken_rules_show_every_mistake_with_its_place_and_a_remedy(step: Step) -> None:
    ran = pull_request(step, BROKEN)
    errors = [line for line in ran.stderr.splitlines() if line.startswith("::error")]
    assert [error.partition(",col")[0] for error in errors] == [
        "::error file=rules.yaml,line=2",
        "::error file=rules.yaml,line=4",
        "::error file=rules.yaml,line=5",
    ]
    assert "ci-classify test" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    "rules",
    [
        None,
        b"",
        b"\xff\xfe\0",
        b"{",
        b"- a\n",
        b"%YAML 9\n---\n",
        b"version: 1\n",
        b"\0",
        Link("/nowhere"),
        Link("rules.yaml"),
    ],
    ids=["deleted", "empty", "utf-16", "open", "list", "directive", "no suites", "nul", "dangling link", "own link"],
)
def test_rules_that_are_no_rules_run_everything_under_the_names_of_the_base(step: Step, rules: bytes | None) -> None:
    ran = pull_request(step, rules)
    assert (ran.code, ran.cause) == (0, "rules-invalid")
    assert ran.outputs == {**ALL_RUN, "run-deploy": True}


def test_rules_that_are_a_directory_run_everything_under_the_names_of_the_base(step: Step) -> None:
    built = BuiltRepository(step.repository, create=False)
    base = built.git("rev-parse", "HEAD")
    head = built.commit({"rules.yaml": None, "rules.yaml/x": "1"}, base)
    built.check_out(head)
    payload = {"pull_request": {"base": {"ref": "main", "sha": base}, "head": {"sha": head}, "labels": []}}
    ran = step.run(payload=payload)
    assert (ran.code, ran.cause) == (0, "rules-invalid")
    assert ran.outputs == {**ALL_RUN, "run-deploy": True}


@pytest.mark.parametrize("rules", [None, "", "version: 1\n", "nothing: here\n"])
def test_without_any_name_of_an_output_the_step_fails(step: Step, rules: str | None) -> None:
    rewrite(step, rules)
    ran = step.run(event="schedule")
    assert ran.code == 2
    assert ran.written == []
    assert "::error" in ran.stderr
    assert "names of the outputs" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_what_could_be_too_many_names_fails_the_step(step: Step) -> None:
    rewrite(step, "suites:\n" + "".join(f"  {'n' * 90}{number}: [\n" for number in range(2_000)))
    ran = step.run(event="schedule")
    assert ran.code == 2
    assert ran.written == []
    assert "Traceback" not in ran.stderr


def test_rules_behind_a_link_are_read(step: Step) -> None:
    rewrite(step, "version: 1\nsuites: {run-linked: {inputs: [/a]}}\n", "ci/rules.yaml")
    rewrite(step, None)
    (step.repository / "rules.yaml").symlink_to("ci/rules.yaml")
    assert step.classify("a").outputs == {"run-linked": True}
    assert step.classify("ci/rules.yaml").plan["reasons"] == {"run-linked": "control-changed"}


STRICT = "version: 1\nunclaimed: nothing\nsuites: {run-linked: {inputs: [/src/]}}\n"
LAX = STRICT.replace("/src/", "/nowhere/")


@pytest.mark.parametrize(
    ("files", "changed"),
    [
        ({"rules.yaml": Link("now.yaml"), "now.yaml": Link("ci/strict.yaml")}, {"now.yaml": Link("ci/lax.yaml")}),
        ({"rules.yaml": Link("now/strict.yaml"), "now": Link("ci")}, {"now": Link("other")}),
        ({"rules.yaml": None, ".github": Link("first")}, {".github": Link("second")}),
        ({"rules.yaml": LAX, ".github": Link("first")}, {".github": None}),
    ],
    ids=["a link behind a link", "a directory behind a link", "another directory", "no directory any more"],
)
def test_a_change_of_any_link_on_the_way_to_the_rules_runs_everything(
    step: Step, files: dict[str, Entry], changed: dict[str, Entry]
) -> None:
    built = BuiltRepository(step.repository, create=False)
    there: dict[str, Entry] = {"ci/strict.yaml": STRICT, "ci/lax.yaml": LAX, "other/strict.yaml": LAX}
    there |= {"first/ci-classify.yaml": STRICT, "second/ci-classify.yaml": LAX}
    base = built.commit(there | files, built.git("rev-parse", "HEAD"))
    built.check_out(built.commit({**changed, "src/a": "2\n"}, base))
    assert step.run("--base", base).plan["reasons"] == {"run-linked": "control-changed"}


def test_rules_in_a_submodule_change_with_it(step: Step) -> None:
    built = BuiltRepository(step.repository, create=False)
    base = built.commit({"ci": Submodule("1" * 40)}, built.git("rev-parse", "HEAD"))
    built.check_out(built.commit({"ci": Submodule("2" * 40)}, base))
    rewrite(step, STRICT, "ci/rules.yaml")
    ran = step.run("--base", base, "--rules", "ci/rules.yaml")
    assert ran.plan["reasons"] == {"run-linked": "control-changed"}


def test_what_lies_beside_rules_in_a_directory_is_no_rules_file(step: Step) -> None:
    rewrite(step, STRICT, ".github/ci-classify.yaml")
    assert step.classify(".github/workflows/ci.yml").plan["reasons"] == {"run-linked": "no-input-changed"}


def test_names_of_the_base_are_found_behind_a_link(step: Step) -> None:
    built = BuiltRepository(step.repository, create=False)
    base = built.commit({"rules.yaml": Link("ci.yaml"), "ci.yaml": STRICT}, built.git("rev-parse", "HEAD"))
    built.check_out(built.commit({"ci.yaml": None}, base))
    ran = step.run("--base", base)
    assert (ran.code, ran.cause, ran.outputs) == (0, "rules-invalid", {"run-linked": True})


def test_pipes_that_nobody_writes_to_are_not_waited_for(step: Step) -> None:
    os.mkfifo(step.directory / "pipe")
    pipe = str(step.directory / "pipe")
    assert step.run("--paths-from", pipe).cause == "paths-unreadable"
    assert step.run("--base", "HEAD", "--rules", pipe).cause == "rules-invalid"
    assert step.run(variables={"GITHUB_EVENT_PATH": pipe}).cause == "payload-missing"


def test_rules_outside_of_the_repository_are_read(step: Step) -> None:
    rules = step.directory / "outside.yaml"
    rules.write_text("version: 1\nunclaimed: nothing\nsuites: {run-outside: {inputs: [/a]}}\n", encoding="utf-8")
    ran = step.classify("b", options=["--rules", str(rules)])
    assert (ran.code, ran.outputs) == (0, {"run-outside": False})


def test_the_rules_in_dot_github_come_first(step: Step) -> None:
    rewrite(step, "version: 1\nsuites: {run-first: {inputs: [/a]}}\n", ".github/ci-classify.yaml")
    assert step.classify("a").outputs == {"run-first": True}


def test_a_dangling_link_in_dot_github_does_not_choose_the_other_file(step: Step) -> None:
    (step.repository / ".github").mkdir()
    (step.repository / ".github" / "ci-classify.yaml").symlink_to("nowhere")
    ran = step.run(event="schedule")
    assert ran.code == 2
    assert ran.written == []


# -- where and how it is called ------------------------------------------------------------------------


def test_a_subdirectory_is_as_good_as_the_top(step: Step) -> None:
    built = BuiltRepository(step.repository, create=False)
    built.check_out(built.commit({"gpu/deep/x": "1\n"}, built.git("rev-parse", "HEAD")))
    for options, cwd in (
        ((), step.repository / "gpu/deep"),
        (("--repo", str(step.repository / "gpu")), step.directory),
    ):
        ran = step.run("--base", "HEAD~1", *options, cwd=cwd)
        assert (ran.code, ran.cause) == (0, None)
        assert ran.outputs == {"run-unit": False, "run-gpu": True, "run-build": True}


def test_rules_are_named_from_the_current_directory(step: Step) -> None:
    rewrite(step, "version: 1\nsuites: {run-other: {inputs: [/a]}}\n", "ci/other.yaml")
    ran = step.run("--paths-from", "-", "--rules", "other.yaml", stdin=b"a\n", cwd=step.repository / "ci")
    assert ran.outputs == {"run-other": True}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--paths-from", "-", "--base", "HEAD"], "--paths-from needs no commits"),
        (["--paths-from", "-", "--head", "HEAD"], "--paths-from needs no commits"),
        (["--head", "HEAD"], "--head needs --base"),
        (["--fromat", "json"], "No such option"),
        (["--format", "yaml"], "is not one of"),
        (["--base"], "requires an argument"),
        (["extra"], "unexpected extra argument"),
        (["--fetch=1"], "does not take a value"),
    ],
)
def test_wrong_use_is_2_and_says_what_is_wrong(step: Step, options: list[str], said: str) -> None:
    ran = step.run(*options)
    assert (ran.code, ran.written, ran.stdout) == (2, [], "")
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_outside_of_ci_a_comparison_must_be_given(step: Step) -> None:
    variables = dict.fromkeys(step.variables("push"), "")
    ran = step.run(variables=variables)
    assert ran.code == 2
    assert "this is no GitHub job" in ran.stderr
    assert "dry-run" in ran.stderr


@pytest.mark.parametrize(
    ("base", "cause"), [("-x", "revision-invalid"), ("nowhere", "commit-missing"), ("", "revision-invalid")]
)
def test_a_base_that_is_none_runs_everything(step: Step, base: str, cause: str) -> None:
    ran = step.run(f"--base={base}")
    assert (ran.code, ran.cause, ran.outputs) == (0, cause, ALL_RUN)


def test_a_head_that_is_empty_is_not_taken_for_none(step: Step) -> None:
    ran = step.run("--base=HEAD", "--head=")
    assert (ran.code, ran.cause, ran.outputs) == (0, "revision-invalid", ALL_RUN)


def test_a_directory_that_is_no_repository_runs_everything(step: Step, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    rules = str(step.repository / "rules.yaml")
    ran = step.run("--repo", str(tmp_path / "plain"), "--rules", rules, "--base", "HEAD")
    assert (ran.code, ran.cause, ran.outputs) == (0, "not-a-repository", ALL_RUN)


@pytest.mark.parametrize("repo", ["/nowhere", "/dev/null"])
def test_a_directory_that_is_none_fails_the_step(step: Step, repo: str) -> None:
    ran = step.run("--repo", repo)
    assert (ran.code, ran.written) == (2, [])
    assert "Traceback" not in ran.stderr


LABELLED = """\
version: 1
unclaimed: nothing
events: {push release/*: always}
labels:
  "ci: gpu": {selects: [run-gpu]}
  "ci: no-unit": {skips: [run-unit]}
suites:
  run-unit: {inputs: [/src/]}
  run-gpu: {inputs: [/gpu/]}
"""


def test_labels_of_the_payload_and_of_the_command_line_count(step: Step) -> None:
    rewrite(step, LABELLED)
    payload = {"pull_request": {"base": {"ref": "main"}, "labels": [{"name": "ci: gpu"}]}}
    options = ["--paths-from", "-", "--label", "ci: no-unit", "--label", "unknown"]
    ran = step.run(*options, payload=payload, stdin=b"src/a\n")
    assert ran.outputs == {"run-unit": False, "run-gpu": True}


def test_event_and_branch_can_be_given(step: Step) -> None:
    rewrite(step, LABELLED)
    ran = step.run("--paths-from", "-", "--event", "push", "--branch", "release/1", stdin=b"x\n")
    assert (ran.plan["event"], ran.outputs) == ("push", {"run-unit": True, "run-gpu": True})
    ran = step.run("--paths-from", "-", "--event", "push", "--branch", "main", stdin=b"x\n")
    assert ran.outputs == {"run-unit": False, "run-gpu": False}


def test_the_head_can_be_given(step: Step) -> None:
    built = BuiltRepository(step.repository, create=False)
    base = built.git("rev-parse", "HEAD")
    other = built.commit({"gpu/x": "1"}, base)
    ran = step.run("--base", base, "--head", other)
    assert (ran.plan["base"], ran.plan["head"]) == (base, other)
    assert ran.outputs == {"run-unit": False, "run-gpu": True, "run-build": True}


def test_the_python_that_runs_it_needs_no_terminal_and_no_home(step: Step) -> None:
    ran = step.run(event="schedule", variables={"HOME": "", "TERM": "", "PATH": str(Path(sys.executable).parent)})
    assert ran.code == 0


def test_names_are_shown_as_they_are_explained(step: Step) -> None:
    ran = step.classify("gpu/a\tb")
    assert f"`{visible('gpu/a' + chr(9) + 'b')}`" in ran.summary
