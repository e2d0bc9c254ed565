"""A malformed rules file gives all its mistakes at once, each with its place, what is wrong and what to write.

The files stand in ``cases``: what is wrong in ``NAME.yaml`` is complained about as ``NAME.out`` says, line by line.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_classify.core.errors import InvalidFileError, Problem
from ci_classify.formats.declared_names import MAX_OUTPUTS
from ci_classify.formats.nodes import MAX_BYTES
from ci_classify.formats.rules_file import LoadedRules, load_rules

CASES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))
READABLE = [path for path in CASES if not path.name.startswith("yaml-")]
MAKES_THE_PURE_SCANNER_READ = (
    b"\n# \\u\n"  # the C scanner does not know all escapes, so that nothing with one is given to it
)
SUITES = "suites: {run-a: {inputs: [/a]}}\n"


def complaints(content: str | bytes) -> tuple[Problem, ...]:
    """Return what a person is told about a rules file, warnings included."""
    try:
        return load_rules(content, "rules.yaml").warnings
    except InvalidFileError as error:
        return error.problems


def name_of(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_each_mistake_is_told_once_with_its_place_and_what_to_write(case: Path) -> None:
    assert [str(problem) for problem in complaints(case.read_bytes())] == expected(case)


@pytest.mark.parametrize("case", READABLE, ids=name_of)
def test_both_scanners_of_yaml_give_the_same_places(case: Path) -> None:
    told = complaints(case.read_bytes() + MAKES_THE_PURE_SCANNER_READ)
    assert [str(problem) for problem in told] == expected(case)


def expected(case: Path) -> list[str]:
    return case.with_suffix(".out").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", ["patterns-refused", "types-of-terms", "yaml-tab", "names"])
def test_the_command_prints_complaints_as_they_are(name: str) -> None:
    case = Path(__file__).parent / "cases" / f"{name}.yaml"
    command = [sys.executable, "-m", "ci_classify", "test", "--rules", str(case)]
    ran = subprocess.run(command, capture_output=True, check=False, encoding="utf-8")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert [line.partition(".yaml:")[2] for line in ran.stderr.splitlines()] == [
        line.removeprefix("rules.yaml:") for line in expected(case)
    ]


def nested_aliases(levels: int, *, per_level: int) -> str:
    """Return sets of which each repeats the one before, so often."""
    lines = [f"  a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * per_level)}]\n" for i in range(1, levels + 1)]
    return f"version: 1\nsets:\n  a0: &a0 [/x]\n{''.join(lines)}{SUITES}"


def numbered(count: int, form: str) -> str:
    return "".join(form.format(i, i - 1) for i in range(1, count + 1))


TOO_MUCH = {
    "thirty levels of aliases": (
        nested_aliases(30, per_level=2),
        "rules.yaml:19:14: error: more than 200,000 nodes, aliases counted in full; write fewer, or use sets",
    ),
    "a thousand levels of aliases": (
        nested_aliases(1000, per_level=1),
        "rules.yaml:632:16: error: more than 200,000 nodes, aliases counted in full; write fewer, or use sets",
    ),
    "brackets": ("[" * 100_000, "rules.yaml:1:25: error: nested deeper than 24 levels; flatten it"),
    "brackets for the pure scanner": (
        "[" * 100_000 + "\\u",
        "rules.yaml:1:25: error: nested deeper than 24 levels; flatten it",
    ),
    "braces": ("{a: " * 5000, "rules.yaml:1:97: error: nested deeper than 24 levels; flatten it"),
    "bytes": ("#" * (MAX_BYTES + 1), "rules.yaml:1:1: error: the file is larger than 4 MiB; write fewer rules"),
    "items": (
        "version: 1\nunaffecting: [" + "/a, " * 200_000 + "]\n",
        "rules.yaml:2:799995: error: more than 200,000 nodes, aliases counted in full; write fewer, or use sets",
    ),
    "outputs": (
        "version: 1\nsuites:\n" + numbered(MAX_OUTPUTS + 1, "  s{}: {{inputs: [/a]}}\n"),
        "rules.yaml:503:3: error: more than 500 outputs; make one suite of those that run together",
    ),
    "sets in a row": (
        "version: 1\nsets:\n  s0: [/a]\n" + numbered(1000, '  s{}: ["@s{}"]\n') + SUITES,
        "rules.yaml:27:3: error: s24 refers to sets more than 24 levels deep; write some of them out",
    ),
    "sets in a circle": (
        "version: 1\nsets:\n  s0: ['@s1000']\n" + numbered(1000, '  s{}: ["@s{}"]\n') + SUITES,
        (
            "rules.yaml:3:3: error: the set contains itself: s0 -> s1000 -> s999 -> s998 -> ... -> s1 -> s0; "
            "take one @ out of the circle"
        ),
    ),
}


@pytest.mark.parametrize(("text", "complaint"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_too_much_is_refused_where_it_becomes_too_much(text: str, complaint: str) -> None:
    assert [str(problem) for problem in complaints(text)] == [complaint]


def test_thousands_of_mistakes_are_all_told() -> None:
    suites = numbered(400, "  s{0}: {{inptus: [/a{0}], evnets: {{push: nver}}, title: {0}}}\n")
    labels = numbered(2000, "  l{0}: {{selects: [s{0}x]}}\n")
    assert len(complaints(f"version: 1\nsuites:\n{suites}labels:\n{labels}")) == 400 * 4 + 2000


VALID = """\
version: 1
sets:
  pin: [/openvmm, /rust-toolchain.toml]
  guest: {paths: [/guest/, "!/guest/ubuntu/", '\\!a'], ignore-case: true, changes: [added, type-changed]}
