"""The law of identities: selected by its inputs between two trees exactly when the identities differ."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.repository import BuiltRepository, Entry, Executable, Link, Submodule
from support.trees import EXECUTABLE, FILE, LINK, MODES, Files, changes, tree

from ci_classify.core.decision import decide
from ci_classify.core.identity import identify
from ci_classify.core.model import Changes, Event, Rules
from ci_classify.core.reasons import InputsChanged
from ci_classify.core.tree import SUBMODULE
from ci_classify.edges.git import Repository
from ci_classify.formats.rules_file import load_rules

NAMES = ("a", "b", "a.md", "src", "SRC", "x y", "é", "\udcff", "l\nf")
PATTERNS = ("a", "/a", "b/", "/src/", "/src", "*", "*.md", "/src/**/b", "**/a", "[ab]", "src/*", "?", "/x\\ y", "*/")
EVENT = Event(name="pull_request")

patterns = st.sampled_from(PATTERNS)
terms = st.builds(lambda body, sign: sign + body, patterns, st.sampled_from(["", "", "!"]))


def sets(*named: str, limited: bool = False) -> st.SearchStrategy[object]:
    """Return sets as the rules file writes them, which may refer to named sets."""
    references = [sign + name for name in named for sign in ("@", "!@")]
    term = st.one_of(terms, st.sampled_from(references)) if references else terms
    fields = {"paths": st.lists(term, min_size=1, max_size=4), "ignore-case": st.booleans()}
    types = st.lists(st.sampled_from(["added", "modified", "deleted", "type-changed"]), min_size=1, max_size=2)
    return st.fixed_dictionaries(fields, optional={"changes": types} if limited else {})


@st.composite
def rules(draw: st.DrawFn, *, limited: bool = False) -> Rules:
    """Return rules of three suites, of which the first keeps documentation."""
    named = {
        "one": draw(sets(limited=limited)),
        "two": draw(sets("one", limited=limited)),
    }
    suites = {}
    for name in ("run-keep", "run-drop", "run-other"):
        inputs = draw(sets("one", "two", limited=limited))
        assert isinstance(inputs, dict)
        inputs["paths"] = [draw(patterns), *inputs["paths"]]
        suites[name] = {"inputs": inputs, "documentation": "keep" if name == "run-keep" else "drop"}
    file = {
        "version": 1,
        "sets": named,
        "documentation": draw(sets("one", limited=limited)),
        "unclaimed": "nothing",
        "suites": suites,
        "producers": {"run-build": {"consumers": ["run-drop", "run-other"]}},
    }
    return load_rules(json.dumps(file), "rules.yaml").rules


stored = st.tuples(st.sampled_from(MODES), st.sampled_from(["1", "2", ""]))
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)


def consistent(files: Files) -> Files:
    """Return files without those that lie below another, as no tree can hold both."""
    return {
        path: entry
        for path, entry in files.items()
        if not any(path.startswith(f"{other}/") for other in files if other != path)
    }


trees = st.dictionaries(paths, stored, max_size=8).map(consistent)


@st.composite
def edited(draw: st.DrawFn) -> tuple[Files, Files]:
    """Return two trees, of which the second is the first with some paths set, deleted or moved."""
    old = draw(trees)
    new = dict(old)
    for path in draw(st.lists(st.sampled_from(sorted(old)), max_size=3)) if old else []:
        new.pop(path, None)
        if draw(st.booleans()):
            new[draw(st.one_of(st.just(path), paths))] = draw(st.one_of(st.just(old[path]), stored))
    new |= draw(st.dictionaries(paths, stored, max_size=2))
    return old, consistent(new)


def selected(rules: Rules, change: Changes) -> dict[str, bool]:
    """Return for each suite whether its inputs select it."""
    plan = decide(rules, EVENT, change)
    return {decision.name: isinstance(decision.reason, InputsChanged) for decision in plan.decisions}


def digests(rules: Rules, files: Files) -> dict[str, str]:
    return {one.name: one.digest for one in identify(rules, rules.decided, tree(files))}


@given(rules(), edited())
def test_a_suite_is_selected_by_its_inputs_exactly_when_its_identities_differ(
    rules: Rules, both: tuple[Files, Files]
) -> None:
    old, new = both
    answers = selected(rules, changes(old, new))
    before, after = digests(rules, old), digests(rules, new)
    for suite in rules.suites:
        assert answers[suite.name] == (before[suite.name] != after[suite.name]), suite.name
    either = answers["run-drop"] or answers["run-other"]
    assert either == (before["run-build"] != after["run-build"])


@given(rules(limited=True), edited())
def test_with_limits_to_types_of_change_a_selection_still_means_that_identities_differ(
    rules: Rules, both: tuple[Files, Files]
) -> None:
    old, new = both
    before, after = digests(rules, old), digests(rules, new)
    for name, is_selected in selected(rules, changes(old, new)).items():
        assert not is_selected or before[name] != after[name], name


# -- what makes an identity ---------------------------------------------------------------------------

RULES = """\
version: 1
documentation: ["*.md"]
sets:
  common: [/common/]
  unused: [/unused/]
