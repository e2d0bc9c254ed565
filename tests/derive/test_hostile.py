"""Repositories that want to break the guard: it ends, and says what it could not look into."""

import json

import pytest
from support.drift import WORKFLOW, checkout, drift

from ci_classify.core.drift import DriftReport
from ci_classify.derive.checkout import Checkout

RULES = "version: 1\ncontrol: [/.github/workflows/ci.yml]\nsuites: {a: {inputs: [/none]}}\n"
MORE = "in more ways than are looked at"
DEEP = "nested too deeply"


def workflow(*steps: str) -> str:
    """Return a workflow whose only job has these scripts."""
    lines = "".join(f"      - run: {json.dumps(step)}\n" for step in steps)
    return f"on: pull_request\njobs:\n  a:\n    runs-on: x\n    steps:\n{lines}"


def guarded(script: str, files: dict[str, str], *, links: tuple[str, ...] = ()) -> DriftReport:
    return drift(RULES, checkout({WORKFLOW: workflow(script), **files}, links=links))


def missing(report: DriftReport) -> list[str]:
    return [one.path for one in report.findings if one.code == "input-missing"]


GROWING = {
    "a script that calls itself with more words": (
        "./s.sh a",
        {"s.sh": '#!/bin/bash\n./s.sh "$1" "$1b" $@\n./s.sh "$1$1"\n'},
    ),
    "a makefile that makes itself with other variables": (
        "make a",
        {"Makefile": "a:\n\tmake a X=$(X)1\n\t$(MAKE) a Y=$(Y)x\n"},
    ),
    "scripts of a package that call each other": (
        "npm run a",
        {"package.json": '{"scripts": {"a": "X=${X}1 npm run b", "b": "export Y=1$Y; npm run a"}}'},
    ),
}


@pytest.mark.parametrize(("script", "files"), GROWING.values(), ids=GROWING)
def test_what_calls_itself_in_ever_new_ways_comes_to_an_end(script: str, files: dict[str, str]) -> None:
    assert missing(guarded(script, files)) == sorted(files)


def test_actions_that_use_each_other_with_more_inputs_are_unresolved() -> None:
    inner = "inputs: {x: {default: y}}\nruns: {using: composite, steps: [{uses: ./b, with: {x: '${{ inputs.x }}z'}}]}\n"
    text = workflow("echo") + "      - uses: ./b\n"
    report = drift(RULES, checkout({WORKFLOW: text, "b/action.yml": inner}))
    assert missing(report) == ["b/action.yml"]
    assert [MORE in one.why for one in report.unresolved] == [True]


def test_a_workflow_that_calls_itself_with_more_inputs_is_unresolved() -> None:
    inputs = "{inputs: {x: {type: string}}}"
    job = "{uses: ./.github/workflows/ci.yml, with: {x: '${{ inputs.x }}y'}}"
    report = drift(RULES, checkout({WORKFLOW: f"on: {{push: , workflow_call: {inputs}}}\njobs: {{a: {job}}}\n"}))
    assert [MORE in one.why for one in report.unresolved] == [True]


NESTED = {
    "commands in commands": "$(" * 5_000 + "cat f" + ")" * 5_000,
    "quoted commands in commands": "echo " + '"$(' * 3_000 + "cat f" + ')"' * 3_000,
}


@pytest.mark.parametrize("script", NESTED.values(), ids=NESTED)
def test_what_is_nested_too_deeply_is_unresolved(script: str) -> None:
    assert [DEEP in one.why for one in guarded(script, {"f": ""}).unresolved] == [True]


