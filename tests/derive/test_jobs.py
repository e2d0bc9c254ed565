"""Which jobs an output selects: by the required check, by conditions, by names, by what they wait for."""

from textwrap import dedent, indent

import pytest
from support.drift import WORKFLOW, checkout

from ci_classify.core.wiring import Wiring
from ci_classify.derive.jobs import Selection
from ci_classify.derive.library import Library
from ci_classify.derive.readings import wirings_of
from ci_classify.formats.declared_names import OWN_OUTPUTS
from ci_classify.formats.rules_file import load_rules

RULES = """\
version: 1
suites:
  a: {inputs: [/a/]}
  b: {inputs: [/b/]}
  c: {inputs: [/c/], events: {push: any-change}}
producers:
  made: {consumers: [a, b]}
"""
HEAD = """\
on: push
jobs:
  changes:
    runs-on: ubuntu-24.04
    outputs: {a: "${{ steps.s.outputs.a }}", b: "${{ steps.s.outputs.b }}", c: "${{ steps.s.outputs.c }}"}
    steps: [{id: s, run: echo}]
"""


def selected(jobs: str, rules: str = RULES, on: str = "push") -> dict[str, str]:
    """Return the suites of every job: clauses are joined by " and ", suites in one by " or "."""
    library = Library(checkout({WORKFLOW: HEAD.replace("on: push", f"on: {on}") + indent(dedent(jobs), "  ")}))
    workflow = library.workflow(WORKFLOW)
    assert workflow is not None
    wiring = Wiring(load_rules(rules, "rules.yaml").rules, workflow, {WORKFLOW: workflow}, OWN_OUTPUTS)
    selection = Selection(wiring)
    steered = [job for job in workflow.jobs.values() if job is not wiring.detector]
    return {
        job.id: " and ".join(sorted(" or ".join(sorted(clause)) for clause in selection.clauses(job)))
        for job in steered
    }


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("needs.changes.outputs.a == 'true'", "a"),
        ("!cancelled() && (needs.changes.result != 'success' || needs.changes.outputs.a == 'true')", "a"),
        ("needs.changes.outputs.a == 'true' || needs.changes.outputs.b == 'true'", "a or b"),
        ("needs.changes.outputs.a == 'true' && needs.changes.outputs.b == 'true'", "a and b"),
        ("needs.changes.outputs.a == 'true' || github.event_name == 'schedule'", "a"),
        ("needs.changes.outputs.a != 'true'", ""),
        ("needs.changes.outputs.made == 'true'", "a or b"),
        ("needs.changes.outputs.made == 'true' && needs.changes.outputs.a == 'true'", "a"),
        ("fromJSON(needs.changes.outputs.plan).outputs.a", "a"),
        ("always()", ""),
    ],
    ids=str,
)
def test_a_condition_selects(condition: str, expected: str) -> None:
    job = f'job: {{needs: changes, runs-on: x, if: "{condition}", steps: [{{run: echo}}]}}'
    assert selected(job) == {"job": expected}


def test_a_job_that_is_skipped_with_another_belongs_to_its_suite() -> None:
    assert selected(
        """
        one: {needs: changes, runs-on: x, if: "needs.changes.outputs.a == 'true'", steps: [{run: echo}]}
        behind: {needs: one, runs-on: x, steps: [{run: echo}]}
        by-result: {needs: [one], runs-on: x, if: "always() && needs.one.result == 'success'", steps: [{run: echo}]}
        gate: {needs: [one, behind], runs-on: x, if: always(), steps: [{run: echo}]}
        """
    ) == {"one": "a", "behind": "a", "by-result": "a", "gate": ""}


def test_without_a_detector_names_select() -> None:
    library = Library(
        checkout({WORKFLOW: "on: push\njobs: {a: {runs-on: x, steps: []}, z: {runs-on: x, steps: []}}\n"})
    )
    workflow = library.workflow(WORKFLOW)
    assert workflow is not None
    selection = Selection(Wiring(load_rules(RULES, "rules.yaml").rules, workflow, {}, OWN_OUTPUTS))
    assert [selection.clauses(job) for job in workflow.jobs.values()] == [{frozenset("a")}, set()]