suites:
  run-a: {inputs: [/a/, "@common"]}
  run-b: {inputs: [/b/], documentation: keep}
  run-none: {events: {push: always}}
producers:
  run-build: {consumers: [run-a]}
  run-all: {consumers: [run-build, run-b]}
"""
FILES: Files = {
    "a/x": (FILE, "1"),
    "a/README.md": (FILE, "1"),
    "b/x": (FILE, "1"),
    "b/README.md": (FILE, "1"),
    "common/x": (FILE, "1"),
    "vendor/lib": (SUBMODULE, "1"),
}


def identities(text: str = RULES, files: Files = FILES) -> dict[str, str]:
    return digests(load_rules(text, "rules.yaml").rules, files)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        pytest.param("[/a/, ", '[/a/, "!/a/y", ', {"run-a", "run-build", "run-all"}, id="a term that matches nothing"),
        pytest.param(
            '[/a/, "@common"]', '["@common", /a/]', {"run-a", "run-build", "run-all"}, id="the order of terms"
        ),
        pytest.param("common: [/common/]", "common: [/common]", {"run-a", "run-build", "run-all"}, id="a set it names"),
        pytest.param('["*.md"]', '["*.rst"]', {"run-a", "run-build", "run-all"}, id="documentation, where dropped"),
        pytest.param(", documentation: keep", "", {"run-b", "run-all"}, id="documentation dropped instead of kept"),
        pytest.param(
            '{inputs: [/a/, "@common"]}',
            '{inputs: {paths: [/a/, "@common"], ignore-case: true}}',
            {"run-a", "run-build", "run-all"},
            id="letter case",
        ),
        pytest.param("unused: [/unused/]", "unused: [/other/]", set(), id="not a set that it does not name"),
        pytest.param("{inputs: [/b/]", "{title: B, events: {push: always}, inputs: [/b/]", set(), id="not the mode"),
        pytest.param("sets:\n", "# a remark\n\nsets:\n", set(), id="not a remark"),
        pytest.param("[run-build, run-b]", "[run-build]", {"run-all"}, id="the consumers of a producer"),
    ],
)
def test_an_edit_of_the_rules_changes_the_identities_of_what_reads_them(old: str, new: str, changed: set[str]) -> None:
    assert old in RULES
    before, after = identities(), identities(RULES.replace(old, new, 1))
    assert {name for name in before if before[name] != after[name]} == changed


@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        pytest.param({"a/x": (FILE, "2")}, {"run-a", "run-build", "run-all"}, id="content"),
        pytest.param({"a/x": (EXECUTABLE, "1")}, {"run-a", "run-build", "run-all"}, id="the executable bit"),
        pytest.param({"a/x": (LINK, "1")}, {"run-a", "run-build", "run-all"}, id="a link with the same text"),
        pytest.param({"a/z": (FILE, "")}, {"run-a", "run-build", "run-all"}, id="an empty file added"),
        pytest.param({"a/README.md": (FILE, "2")}, set(), id="not documentation, where dropped"),
        pytest.param({"b/README.md": (FILE, "2")}, {"run-b", "run-all"}, id="documentation, where kept"),
        pytest.param({"vendor/lib": (SUBMODULE, "2")}, set(), id="not what no suite reads"),
    ],
)
def test_an_edit_of_a_tree_changes_the_identities_of_what_reads_it(edit: Files, changed: set[str]) -> None:
    before, after = identities(), identities(files={**FILES, **edit})
    assert {name for name in before if before[name] != after[name]} == changed


def test_b091_a_change_of_an_input_or_of_the_rules_changes_the_identity_and_a_readme_does_not() -> None:
    text = "version: 1\nsuites: {fx: {inputs: [fixtures/**, /tools/gen.py]}}\n"
    files: Files = {"fixtures/a": (FILE, "1"), "tools/gen.py": (FILE, "1"), "README.md": (FILE, "1")}
    before = identities(text, files)
    assert identities(text, {**files, "tools/gen.py": (FILE, "2")}) != before
    assert identities(text.replace("/tools/", "/tool*/"), files) != before
    assert identities(text, {**files, "README.md": (FILE, "2")}) == before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"src/a.c": "1", "src/b.c": "2"}, {"src/a.c": "2", "src/b.c": "1"}),
        ({"src/a.c": "1"}, {"src/c.c": "1"}),
        ({"ab": "c"}, {"a": "bc"}),
        ({"a": "b", "c": ""}, {"a": "", "c": "b"}),
        ({"a\nb": "x"}, {"a": "b\nx"}),
        ({"a": "1", "b": "2"}, {"a\t100644 blob": "1", "b": "2"}),
    ],
    ids=["B093 swapped", "B093 moved", "B094 boundary", "B094 empty", "B094 line feed", "tab"],
)
def test_no_two_trees_are_taken_for_one(one: dict[str, str], other: dict[str, str]) -> None:
    text = "version: 1\nsuites: {run-a: {inputs: ['**']}}\n"
    first, second = (identities(text, {p: (FILE, c) for p, c in files.items()}) for files in (one, other))
    assert first != second


# -- the same, asked of git ---------------------------------------------------------------------------


def entry(stored: tuple[str, str], length: int) -> Entry:
    mode, content = stored
    match mode:
        case "160000":
            return Submodule(commit=content.ljust(length, "1"))
        case "120000":
            return Link(target=content or "x")
        case "100755":
            return Executable(content=content)
        case _:
            return content


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"a.md": (SUBMODULE, "1")}, {"a.md": (FILE, "1")}),
        ({"a.md": (FILE, "1")}, {"a.md/b": (FILE, "1")}),
        ({"src": (FILE, "1"), "b": (FILE, "1")}, {"src": (SUBMODULE, "1"), "b": (EXECUTABLE, "1")}),
        ({"l\nf": (FILE, "1"), "\udcff/é": (LINK, "1")}, {"l\nf": (LINK, "1"), "\udcff/é": (LINK, "2")}),
        ({"src/a": (FILE, "1")}, {}),
        ({"src/b": (FILE, "1")}, {"src/b": (FILE, "1")}),
    ],
)
@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_the_law_holds_for_what_git_says(tmp_path: Path, object_format: str, old: Files, new: Files) -> None:
    built = BuiltRepository(tmp_path / "repository", object_format=object_format)
    length = 40 if object_format == "sha1" else 64
    contents = [{path: entry(stored, length) for path, stored in files.items()} for files in (old, new)]
    base = built.commit({**contents[0], "kept": "1"})
    head = built.commit({**dict.fromkeys(set(old) - set(new)), **contents[1]}, base)
    repository = Repository(built.directory)
    text = """\
version: 1
documentation: ["*.md/", "!/a.md"]
suites:
  run-keep: {inputs: [/src, "*.md"], documentation: keep}
  run-drop: {inputs: ["*.md/", /src/, "**/é"]}
  run-file: {inputs: ["*", "!*/", "!/kept"]}
"""
    loaded = load_rules(text, "rules.yaml").rules
    before, after = (
        {one.name: one.digest for one in identify(loaded, loaded.decided, repository.tree(c))} for c in (base, head)
    )
    for name, is_selected in selected(loaded, repository.changes([base], head)).items():
        assert is_selected == (before[name] != after[name]), name
