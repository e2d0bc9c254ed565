"""The seven steps of a decision, one table row each, and that earlier steps dominate."""

from collections.abc import Mapping, Sequence

import pytest
import yaml

from ci_classify.core.decision import decide, looks_at_changes
from ci_classify.core.errors import FallbackCause
from ci_classify.core.model import ChangeKind, Changes, ChangeType, Event
from ci_classify.core.plan import Fallback, Plan
from ci_classify.core.reasons import code, evidence_of
from ci_classify.formats.rules_file import load_rules

RULES = """
version: 1
documentation: {paths: [/doc/, "*.md", "!/doc/api/"], ignore-case: true}
unaffecting: [/.gitignore]
unclaimed: [unit]
control: [/ci.yml]
empty-diff: skip
events: {merge_group: any-change, "push release/*": always}
labels:
  full: {selects: everything}
  bench: {selects: [bench]}
  deploy: {selects: [deploy]}
  no-bench: {skips: [bench]}
  no-deploy: {skips: [deploy]}
suites:
  unit: {inputs: [/src/, "!/src/gen/"]}
  bench: {inputs: [/src/fast/], events: {push: any-change}, empty-diff: run}
  links: {inputs: [/doc/, /src/doc/], documentation: keep}
  added: {inputs: {paths: [/new/], changes: [added]}}
  deploy: {inputs: [/deploy/], events: {"*": never, "push main": inputs}}
  hidden: {inputs: [/hidden/], internal: true}
producers:
  images: {consumers: [bench, hidden]}
  tools: {consumers: [images]}
  site: {consumers: [deploy]}
"""
LOADED = load_rules(RULES, "rules.yaml", control_paths=["rules.yaml"]).rules
ALL = {"unit", "bench", "links", "added", "images", "tools"}  # every output but deploy and what it needs alone
SHALLOW = Fallback(cause=FallbackCause.COMMIT_MISSING, detail="gone")
NOTHING = Fallback(cause=FallbackCause.NOTHING_TO_COMPARE, detail="nothing")


def changed(*paths: str, change: ChangeType = ChangeType.MODIFIED) -> Changes:
    return Changes(paths=paths, kinds=[ChangeKind(type=change)] * len(paths))


def plan(
    change: Changes | Fallback, event: str = "pull_request", branch: str | None = "main", labels: Sequence[str] = ()
) -> Plan:
    return decide(LOADED, Event(name=event, branch=branch, labels=tuple(labels)), change)


def running(plan: Plan) -> set[str]:
    return {decision.name for decision in plan.outputs if decision.runs}


def reasons(plan: Plan) -> Mapping[str, str]:
    return {decision.name: code(decision.reason).value for decision in plan.decisions}


