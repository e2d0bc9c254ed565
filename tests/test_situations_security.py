"""Attacks on tools of this kind, from the event to the outputs. The ids are those of the collection."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import payloads
from support.repository import BuiltRepository, Files, Link, in_order
from support.runner import Ran, Runner, call
from support.situations import classify, evidence

from ci_classify.core.reasons import ReasonCode

RULES = """\
version: 1
documentation: {paths: ["*.md"]}
control: [/.github/workflows/, /action.yml, /classifier/]
unclaimed: nothing
suites:
  run-src: {inputs: [/src/]}
  run-lib: {inputs: [/lib/]}
producers:
  run-build: {consumers: [run-lib]}
"""
WIDENED = RULES.replace('"*.md"', '"*.md", "**"')


def committed(
    runner: Runner, built: BuiltRepository, before: Files, after: Files, *options: str, checked_out: bool = True
) -> Ran:
    """Classify the push of a commit whose files, the rules among them, are checked out."""
    base, head = in_order(built, before, after)
    (built.check_out if checked_out else built.head)(head)
    return runner.run(built.directory, "push", payloads.push(base, head), *options)


# -- names that a shell would run --------------------------------------------------------------------

SHELL = [
    "$(touch pwned).txt",
    "`touch pwned`.py",
    "`id`.py",
    "a;touch pwned;b.py",
    "x'y.py",
    "a&&b.py",
    '"; touch pwned; "',
]


def test_b115_no_output_holds_a_name_and_nothing_runs_one(
    runner: Runner, built: BuiltRepository, tmp_path: Path
) -> None:
    before: Files = {"rules.yaml": RULES.replace("/src/", "'*'"), "lib/x": "1"}
    ran = committed(runner, built, before, dict.fromkeys(SHELL, "1"))
    assert ran.changed == len(SHELL)
    assert ran.outputs == {"run-src": True, "run-lib": False, "run-build": False}
    values = "".join(value for _, value in ran.written)
    assert not any(sign in values for sign in ("touch", "pwned", "$(", "`", ";", "&&", ".py", ".txt"))
    assert not list(tmp_path.rglob("pwned"))


# -- text that a runner would obey -------------------------------------------------------------------

COMMANDS = [
    "::error::pwned",
    "a\n::error::pwned",
    "a\r::error::pwned",
    "a\n::set-output name=run-lib::true",
    "a\nrun-lib=true",
    "a\nEOF\nrun-lib=true\ny",
    "##[error]pwned",
    "::stop-commands::pwned",
    "%0A::error::pwned",
]


def obeyed(ran: Ran) -> Sequence[str]:
    """Return the lines of the log that a runner would take for commands, but those that the tool gives itself."""
    lines = [line for text in (ran.stdout, ran.stderr) for line in text.replace("\r", "\n").split("\n")]
    own = ("::group::ci-classify: ", "::endgroup::", "::warning title=ci-classify::", "::warning file=rules.yaml,")
    commands = [line for line in lines if "::" in line or "##[" in line]
    return [line for line in commands if not line.startswith(own) or line.count("::") > 2]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_name_is_never_a_command(runner: Runner, built: BuiltRepository, name: str) -> None:
    base, head = in_order(built, {"kept": "1"}, {f"src/{name}": "1"})
    built.head(head)
    ran = classify(runner, built, RULES, "push", payloads.push(base, head))
    assert ran.outputs == {"run-src": True, "run-lib": False, "run-build": False}
    assert not obeyed(ran)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_branch_a_label_or_an_event_is_never_a_command(runner: Runner, built: BuiltRepository, name: str) -> None:
    base, head = in_order(built, {"src/a": "1"}, {"src/a": "2"})
    built.head(head)
    created = payloads.push("0" * 40, head, ref=f"refs/heads/{name}", created=True)
    assert not obeyed(classify(runner, built, RULES, "push", created))
    labelled = payloads.pull_request(base, head, branch=name, labels=[name])
    assert not obeyed(classify(runner, built, RULES, "pull_request", labelled, "--label", name, "--branch", name))
    assert not obeyed(classify(runner, built, RULES, name.replace("\0", ""), {}))
    assert not obeyed(classify(runner, built, RULES, "push", payloads.push(base, head), f"--base={name}"))


# -- programs that git would run ---------------------------------------------------------------------

HOSTILE = """
[core]
	fsmonitor = PROGRAM
	pager = PROGRAM
[diff]
	external = PROGRAM
[diff "evil"]
	textconv = PROGRAM
	command = PROGRAM
[pager]
	diff = PROGRAM
