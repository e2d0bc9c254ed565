"""The automaton gives the answers of the slow way: each term of each set by itself, each pattern by one expression."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from ci_classify.core.automaton import masks_of
from ci_classify.core.errors import InvalidFileError
from ci_classify.core.matching import Matcher
from ci_classify.core.model import MODIFIED, ChangeKind, Changes, ChangeType, PathSet, Pattern, Rules, Suite
from ci_classify.core.set_evaluator import SetEvaluator
from ci_classify.formats.rules_file import load_rules

KINDS = [
    ChangeKind(type=change, old_is_submodule=old, new_is_submodule=new)
    for change in ChangeType
    for old in (False, True)
    for new in (False, True)
]
NAMES = st.sampled_from(["a", "b", "A", "ab", "a.md", "B.MD", "é", "\udce9", "x\ny"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PATTERNS = st.sampled_from(
    [
        "a",
        "/a",
        "a/",
        "/a/",
        "/a/b",
        "a/*",
        "a/**",
        "**/b",
        "a/**/b",
        "*.md",
        "/*.md",
        "*",
        "/*/b",
        "[ab]",
        "/a*",
        "?",
        "??",
        "é",
        "/ab/",
        "*b/",
        "**",
        "**/",
        "/**/ab",
        "a/b/",
        "\\a",
        "*\\.*",
        "/A",
        "/B.MD",
        "*.a.md",
        "?.md",
        "*d.md",
        "/a/*d",
        "a.*",
        ".md",
        "b*.md",
    ]
)
# Many names in few directories: what a directory's paths share is seen once.
CROWDED = st.lists(
    st.tuples(
        st.sampled_from(["", "a/", "a.md/", "b/x.a/", "\udce9/", "é/"]),
        st.lists(st.text("aAbd.mMD\né\udce9", min_size=1, max_size=6), min_size=1, max_size=12),
    ),
    max_size=6,
).map(lambda crowds: [f"{directory}{name}" for directory, names in crowds for name in names])
SET_NAMES = ("one", "two", "three")


def sets(references: Sequence[str]) -> st.SearchStrategy[object]:
    """Return sets as a rules file writes them, with references to these names."""
    choices = [PATTERNS, *([st.sampled_from(references).map(lambda name: f"@{name}")] if references else [])]
    term = st.builds(lambda sign, body: sign + body, st.sampled_from(["", "", "!"]), st.one_of(choices))
    terms = st.lists(term, min_size=1, max_size=5)
    changes = st.lists(st.sampled_from(list(ChangeType)), min_size=1, max_size=3, unique=True)
    limited = st.fixed_dictionaries({"paths": terms}, optional={"ignore-case": st.booleans(), "changes": changes})
    return st.one_of(terms, limited)


RULES = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "sets": st.fixed_dictionaries({name: sets(SET_NAMES[:number]) for number, name in enumerate(SET_NAMES)}),
        "suites": st.dictionaries(
            st.sampled_from(["s1", "s2", "s3"]),
            st.fixed_dictionaries(
                {"inputs": sets(SET_NAMES)}, optional={"documentation": st.sampled_from(["keep", "drop"])}
            ),
            min_size=1,
        ),
    },
    optional={name: sets(SET_NAMES) for name in ("documentation", "unaffecting", "control")},
)


def slow_match(pattern: str, path: str, *, as_directory: bool, ignore_case: bool) -> bool:
    """Match one pattern by one regular expression over the bytes of a whole path, and of each of its parents."""
    raw = path.encode("utf-8", "surrogateescape")
    directory_only = pattern.endswith("/")
    body = pattern.rstrip("/")
    anchored = "/" in body
    expression = "" if anchored else "(?:.*/)?"
    segments = body.removeprefix("/").split("/")
    for number, segment in enumerate(segments):
        last = number == len(segments) - 1
        if segment == "**":
            expression += ".+" if last else "(?:.*/)?"
            continue
        for token in re.findall(r"\\.|\[[^]]*\]|.", segment):
            kinds = {"*": "[^/]*", "?": "[^/]"}
            expression += kinds.get(token) or (token if token[0] == "[" else re.escape(token[-1]))
        expression += "" if last else "/"
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    compiled = re.compile(expression.encode("utf-8"), flags)
    parents = [raw[:place] for place, byte in enumerate(raw) if byte == ord("/")]
    directories = [*parents, raw] if as_directory else parents
    found = any(compiled.fullmatch(directory) for directory in directories)
    return found or (not as_directory and not directory_only and compiled.fullmatch(raw) is not None)


def slow_contains(rules: Rules, path_set: PathSet, path: str, change: ChangeType, *, as_directory: bool) -> bool:
    """Evaluate a set term by term."""
    if path_set.changes is not None and change not in path_set.changes:
        return False
    contained = False
    for term in path_set.terms:
        if isinstance(term.matches, Pattern):
            hit = slow_match(term.matches.text, path, as_directory=as_directory, ignore_case=path_set.ignore_case)
        else:
            hit = slow_contains(rules, rules.sets[term.matches.name], path, change, as_directory=as_directory)
        if hit:
            contained = term.positive
    return contained


@given(RULES, st.lists(st.tuples(PATHS, st.sampled_from(KINDS)), max_size=12))
def test_verdicts_are_those_of_the_slow_way(
    document: Mapping[str, object], changed: list[tuple[str, ChangeKind]]
) -> None:
    try:
        rules = load_rules(json.dumps(document), "rules.yaml").rules
    except InvalidFileError:  # a suite that can contain nothing
        return
    matcher = Matcher(rules)
    for path, kind in changed:
        verdict = matcher.verdict(path, kind)
        answers = partial(slow_answers, rules, path, kind)
        assert bool(verdict.control) == any(answers(rules.control))
        assert bool(verdict.documentation) == all(answers(rules.documentation))
        assert bool(verdict.unaffecting) == all(answers(rules.unaffecting))
        documentation = answers(rules.documentation)
        inputs = {
            number
            for number, suite in enumerate(rules.suites)
            if suite.inputs and any(seen_in_inputs(suite, answers(suite.inputs), documentation))
        }
        assert {number for number, _ in verdict.inputs} == inputs


def seen_in_inputs(suite: Suite, inputs: Sequence[bool], documentation: Sequence[bool]) -> Iterator[bool]:
    """Yield whether a suite has a change in its inputs, by sides; where there are two, the one that it sees counts."""
    for contained, is_documentation in zip(inputs, documentation, strict=True):
        yield contained and (len(inputs) == 1 or suite.keeps_documentation or not is_documentation)


def slow_answers(rules: Rules, path: str, kind: ChangeKind, path_set: PathSet) -> list[bool]:
    """Return whether a set contains a path, for each side on which it exists, if they differ in being a submodule."""
    match kind.type:
        case ChangeType.ADDED:
            sides = [kind.new_is_submodule]
        case ChangeType.DELETED:
            sides = [kind.old_is_submodule]
        case _:
            sides = sorted({kind.old_is_submodule, kind.new_is_submodule})
    return [slow_contains(rules, path_set, path, kind.type, as_directory=side) for side in sides]


@given(RULES, st.sets(PATHS, max_size=30))
def test_what_is_seen_of_a_tree_in_ranges_is_what_is_seen_of_each_path(
    document: Mapping[str, object], found: set[str]
) -> None:
    try:
        rules = load_rules(json.dumps(document), "rules.yaml").rules
    except InvalidFileError:
        return
    files = (path for path in found if not any(other.startswith(f"{path}/") for other in found))
    paths = sorted(files, key=lambda path: path.encode("utf-8", "surrogateescape"))
    evaluator = SetEvaluator(rules, [suite.inputs for suite in rules.suites if suite.inputs])
    seen = [look for look, start, end in evaluator.automaton.runs(paths) for _ in range(start, end)]
    assert [masks_of(look) for look in seen] == [evaluator.automaton.masks(path) for path in paths]


@given(RULES, st.lists(st.tuples(PATHS, st.sampled_from(KINDS)), max_size=30))
def test_groups_hold_each_change_once(document: Mapping[str, object], changed: list[tuple[str, ChangeKind]]) -> None:
    try:
        rules = load_rules(json.dumps(document), "rules.yaml").rules
    except InvalidFileError:
        return
    hold_each_change_once(Matcher(rules), changed)


@given(RULES, CROWDED, st.data())
def test_groups_hold_each_change_of_crowded_directories_once(
    document: Mapping[str, object], paths: list[str], data: st.DataObject
) -> None:
    try:
        rules = load_rules(json.dumps(document), "rules.yaml").rules
    except InvalidFileError:
        return
    kinds = data.draw(
        st.one_of(st.just([MODIFIED] * len(paths)), st.lists(st.sampled_from(KINDS), min_size=len(paths)))
    )
    hold_each_change_once(Matcher(rules), list(zip(paths, kinds, strict=False)))


def hold_each_change_once(matcher: Matcher, changed: Sequence[tuple[str, ChangeKind]]) -> None:
    changes = Changes(paths=[path for path, _ in changed], kinds=[kind for _, kind in changed])
    groups = matcher.group(changes)
    assert sum(group.count for group in groups.values()) == len(changed)
    for verdict, group in groups.items():
        places = [place for place, change in enumerate(changed) if matcher.verdict(*change) is verdict]
        assert group.first == places[:3]
        assert group.count == len(places)


def test_directories_of_which_one_has_the_bytes_of_the_others_letters_are_told_apart() -> None:
    tree = {"version": 1, "documentation": ["/é/"], "suites": {"all": {"inputs": ["/src/"]}}}
    matcher = Matcher(load_rules(json.dumps(tree), "rules.yaml").rules)
    paths = ["\udce9/a", "é/a", "Ã©/a"]
    groups = matcher.group(Changes(paths=paths, kinds=[MODIFIED] * 3))
    assert {bool(verdict.documentation): group.first for verdict, group in groups.items()} == {False: [0, 2], True: [1]}


def test_sets_that_name_each_other_often_are_looked_at_once() -> None:
    # Written out, the last set would hold 4 ** 23 terms.
    named = {"s0": ["/a/"]} | {
        f"s{i}": [f"@s{i - 1}", f"!@s{i - 1}", f"!@s{i - 1}", f"@s{i - 1}"] for i in range(1, 24)
    }
    tree = {"version": 1, "sets": named, "suites": {"deep": {"inputs": ["@s23"]}, "not": {"inputs": ["*", "!@s23"]}}}
    matcher = Matcher(load_rules(json.dumps(tree), "rules.yaml").rules)
    assert [number for number, _ in matcher.verdict("a/x", KINDS[0]).inputs] == [0]
    assert [number for number, _ in matcher.verdict("b/x", KINDS[0]).inputs] == [1]
