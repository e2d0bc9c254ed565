"""The names of outputs are found in a rules file however broken it is: the fallback says true for each."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_classify.formats.output_names import output_names

BLOCK = """\
version: 1  # a comment
sets:
  suites: [/not-a-section]
documentation: {paths: ["*.md"]}
suites:
  # run-not: a comment is no name
  run-unit:
    title: "Unit: tests"
    inputs: [/src/, "!/src/x{y}"]
    events: {push: any-change, schedule: always}
  "run-gpu": {inputs: [/gpu/], title: 'it''s # one'}
  'run_slow' : &slow
    inputs:
      paths: [/slow/]
      changes: [added]
  Run-Deploy:   # another comment
    events: {"*": never}
labels:
  run-label: {selects: everything}
producers:
  run-build: {title: Build, consumers: [run-unit]}
  run-image: {consumers: [run-build]}
examples:
  - {name: run-example, changed: [], selects: []}
"""
NAMES = ("run-unit", "run-gpu", "run_slow", "Run-Deploy", "run-build", "run-image")
TREE = {
    "version": 1,
    "sets": {"suites": ["/a"]},
    "suites": {
        "run-unit": {"inputs": ["/src/", "!/x", "}", '"'], "title": "a: {b"},
        "run-gpu": {"inputs": {"paths": ["/gpu/"], "ignore-case": True}},
        "run_slow": {"events": {"push": "never"}, "inputs": ["/é/"]},
        "Run-Deploy": {"events": {"*": "never"}},
    },
    "labels": {"run-label": {"selects": "everything"}},
    "producers": {"run-build": {"consumers": ["run-unit"]}, "run-image": {"consumers": ["run-build"]}},
}
FORMS = {
    "block style": BLOCK,
    "block style with carriage returns": BLOCK.replace("\n", "\r\n"),
    "block style, wider": BLOCK.replace("\n  ", "\n      "),
    "JSON on one line": json.dumps(TREE),
    "JSON without spaces": json.dumps(TREE, separators=(",", ":")),
    "JSON on many lines": json.dumps(TREE, indent=4, ensure_ascii=False),
    "JSON with tabs": json.dumps(TREE, indent="\t"),
    "flow style": re.sub(r'"([\w-]+)":', r"\1:", json.dumps(TREE)),
}


def found(text: str | bytes) -> tuple[str, ...]:
    return output_names(text.encode() if isinstance(text, str) else text, "rules.yaml")


def whole_before(text: str, end: int) -> set[str]:
    """Return the names whose key, its colon included, stands before the end."""
    keys = {name: re.search(rf"""["']?{name}["']?\s*:""", text) for name in NAMES}
    return {name for name, key in keys.items() if key is None or key.end() <= end}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_a_whole_file_gives_exactly_its_names(text: str) -> None:
    assert set(found(text)) == set(NAMES)


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_a_file_that_ends_anywhere_gives_the_names_before_its_end(text: str) -> None:
    content = text.encode()
    missing = {}
    for end in range(len(content)):
        before = content[:end]
        lost = whole_before(text, len(before.decode("utf-8", "ignore"))) - set(found(before))
        if lost:
            missing[before[-20:]] = lost
    assert missing == {}


DAMAGE = [
    "@",
    "`",
    "\x00",
    "\t",
    "[",
    "{",
    "\\u",
    '"',
    "'",
    "<<<<<<< HEAD\n",
    "=======\n",
    "&a *b",
    "!x",
    ": : ",
    "é",
    "%",
    "- ",
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_in_front_of_the_suites_loses_no_name(damage: str) -> None:
    for text in (BLOCK, FORMS["block style, wider"]):
        assert set(NAMES) <= set(found(text.replace("[/not-a-section]", damage)))
    for name in ("JSON on one line", "JSON on many lines"):
        text = FORMS[name]
        at = text.index("[")
        assert set(NAMES) <= set(found(text[:at] + damage + text[at:]))


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_in_one_suite_loses_no_other_in_block_style(damage: str) -> None:
    for old in ("[/src/,", "[added]", "never", '"Unit: tests"'):
        broken = BLOCK.replace(old, damage)
        assert set(NAMES) <= set(found(broken))


@pytest.mark.parametrize("mark", ["% ", "] ", "}", "!!x ", "&a ", "@", "? ", "* ", "% ! ] ", ", ", "|", "`"])
@pytest.mark.parametrize("name", NAMES)
def test_a_stray_mark_in_front_of_a_name_loses_no_name(mark: str, name: str) -> None:
    for indented in (f"  {mark}\\1", f"{mark}\\1"):
        broken = re.sub(rf"""^  (["']?{name}["']? ?:)""", indented, BLOCK, flags=re.MULTILINE)
        assert broken != BLOCK
        assert set(NAMES) <= set(found(broken)), broken


ODD = {
    "no quotes around @ in flow style": (
        "version: 1\nsuites: {run-a: {inputs: [@pin]}, run-b: {inputs: [/b]}}\n",
        {"run-a", "run-b"},
    ),
    "a bracket that is not closed": ("suites: {run-a: {inputs: [/a}, run-b: {inputs: [/b]}}", {"run-a", "run-b"}),
    "a bracket too many": ("suites: {run-a: {inputs: [/a]]}, run-b: {}}", {"run-a", "run-b"}),
    "a merge conflict": (
        "suites:\n<<<<<<< HEAD\n  run-a: {inputs: [/a]}\n=======\n  run-b: {inputs: [/b]}\n>>>>>>> x\n  run-c: {}\n",
        {"run-a", "run-b", "run-c"},
    ),
    "a tab": ("suites:\n\trun-a: {inputs: [/a]}\n\trun-b:\n\t\tinputs: [/b]\n", {"run-a", "run-b"}),
    "indented too deep": ("suites:\n  run-a:\n    inputs: [/a]\n   run-b:\n    inputs: [/b]\n", {"run-a", "run-b"}),
    "indented too little": ("suites:\n    run-a:\n      inputs: [/a]\n  run-b:\n    inputs: @\n", {"run-a", "run-b"}),
    "two sections": (
        "suites:\n  run-a: {}\nsuites:\n  run-b: {}\nproducers: {run-c: {}}\n",
        {"run-a", "run-b", "run-c"},
    ),
    "two sections in flow style": ('{"suites":{"run-a":{}},"suites":{"run-b":{"x":[@}}}', {"run-a", "run-b"}),
    "names that can't be outputs": ("suites:\n  plan: {}\n  a b: {}\n  1a: {}\n  run-a: {}\n", {"run-a"}),
    "the same name in other letters": ("suites:\n  Run-A: {}\n  run-a: {}\n", {"Run-A"}),
    "UTF-16": ("suites: {run-a: {inputs: [/a]}}".encode("utf-16"), {"run-a"}),
    "Latin-1": ("suites:\n  run-a: {inputs: [/é]}\n  run-b: {}\n".encode("latin-1"), {"run-a", "run-b"}),
    "an escape beyond Unicode": ('suites: {run-a: {inputs: ["\\UFFFFFFFF"]}, run-b: {}}', {"run-a", "run-b"}),
    "a byte order mark": (b"\xef\xbb\xbfsuites: {run-a: {}}", {"run-a"}),
    "a name in escapes": (r'{"suites": {"run\u002da": {}}}', {"run-a"}),
    "a list instead of a mapping": ("suites:\n  - run-a: {inputs: [/a]}\n", set()),
    "no suites": ("version: 1\nlabels:\n  run-a: {}\n", set()),
    "nothing": ("", set()),
}


@pytest.mark.parametrize(("text", "names"), ODD.values(), ids=ODD)
def test_names_are_read_where_a_person_sees_them(text: str | bytes, names: set[str]) -> None:
    assert set(found(text)) == names


@given(st.data())
def test_any_damage_leaves_a_result(data: st.DataObject) -> None:
    content = data.draw(st.sampled_from(list(FORMS.values()))).encode()
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(content)))
        content = content[:at] + data.draw(st.binary(max_size=4)) + content[at + data.draw(st.integers(0, 9)) :]
    assert isinstance(found(content), tuple)


@given(st.one_of(st.binary(), st.text().map(str.encode), st.text("suites:{}[]\"'\n #-&*!ab\\U0\t").map(str.encode)))
def test_any_bytes_leave_a_result(content: bytes) -> None:
    assert isinstance(found(content), tuple)