documentation: {paths: [/doc/, "*.md"], ignore-case: true}
unaffecting: [/.gitignore]
unclaimed: [run-a]
control: [/.github/workflows/ci.yml]
empty-diff: skip
events: {merge_group: always, "push release/*": any-change}
labels:
  "ci: full": {selects: everything}
  "ci: less": {skips: [run-a], selects: [run-b]}
suites:
  run-a: &a
    title: A "suite"
    inputs: ["@pin", "@guest", /a/, "!/a/b/"]
    events: {push: any-change}
    empty-diff: run
    documentation: keep
  run-b: {inputs: ["*", '!@guest'], internal: true}
  "run-c": {events: {"*": always}}
producers:
  run-p: {title: P, consumers: [run-a, run-q]}
  run-q: {consumers: [run-b]}
examples:
  - {name: one, changed: [a/x, {path: openvmm, change: deleted}], selects: [run-a, run-p], labels: ["ci: full"]}
  - {name: two, event: push, branch: main, changed: [], expect: {run-a: true}, why: because}
"""
SNIPPETS = [
    "",
    " ",
    "\n",
    "\t",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "!",
    "!!str ",
    "@",
    "'",
    '"',
    "#",
    ": ",
    "- ",
    "|",
    ">",
    "%",
]
SNIPPETS += [
    "---\n",
    "<<: *a",
    "\0",
    "\x85",
    "\u2028",
    "é",
    "\\ud83d",
    "\\U00110000",
    "~",
    "1.0",
    "yes",
    "? ",
    ",",
    "`",
    "\\",
    "==",
]


@given(st.data())
def test_a_file_with_any_damage_is_loaded_or_complained_about(data: st.DataObject) -> None:
    text = VALID
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 12))
        text = text[:at] + data.draw(st.sampled_from(SNIPPETS)) + text[at + gone :]
    check_told(text.encode(), complaints(text))


@given(st.binary(max_size=60))
def test_any_bytes_are_loaded_or_complained_about(content: bytes) -> None:
    check_told(content, complaints(content))


def check_told(content: bytes, told: tuple[Problem, ...]) -> None:
    """Check that complaints can be shown and that their places are in the file."""
    lines = (
        content.count(b"\n") + content.count(b"\r") + content.count("\x85".encode()) + content.count("\u2028".encode())
    )
    for problem in told:
        assert 1 <= problem.line <= lines + 1
        assert 1 <= problem.column <= len(content) + 1
        assert str(problem).isprintable()
        assert problem.message
        assert problem.help
    assert len({(problem.line, problem.column, problem.message) for problem in told}) == len(told)


def loaded(text: str | bytes) -> LoadedRules:
    return load_rules(text, "rules.yaml")


ESCAPES = {
    "a character written as two surrogates": (r'"/\ud83d\ude00"', "/\U0001f600"),
    "a byte that is no UTF-8, as surrogateescape writes it": (r'"/\udce9"', "/\udce9"),
    "both": (r'"/\udce9\ud83d\ude00\udc80"', "/\udce9\U0001f600\udc80"),
    "the character itself": ('"/\U0001f600"', "/\U0001f600"),
    "a backslash in single quotes": (r"'/\*'", "/\\*"),
    "a backslash without quotes": (r"/\*", "/\\*"),
    "a number in quotes": ('"010"', "010"),
    "a date in quotes": ("'2024-01-01'", "2024-01-01"),
}


@pytest.mark.parametrize(("written", "meant"), ESCAPES.values(), ids=ESCAPES)
def test_a_pattern_is_the_text_that_json_and_yaml_mean(written: str, meant: str) -> None:
    rules = loaded(f"version: 1\nsuites: {{run-a: {{inputs: [{written}]}}}}\n").rules
    inputs = rules.suites[0].inputs
    assert inputs is not None
    assert [term.text for term in inputs.terms] == [meant]