@pytest.mark.parametrize(
    ("change", "context", "selects"),
    [
        pytest.param(SHALLOW, {}, ALL, id="1 an unknown change runs everything"),
        pytest.param(SHALLOW, {"event": "push"}, ALL | {"deploy", "site"}, id="1 a suite that the event may run too"),
        pytest.param(SHALLOW, {"labels": ["no-bench"]}, ALL, id="1 no label narrows it"),
        pytest.param(SHALLOW, {"labels": ["deploy"]}, ALL | {"deploy", "site"}, id="1 a label raises what never runs"),
        pytest.param(SHALLOW, {"labels": ["full"]}, ALL, id="1 but not the label for everything"),
        pytest.param(changed("ci.yml"), {}, ALL, id="2 a control file runs everything"),
        pytest.param(changed("rules.yaml"), {}, ALL, id="2 the rules file is one"),
        pytest.param(changed("ci.yml", "README.md"), {"labels": ["no-bench"]}, ALL, id="2 no label narrows it"),
        pytest.param(
            changed("ci.yml"), {"labels": ["deploy", "no-deploy"]}, ALL | {"deploy", "site"}, id="2 nor what it raises"
        ),
        pytest.param(changed("README.MD", "doc/x"), {}, {"links"}, id="3 documentation is seen by who keeps it alone"),
        pytest.param(changed("src/README.md"), {}, set(), id="3 documentation is no input of others"),
        pytest.param(changed("doc/api/x"), {}, {"links"}, id="3 what the set excludes is none"),
        pytest.param(changed("src/a"), {}, {"unit"}, id="4 inputs"),
        pytest.param(changed("src/gen/a"), {}, {"unit"}, id="4 an exclusion subtracts, then nobody claims it"),
        pytest.param(changed("src/a", "src/gen/a"), {}, {"unit"}, id="4 one input is enough"),
        pytest.param(changed("src/fast/a"), {}, {"unit", "bench", "images", "tools"}, id="4 suites are independent"),
        pytest.param(changed(".gitignore"), {"event": "push"}, {"bench", "images", "tools"}, id="4 any change"),
        pytest.param(changed("doc/x"), {"event": "push"}, {"links"}, id="4 any change but documentation"),
        pytest.param(changed(".gitignore"), {"event": "push", "branch": "release/1"}, ALL, id="4 a branch"),
        pytest.param(changed(), {}, {"bench", "images", "tools"}, id="4 an empty diff"),
        pytest.param(changed(), {"event": "push"}, {"bench", "images", "tools"}, id="4 an empty diff of any change"),
        pytest.param(changed("new/a", change=ChangeType.ADDED), {}, {"added"}, id="4 a type of change"),
        pytest.param(changed("new/a"), {}, {"unit"}, id="4 another type is no input"),
        pytest.param(changed("deploy/a"), {}, set(), id="4 never"),
        pytest.param(
            changed("deploy/a"),
            {"event": "push"},
            {"bench", "images", "tools", "deploy", "site"},
            id="4 but on a branch",
        ),
        pytest.param(changed("other"), {}, {"unit"}, id="5 nobody claims it"),
        pytest.param(changed(".gitignore"), {}, set(), id="5 nobody needs to"),
        pytest.param(changed("hidden/a"), {}, {"images", "tools"}, id="5 an internal suite claims too"),
        pytest.param(changed("other"), {"event": "merge_group"}, ALL, id="5 only in the mode inputs"),
        pytest.param(
            changed("src/a"), {"labels": ["full"]}, ALL, id="6 a label selects everything but what never runs"
        ),
        pytest.param(
            changed("doc/x"), {"labels": ["bench"]}, {"links", "bench", "images", "tools"}, id="6 a label selects"
        ),
        pytest.param(changed("src/a"), {"labels": ["deploy"]}, {"unit", "deploy", "site"}, id="6 a label raises"),
        pytest.param(changed("src/a"), {"labels": ["deploy", "no-deploy"]}, {"unit"}, id="6 skip wins"),
        pytest.param(changed("src/fast/a"), {"labels": ["no-bench"]}, {"unit"}, id="6 skip wins over inputs"),
        pytest.param(changed("src/a"), {"labels": ["full", "no-bench"]}, ALL - {"bench"}, id="6 skip wins over select"),
        pytest.param(changed("src/a"), {"labels": ["unheard of"]}, {"unit"}, id="6 other labels do nothing"),
        pytest.param(changed("hidden/a"), {}, {"images", "tools"}, id="7 a producer of a producer"),
    ],
)
def test_a_step_selects(change: Changes | Fallback, context: Mapping[str, object], selects: set[str]) -> None:
    assert running(plan(change, **context)) == selects  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "context", "name", "reason"),
    [
        (SHALLOW, {}, "unit", "fallback"),
        (SHALLOW, {}, "images", "fallback"),
        (SHALLOW, {}, "deploy", "never"),
        (SHALLOW, {}, "site", "no-consumer-runs"),
        (NOTHING, {"event": "schedule"}, "unit", "always"),
        (NOTHING, {"event": "merge_group"}, "unit", "fallback"),
        (changed("ci.yml"), {}, "unit", "control-changed"),
        (changed("ci.yml"), {}, "tools", "control-changed"),
        (changed("src/a"), {}, "unit", "inputs-changed"),
        (changed("src/a"), {}, "bench", "no-input-changed"),
        (changed("src/fast/a"), {"event": "push"}, "bench", "inputs-changed"),
        (changed("src/a"), {"event": "push"}, "bench", "any-change"),
        (changed("a.md"), {"event": "push"}, "bench", "only-documentation"),
        (changed("a.md"), {}, "links", "no-input-changed"),
        (changed("src/a"), {"event": "schedule"}, "unit", "always"),
        (changed(), {}, "bench", "empty-diff"),
        (changed(), {}, "unit", "empty-diff"),
        (changed("other"), {}, "unit", "unclaimed"),
        (changed("other"), {}, "bench", "no-input-changed"),
        (changed("src/a"), {"labels": ["bench"]}, "bench", "label"),
        (changed("src/a"), {"labels": ["no-bench"]}, "bench", "label"),
        (changed("src/a"), {"labels": ["full"]}, "unit", "inputs-changed"),
        (changed("src/fast/a"), {}, "images", "consumer-runs"),
        (changed("src/a"), {}, "images", "no-consumer-runs"),
    ],
)
def test_a_decision_says_why(change: Changes | Fallback, context: Mapping[str, object], name: str, reason: str) -> None:
    assert reasons(plan(change, **context))[name] == reason  # type: ignore[arg-type]