LARGE = {
    "braces": ("cat f " + "{a,b}" * 40, {}),
    "braces in braces": ("cat f " + "{a," * 3_000 + "b" + "}" * 3_000, {}),
    "arithmetic": ("for ((i = 0; i < 3; i++)); do cat f; done", {}),
    "a subshell in a subshell": ("((cd x && make) || (cat f))", {}),
    "commands in a here-document": ("tee x <<E\n$(cat f)\nE", {}),
    "subshells": ("( " * 20_000 + "cat f" + " )" * 20_000, {}),
    "variables that double": ("\n".join(f'V{n}="$V{n - 1}$V{n - 1}"' for n in range(60)) + "\ncat f $V59", {}),
    "an expression that doubles": (
        "cat f ${{ " + "format('{0}{0}'," * 200 + "'x'" + ")" * 200 + " }}",
        {},
    ),
    "scripts that source each other": (
        "bash s0.sh; cat f",
        {f"s{n}.sh": "\n".join(f"source s{m}.sh" for m in range(12)) for n in range(12)},
    ),
    "variables of make that need each other": (
        "make",
        {
            "Makefile": "A=$(B)$(B)$(B)\nB=$(A)$(C0)\n"
            + "".join(f"C{n}=$(C{n + 1})$(C{n + 1})\n" for n in range(60))
            + "all: f $(A)\n\techo $(C0)\n"
        },
    ),
    "a makefile that includes itself": ("make", {"Makefile": "include *.mk\nall: f\n", "m.mk": "include Makefile\n"}),
    "long lines of make": ("make", {"Makefile": "all: f\n" + "a" * 50_000 + " " * 50_000 + "\n" + "$(" * 20_000}),
    "a pattern of many stars": (
        "cat f ${{ hashFiles('**/**/**/*a*a*a*a*a*a*a*a*b') }}",
        {f"{'a' * 200}/{'a' * 200}/{n}": "" for n in range(10)},
    ),
    "a list of characters that is none": ("cat f ${{ hashFiles('[z-a]') }} [z-a]", {}),
    "brackets in JavaScript": (
        "node x.js; cat f",
        {"x.js": "import " * 50_000 + "require(" + " " * 100_000 + "`" * 999},
    ),
    "comments in Rust": ("cargo test; cat f", {"Cargo.toml": "", "src/lib.rs": "include_str!(" + "/*" * 50_000}),
    "constants in circles": ("python x.py; cat f", {"x.py": "a = b + b\nb = a + a\nopen(a)\n"}),
    "tables that are none": (
        "cargo test; npm test; pip install .; cat f",
        {
            "Cargo.toml": "package = 1\nworkspace = [1]\ndependencies = 'x'\n",
            "package.json": '{"scripts": [1], "workspaces": {"packages": [1, {}]}, "dependencies": [1], "name": 5}',
            "pyproject.toml": "project = 1\ntool = [1]\nbuild-system = 'x'\n",
        },
    ),
    "crates in circles": (
        "cargo test; cat f",
        {
            "Cargo.toml": "[package]\nname = 'x'\n[workspace]\nmembers = ['.', '../..']\n[dependencies]\ny = {path = 'y'}\n",
            "y/Cargo.toml": "[package]\nname = 'y'\n[dependencies]\nx = {path = '..'}\n",
            "src/lib.rs": "include!('lib.rs');",
        },
    ),
}


@pytest.mark.parametrize(("script", "files"), LARGE.values(), ids=LARGE)
def test_what_grows_without_end_hides_nothing_else(script: str, files: dict[str, str]) -> None:
    assert "f" in missing(guarded(script, {"f": "", **files}))


def test_links_are_followed_wherever_they_stand() -> None:
    files = {"s": "real", "real/x.sh": "cat data", "real/y.py": "import z", "real/z.py": "", "data": "", "up": ".."}
    files |= {"loop": "loop2", "loop2": "loop", "out": "../../etc/passwd"}
    links = ("s", "up", "loop", "loop2", "out")
    report = guarded("bash s/x.sh; python s/y.py; cat up/data; bash loop; bash loop/x; cat out", files, links=links)
    assert missing(report) == ["data", "loop", "loop2", "out", "real/x.sh", "real/y.py", "real/z.py", "s"]


NAMES = [
    "-x",
    "--help",
    "a b",
    "a\nb",
    "caf\udce9/\udcff",
    "\x1b[31m",
    "::error::x",
    "##[x]",
    "$(x)",
    "`x`",
    "a\\b",
    " ",
    "~",
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_is_only_a_name(name: str) -> None:
    assert missing(guarded("lint .", {name: ""})) == [name]


ODD = [
    "on: push\njobs: [a]\n",
    "on: push\njobs: {a: x}\n",
    "on: push\njobs: {a: null}\n",
    "on: push\njobs: {a: {steps: x}}\n",
    "on: push\njobs: {a: {steps: [1, null, [x]], needs: {x: 1}, if: [1], uses: [1], with: 3, strategy: {matrix: x}}}\n",
    "on: push\njobs: {a: {strategy: {matrix: {x: '${{ y }}', include: [{x: 1}, 3, null], exclude: x}}, steps: []}}\n",
    "on: ${{ x }}\nenv: ${{ y }}\njobs: {a: {name: '${{', if: '${{ ${{ }} }}', env: '${{ z }}', steps: '${{ s }}'}}\n",
    "on: push\njobs: {a: {steps: [{uses: './${{ x }}'}, {run: '${{ x }}', shell: '${{ z }} {0}'}]}}\n",
    "on: push\njobs: &a {a: *a}\n",
    "on: push\njobs: {a: {needs: [b, a, zz], steps: []}, b: {needs: a, steps: []}}\n",
    "on: push\njobs: {a: {steps: [{run: 'cat ${{ "
    + "(" * 5_000
    + "1"
    + ")" * 5_000
    + " }}', if: '"
    + "!" * 5_000
    + "x'}]}}\n",
]


@pytest.mark.parametrize("text", ODD, ids=lambda text: text[:60])
def test_no_workflow_is_too_odd(text: str) -> None:
    files = {WORKFLOW: text, ".github/workflows/good.yml": workflow("cat f"), "f": ""}
    assert "f" in missing(drift(RULES, checkout(files)))


def test_a_checkout_of_nothing_has_nothing() -> None:
    report = drift(RULES, Checkout({}, lambda _: b""))
    assert (report.findings, len(report.unresolved)) == ([], 1)
