import json
from pathlib import Path

import pytest
from support.command import run_command
from support.repository import BuiltRepository
from support.runner import Ran

TOP = Path(__file__).parents[2]
CASES = TOP / "tests/cases/mutate"
NAMES = sorted(path.stem for path in CASES.glob("*.yaml"))
NVX = ("--rules", str(TOP / "rules.yaml"), "--paths-from", str(TOP / "tests/cases/nvx-tree.txt"))


def mutate(capsys: pytest.CaptureFixture[str], *words: str) -> Ran:
    return run_command(capsys, "mutate", *words)


def of_case(capsys: pytest.CaptureFixture[str], rules: Path, *words: str) -> Ran:
    return mutate(capsys, "--rules", str(rules), "--paths-from", str(CASES / "tree.txt"), *words)


def fates(ran: Ran) -> list[str]:
    return [
        f"{found['line']}: {found['fate']}: {found['where']} {found['what']}"
        for found in json.loads(ran.stdout)["results"]
    ]


@pytest.mark.parametrize("name", NAMES)
def test_each_mutant_of_a_case_has_the_fate_that_stands_beside_it(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    ran = of_case(capsys, CASES / f"{name}.yaml", "--format", "json")
    assert fates(ran) == (CASES / f"{name}.out").read_text(encoding="utf-8").splitlines()
    assert ran.code == int("survived" in ran.stdout.split('"results"')[1])


@pytest.mark.parametrize("name", NAMES)
def test_the_proposed_examples_kill_all_survivors(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    text = (CASES / f"{name}.yaml").read_text(encoding="utf-8")
    results = json.loads(of_case(capsys, CASES / f"{name}.yaml", "--format", "json").stdout)["results"]
    pasted = dict.fromkeys(found["paste"] for found in results if found["paste"])
    lines = [f"  {line}\n" for paste in pasted for line in paste.splitlines()]
    head = "" if "examples:" in text else "examples:\n"
    (tmp_path / "rules.yaml").write_text(text + head + "".join(lines), encoding="utf-8")
    ran = of_case(capsys, tmp_path / "rules.yaml", "--format", "json")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.stdout)["counts"]["survived"] == 0


def test_every_mutant_of_nvx_that_is_not_equivalent_is_killed_by_an_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ran = mutate(capsys, *NVX, "--format", "json")
    assert ran.code == 0
    found = json.loads(ran.stdout)
    assert found["mutants"] > 250
    assert found["counts"]["killed-by-example"] == found["mutants"] - found["counts"]["equivalent"]
    # Whatever the VMM tests read, one of the big suites reads too, and needs the guests.
    assert [r["what"] for r in found["results"] if r["fate"] == "equivalent"] == [
        "without its consumer run-openvmm-vmm-tests"
    ]


def test_a_change_of_the_range_kills_what_it_tells(capsys: pytest.CaptureFixture[str], built: BuiltRepository) -> None:
    rules = "version: 1\nunclaimed: nothing\nsuites: {run-a: {inputs: [/a, /b]}}\n"
    base = built.commit({"rules.yaml": rules})
    head = built.commit({"a": "1\n"}, base)
    built.check_out(head)
    repo = ("--repo", str(built.directory))
    ran = mutate(capsys, *repo, "--range", f"{base}..{head}", "--format", "json")
    results = json.loads(ran.stdout)["results"]
    killed = {found["what"]: found["by"] for found in results if found["fate"] == "killed-by-range"}
    assert killed == dict.fromkeys(
        ["without any of its terms", "without /a", "!/a instead of /a", "/a/ instead of /a"], head
    )
    assert ran.code == 1


WORKFLOW = """\
on: [pull_request]
jobs:
  changes:
    runs-on: ubuntu-latest
    outputs: {run-a: "${{ steps.classify.outputs.run-a }}"}
    steps:
      - uses: actions/checkout@v4
      - {id: classify, run: ci-classify run}
  a:
    needs: changes
    if: needs.changes.outputs.run-a == 'true'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: bash a/test.sh
"""


def test_the_drift_guard_kills_what_misses_an_input_of_a_job(
    capsys: pytest.CaptureFixture[str], built: BuiltRepository
) -> None:
    rules = "version: 1\nunclaimed: nothing\ncontrol: [/.github/]\nsuites: {run-a: {inputs: [/a/test.sh, /b]}}\n"
    files = {"rules.yaml": rules, ".github/workflows/ci.yml": WORKFLOW, "a/test.sh": "exit 0\n"}
    built.check_out(built.commit(files))
    results = json.loads(mutate(capsys, "--repo", str(built.directory), "--format", "json").stdout)["results"]
    killed = {(found["what"], found["by"]) for found in results if found["fate"] == "killed-by-drift"}
    assert {what for what, _ in killed} >= {
        "without any of its terms",
        "without /a/test.sh",
        "!/a/test.sh instead of /a/test.sh",
    }
    assert {by for what, by in killed if "/a/test.sh" in what} == {"run-a a/test.sh"}
    assert [found["fate"] for found in results if found["what"] == "without /b"] == ["survived"]


def test_rules_whose_examples_fail_are_not_mutated(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = (CASES / "terms.yaml").read_text(encoding="utf-8")
    (tmp_path / "rules.yaml").write_text(text.replace("selects: [run-a]", "selects: []"), encoding="utf-8")
    ran = of_case(capsys, tmp_path / "rules.yaml")
    assert ran.code == 2
    assert "the example 'a source' fails" in ran.stderr


def test_survivors_are_shown_with_line_and_example(capsys: pytest.CaptureFixture[str]) -> None:
    ran = of_case(capsys, CASES / "terms.yaml")
    assert "terms.yaml:8:9: nothing notices the inputs of run-a without /tools/*.sh\n" in ran.stdout
    assert "      changed: [tools/go.sh]\n      selects: [run-a]\n" in ran.stdout
    assert ran.stdout.endswith("13 mutants, 7 killed, 6 survived, 0 equivalent\n")
