"""Laws of decisions, for any rules, event, labels and changes.

An empty diff is a case of its own (a suite may run exactly then), so that laws about more changes start from one.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from ci_classify.core.decision import decide, mode_of
from ci_classify.core.errors import FallbackCause
from ci_classify.core.matching import Matcher
from ci_classify.core.model import ChangeKind, Changes, ChangeType, Event, Label, Mode, Rules
from ci_classify.core.plan import Fallback, Plan
from ci_classify.core.reasons import ReasonCode, code
from ci_classify.formats.rules_file import load_rules

SUITES = ("one", "two", "three")
PRODUCERS = ("alpha", "beta", "gamma")
PATHS = ["src/a", "src/b.md", "src/gen/c", "doc/x.md", "doc/api/y", "gpu/k", "ci.yml", ".gitignore", "other", "lib"]
PATTERNS = ["/src/", "/src/gen/", "/gpu", "*.md", "/doc/", "/doc/api/", "/lib/", "/lib", "/ci.yml", "other", "*"]

Change = tuple[str, ChangeKind]
CHANGE: st.SearchStrategy[Change] = st.tuples(
    st.sampled_from(PATHS),
    st.builds(
        ChangeKind,
        type=st.sampled_from(ChangeType),
        old_is_submodule=st.booleans(),
        new_is_submodule=st.booleans(),
    ),
)
SOME = st.lists(CHANGE, min_size=1, max_size=5)
MAYBE_NONE = st.lists(CHANGE, max_size=5)

TERMS = st.lists(
    st.sampled_from([*PATTERNS, *(f"!{pattern}" for pattern in PATTERNS), "@named", "!@named"]), max_size=4
)
TYPES = st.lists(st.sampled_from([change.value for change in ChangeType]), min_size=1, max_size=3, unique=True)


def set_of(first: st.SearchStrategy[str], terms: st.SearchStrategy[list[str]]) -> st.SearchStrategy[object]:
    """Return sets of which the first term is positive, some of them limited to types of change."""
    listed = st.builds(lambda head, tail: [head, *tail], first, terms)
    return st.one_of(listed, st.fixed_dictionaries({"paths": listed}, optional={"changes": TYPES}))


INPUTS = set_of(st.sampled_from([*PATTERNS, "@named"]), TERMS)
NAMED = set_of(st.sampled_from(PATTERNS), st.lists(st.sampled_from(["/src/", "!/src/gen/", "!*.md"]), max_size=2))
MODES = st.sampled_from([mode.value for mode in Mode])
EVENT_MODES = st.dictionaries(st.sampled_from(["*", "push", "pull_request", "push main", "* main"]), MODES, max_size=3)
SOME_SUITES = st.lists(st.sampled_from(SUITES), max_size=2, unique=True)
LABEL_NAMES = ("full", "more", "less")
TREES = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "sets": st.fixed_dictionaries({"named": NAMED}),
        "unclaimed": st.one_of(st.sampled_from(["everything", "nothing"]), SOME_SUITES),
        "control": st.just(["/ci.yml"]),
        "labels": st.fixed_dictionaries(
            {
                "full": st.just({"selects": "everything"}),
                "more": st.fixed_dictionaries({"selects": SOME_SUITES}),
                "less": st.fixed_dictionaries({"skips": SOME_SUITES}, optional={"selects": SOME_SUITES}),
            }
        ),
        "suites": st.fixed_dictionaries(
            {
                name: st.fixed_dictionaries(
                    {"inputs": INPUTS},
                    optional={
                        "events": EVENT_MODES,
                        "empty-diff": st.sampled_from(["run", "skip"]),
                        "documentation": st.sampled_from(["keep", "drop"]),
                        "internal": st.booleans(),
                    },
                )
                for name in SUITES
            }
        ),
        # Each may consume those before it, so that there are chains and no circles.
        "producers": st.fixed_dictionaries(
            {
                name: st.fixed_dictionaries(
                    {
                        "consumers": st.lists(
                            st.sampled_from([*SUITES, *PRODUCERS[:number]]), min_size=1, max_size=3, unique=True
                        )
                    }
                )
                for number, name in enumerate(PRODUCERS)
            }
        ),
    },
    optional={"documentation": INPUTS, "unaffecting": INPUTS, "events": EVENT_MODES},
)
RULES: st.SearchStrategy[Rules] = TREES.map(lambda tree: load_rules(json.dumps(tree), "rules.yaml").rules)
DOCUMENTED_RULES = TREES.map(
    lambda tree: load_rules(json.dumps(tree | {"documentation": ["*.md", "/doc/"]}), "rules.yaml").rules
)
DOCUMENTATION = st.lists(CHANGE.map(lambda change: (f"doc/{change[0]}", change[1])), min_size=1, max_size=4)
EVENTS = st.builds(
    Event,
    name=st.sampled_from(["pull_request", "push", "schedule"]),
    branch=st.sampled_from([None, "main", "topic"]),
    labels=st.lists(st.sampled_from(LABEL_NAMES), max_size=3, unique=True).map(tuple),
)
BROKEN = Fallback(cause=FallbackCause.GIT_FAILED, detail="it failed")
BY_CHANGE = {ReasonCode.INPUTS_CHANGED, ReasonCode.ANY_CHANGE, ReasonCode.UNCLAIMED}


def as_changes(changes: Iterable[Change]) -> Changes:
    listed = list(changes)
    return Changes(paths=[path for path, _ in listed], kinds=[kind for _, kind in listed])


def plan_of(rules: Rules, event: Event, changes: Iterable[Change]) -> Plan:
    return decide(rules, event, as_changes(changes))


def running(plan: Plan) -> set[str]:
    return {decision.name for decision in plan.decisions if decision.runs}


def codes(plan: Plan) -> Mapping[str, ReasonCode]:
    return {decision.name: code(decision.reason) for decision in plan.decisions}


def present(rules: Rules, event: Event) -> list[Label]:
    return [label for label in rules.labels if label.name in event.labels]


def is_control(rules: Rules, changes: Sequence[Change]) -> bool:
    matcher = Matcher(rules)
    return any(matcher.verdict(path, kind).control for path, kind in changes)


def only_documentation(rules: Rules, changes: Sequence[Change]) -> list[Change]:
    """Return the changes that are documentation and decide nothing about CI itself."""
    matcher = Matcher(rules)
    verdicts = [(change, matcher.verdict(*change)) for change in changes]
    return [change for change, verdict in verdicts if verdict.documentation and not verdict.control]


@given(RULES, EVENTS, st.one_of(MAYBE_NONE, st.just(BROKEN)))
def test_every_output_is_decided_once(rules: Rules, event: Event, changes: list[Change] | Fallback) -> None:
    plan = decide(rules, event, changes if isinstance(changes, Fallback) else as_changes(changes))
    assert sorted(decision.name for decision in plan.decisions) == sorted([*SUITES, *PRODUCERS])


@given(RULES, EVENTS, SOME, SOME)
def test_more_changes_never_turn_a_run_into_a_skip(
    rules: Rules, event: Event, changes: list[Change], more: list[Change]
) -> None:
    assert running(plan_of(rules, event, changes)) <= running(plan_of(rules, event, [*changes, *more]))


@given(RULES, EVENTS, SOME, SOME)
def test_the_union_of_changes_selects_the_union(
    rules: Rules, event: Event, some: list[Change], others: list[Change]
) -> None:
    apart = running(plan_of(rules, event, some)) | running(plan_of(rules, event, others))
    assert running(plan_of(rules, event, [*some, *others])) == apart


@given(RULES, EVENTS, SOME)
def test_an_empty_diff_runs_at_most_what_says_so(rules: Rules, event: Event, changes: list[Change]) -> None:
    # The one way in which a change can turn a run into a skip.
    lost = running(plan_of(rules, event, [])) - running(plan_of(rules, event, changes))
    asking = {suite.name for suite in rules.suites if suite.empty_diff_runs}
    assert lost & set(SUITES) <= asking


@given(RULES, EVENTS, st.one_of(MAYBE_NONE, st.just(BROKEN)))
def test_a_producer_is_the_or_of_its_consumers(rules: Rules, event: Event, changes: list[Change] | Fallback) -> None:
    on = running(decide(rules, event, changes if isinstance(changes, Fallback) else as_changes(changes)))
    for producer in rules.producers:
        assert (producer.name in on) == any(consumer in on for consumer in producer.consumers)


@given(DOCUMENTED_RULES, EVENTS, DOCUMENTATION)
def test_documentation_alone_selects_no_suite_that_does_not_keep_it(
    rules: Rules, event: Event, changes: list[Change]
) -> None:
    assert only_documentation(rules, changes) == changes
    found = codes(plan_of(rules, event, changes))
    assert not {
        suite.name for suite in rules.suites if not suite.keeps_documentation and found[suite.name] in BY_CHANGE
    }


@given(DOCUMENTED_RULES, EVENTS, SOME, DOCUMENTATION)
def test_documentation_beside_other_changes_makes_no_difference_to_a_suite_that_does_not_keep_it(
    rules: Rules, event: Event, changes: list[Change], documentation: list[Change]
) -> None:
    assume(only_documentation(rules, changes) != changes)
    without, beside = codes(plan_of(rules, event, changes)), codes(plan_of(rules, event, [*changes, *documentation]))
    dropping = [suite.name for suite in rules.suites if not suite.keeps_documentation]
    assert [without[name] for name in dropping] == [beside[name] for name in dropping]


@given(RULES, EVENTS, MAYBE_NONE)
def test_a_fallback_and_a_control_file_run_the_same_and_whatever_any_change_runs(
    rules: Rules, event: Event, changes: list[Change]
) -> None:
    broken = running(decide(rules, event, BROKEN))
    control = running(plan_of(rules, event, [*changes, ("ci.yml", ChangeKind(type=ChangeType.MODIFIED))]))
    assert broken == control
    assert running(plan_of(rules, event, changes)) <= broken
    raised = {name for label in present(rules, event) for name in label.selects}
    for suite in rules.suites:
        assert (suite.name in broken) == (mode_of(rules, suite, event) is not Mode.NEVER or suite.name in raised)


@given(RULES, EVENTS, MAYBE_NONE, st.randoms(use_true_random=False))
def test_the_order_of_changes_makes_no_difference_to_outputs(
    rules: Rules, event: Event, changes: list[Change], random: Any
) -> None:
    shuffled = list(changes)
    random.shuffle(shuffled)
    before, after = plan_of(rules, event, changes), plan_of(rules, event, shuffled)
    assert codes(before) == codes(after)
    assert (before.total_changes, before.documentation_changes) == (after.total_changes, after.documentation_changes)


@given(RULES, EVENTS, MAYBE_NONE)
def test_labels_do_what_they_say_unless_everything_runs_anyway(
    rules: Rules, event: Event, changes: list[Change]
) -> None:
    assume(not is_control(rules, changes))
    on = running(plan_of(rules, event, changes))
    without = running(plan_of(rules, Event(name=event.name, branch=event.branch), changes))
    skipped = {name for label in present(rules, event) for name in label.skips}
    selected = {name for label in present(rules, event) for name in label.selects}
    if any(label.selects_everything for label in present(rules, event)):
        selected |= {suite.name for suite in rules.suites if mode_of(rules, suite, event) is not Mode.NEVER}
    assert on & set(SUITES) == ((without | selected) - skipped) & set(SUITES)


@given(RULES, EVENTS, SOME)
def test_a_suite_that_the_event_never_runs_runs_by_a_label_alone(
    rules: Rules, event: Event, changes: list[Change]
) -> None:
    plan = plan_of(rules, event, changes)
    named = {name for label in present(rules, event) for name in label.selects}
    for suite in rules.suites:
        if mode_of(rules, suite, event) is Mode.NEVER:
            assert codes(plan)[suite.name] in {ReasonCode.NEVER, ReasonCode.LABEL}
            assert suite.name in named or suite.name not in running(plan)