"""


@pytest.mark.parametrize(
    "command",
    [
        ("run", "--base", "HEAD~1", "--head", "HEAD"),
        ("run", "--base", "HEAD~1", "--fetch"),
        ("dry-run", "main"),
        ("dry-run", "main", "--worktree"),
        ("explain", "src/a.py"),
        ("explain", "--output", "run-src"),
        ("test",),
        ("replay", "main..HEAD", "--against", "old.yaml"),  # which differs, so that messages are read too
        ("replay", "main..HEAD", "--against", "main"),
    ],
    ids=" ".join,
)
def test_b119_nothing_that_the_repository_or_the_environment_names_is_run(
    built: BuiltRepository, tmp_path: Path, command: Sequence[str]
) -> None:
    before: Files = {"rules.yaml": RULES, ".gitattributes": "* diff=evil\n", "src/a.py": "1"}
    base, head = in_order(built, before, {"src/a.py": "2"})
    built.name("refs/heads/main", base)
    built.check_out(head)
    built.write({"src/a.py": "3", "old.yaml": WIDENED})
    marker, program = tmp_path / "marker", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\n", encoding="utf-8")
    program.chmod(0o755)
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (built.directory / ".git/hooks" / hook).symlink_to(program)
    (built.directory / "git").symlink_to(program)
    with (built.directory / ".git/config").open("a", encoding="utf-8") as file:
        file.write(HOSTILE.replace("PROGRAM", str(program)))
    path = os.pathsep.join([str(built.directory), os.environ["PATH"]])
    variables = {"GIT_EXTERNAL_DIFF": str(program), "GIT_PAGER": str(program), "PAGER": str(program), "PATH": path}
    ran = call(*command, variables=variables, cwd=built.directory)
    assert ran.code == 0, ran.stderr
    assert not marker.exists()


# -- a change that would choose its own tests ---------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "options", "named"),
    [
        pytest.param(
            {"rules.yaml": RULES}, {"rules.yaml": WIDENED, "src/a.py": "1"}, [], "rules.yaml", id="B120 widened"
        ),
        pytest.param(
            {"rules.yaml": RULES}, {"rules.yaml": f"{RULES}# a remark\n"}, [], "rules.yaml", id="B057 rules alone"
        ),
        pytest.param(
            {"rules.yaml": RULES, ".github/workflows/ci.yml": "1"},
            {".github/workflows/ci.yml": "2"},
            [],
            ".github/workflows/ci.yml",
            id="B057 workflow alone",
        ),
        pytest.param(
            {"rules.yaml": RULES}, {"action.yml": "runs: 1\n"}, [], "action.yml", id="B057 action of the classifier"
        ),
        pytest.param(
            {"rules.yaml": RULES, "classifier/x.md": "1"},
            {"classifier/x.md": None},
            [],
            "classifier/x.md",
            id="B057 source of the classifier, though documentation",
        ),
        pytest.param(
            {"rules.yaml": WIDENED},
            {".github/ci-classify.yaml": RULES},
            [],
            ".github/ci-classify.yaml",
            id="other default added",
        ),
        pytest.param(
            {".github/ci-classify.yaml": RULES, "rules.yaml": RULES},
            {".github/ci-classify.yaml": None},
            [],
            ".github/ci-classify.yaml",
            id="other default deleted",
        ),
        pytest.param(
            {"rules.yaml": RULES, "ci/mine.yaml": RULES},
            {"ci/mine.yaml": WIDENED},
            ["--rules", "ci/mine.yaml"],
            "ci/mine.yaml",
            id="rules of another name",
        ),
        pytest.param(
            {"rules.yaml": Link("ci/real.yaml"), "ci/real.yaml": RULES},
            {"ci/real.yaml": WIDENED},
            [],
            "ci/real.yaml",
            id="behind a link",
        ),
        pytest.param(
            {"rules.yaml": RULES, "ci/real.yaml": WIDENED},
            {"rules.yaml": Link("ci/real.yaml")},
            [],
            "rules.yaml",
            id="replaced by a link",
        ),
    ],
)
def test_a_change_of_what_selects_runs_everything(
    runner: Runner, built: BuiltRepository, before: Files, after: Files, options: list[str], named: str
) -> None:
    if options:
        options = [options[0], str(built.directory / options[1])]
    ran = committed(runner, built, before, after, *options, "--format", "json")
    assert ran.outputs == {"run-src": True, "run-lib": True, "run-build": True}
    assert ran.plan["reasons"] == dict.fromkeys(ran.outputs, ReasonCode.CONTROL_CHANGED)
    assert named in [path for path, _ in evidence(ran, "run-src")]
    assert named in ran.summary


def test_b120_no_label_narrows_a_change_of_the_rules(runner: Runner, built: BuiltRepository) -> None:
    labelled = f"{RULES}labels: {{none: {{skips: [run-src, run-lib]}}}}\n"
    base, head = in_order(built, {"rules.yaml": RULES}, {"rules.yaml": labelled})
    built.check_out(head)
    ran = runner.run(built.directory, "pull_request", payloads.pull_request(base, head, labels=["none"]))
    assert set(ran.outputs.values()) == {True}


def test_b120_rules_of_the_head_that_cannot_be_loaded_run_everything_that_either_side_names(
    runner: Runner, built: BuiltRepository
) -> None:
    broken = RULES.replace("  run-lib: {inputs: [/lib/]}\n", "  run-new: {inputs: 1}\n").replace(
        "[run-lib]", "[run-new]"
    )
    ran = committed(runner, built, {"rules.yaml": RULES}, {"rules.yaml": broken})
    assert ran.code == 0
    assert ran.cause == "rules-invalid"
    assert ran.outputs == dict.fromkeys(["run-src", "run-new", "run-build", "run-lib"], True)
