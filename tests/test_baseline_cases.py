"""The collected cases of baselines, each turned into a repository, rules and calls of the commands."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from support.baselines import RUNTIME, SOURCE_SHA, TABLES, Project, answered, database, snapshot
from support.inside import run_inside
from support.repository import Entry, Executable, Files, Link
from support.runner import Json

from ci_classify.core.baseline_bucket import Bucket, BucketKind
from ci_classify.core.baseline_inputs import applies, path_set
from ci_classify.formats.rules_file import load_rules

CASES = json.loads((Path(__file__).parent / "cases/baselines.json").read_text(encoding="utf-8"))["cases"]
PHASES = ["prod", "experimental"]

Case = Mapping[str, Any]  # as the file has it


def of_group(*groups: str) -> pytest.MarkDecorator:
    """Return the cases of some groups as a table."""
    found = [case for case in CASES if case["group"] in groups]
    assert found
    return pytest.mark.parametrize("case", found, ids=lambda case: case["id"])


# -- what a case says, as rules and commits ----------------------------------------------------------


def tool(text: str) -> Json:
    name, version = text.split(" ")
    return {"name": name, "version": version}


def groups(case: Case) -> dict[str, object]:
    inputs = case["inputs"]
    found: dict[str, object] = {"declared": {"files": inputs["files"], "globs": inputs["globs"]}}
    if inputs["sources"]:
        found["sources"] = {"directories": inputs["sources"]}
    for number, scoped in enumerate(inputs["scoped"]):
        found[f"scoped{number}"] = {"scoped": [scoped["name"]], "scope-root": scoped["root"]}
    for platform, paths in inputs["platform_files"].items():
        found[f"of-{platform}"] = {"files": paths, "platforms": [platform]}
    for name, group in case.get("input_groups", {}).items():
        found[name] = {key.replace("_", "-"): value for key, value in group.items()}
    return found


def policy(case: Case, *, tool_text: str = "testmon 2.2.0") -> dict[str, object]:
    return {
        "schema": 1,
        "branch": "refs/heads/main",
        "tool": tool(tool_text),
        "buckets": {"root": case["bucket_root"]},
        "platforms": case["platforms"],
        "inputs": groups(case),
        "phases": case.get("phases", PHASES),
        "artifact": {"kind": "sqlite", "file": ".testmondata", "user-version": 14, "tables": list(TABLES)},
        "selective": {"always-full": case.get("full_gate", ["merge_group"])},
    }


def entry(stored: object) -> Entry:
    if isinstance(stored, str):
        return stored
    assert isinstance(stored, dict)
    if "symlink" in stored:
        return Link(target=stored["symlink"])
    return Executable(stored["content"]) if stored["mode"] == "100755" else cast("str", stored["content"])


def edited(case: Case) -> Files:
    """Return what the edit of a case sets and deletes."""
    edit, tree = case["edit"], case["tree"]
    match edit["op"]:
        case "none":
            return {}
        case "edit" | "add":
            return {edit["path"]: edit["content"]}
        case "delete":
            return {edit["path"]: None}
        case "move":
            return {edit["path"]: None, edit["to"]: entry(tree[edit["path"]])}
        case "chmod":
            stored = tree[edit["path"]]
            content = stored if isinstance(stored, str) else stored["content"]
            return {edit["path"]: Executable(content) if edit["mode"] == "100755" else content}
        case _:
            raise AssertionError(edit)


class Prepared:
    """A case as a project with the commits before and after its edit."""

    def __init__(self, place: Path, case: Case) -> None:
        self.case = case
        self.project = Project(place, policy(case))
        built = self.project.built
        self.base = built.commit({path: entry(stored) for path, stored in case["tree"].items()})
        self.head = built.commit(edited(case), self.base)
        built.head(self.head)

    def identity(self, output: str, rev: str, diagnostics: Mapping[str, str | None] | None = None) -> Any:
        bucket = self.case["bucket"]
        notes = [f"--diagnostic={key}={value or ''}" for key, value in (diagnostics or {}).items()]
        variant = self.case.get("variant", {}) if output == "new.json" else {}
        platform = str(variant.get("platform", self.case["platform"]))
        words = ["--kind", bucket["kind"], *notes]
        return self.project.identity(output, bucket["path"], *words, platform=platform, rev=rev)

    def suite_changed(self) -> bool:
        """Return whether a suite with the inputs of the bucket is selected by the edit."""
        (baseline,) = load_rules(self.project.rules.read_text(encoding="utf-8"), "rules.yaml").rules.baselines
        bucket = Bucket(path=self.case["bucket"]["path"], kind=BucketKind(self.case["bucket"]["kind"]))
        platform = self.case["platform"]
        sets = {
            group.name: [term.text for term in path_set(group, bucket, baseline.platforms[platform]).terms]
            for group in baseline.groups
            if applies(group, bucket, platform)
        }
        named = {name: terms for name, terms in sets.items() if terms}
        suites = {"run-bucket": {"inputs": [f"@{name}" for name in named]}}
        text = {"version": 1, "unclaimed": "nothing", "empty-diff": "skip", "sets": named, "suites": suites}
        file = self.project.write("suite.yaml", text)
        where = ["--repo", str(self.project.built.directory), "--rules", file]
        ran = run_inside("run", *where, "--base", self.base, "--head", self.head, "--format", "json")
        assert ran.code == 0, ran.stderr
        answer = json.loads(ran.stdout)
        revisions = (["--rev", rev, "--format", "key"] for rev in (self.base, self.head))
        keys = [run_inside("identity", *where, *words).stdout for words in revisions]
        changed = bool(answer["outputs"]["run-bucket"])
        assert changed == (keys[0] != keys[1])
        return changed


# -- identities --------------------------------------------------------------------------------------


@of_group("identity", "policy")
def test_an_identity_changes_as_it_should(tmp_path: Path, case: Case) -> None:
    expect = case["expect"]
    prepared = Prepared(tmp_path, case)
    variant = case.get("variant", {})
    before = {"image_id": "sha256:a", "source_sha": SOURCE_SHA} if variant else {}
    after = {**before, **{key: value for key, value in variant.items() if key in before}}
    first = prepared.identity("old.json", prepared.base, before)
    if expect.get("error"):
        assert first.code == 2
        assert answered(first)["error"] == expect["reason"]
        return
    assert first.code == 0, first.stdout
    if "tool" in variant:
        prepared.project.declare(policy(case, tool_text=variant["tool"]))
    assert prepared.identity("new.json", prepared.head, after).code == 0
    found = prepared.project.compare("old.json", "new.json")
    assert found["prefix_changed"] == expect["prefix_changed"]
    assert found["contract_changed"] == expect["compatibility_changed"]
    assert found["reason"] == expect["reason"]
    for part in ("added", "removed", "edited", "reported"):
        assert found[part] == expect.get(part, found[part])
    if not variant and case["group"] == "identity":
        assert prepared.suite_changed() == expect["compatibility_changed"]


# -- recordings --------------------------------------------------------------------------------------


@of_group("finalize")
def test_a_recording_is_finalized_when_it_is_complete(tmp_path: Path, case: Case) -> None:
    prepared = Prepared(tmp_path, case)
    project, setup, expect = prepared.project, case["setup"], case["expect"]
    assert prepared.identity("identity.json", prepared.base).code == 0
    project.recording.mkdir()
    for phase in setup["recorded"]:
        project.fill(phase)
        assert answered(project.record(phase))["ok"] is True
    ran = project.finalize("identity.json", sha=setup["source_sha"], generation=setup["generation"])
    found = answered(ran)
    assert (ran.code == 0) == expect["ok"]
    assert found.get("reason", found.get("error")) == expect["reason"]
    assert (project.recording / "manifest.json").exists() == expect["manifest_written"]


FIELDS = {"identity": "contract", "database_sha256": "sha256"}


def mutate(project: Project, mutation: Mapping[str, Any]) -> None:
    """Damage a recording as a case says."""
    target, op = mutation["target"], mutation["op"]
    directory = project.recording / mutation.get("phase", ".")
    path = {
        "manifest": project.recording / "manifest.json",
        "phase": directory / "metadata.json",
        "database": directory / ".testmondata",
        "wal": directory / ".testmondata-wal",
    }[target]
    match op:
        case "write":
            path.write_text(mutation["value"], encoding="utf-8")
        case "delete-file":
            path.unlink()
        case "sql":
            database(path, statements=[mutation["value"]])
        case "set" | "unset":
            content = json.loads(path.read_text(encoding="utf-8"))
            name = FIELDS.get(mutation["field"], mutation["field"])
            content.pop(name)
            if op == "set":
                value = mutation["value"]
                content[name] = {**value, "tool": tool(value["tool"])} if name == "runtime" else value
            path.write_text(json.dumps(content), encoding="utf-8")
        case _:
            raise AssertionError(mutation)


@of_group("validate")
def test_a_restored_recording_is_valid_or_refused_for_its_reason(tmp_path: Path, case: Case) -> None:
    prepared = Prepared(tmp_path, case)
    project, expect, baseline = prepared.project, case["expect"], case["baseline"]
    images = [baseline["image_id"], baseline["image_id"]]
    for mutation in case["mutate"]:
        if mutation["target"] == "consumer":
            images[1] = mutation["value"]
    assert prepared.identity("old.json", prepared.base, {"image_id": images[0]}).code == 0
    for phase in baseline["phases"]:
        project.fill(phase, journal=baseline.get("journal", "delete"))
        assert project.record(phase).code == 0
    finalized = project.finalize(
        "old.json", sha=baseline["source_sha"], generation=baseline["generation"], ref=baseline["source_ref"]
    )
    assert finalized.code == 0, finalized.stdout
    for mutation in case["mutate"]:
        if mutation["target"] != "consumer":
            mutate(project, mutation)
    new = answered(prepared.identity("new.json", prepared.head, {"image_id": images[1]}))
    key = case["matched_key"].replace("<prefix>", new["prefix"])
    before = snapshot(project.recording)
    runtime = ["--runtime", project.write("now.json", RUNTIME)] if case["check_runtime"] else []
    ran = project.validate("new.json", key, *runtime)
    found = answered(ran)
    assert (found["ok"], found["reason"]) == (expect["valid"], expect["reason"])
    assert ran.code == (0 if expect["valid"] else 1)
    assert snapshot(project.recording) == before
    changed = project.compare("old.json", "new.json")["contract_changed"]
    assert changed == expect["compatibility_changed"]


# -- modes -------------------------------------------------------------------------------------------


def mode_words(case: Case) -> Iterator[str]:
    request = case["request"]
    yield from ("--event", request["event"], "--ref", request["ref"], "--repository", request["repository"])
    yield from ("--bucket", "tests/unit/a", "--wanted", case["wanted"], "--validation", case["baseline_result"])
    yield from ("--changed-list", case["changed_list"])
    yield from (word for label in request["labels"] for word in ("--label", label))
    if request["default"] is not None:
        yield from ("--default", request["default"])
    if not request["labels_known"]:
        yield "--labels-unknown"
    if request["force_full"]:
        yield "--force-full"


@of_group("mode")
def test_a_mode_is_chosen_for_its_reason(tmp_path: Path, case: Case) -> None:
    stated, expect = case["policy"], case["expect"]
    never: Sequence[str] = [] if case["request"]["bucket_selective"] else ["tests/unit/a/"]
    project = Project(tmp_path)
    project.declare(
        {
            **project.policy,
            "selective": {
                "events": stated["selective_events"],
                "refs": stated["selective_refs"],
                "always-full": stated["always_full_events"],
                "default-value": stated["default_exact"],
                "enable-label": stated["enable_label"],
                "disable-label": stated["disable_label"],
                "full-labels": stated["full_labels"],
                "never": never,
            },
            "producer": stated["producer"],
        }
    )
    ran = project.run("mode", *mode_words(case))
    found = answered(ran)
    assert found == {name: expect[name] for name in ("mode", "requested", "eligible", "reason")}
    assert ran.code == (2 if expect["mode"] == "error" else 0)
