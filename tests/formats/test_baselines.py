"""The section ``baselines``: what it means, and every mistake with its place, its code and what to write."""

import json
from importlib.resources import files

import pytest
import yaml
from jsonschema import Draft7Validator

from ci_classify.core.baseline import Baseline, OpaqueArtifact, SqliteArtifact
from ci_classify.core.errors import InvalidFileError, Problem
from ci_classify.formats.rules_file import load_rules

VALIDATOR = Draft7Validator(json.loads(files("ci_classify.formats").joinpath("rules.schema.json").read_bytes()))

TEXT = """\
version: 1
suites: {run-all: {inputs: ["**"]}}
baselines:
  unit:
    schema: 1
    branch: refs/heads/main
    tool: {name: pytest-testmon, version: 2.2.0}
    buckets: {root: tests/unit}
    platforms: {a: {recipe: ci/a.yaml}, b: {}}
    inputs:
      dataset: {files: [tools/fetch.py]}
      native: {globs: [/docker/**], on-change: report}
      recipe: {files: ["{recipe}"], platforms: [a]}
    phases: [prod]
    artifact: {kind: sqlite, file: .testmondata, user-version: 14, tables: [metadata]}
    selective: {events: [push], refs: ['refs/pull/[0-9]+/merge'], always-full: [merge_group], never: [tests/unit/slow/]}
    producer: {ref: refs/heads/main, events: [schedule], repository: org/repo}
"""


def baseline(text: str = TEXT) -> Baseline:
    (found,) = load_rules(text, "rules.yaml").rules.baselines
    return found


def edited(old: str, new: str) -> str:
    assert TEXT.count(old) == 1, old
    return TEXT.replace(old, new)


def problems(text: str) -> list[Problem]:
    try:
        load_rules(text, "rules.yaml")
    except InvalidFileError as error:
        return [problem for problem in error.problems if not problem.warning]
    return []


def schema_accepts(text: str) -> bool:
    return bool(VALIDATOR.is_valid(yaml.safe_load(text)))


def test_a_declaration_is_read() -> None:
    found = baseline()
    assert (found.name, found.namespace, found.schema, found.bucket_root) == ("unit", "unit", 1, "tests/unit")
    assert [group.reports_only for group in found.groups] == [False, True, False]
    assert found.artifact == SqliteArtifact(file=".testmondata", user_version=14, tables=("metadata",))
    assert schema_accepts(TEXT)


def test_most_of_a_declaration_can_be_left_out() -> None:
    text = TEXT[: TEXT.index("    inputs:")]
    found = baseline(text)
    assert (found.groups, found.phases, found.artifact, found.recorder) == ((), (), None, None)
    assert schema_accepts(text)


def test_an_opaque_artifact_is_a_list_of_files() -> None:
    text = edited(
        "{kind: sqlite, file: .testmondata, user-version: 14, tables: [metadata]}", "{kind: opaque, files: [a, b/c]}"
    )
    assert baseline(text).artifact == OpaqueArtifact(files=("a", "b/c"))
    assert schema_accepts(text)


POLICY, INPUT = "invalid-policy", "invalid-input"


