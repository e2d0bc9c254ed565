"""Rules files that have broken tools of this kind, from the file to the outputs. The ids are those of the collection."""

import pytest
from support import payloads
from support.repository import BuiltRepository, in_order
from support.runner import Ran, Runner
from support.situations import assert_everything_runs

from ci_classify.core.errors import FallbackCause

GOOD = """\
version: 1
suites:
  unit: {inputs: [/src/]}
  gpu: {inputs: [/gpu/]}
"""


def broken(runner: Runner, built: BuiltRepository, rules: str) -> Ran:
    """Classify a push that breaks the rules of its base."""
    base, head = in_order(built, {"rules.yaml": GOOD, "src/a": "1"}, {"rules.yaml": rules, "src/a": "2"})
    built.check_out(head)
    return runner.run(built.directory, "push", payloads.push(base, head))


def annotations(ran: Ran) -> list[str]:
    """Return the complaints about the file as the job shows them."""
    return [line for line in ran.stderr.splitlines() if line.startswith("::error file=rules.yaml,")]


def test_b048_a_suite_that_stands_twice(runner: Runner, built: BuiltRepository) -> None:
    ran = broken(runner, built, "version: 1\nsuites:\n  unit:\n    inputs: [/src/]\n  unit:\n    inputs: [/docs/]\n")
    assert_everything_runs(ran, FallbackCause.RULES_INVALID, "rules.yaml:5")
    assert ran.outputs == {"unit": True, "gpu": True}
    assert annotations(ran) == [
        "::error file=rules.yaml,line=5,col=3::unit stands twice in suites, first on line 3; keep one of the two"
    ]


def test_b050_entries_that_are_no_text(runner: Runner, built: BuiltRepository) -> None:
    written = ["010", "1.10", "12:30:45", "2024-01-01", "~", "true"]
    ran = broken(runner, built, f"version: 1\nsuites:\n  unit:\n    inputs: [{', '.join(written)}]\n")
    assert_everything_runs(ran, FallbackCause.RULES_INVALID, "rules.yaml:4")
    told = annotations(ran)
    assert len(told) == len(written)
    for text, line in zip(written, told, strict=True):
        assert line.startswith("::error file=rules.yaml,line=4,col=")
        assert f"YAML reads {text} as" in line
        assert line.endswith(f"write '{text}'")


@pytest.mark.parametrize("rules", ["", "# nothing\n", "---\na: 1\n---\nb: 2\n", "- a\n"])
def test_b052_empty_and_odd_documents(runner: Runner, built: BuiltRepository, rules: str) -> None:
    ran = broken(runner, built, rules)
    assert_everything_runs(ran, FallbackCause.RULES_INVALID, "rules.yaml:")
    assert ran.outputs == {"unit": True, "gpu": True}


@pytest.mark.parametrize("rules", ["", "# nothing\n", "---\na: 1\n---\nb: 2\n", "- a\n"])
def test_b052_where_no_base_knows_the_names_the_step_fails(runner: Runner, built: BuiltRepository, rules: str) -> None:
    base, head = in_order(built, {"src/a": "1"}, {"rules.yaml": rules})
    built.check_out(head)
    ran = runner.run(built.directory, "push", payloads.push(base, head))
    assert (ran.code, ran.written) == (2, [])
    assert "can't be known" in ran.stderr


def test_b053_keys_that_are_not_known(runner: Runner, built: BuiltRepository) -> None:
    ran = broken(
        runner, built, "version: 1\npaths: [/src/]\nsuites: {unit: {input: [/src/]}, gpu: {inputs: {path: [/gpu/]}}}\n"
    )
    assert_everything_runs(ran, FallbackCause.RULES_INVALID, "rules.yaml:2")
    top, suite, inputs = annotations(ran)
    assert "'paths' is no key of the rules file; write one of version, sets, " in top
    assert suite.endswith("::'input' is no key of the suite unit; write inputs")
    assert inputs.endswith("::'path' is no key of the inputs of gpu; write paths")


def test_b054_suites_that_can_never_become_true(runner: Runner, built: BuiltRepository) -> None:
    ran = broken(runner, built, 'version: 1\nsuites: {unit: {inputs: []}, gpu: {inputs: ["!/docs/"]}, all: {}}\n')
    assert_everything_runs(ran, FallbackCause.RULES_INVALID, "rules.yaml:2")
    assert ran.outputs == {"unit": True, "gpu": True, "all": True}
    assert len(annotations(ran)) == 3


CHAINS = {
    "first to last": ("p1: {consumers: [p2]}", "p2: {consumers: [t]}"),
    "last to first": ("p2: {consumers: [t]}", "p1: {consumers: [p2]}"),
}


@pytest.mark.parametrize("producers", CHAINS.values(), ids=CHAINS)
@pytest.mark.parametrize("path", ["t/x", "other/x"])
def test_b055_a_chain_of_producers(
    runner: Runner, built: BuiltRepository, producers: tuple[str, str], path: str
) -> None:
    sections = ["suites: {t: {inputs: [/t/]}}", f"producers: {{{', '.join(producers)}}}"]
    for order in (sections, sections[::-1]):
        rules = "\n".join(["version: 1", "unclaimed: nothing", *order, ""])
        base, head = in_order(built, {"rules.yaml": rules}, {path: "1"})
        built.check_out(head)
        ran = runner.run(built.directory, "push", payloads.push(base, head))
        assert ran.outputs == dict.fromkeys(("t", "p1", "p2"), path == "t/x")
