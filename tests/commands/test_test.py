"""``ci-classify test``: the examples, those of the worked example and of other projects among them."""

import json
from pathlib import Path

import pytest
import yaml
from support.plans import PROJECT
from support.runner import call

from ci_classify.commands import test as command
from ci_classify.commands.test import TestRequest as Request

CASES = PROJECT / "tests/cases"
RULES = """\
version: 1
unclaimed: nothing
suites: {run-a: {inputs: [/a/]}, run-b: {inputs: [/b/], internal: true}}
examples:
  - {name: right, changed: [a/x], selects: [run-a]}
  - {name: "wrong, twice", changed: [b/x], expect: {run-a: true, run-b: false}}
  - {name: deleted, changed: [{path: a/x, change: deleted}], event: push, branch: main, labels: [x], selects: [run-a]}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    return path


def run_in_process(rules: Path, examples: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    code = command.run(Request(repo=str(rules.parent), rules=str(rules), examples=str(examples), as_json=True))
    return code, json.loads(capsys.readouterr().out)


def test_the_300_changes_of_the_worked_example_hold(capsys: pytest.CaptureFixture[str]) -> None:
    code, result = run_in_process(PROJECT / "rules.yaml", CASES / "nvx-changes.json", capsys)
    assert (code, result) == (0, {"examples": 300, "failed": []})


UNITS = [
    (path.stem, number, unit)
    for path in sorted((CASES / "peers").glob("*.json"))
    for number, unit in enumerate(json.loads(path.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize(
    ("unit", "form"),
    [
        pytest.param(unit, form, id=f"{name}-{number}-{form}")
        for name, number, unit in UNITS
        for form in ("yaml", "json")
    ],
)
def test_the_rules_of_other_projects_hold(
    unit: dict[str, object], form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, examples = tmp_path / f"rules.{form}", tmp_path / "examples.json"
    dump = yaml.safe_dump if form == "yaml" else json.dumps
    rules.write_text(dump(unit["rules"]), encoding="utf-8")
    examples.write_text(json.dumps(unit["examples"]), encoding="utf-8")
    code, result = run_in_process(rules, examples, capsys)
    assert result["failed"] == []
    assert code == 0
    assert isinstance(unit["examples"], list)
    assert result["examples"] == len(unit["examples"]) > 0


def test_the_examples_of_the_worked_example_hold_from_the_command_line() -> None:
    ran = call("test", "--rules", "rules.yaml", cwd=PROJECT)
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.endswith("examples, 0 failed\n")
    ran = call("test", "--rules", "rules.yaml", "--examples", "tests/cases/nvx-changes.json", cwd=PROJECT)
    assert (ran.code, ran.stdout) == (0, "300 examples, 0 failed\n")


def test_what_fails_is_named_with_its_line_and_exits_with_1(rules: Path) -> None:
    ran = call("test", cwd=rules.parent)
    assert ran.code == 1
    assert ran.stdout.splitlines() == [
        "FAILED wrong, twice (line 6): run-a is false, expected true",
        "FAILED wrong, twice (line 6): run-b is true, expected false",
        "3 examples, 1 failed",
    ]


def test_json_names_what_fails(rules: Path) -> None:
    ran = call("test", "--format", "json", cwd=rules.parent)
    assert ran.code == 1
    assert json.loads(ran.stdout) == {
        "examples": 3,
        "failed": [
            {"name": "wrong, twice", "output": "run-a", "expected": True, "got": False},
            {"name": "wrong, twice", "output": "run-b", "expected": False, "got": True},
        ],
    }


def test_selects_is_the_exact_set_of_emitted_outputs(rules: Path, tmp_path: Path) -> None:
    examples = tmp_path / "more.yaml"
    examples.write_text(
        "examples:\n- {name: internal is left out, changed: [b/x], selects: []}\n"
        "- {name: but can be named, changed: [b/x], selects: [run-b]}\n"
        "- {name: too few, changed: [a/x], selects: []}\n",
        encoding="utf-8",
    )
    ran = call("test", "--examples", str(examples), cwd=rules.parent)
    assert ran.stdout.splitlines() == [
        "FAILED too few (line 4): run-a is true, expected false",
        "3 examples, 1 failed",
    ]


def test_rules_without_examples_are_fine(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("version: 1\nsuites: {run-a: {inputs: [/a]}}\n", encoding="utf-8")
    ran = call("test", "--repo", str(tmp_path))
    assert (ran.code, ran.stdout, ran.stderr) == (0, "0 examples, 0 failed\n", "")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[{name: x, changed: [a], selects: [run-c]}]", ":1:36: error: there is no output 'run-c'"),
        ("[{name: x, changed: [a]}]", "the example checks nothing"),
        ("[{changed: [a], selects: []}]", "the example has no name"),
        ("{examples: 3}", "examples must be a list, not 3"),
        ("{tests: []}", "tests"),
        ("[", "examples.yaml:"),
        ("", "the file is empty"),
    ],
)
def test_wrong_examples_are_2_with_their_place(rules: Path, tmp_path: Path, content: str, said: str) -> None:
    examples = tmp_path / "examples.yaml"
    examples.write_text(content, encoding="utf-8")
    ran = call("test", "--examples", str(examples), cwd=rules.parent)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--examples", "/nowhere"], "name a file of examples"),
        (["--examples", "/"], "name a file of examples"),
        (["--rules", "/nowhere"], "there are no rules"),
        (["--format", "xml"], "is not one of"),
        (["extra"], "unexpected extra argument"),
    ],
)
def test_wrong_use_is_2_and_says_what_to_do(rules: Path, words: list[str], said: str) -> None:
    ran = call("test", *words, cwd=rules.parent)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr


def test_all_mistakes_of_the_rules_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("version: 2\nsuits: {}\nsuites: {run-a: {inputs: [a//b]}}\n", encoding="utf-8")
    ran = call("test", cwd=tmp_path)
    assert ran.code == 2
    assert [line.split(" ")[0] for line in ran.stderr.splitlines()] == [
        "rules.yaml:1:10:",
        "rules.yaml:2:1:",
        "rules.yaml:3:27:",
    ]


def test_doubts_about_the_rules_go_to_standard_error(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("version: 1\nsuites: {run-a: {inputs: [src]}}\n", encoding="utf-8")
    ran = call("test", "--format", "json", cwd=tmp_path)
    assert json.loads(ran.stdout) == {"examples": 0, "failed": []}
    assert "warning" in ran.stderr
    assert ran.code == 0


def test_the_name_of_an_example_is_no_command(tmp_path: Path) -> None:
    rules = {
        "version": 1,
        "suites": {"run-a": {"inputs": ["/a"]}},
        "examples": [{"name": "x\n::error::##[add-path]y", "changed": ["a"], "expect": {"run-a": False}}],
    }
    (tmp_path / "rules.yaml").write_text(json.dumps(rules), encoding="utf-8")
    for form in ("text", "json"):
        ran = call("test", "--format", form, cwd=tmp_path)
        assert ran.code == 1
        assert "##[" not in ran.stdout
        assert not [line for line in ran.stdout.splitlines() if line.lstrip().startswith("::")]
