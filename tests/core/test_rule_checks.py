"""Findings about rules: what they say about a term holds for every path."""

from hypothesis import given
from hypothesis import strategies as st

from ci_classify.core.findings import Code, Severity
from ci_classify.core.model import PathSet, Rules
from ci_classify.core.rule_checks import check_rules
from ci_classify.core.set_evaluator import SetEvaluator
from ci_classify.core.survey import Tracked
from ci_classify.core.unclaimed import directories
from ci_classify.formats.rules_file import load_rules

names = st.sampled_from(["a", "b", "c"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
terms = st.builds(
    lambda sign, pattern: sign + pattern,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["/a", "/a/", "/a/b", "/a/*", "b", "**/c", "*", "/c/", "/b/a", "@named", "@narrow"]),
)
trees = st.lists(paths, unique=True, max_size=8)


def rules_of(listed: list[str]) -> Rules:
    text = ", ".join(f'"{term}"' for term in ["/first", *listed])
    sets = 'sets: {named: [/a/], narrow: [/a/, "!/a/b"]}\n'
    return load_rules(f"version: 1\n{sets}suites: {{run-x: {{inputs: [{text}]}}}}\n", "rules.yaml").rules


def contains(rules: Rules, inputs: PathSet, path: str) -> bool:
    evaluator = SetEvaluator(rules, [inputs])
    return 0 in evaluator.containing(evaluator.automaton.masks(path)[0], None)


@given(st.lists(terms, min_size=1, max_size=5), trees, st.lists(paths, max_size=5))
def test_a_term_that_is_called_pointless_can_go(listed: list[str], tree: list[str], others: list[str]) -> None:
    rules = rules_of(listed)
    inputs = rules.suites[0].inputs
    assert inputs is not None
    for finding in check_rules(rules, Tracked(paths=tree)):
        if finding.code is not Code.TERM_IS_POINTLESS or finding.position[0] != inputs.terms[0].line:
            continue
        kept = tuple(term for term in inputs.terms if term.matches.column != finding.position[1])
        without = PathSet(terms=kept)
        for path in [*tree, *(others if finding.severity is Severity.WARNING else [])]:
            assert contains(rules, inputs, path) is contains(rules, without, path)


@given(st.lists(terms, min_size=1, max_size=6), trees, st.lists(paths, max_size=6))
def test_all_terms_that_are_called_pointless_can_go_together(
    listed: list[str], tree: list[str], others: list[str]
) -> None:
    rules = rules_of(listed)
    inputs = rules.suites[0].inputs
    assert inputs is not None
    found = [f for f in check_rules(rules, Tracked(paths=tree)) if f.code is Code.TERM_IS_POINTLESS]
    for told, asked in ((found, tree), ([f for f in found if f.severity is Severity.WARNING], [*tree, *others])):
        gone = {finding.position for finding in told}
        kept = PathSet(terms=tuple(term for term in inputs.terms if (term.line, term.matches.column) not in gone))
        assert [path for path in asked if contains(rules, inputs, path) != contains(rules, kept, path)] == []


@given(trees)
def test_a_term_that_matches_nothing_is_told_exactly_then(tree: list[str]) -> None:
    rules = rules_of(["/a/b", "!/c"])
    found = {
        f.message.split()[0] for f in check_rules(rules, Tracked(paths=tree)) if f.code is Code.TERM_MATCHES_NOTHING
    }
    patterns = {"/a/b": ("a/b",), "!/c": ("c",), "/first": ("first",)}
    unmatched = {
        term
        for term, prefixes in patterns.items()
        if not any(path == p or path.startswith(f"{p}/") for p in prefixes for path in tree)
    }
    assert found >= unmatched
    assert found - unmatched <= {"/a/", "!/a/b"}  # those of the named sets


@given(st.dictionaries(paths, st.booleans(), max_size=12))
def test_groups_of_directories_hold_every_marked_path_once(marked: dict[str, bool]) -> None:
    groups = directories(list(marked), list(marked.values()))
    assert sum(group.count for group in groups) == sum(marked.values())
    for group in groups:
        below = [path for path in marked if path.startswith(f"{group.directory}/") or not group.directory]
        assert group.whole is False or (all(marked[path] for path in below) and len(below) == group.count)
