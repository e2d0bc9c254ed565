"""The section ``required-check`` of a rules file: what it means, and every mistake with its place."""

import pytest

from ci_classify.core.errors import InvalidFileError
from ci_classify.core.model import JudgedJob
from ci_classify.formats.rules_file import load_rules

RULES = """\
version: 1
suites:
  run-a: {inputs: [/a]}
  run-in: {inputs: [/b], internal: true}
producers: {run-p: {consumers: [run-a]}}
required-check:
"""


def test_a_section_is_read() -> None:
    section = (
        "  detector: changes\n  jobs:\n    changes: {}\n    lint: {}\n"
        "    p: {output: run-p}\n    a: {output: run-a, needs: [p, changes], events: [push], repository: same}\n"
    )
    check = load_rules(RULES + section, "rules.yaml").rules.required_check
    assert check is not None
    assert (check.detector, check.position) == ("changes", (7, 3))
    assert check.jobs == (
        JudgedJob(name="lint", position=(10, 5)),
        JudgedJob(name="p", output="run-p", position=(11, 5)),
        JudgedJob(name="a", output="run-a", needs=("p",), events=("push",), same_repository=True, position=(12, 5)),
    )


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("  []\n", "7:3: error: required-check must be a mapping, not a list"),
        ("  {}\n", "7:3: error: required-check has no detector; write `detector:`"),
        ("  {}\n", "7:3: error: required-check has no jobs; write `jobs:`"),
        ("  {detector: a b, jobs: {x: {}}}\n", "7:14: error: 'a b' can't be the name of a job"),
        ("  {detector: d, jobs: {}}\n", "7:23: error: required-check judges no job"),
        ("  {detector: d, jobs: {x: {}}, gate: y}\n", "7:32: error: required-check has no key 'gate'"),
        ("  {detector: d, jobs: {x.y: {}}}\n", "7:24: error: 'x.y' can't be the name of a job"),
        ("  {detector: d, jobs: {x: {output: run-b}}}\n", "7:36: error: there is no output 'run-b'; write run-"),
        ("  {detector: d, jobs: {x: {output: run-in}}}\n", "7:36: error: there is no output 'run-in'"),
        ("  {detector: d, jobs: {x: {needs: [y]}}}\n", "7:36: error: x needs 'y', which is no judged job"),
        ("  {detector: d, jobs: {x: {}, y: {needs: [x, x]}}}\n", "7:46: error: y needs x twice"),
        ("  {detector: d, jobs: {x: {needs: [x]}}}\n", "7:24: error: the job x waits for itself"),
        ("  {detector: d, jobs: {x: {needs: [y]}, y: {needs: [x]}}}\n", "7:41: error: the job y waits for itself"),
        ("  {detector: d, jobs: {x: {events: []}}}\n", "7:36: error: the job x is planned on no event"),
        ("  {detector: d, jobs: {x: {events: [pull request]}}}\n", "7:37: error: 'pull request' is no event"),
        ("  {detector: d, jobs: {x: {repository: fork}}}\n", "7:40: error: the repository of x must be one of same"),
        ("  {detector: d, jobs: {x: {if: y}}}\n", "7:28: error: the job x has no key 'if'"),
        ("  {detector: d, jobs: {d: {output: run-a}, x: {}}}\n", "7:24: error: d is the detector"),
        ("  {detector: d, jobs: {on: {}}}\n", "7:24: error: a key of required-check.jobs must be text"),
    ],
)
def test_a_mistake_is_told_with_its_place(section: str, said: str) -> None:
    with pytest.raises(InvalidFileError) as raised:
        load_rules(RULES + section, "rules.yaml")
    assert any(line.startswith(f"rules.yaml:{said}") for line in str(raised.value).splitlines()), str(raised.value)
