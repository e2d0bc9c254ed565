"""The command line itself: help, wrong use, exit codes, and the plain way to read a ``run``."""

from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plans import PROJECT
from support.runner import call

from ci_classify import __version__
from ci_classify.__main__ import plain_run
from ci_classify.cli import cli

COMMANDS = [name for name in cli.commands if name != "demo"]


@pytest.mark.parametrize("words", [["--help"], ["-h"], *([name, "--help"] for name in cli.commands)])
def test_help_is_on_standard_output(words: Sequence[str]) -> None:
    ran = call(*words)
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Usage: ci-classify ")


def test_every_command_and_option_has_help() -> None:
    assert [name for name, command in cli.commands.items() if not command.help] == []
    options = [
        option for command in cli.commands.values() for option in command.params if isinstance(option, click.Option)
    ]
    assert [option.name for option in options if not option.help and option.name != "form"] == []


def test_the_version_is_told() -> None:
    assert call("--version").stdout == f"{__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Usage: ci-classify"),
        (["rnu"], "No such command 'rnu'"),
        (["--verbose"], "No such option"),
        (["explain"], "give paths or --output NAME"),
        (["explain", "a", "--output", "b"], "give paths or --output NAME"),
        (["explain", "--output", "nowhere"], "there is no output 'nowhere'"),
        (["explain", "../outside"], "lies outside of"),
        (["schema", "extra"], "unexpected extra argument"),
        (["demo", "extra"], "unexpected extra argument"),
    ],
)
def test_wrong_use_is_2_on_standard_error(words: Sequence[str], said: str) -> None:
    ran = call(*words, cwd=PROJECT)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("words", [["test"], ["explain", "a"], ["dry-run", "HEAD"], ["run", "--base", "HEAD"]])
def test_rules_that_are_absent_are_2_and_a_line_says_where_they_belong(words: Sequence[str], tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    ran = call(*words, cwd=tmp_path)
    assert (ran.code, ran.stdout) == (2, "")
    assert "Traceback" not in ran.stderr


def test_the_same_call_prints_the_same_bytes() -> None:
    calls = [["explain", "nvx-rs/src/main.rs"], ["explain", "--output", "run-benchmarks"], ["schema"], ["test"]]
    for words in calls:
        assert call(*words, cwd=PROJECT) == call(*words, cwd=PROJECT)


# -- the plain way ---------------------------------------------------------------------------------------

_words = st.lists(
    st.one_of(
        st.sampled_from([option for param in cli.commands["run"].params for option in param.opts]),
        st.sampled_from(
            [
                "HEAD",
                "-",
                "",
                "text",
                "json",
                "x y",
                "--base=HEAD",
                "--base=",
                "--label=-x",
                "--repo=--",
                "--format=json",
                "--fetch=1",
                "-h",
                "--",
                "--label",
                "a",
            ]
        ),
    ),
    max_size=8,
)


def by_click(words: Sequence[str]) -> dict[str, object] | None:
    """Return the options as click reads them, or None where it refuses them."""
    command = cli.commands["run"]
    try:
        options = command.make_context("run", list(words)).params
    except (click.ClickException, click.exceptions.Exit):
        return None
    form = options.pop("form")
    return {**options, "as_json": form == "json"}


@given(_words)
def test_a_plain_run_is_read_as_click_reads_it(words: Sequence[str]) -> None:
    plain = plain_run(["run", *words])
    if plain is not None:
        defaults = dict.fromkeys(("rules", "event", "base", "head", "branch", "paths_from"))
        assert {**defaults, "fetch": False, "canary": False, "as_json": False, **plain} == by_click(words)


def test_every_option_of_run_can_be_read_plainly() -> None:
    for param in cli.commands["run"].params:
        values = [] if isinstance(param, click.Option) and param.is_flag else ["text" if param.name == "form" else "x"]
        assert plain_run(["run", *param.opts[-1:], *values]) is not None


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["test"],
        ["run", "--help"],
        ["run", "--base"],
        ["run", "--base", "--head"],
        ["run", "--format", "xml"],
        ["run", "x"],
        ["run", "--fe"],
    ],
)
def test_everything_else_is_left_to_click(words: Sequence[str]) -> None:
    assert plain_run(words) is None
