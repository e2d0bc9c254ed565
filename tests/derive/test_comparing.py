"""Rules beside what jobs read: what counts as contained, and what is told of the rest."""

import pytest
from support.drift import WORKFLOW, checkout, drift

WORKFLOW_TEXT = """\
on: {{pull_request: }}
jobs:
  changes:
    runs-on: x
    outputs:
      a: ${{{{ steps.s.outputs.a }}}}
      b: ${{{{ steps.s.outputs.b }}}}
    steps: [{{id: s, uses: "o/r@0123456789abcdef0123456789abcdef01234567"}}]
  one:
    needs: changes
    if: needs.changes.outputs.a == 'true'
    runs-on: x
    steps:
      - run: {one}
  two:
    needs: [changes, one]
    if: always() && {condition}
    runs-on: x
    steps:
      - run: {two}
"""
FILES = {"src/a": "", "src/b": "", "doc/x.md": "", "README.md": "", "free": ""}


def workflow(one: str, two: str = "echo", condition: str = "needs.changes.outputs.b == 'true'") -> str:
    return WORKFLOW_TEXT.format(one=one, two=two, condition=condition)


def findings(rules: str, text: str, files: dict[str, str] | None = None) -> list[str]:
    report = drift(rules, checkout({**FILES, **(files or {}), WORKFLOW: text}))
    return [f"{one.code} {one.suite} {one.path}" for one in report.findings]


def rules(a: str, b: str = "{inputs: [/free]}", more: str = "") -> str:
    return f"version: 1\ncontrol: [/.github/workflows/]\n{more}suites:\n  a: {a}\n  b: {b}\n"


def test_a_directory_means_every_tracked_file_below_it() -> None:
    assert findings(rules("{inputs: [/src/a]}"), workflow("lint src")) == [
        "input-missing a src/b",
        "input-missing b src/a",
        "input-missing b src/b",
    ]


def test_control_files_and_the_rules_count_as_contained() -> None:
    text = workflow(f"cat rules.yaml {WORKFLOW} free")
    assert findings(rules("{inputs: [/free]}"), text, {"rules.yaml": ""}) == []


def test_the_workflow_itself_is_read() -> None:
    assert findings("version: 1\nsuites: {a: {inputs: [/x]}, b: {inputs: ['*']}}\n", workflow("echo")) == [
        f"input-missing a {WORKFLOW}"
    ]


DOCUMENTED = rules("{inputs: ['*']}", "{inputs: ['*']}", 'documentation: ["*.md"]\n')


@pytest.mark.parametrize(
    ("text", "rules_text", "expected"),
    [
        ("lint doc", DOCUMENTED, []),
        ("cat README.md", DOCUMENTED, ["input-is-documentation a README.md", "input-is-documentation b README.md"]),
        ("cat *.md", DOCUMENTED, []),
        ("cat README.md", rules("{inputs: ['*'], documentation: keep}", "{inputs: ['*'], documentation: keep}"), []),
    ],
    ids=["in a directory", "by its name", "by a pattern", "a suite that keeps it"],
)
def test_documentation_is_missed_only_where_it_is_named(text: str, rules_text: str, expected: list[str]) -> None:
    assert findings(rules_text, workflow(text)) == expected


def test_a_job_of_two_suites_needs_its_inputs_in_one_of_them() -> None:
    either = "(needs.changes.outputs.a == 'true' || needs.changes.outputs.b == 'true')"
    text = workflow("echo", "cat src/a src/b", either).replace("needs: [changes, one]", "needs: changes")
    assert findings(rules("{inputs: [/src/a]}", "{inputs: [/src/b]}"), text) == []
    assert findings(rules("{inputs: [/src/a]}", "{inputs: [/free]}"), text) == ["input-missing a or b src/b"]


def test_a_suite_without_inputs_is_not_compared() -> None:
    by_mode = "{events: {'*': always}}"
    assert findings(rules(by_mode, by_mode), workflow("cat src/a")) == []


def test_limits_to_types_of_change_are_not_looked_at() -> None:
    only_added = "{inputs: {paths: [/src/], changes: [added]}}"
    assert findings(rules(only_added, only_added), workflow("cat src/a")) == []


ANSWERED = rules("{inputs: [/src/a]}", "{inputs: [/src/]}") + "drift:\n"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("  a: {ignore: [{path: /src/b, because: x}]}\n", []),
        ("  one: {ignore: [{path: /src/b, because: x}]}\n", []),
        ("  b: {ignore: [{path: /src/b, because: x}]}\n", ["ignore-hides-nothing b /src/b", "input-missing a src/b"]),
        (
            "  two: {ignore: [{path: /src/, because: x}]}\n",
            ["ignore-hides-nothing None /src/", "input-missing a src/b"],
        ),
        ("  a: {ignore: [{path: /src/b, because: x}, {path: /free, because: x}]}\n", ["ignore-hides-nothing a /free"]),
        ("  a: {also-reads: [/free], ignore: [{path: /src/b, because: x}]}\n", ["input-missing a free"]),
        (
            "  one: {also-reads: ['/fr*', '/none'], ignore: [{path: /src/b, because: x}]}\n",
            ["also-reads-nothing None /none", "input-missing a free", "input-missing b free"],
        ),
        ("  a: {ignore: [{path: '@set', because: x}]}\nsets: {set: [/src/]}\n", []),
    ],
    ids=[
        "ignored for the suite",
        "ignored for the job",
        "ignored for another suite",
        "ignored for another job",
        "one line too many",
        "an addition for the suite",
        "an addition for the job",
        "by a set",
    ],
)
def test_the_rules_can_answer(answer: str, expected: list[str]) -> None:
    assert sorted(findings(ANSWERED + answer, workflow("cat src/a src/b"))) == expected


