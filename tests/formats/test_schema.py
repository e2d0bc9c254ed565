"""The JSON Schema says of a rules file what the loader says, but for what a schema can't say."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from ci_classify.core.errors import InvalidFileError
from ci_classify.formats.declared_names import OWN_OUTPUTS
from ci_classify.formats.rules_file import load_rules

SCHEMA_FILE = files("ci_classify.formats").joinpath("rules.schema.json")
SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
VALIDATOR = Draft7Validator(SCHEMA)
PROJECT = Path(__file__).parents[2]
CASES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))


def loads(text: str | bytes) -> bool:
    try:
        load_rules(text, "rules.yaml")
    except InvalidFileError:
        return False
    return True


def is_valid(text: str | bytes) -> bool:
    """Return whether an editor is content with a file: its YAML parser, and then the schema."""
    try:
        tree = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return False
    return bool(VALIDATOR.is_valid(tree))


def test_the_schema_is_one() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--check-metaschema", str(SCHEMA_FILE)]
    ran = subprocess.run(command, capture_output=True, check=False, encoding="utf-8")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_command_prints_it() -> None:
    command = [sys.executable, "-m", "ci_classify", "schema"]
    ran = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    assert json.loads(ran.stdout) == SCHEMA


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for inner in schema:
            yield from subschemas(inner)


def test_every_definition_is_used() -> None:
    used = {schema["$ref"] for schema in subschemas(SCHEMA) if "$ref" in schema}
    assert used == {f"#/definitions/{name}" for name in SCHEMA["definitions"]}


@pytest.mark.parametrize("key", SCHEMA["properties"])
def test_an_editor_can_say_what_a_section_is_for(key: str) -> None:
    section = SCHEMA["properties"][key]
    told = SCHEMA["definitions"].get(section.get("$ref", "").rpartition("/")[2], {}) | section
    assert told.get("title") or told.get("description")


# -- files that stand ----------------------------------------------------------------------------------

SHIPPED = ["rules.yaml", ".github/ci-classify.yaml", "ci_classify/commands/demo_rules.yaml"]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_rules_of_this_project_are_valid(name: str) -> None:
    text = (PROJECT / name).read_text(encoding="utf-8")
    assert is_valid(text)
    assert loads(text)


# What a schema sees is the tree that some YAML parser made of the text.
BEYOND_A_SCHEMA = {
    "document-merge-keys": "the parser has merged them",
    "keys-twice": "the parser of an editor complains, or drops all but the last",
    "patterns-refused-in-folded-letters": "what is wrong with a pattern",
    "sets-in-circles": "where names lead to",
    "sets-none": "which names there are",
    "sets-too-deep": "where names lead to",
    "version-float": "how a number is written",
    "yaml-utf-16": "which encodings the parser reads",
}


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_malformed_file_is_refused_by_both(case: Path) -> None:
    content = case.read_bytes()
    refused = ": error: " in case.with_suffix(".out").read_text(encoding="utf-8")
    assert is_valid(content) == (not refused or case.stem in BEYOND_A_SCHEMA)


def suite(fields: str) -> str:
    return f"version: 1\nsuites: {{run-a: {{{fields}}}}}\n"


INPUTS = "inputs: [/a]"
ONLY_THE_LOADER_REFUSES = {
    "the name of a set that does not exist": suite('inputs: ["@pin"]'),
    "the name of a suite that does not exist": suite(INPUTS) + "unclaimed: [run-b]\n",
    "a producer where a suite belongs": suite(INPUTS) + "producers: {p: {consumers: [run-a]}}\nunclaimed: [p]\n",
    "the name of an output that does not exist, in an example": (
        suite(INPUTS) + "examples: [{name: x, changed: [], expect: {run-b: true}}]\n"
    ),
    "a circle of sets": suite('inputs: ["@a", /a]') + 'sets: {a: ["@a"]}\n',
    "a circle of producers": suite(INPUTS) + "producers: {p: {consumers: [p]}}\n",
    "sets nested too deep": suite(INPUTS)
    + f"sets: {json.dumps({f's{i}': [f'@s{i + 1}'] for i in range(30)} | {'s30': ['/a']})}\n",
    "a pattern that is refused": suite("inputs: [a//b]"),
    "a set that can contain nothing": suite('inputs: ["@none"]') + 'sets: {none: ["!/a"]}\n',
    "two names that differ in case alone": "version: 1\nsuites: {a: {inputs: [/a]}, A: {inputs: [/a]}}\n",
    "a name that is a suite and a producer": suite(INPUTS) + "producers: {run-a: {consumers: [run-a]}}\n",
    "more outputs than 500 in both sections": (
        f"version: 1\nsuites: {json.dumps({f's{i}': {'inputs': ['/a']} for i in range(300)})}\n"
        f"producers: {json.dumps({f'p{i}': {'consumers': ['s0']} for i in range(300)})}\n"
    ),
    "a key that stands twice": suite("inputs: [/a], inputs: [/b]"),
    "a merge key": suite("<<: {inputs: [/a]}"),
    "a tag": suite("inputs: [!!str /a]"),
    "another way to write 1": suite(INPUTS).replace("1", "0b1", 1),
    "another way to write a boolean": suite(INPUTS + ", internal: yes"),
    "a text that is a number to another version of YAML": suite("inputs: [0o17, 1e3]"),
    "a key that is no text, where every text may stand": suite(INPUTS) + "labels: {1: {selects: everything}}\n",
    "a title with characters that do not show": suite('inputs: [/a], title: "A\\u202e"'),
    "a line feed at the end of a name, which $ lets pass in Python only": (
        'version: 1\nsuites: {"run-a\\n": {inputs: [/a]}}\n'
    ),
    "more than is read": suite(INPUTS) + "#" * (4 << 20),
}


@pytest.mark.parametrize("text", ONLY_THE_LOADER_REFUSES.values(), ids=ONLY_THE_LOADER_REFUSES)
def test_a_schema_can_not_say(text: str) -> None:
    assert is_valid(text)
    assert not loads(text)


# -- trees ---------------------------------------------------------------------------------------------

# Every key of the language. `text` is the name of a suite and a pattern too, so that it may stand wherever text may.
WHOLE: Mapping[str, Any] = {
    "version": 1,
    "sets": {
        "one": ["/a", "!/b"],
        "two": {
            "paths": ["!/x", "/y"],
            "ignore-case": True,
            "changes": ["added", "deleted", "modified", "type-changed"],
        },
    },
    "documentation": {"paths": ["*.md"], "ignore-case": True},
    "unaffecting": ["/.gitignore"],
    "unclaimed": ["text", "unit"],
    "control": ["/ci.yml"],
    "empty-diff": "run",
    "events": {"*": "inputs", "push": "any-change", "push release/*": "always", "schedule": "never"},
    "labels": {
        "ci: full": {"selects": "everything"},
        "ci: some": {"selects": ["unit"], "skips": ["text"]},
    },
    "suites": {
        "text": {"inputs": ["/text"]},
        "unit": {
            "title": "Unit",
            "inputs": ["!/u", "/u/"],
            "events": {"push": "any-change", "push main": "inputs"},
            "empty-diff": "skip",
            "documentation": "keep",
            "internal": False,
        },
        "gpu": {"inputs": {"paths": ["/gpu", "!/gpu/x"], "changes": ["added"]}, "documentation": "drop"},
        "nightly": {"events": {"pull_request": "never"}},
    },
    "producers": {"build": {"title": "Build", "consumers": ["unit"]}},
    "examples": [
        {
            "name": "one",
            "event": "push",
            "branch": "main",
            "labels": ["ci: full"],
            "changed": ["a", {"path": "b", "change": "added"}, {"path": "c"}],
            "expect": {"unit": True, "text": False},
            "selects": ["unit"],
            "why": "because",
            "confidence": "high",
        },
        {"name": "two", "changed": [], "selects": []},
    ],
}
Place = tuple[str | int, ...]
REMOVED = object()


def places(tree: Any, above: Place = ()) -> Iterator[Place]:
    """Yield the way to every value below the top."""
    if isinstance(tree, Mapping):
        inner: Iterator[tuple[str | int, Any]] = iter(tree.items())
    else:
        inner = iter(enumerate(tree if isinstance(tree, list) else []))
    for key, value in inner:
        yield (*above, key)
        yield from places(value, (*above, key))


def changed(tree: Any, place: Place, value: object, *, key: str | None = None) -> Any:
    """Return a copy of a tree with one value replaced or removed, or its key renamed."""
    result = copy.deepcopy(tree)
    parent = result
    for step in place[:-1]:
        parent = parent[step]
    if value is REMOVED:
        del parent[place[-1]]
    else:
        parent[place[-1]] = value
    if key is not None:
        parent[key] = parent.pop(place[-1])
    return result


def check_agreement(tree: Any) -> None:
    text = json.dumps(tree)
    assert is_valid(text) == loads(text)


def test_every_key_of_the_language_is_known_to_both() -> None:
    text = json.dumps(WHOLE)
    assert is_valid(text)
    assert loads(text)


NAMES_OTHERS = {("suites",), ("producers",), ("examples", 0, "expect")}  # renaming here makes names that nobody knows
VALUES = [None, True, 0, 1, 1.5, "", "text", [], {}, ["text"], [1], [["text"]], {"text": 1}, {"text": "text"}]
PLACES = list(places(WHOLE))


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_both_agree_on_a_value_of_another_type_or_shape(place: Place) -> None:
    for value in VALUES:
        check_agreement(changed(WHOLE, place, value))


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_both_agree_on_a_key_that_is_gone_or_unknown(place: Place) -> None:
    if place[:-1] in NAMES_OTHERS:
        return
    check_agreement(changed(WHOLE, place, REMOVED))
    if isinstance(place[-1], str):
        value = WHOLE
        for step in place:
            value = value[step]  # type: ignore[index]
        check_agreement(changed(WHOLE, place, value, key="x-unknown"))


@given(st.data())
def test_both_agree_after_several_changes(data: st.DataObject) -> None:
    tree = copy.deepcopy(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        left = [place for place in places(tree) if place[:-1] not in NAMES_OTHERS]
        if not left:
            break
        tree = changed(tree, data.draw(st.sampled_from(left)), data.draw(st.sampled_from([REMOVED, *VALUES])))
    check_agreement(tree)


EVENTS = {
    "push": True,
    "*": True,
    "* main": True,
    "push release/**": True,
    "push v*.*.*.*.*.*.*.*": True,
    "push v*.*.*.*.*.*.*.*.*": False,
    "made-up_event9": True,
    "push ": False,
    " push": False,
    "push  main": False,
    "push main next": False,
    "push a\tb": False,
    "push a[b]": False,
    "push a:b": False,
    "push a~b": False,
    "push a^b": False,
    "push a\\b": False,
    "push é": True,
    "push?": False,
    "1": False,
    "**": False,
    "": False,
}
SETS = {
    "a": True,
    "A-b_c.d": True,
    "0": True,
    "-": True,
    "a b": False,
    ".a": False,
    "é": False,
    "": False,
    "a/b": False,
}
OUTPUTS = {"a": True, "_a-B9": True, "a.b": False, "9a": False, "-a": False, "": False, "é": False, "a b": False}
OUTPUTS |= {"n" * 100: True, "n" * 101: False}
OUTPUTS |= {form: False for name in OWN_OUTPUTS for form in (name, name.upper(), name.title())}


@pytest.mark.parametrize(("section", "names"), [("events", EVENTS), ("sets", SETS), ("suites", OUTPUTS)])
def test_both_know_which_names_there_can_be(section: str, names: Mapping[str, bool]) -> None:
    value: Mapping[str, object] = {"events": "never", "sets": ["/a"], "suites": {"inputs": ["/a"]}}
    for name, good in names.items():
        tree = {"version": 1, "suites": {"unit": {"inputs": ["/a"]}}} | {section: {name: value[section]}}
        text = json.dumps(tree)
        assert (name, is_valid(text), loads(text)) == (name, good, good)


REQUIRED_CHECKS: list[tuple[object, bool]] = [
    ({"detector": "classify", "jobs": {}}, True),
    ({"detector": "classify", "jobs": {"a": {}, "b": {"needs": ["a"], "repository": "same", "output": "unit"}}}, True),
    ({"detector": "classify", "jobs": {"a": {"events": ["pull_request"]}}}, True),
    ({"detector": "classify"}, False),
    ({"jobs": {}}, False),
    ({"detector": 1, "jobs": {}}, False),
    ({"detector": "classify", "jobs": []}, False),
    ({"detector": "classify", "jobs": {"a": {"events": []}}}, False),
    ({"detector": "classify", "jobs": {"a": {"repository": "other"}}}, False),
    ({"detector": "classify", "jobs": {"a": {"need": []}}}, False),
    ({"detector": "classify", "jobs": {"a": None}}, False),
    ([], False),
]


@pytest.mark.parametrize(("section", "good"), REQUIRED_CHECKS)
def test_both_agree_on_the_required_check(section: object, good: bool) -> None:
    text = json.dumps({"version": 1, "suites": {"unit": {"inputs": ["/a"]}}, "required-check": section})
    assert (is_valid(text), loads(text)) == (good, good)


BASELINE: Mapping[str, Any] = {
    "schema": 1,
    "namespace": "unit",
    "branch": "refs/heads/main",
    "tool": {"name": "tracer", "version": "2.2.0"},
    "buckets": {"root": "tests/unit", "names": ["tests/unit/a"]},
    "platforms": {"small": None, "large": {"recipe": "recipes/large.yaml"}},
    "inputs": {
        "native": {"globs": ["/docker/**", "!/docker/x"], "on-change": "invalidate"},
        "fixtures": {"scoped": ["conftest.py"], "scope-root": "tests/unit"},
        "ranks": {"files": ["recipes/all.yaml"], "directories": ["src/native"], "extract": "^gpus: *([0-9]+)$"},
    },
    "phases": ["prod", "experimental"],
    "artifact": {"kind": "sqlite", "file": "data.sqlite", "user-version": 14, "tables": ["metadata"]},
    "selective": {
        "events": ["push"],
        "refs": ["refs/pull/[0-9]+/merge"],
        "always-full": ["schedule"],
        "default-value": "true",
        "enable-label": "Select tests",
        "disable-label": "Run all tests",
        "full-labels": ["run all"],
        "never": ["tests/unit/slow/"],
    },
    "producer": {"ref": "refs/heads/main", "events": ["schedule"], "repository": "owner/project"},
}
# No texts: which buckets, platforms and paths there can be is for the loader to say.
BASELINE_VALUES = [None, True, 0, 1.5, [], [1], [["tests/unit/b"]], {}, {"x": 1}, REMOVED]


def with_baseline(baseline: Any) -> Any:
    return {"version": 1, "suites": {"unit": {"inputs": ["/a"]}}, "baselines": {"unit": baseline}}


def test_every_key_of_a_baseline_is_known_to_both() -> None:
    opaque = {**BASELINE, "artifact": {"kind": "opaque", "files": ["a.bin", "b.bin"]}}
    for baseline in (BASELINE, opaque):
        text = json.dumps(with_baseline(baseline))
        assert is_valid(text)
        assert loads(text)


@pytest.mark.parametrize("place", list(places(BASELINE)), ids=lambda place: ".".join(map(str, place)))
def test_both_agree_on_a_baseline_with_another_type_or_shape(place: Place) -> None:
    for value in BASELINE_VALUES:
        check_agreement(with_baseline(changed(BASELINE, place, value)))