REQUIRED = (
    RULES
    + """\
required-check:
  detector: changes
  jobs:
    lint: {}
    make: {output: made}
    one: {output: a, needs: [make]}
    report: {needs: [one, two]}
    two: {output: b}
    pushed: {output: c, events: [push]}
    asked: {output: c, events: [push, pull_request]}
"""
)


def test_the_required_check_says_it_instead() -> None:
    jobs = "\n".join(
        f"{name}: {{needs: changes, runs-on: x, steps: [{{run: echo}}]}}"
        for name in ("lint", "make", "one", "two", "report", "pushed", "asked", "unknown")
    )
    other = "other: {needs: changes, runs-on: x, if: \"needs.changes.outputs.b == 'true'\", steps: [{run: echo}]}"
    assert selected(f"{jobs}\n{other}", REQUIRED) == {
        "lint": "",
        "make": "a or b",
        "one": "a",
        "two": "b",
        "report": "a and b",
        "pushed": "",
        "asked": "c",
        "unknown": "",
        "other": "b",
    }


def test_a_job_uses_all_that_it_waits_for_but_the_detector() -> None:
    text = HEAD + indent(
        dedent(
            """
            deep: {runs-on: x, steps: []}
            middle: {needs: [deep, changes], runs-on: x, steps: []}
            other: {needs: deep, runs-on: x, steps: []}
            job: {needs: [middle, changes, other], runs-on: x, steps: []}
            """
        ),
        "  ",
    )
    workflow = Library(checkout({WORKFLOW: text})).workflow(WORKFLOW)
    assert workflow is not None
    selection = Selection(Wiring(load_rules(RULES, "rules.yaml").rules, workflow, {}, OWN_OUTPUTS))
    assert [(job.id, chain) for job, chain in selection.used(workflow.jobs["job"])] == [
        ("job", ("job job",)),
        ("middle", ("job job", "needs middle")),
        ("other", ("job job", "needs other")),
        ("deep", ("job job", "needs middle", "needs deep")),
    ]


DEPLOY = """\
deploy:
  needs: a
  if: {condition}
  runs-on: ubuntu-24.04
  steps: [{{run: echo}}]
a:
  needs: changes
  if: needs.changes.outputs.a == 'true'
  runs-on: ubuntu-24.04
  steps: [{{run: echo}}]
"""
ALWAYS_PUSHED = RULES.replace("{inputs: [/a/]}", "{inputs: [/a/], events: {push: always}}")


@pytest.mark.parametrize(
    ("on", "condition", "rules", "expected"),
    [
        ("push", "github.event_name == 'push'", RULES, "a"),
        ("push", "github.event_name == 'push'", ALWAYS_PUSHED, ""),
        ("[push, pull_request]", "github.event_name == 'push'", ALWAYS_PUSHED, ""),
        ("[push, pull_request]", "github.ref == 'refs/heads/main'", ALWAYS_PUSHED, ""),
        ("[push, pull_request]", "success()", ALWAYS_PUSHED, "a"),
        ("[push, pull_request]", "github.event_name != 'push'", ALWAYS_PUSHED, "a"),
        ("[push, pull_request]", "github.event_name ==", ALWAYS_PUSHED, ""),
        ("[push, schedule]", "success()", ALWAYS_PUSHED, ""),
        ("workflow_call", "success()", ALWAYS_PUSHED, "a"),
    ],
    ids=[
        "inputs decide on a push",
        "a push always runs",
        "and the job runs for pushes alone",
        "or for one branch alone",
        "but for pull requests too",
        "or for those alone",
        "a condition that is none",
        "inputs decide on no event",
        "the event is that of the caller",
    ],
)
def test_a_job_belongs_to_a_suite_only_where_inputs_decide_on_its_events(
    on: str, condition: str, rules: str, expected: str
) -> None:
    assert selected(DEPLOY.format(condition=condition), rules, on)["deploy"] == expected


def test_a_workflow_that_others_call_is_read_with_them_alone() -> None:
    jobs = "jobs: {a: {runs-on: x, steps: [{run: cat f}]}}\n"
    files = {
        ".github/workflows/one.yml": f"on: push\n{jobs}",
        ".github/workflows/two.yml": f"on: workflow_call\n{jobs}",
    }
    found = wirings_of(load_rules(RULES, "rules.yaml").rules, Library(checkout(files)), [], OWN_OUTPUTS)
    assert [wiring.workflow.file for wiring in found] == [".github/workflows/one.yml"]