def test_an_ignore_takes_the_text_of_a_pattern_that_matches_nothing() -> None:
    text = workflow("echo ${{ hashFiles('**/gen.lock') }}")
    answer = "drift: {one: {ignore: [{path: '**/gen.lock', because: a step makes it}]}}\n"
    assert findings(rules("{inputs: [/src/]}"), text) == ["hash-of-nothing a **/gen.lock"]
    assert findings(rules("{inputs: [/src/]}") + answer, text) == []


def test_what_only_a_run_knows_is_listed_for_every_job_that_a_suite_uses() -> None:
    report = drift(rules("{inputs: ['*']}"), checkout({**FILES, WORKFLOW: workflow('bash "$X"')}))
    assert [(one.job, one.line) for one in report.unresolved] == [("one", 14)]


def test_a_suite_that_nothing_selects_is_told() -> None:
    text = workflow("echo", condition="needs.changes.outputs.a == 'true'")
    report = drift(rules("{inputs: ['*']}"), checkout({**FILES, WORKFLOW: text}))
    assert [(one.job, one.file, one.line) for one in report.unresolved] == [("", "rules.yaml", 5)]


def test_steps_that_an_output_selects_are_told() -> None:
    text = workflow("echo").replace(
        "      - run: echo", "      - if: needs.changes.outputs.b == 'true'\n        run: echo", 1
    )
    report = drift(rules("{inputs: ['*']}", "{inputs: ['*']}"), checkout({**FILES, WORKFLOW: text}))
    assert [(one.job, "a step is selected by b" in one.why) for one in report.unresolved] == [("one", True)]


def test_what_is_claimed_and_not_read_is_told_by_directory() -> None:
    files = {**FILES, "src/deep/x": "", "src/deep/y": "", WORKFLOW: workflow("cat src/a")}
    report = drift(rules("{inputs: [/src/, /free]}", "{inputs: [/src/a]}"), checkout(files), unread=True)
    assert report.unread is not None
    assert [(one.suite, one.path, one.files, one.line) for one in report.unread] == [
        ("a", "free", 1, 4),
        ("a", "src/b", 1, 4),
        ("a", "src/deep/", 2, 4),
    ]


def test_no_path_is_too_strange() -> None:
    name = "src/\udce9\n::error::\x1b[2J"
    found = findings(rules("{inputs: [/src/a, /src/b]}", "{inputs: ['*']}"), workflow("lint src"), {name: ""})
    assert found == [f"input-missing a {name}"]


@pytest.mark.parametrize(
    ("path", "content", "why"),
    [
        ("src/x.py", "def", "it can't be read as Python"),
        ("src/x.py", "\udce9", "it is not UTF-8"),
        ("src/x.py", "(" * 5_000, "it can't be read as Python"),
        ("src/x.sh", "\udce9", "it is not UTF-8"),
        ("src/x.sh", " " * (4 << 20) + "\n", "it is larger than 4 MiB"),
        ("src/package.json", "{", "it can't be read as JSON"),
        ("src/package.json", "[]", "it can't be read as JSON"),
        ("src/package.json", "[" * 50_000, "it can't be read as JSON"),
        ("src/Cargo.toml", "[", "it can't be read as TOML"),
        ("src/Dockerfile", "\udce9", "it is not UTF-8"),
        ("src/Makefile", "\udce9", "it is not UTF-8"),
        ("src/x.js", "\udce9", "it is not UTF-8"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_a_file_that_cannot_be_looked_into_is_unresolved(path: str, content: str, why: str) -> None:
    commands = {
        "src/x.py": "python src/x.py",
        "src/x.sh": "bash src/x.sh",
        "src/package.json": "npm test --prefix src",
        "src/Cargo.toml": "cargo build --manifest-path src/Cargo.toml",
        "src/Dockerfile": "docker build src",
        "src/Makefile": "make -C src",
        "src/x.js": "node src/x.js",
    }
    report = drift(rules("{inputs: ['*']}"), checkout({**FILES, path: content, WORKFLOW: workflow(commands[path])}))
    expected = ("one", path, f"what {path} reads is not known: {why}")
    assert expected in [(one.job, one.file, one.why) for one in report.unresolved]


@pytest.mark.parametrize("content", ["on: [push\n", "\udce9", "a: 'b\n"], ids=["no YAML", "no UTF-8", "unfinished"])
def test_a_workflow_that_cannot_be_read_is_unresolved(content: str) -> None:
    files = {**FILES, WORKFLOW: workflow("echo"), ".github/workflows/other.yml": content}
    report = drift(rules("{inputs: ['*']}", "{inputs: ['*']}"), checkout(files))
    assert [(one.job, one.file) for one in report.unresolved] == [("", ".github/workflows/other.yml")]