def test_evidence_is_the_first_three_changes_in_diff_order_with_the_pattern() -> None:
    found = plan(changed("src/d", "x.md", "src/fast/a", "other", "src/b", "src/c"))
    evidence = evidence_of(next(d.reason for d in found.decisions if d.name == "unit"))
    assert [(item.path, item.pattern.text if item.pattern else None) for item in evidence.items] == [
        ("src/d", "/src/"),
        ("src/fast/a", "/src/"),
        ("src/b", "/src/"),
    ]
    assert evidence.more == 1


def test_every_output_is_decided_once_in_the_order_of_the_file() -> None:
    names = [decision.name for decision in plan(changed("src/a")).outputs]
    assert names == ["unit", "bench", "links", "added", "deploy", "images", "tools", "site"]


def test_counts_are_of_changes() -> None:
    found = plan(changed("README.md", "src/a", "doc/x"))
    assert (found.total_changes, found.documentation_changes) == (3, 2)


@pytest.mark.parametrize(
    ("event", "labels", "looks"),
    [("pull_request", (), True), ("schedule", (), False), ("merge_group", (), True), ("schedule", ("no-bench",), True)],
)
def test_changes_are_needed_where_a_mode_or_a_label_that_narrows_looks_at_them(
    event: str, labels: tuple[str, ...], looks: bool
) -> None:
    assert looks_at_changes(LOADED, Event(name=event, labels=labels)) is looks


@pytest.mark.parametrize(
    ("entries", "event", "branch", "mode"),
    [
        ({}, "pull_request", "main", "inputs"),
        ({}, "push", "main", "inputs"),
        ({}, "workflow_dispatch", None, "always"),
        ({"*": "never"}, "push", "main", "never"),
        ({"push": "never", "*": "inputs"}, "push", "main", "inputs"),
        ({"push main": "never"}, "push", "main", "never"),
        ({"push main": "never"}, "push", "mainline", "inputs"),
        ({"push main": "never"}, "push", None, "inputs"),
        ({"push release/*": "never"}, "push", "release/1", "never"),
        ({"push release/*": "never"}, "push", "release/1/x", "inputs"),
        ({"push release/**": "never"}, "push", "release/1/x", "never"),
        ({"push v?": "never"}, "push", "v1", "never"),
        ({"push v.": "never"}, "push", "v1", "inputs"),
        ({"* main": "never"}, "pull_request", "main", "never"),
    ],
)
def test_the_last_entry_that_matches_gives_the_mode(
    entries: Mapping[str, str], event: str, branch: str | None, mode: str
) -> None:
    document = {"version": 1, "events": entries, "suites": {"suite": {"inputs": ["/in/"]}}}
    rules = load_rules(yaml.safe_dump(document, sort_keys=False), "rules.yaml").rules
    found = decide(rules, Event(name=event, branch=branch), changed("in/a"))
    expected = {"inputs": "inputs-changed", "always": "always", "never": "never"}
    assert reasons(found)["suite"] == expected[mode]


POLICIES = {
    "by default every suite": ({}, {"one", "two", "any"}),
    "every suite whose mode is inputs": ({"unclaimed": "everything"}, {"one", "two", "any"}),
    "none": ({"unclaimed": "nothing"}, {"any"}),
    "the listed": ({"unclaimed": ["two"]}, {"two", "any"}),
    "of the listed, those whose mode is inputs": ({"unclaimed": ["two", "off"]}, {"two", "any"}),
}


@pytest.mark.parametrize(("policy", "selects"), POLICIES.values(), ids=POLICIES)
def test_the_policy_for_unclaimed_changes_selects(policy: Mapping[str, object], selects: set[str]) -> None:
    suites: Mapping[str, object] = {
        "one": {"inputs": ["/one/"]},
        "two": {"inputs": ["/two/"]},
        "any": {"inputs": ["/any/"], "events": {"pull_request": "any-change"}},
        "off": {"inputs": ["/off/"], "events": {"pull_request": "never"}},
    }
    rules = load_rules(yaml.safe_dump({"version": 1, "suites": suites, **policy}), "rules.yaml").rules
    event = Event(name="pull_request")
    assert running(decide(rules, event, changed("nobody/a"))) == selects
    assert running(decide(rules, event, changed("nobody/a", "one/a"))) == selects | {"one"}
    assert running(decide(rules, event, changed("one/a"))) == {"one", "any"}
    # What the mode of a suite leaves aside is claimed by it all the same.
    assert running(decide(rules, event, changed("off/a"))) == {"any"}