@pytest.mark.parametrize(
    ("old", "new", "place", "code", "said"),
    [
        ("    schema: 1\n", "", (4, 3), POLICY, "has no schema"),
        ("schema: 1", "schema: '1'", (5, 13), POLICY, "must be a whole number"),
        ("schema: 1", "schema: 1.5", (5, 13), POLICY, "must be a whole number"),
        ("schema: 1", "schema: -1", (5, 13), POLICY, "must be a whole number"),
        ("schema: 1", "shema: 1", (5, 5), None, "'shema' is no key"),
        ("branch: refs/heads/main", "branch: main", (6, 13), POLICY, "the branch, a full ref, can't be 'main'"),
        ("branch: refs/heads/main", "branch: refs/tags/main", (6, 13), POLICY, "the branch, a full ref"),
        ("branch: refs/heads/main", 'branch: "refs/heads/a\\nb"', (6, 13), POLICY, "the branch, a full ref"),
        ("version: 2.2.0", "version: 2.2", (7, 43), None, "YAML reads 2.2 as a number"),
        ("name: pytest-testmon, ", "", (7, 11), POLICY, "the tool has no name"),
        ("{root: tests/unit}", "{}", (8, 14), POLICY, "buckets have no root"),
        ("root: tests/unit}", "root: /tests}", (8, 21), POLICY, "it is absolute"),
        ("root: tests/unit}", "root: tests/../x}", (8, 21), POLICY, "it is not normalised"),
        ("{root: tests/unit}", "{root: tests/unit, names: [tests/unit_extra]}", (8, 41), POLICY, "it lies outside"),
        ("platforms: {a:", 'platforms: {"a b":', (9, 17), POLICY, "the name of a platform can't be 'a b'"),
        ("platforms: {a:", 'platforms: {"a,b\\n":', (9, 17), POLICY, "the name of a platform"),
        ("{recipe: ci/a.yaml}", "{re cipe: ci/a.yaml}", (9, 21), POLICY, "can't be a placeholder"),
        ("[tools/fetch.py]", "[/etc/passwd]", (11, 25), INPUT, "it is absolute"),
        ("[tools/fetch.py]", "[../outside.py]", (11, 25), INPUT, "it is not normalised"),
        ("[tools/fetch.py]", "['tools/*.py']", (11, 25), INPUT, "is no pattern"),
        ("[tools/fetch.py]", "['tools\\fetch.py']", (11, 25), INPUT, "it holds a backslash"),
        ("[tools/fetch.py]", '["tools/fe\\ttch.py"]', (11, 25), INPUT, "it holds a control character"),
        ("{files: [tools/fetch.py]}", "{directories: ['src/**/*.py']}", (11, 31), INPUT, "is no pattern"),
        ("{files: [tools/fetch.py]}", "{scoped: [a/conftest.py]}", (11, 26), INPUT, "can't hold 'a/conftest.py'"),
        ("{files: [tools/fetch.py]}", "{scoped: [x], scope-root: ../a}", (11, 42), INPUT, "it is not normalised"),
        ("{files: [tools/fetch.py]}", "{on-change: invalidate}", (11, 7), POLICY, "has no inputs"),
        ("{files: [tools/fetch.py]}", "{files: [x], buckets: [tests]}", (11, 39), POLICY, "it lies outside"),
        ("{files: [tools/fetch.py]}", "{files: [x], extract: '('}", (11, 38), POLICY, "no regular expression"),
        ("{files: [tools/fetch.py]}", "{files: [x], extract: 'a'}", (11, 38), POLICY, "must capture one text"),
        ("{files: [tools/fetch.py]}", "{files: ['{gpu}']}", (11, 25), POLICY, "has no value for {gpu}"),
        ("dataset:", "'data set':", (11, 7), POLICY, "the name of a group"),
        ("[/docker/**]", "[docker/../../**/*]", (12, 24), INPUT, "the component .. matches nothing"),
        ("[/docker/**]", "['[[:alpha:]]']", (12, 24), INPUT, "named classes are not read"),
        ("on-change: report", "on-change: maybe", (12, 48), POLICY, "on-change of native can't be 'maybe'"),
        (", always-full: [merge_group]", "", (12, 48), "report-needs-full-gate", "no event runs in full"),
        ("[merge_group]", "[]", (12, 48), "report-needs-full-gate", "no event runs in full"),
        ("platforms: [a]", "platforms: [A]", (13, 49), POLICY, "there is no platform 'A'"),
        (", platforms: [a]", "", (13, 24), POLICY, "the platform b has no value for {recipe}"),
        ("ci/a.yaml", "../a.yaml", (13, 23), INPUT, "recipe means '../a.yaml'"),
        ("    phases: [prod]\n", "", (4, 3), POLICY, "has no phases"),
        ("[prod]", "[]", (14, 13), POLICY, "there are no phases"),
        ("[prod]", "[../prod]", (14, 14), POLICY, "a phase can't be '../prod'"),
        ("[prod]", "[prod, prod]", (14, 20), POLICY, "stands twice"),
        ("kind: sqlite, ", "", (15, 15), POLICY, "the artifact has no kind"),
        ("file: .testmondata, ", "", (15, 15), POLICY, "the artifact has no file"),
        ("file: .testmondata", "file: ../x", (15, 36), POLICY, "it is not normalised"),
        ("file: .testmondata", "file: metadata.json", (15, 36), POLICY, "is written beside the artifact"),
        ("user-version: 14", "user-version: 99999999999", (15, 64), POLICY, "must be a whole number"),
        ("kind: sqlite, file: .testmondata", "kind: opaque, file: x", (15, 53), POLICY, "nobody looks into it"),
        ("['refs/pull/[0-9]+/merge']", "['refs/(']", (16, 40), POLICY, "a ref is no regular expression"),
        ("never: [tests/unit/slow/]", "never: [tests/other/]", (16, 103), POLICY, "it lies outside"),
        ("repository: org/repo", "repository: repo", (17, 70), POLICY, "the repository of the producer"),
        ("ref: refs/heads/main, events: [schedule], ", "", (17, 15), POLICY, "the producer has no ref"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_code(
    old: str, new: str, place: tuple[int, int], code: str | None, said: str
) -> None:
    found = problems(edited(old, new))
    told = [problem for problem in found if said in problem.message]
    assert told, [str(problem) for problem in found]
    assert (told[0].line, told[0].column) == place
    assert told[0].code == code
    assert told[0].help


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    schema: 1\n", ""),
        ("schema: 1", "schema: '1'"),
        ("branch: refs/heads/main", "branch: main"),
        ("name: pytest-testmon, ", ""),
        ("{root: tests/unit}", "{}"),
        ("platforms: {a:", 'platforms: {"a b":'),
        ("[tools/fetch.py]", "[/etc/passwd]"),
        ("[tools/fetch.py]", "['tools/*.py']"),
        ("{files: [tools/fetch.py]}", "{on-change: invalidate}"),
        ("on-change: report", "on-change: maybe"),
        ("    phases: [prod]\n", ""),
        ("[prod]", "[../prod]"),
        ("kind: sqlite, ", ""),
        ("kind: sqlite, file: .testmondata", "kind: opaque, file: x"),
        ("repository: org/repo", "repository: repo"),
    ],
)
def test_an_editor_sees_it_too(old: str, new: str) -> None:
    assert not schema_accepts(edited(old, new))


def test_all_mistakes_come_at_once() -> None:
    text = edited("[tools/fetch.py]", "[/etc/passwd]").replace("[/docker/**]", "[a/../b]").replace("[prod]", "[]")
    assert len(problems(text)) == 3


@pytest.mark.parametrize("value", ["[]", "{unit: []}", "{unit: {inputs: [], platforms: []}}", "1", "{unit: null}"])
def test_a_section_of_another_shape_is_refused(value: str) -> None:
    assert problems(f"{TEXT[: TEXT.index('baselines:')]}baselines: {value}\n")
