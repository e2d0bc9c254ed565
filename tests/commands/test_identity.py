"""``ci-classify identity``: from a commit to entries, digest and key."""

import hashlib
import json
import os
from pathlib import Path
from typing import cast

import pytest
from support.repository import BuiltRepository, Executable, Files, Link, Submodule, in_order, run_git
from support.runner import Ran, call
from support.text import HOSTILE

RULES = """\
version: 1
documentation: ["*.md"]
suites:
  run-src: {title: Sources, inputs: [/src/, /vendor/]}
  run-gen: {inputs: [/tools/gen.py]}
producers:
  run-build: {consumers: [run-src, run-gen]}
"""
FILES: Files = {
    "rules.yaml": RULES,
    "src/main.c": "int main;\n",
    "src/run.sh": Executable("exit\n"),
    "src/README.md": "text\n",
    "tools/gen.py": "1\n",
    "vendor/lib": Submodule("1" * 40),
    "other": "1\n",
}

Found = dict[str, object]


def identity(repository: Path, *words: str) -> Ran:
    return call("identity", "--repo", str(repository), *words)


def identities(repository: Path, *words: str) -> dict[str, Found]:
    ran = identity(repository, "--format", "json", *words)
    assert ran.code == 0, ran.stderr
    return cast("dict[str, Found]", json.loads(ran.stdout)["identities"])


def digests(repository: Path, *words: str) -> dict[str, object]:
    return {name: found["digest"] for name, found in identities(repository, *words).items()}


@pytest.fixture
def repository(built: BuiltRepository) -> BuiltRepository:
    built.check_out(built.commit(FILES))
    return built


def test_json_holds_the_entries_that_a_suite_sees_with_mode_and_id(repository: BuiltRepository) -> None:
    ran = identity(repository.directory, "run-src", "--format", "json")
    found = json.loads(ran.stdout)
    digest = found["identities"]["run-src"]["digest"]
    blob = {path: repository.git("rev-parse", f"HEAD:{path}") for path in ("src/main.c", "src/run.sh")}
    assert found == {
        "schema": 1,
        "commit": repository.git("rev-parse", "HEAD"),
        "tree": repository.git("rev-parse", "HEAD^{tree}"),
        "identities": {
            "run-src": {
                "digest": digest,
                "key": f"run-src-{digest}",
                "entries": {
                    "src/main.c": f"100644 {blob['src/main.c']}",
                    "src/run.sh": f"100755 {blob['src/run.sh']}",
                    "vendor/lib": f"160000 {'1' * 40}",
                },
            }
        },
    }


def test_text_shows_the_same(repository: BuiltRepository) -> None:
    found = identities(repository.directory)["run-gen"]
    entries = cast("dict[str, str]", found["entries"])
    assert identity(repository.directory, "run-gen").stdout == (
        f"run-gen  1 entries\n  digest {found['digest']}\n  key    {found['key']}\n"
        f"  {entries['tools/gen.py']}  tools/gen.py\n"
    )


def test_keys_alone_come_in_the_order_that_was_asked_for(repository: BuiltRepository) -> None:
    found = identities(repository.directory)
    ran = identity(repository.directory, "run-gen", "run-src", "run-gen", "--format", "key")
    assert ran.stdout.splitlines() == [found["run-gen"]["key"], found["run-src"]["key"]]


def test_without_names_all_outputs_come_in_the_order_of_the_rules(repository: BuiltRepository) -> None:
    assert list(identities(repository.directory)) == ["run-src", "run-gen", "run-build"]


def test_a_producer_has_the_entries_of_its_consumers(repository: BuiltRepository) -> None:
    entries = cast("dict[str, str]", identities(repository.directory)["run-build"]["entries"])
    assert list(entries) == ["src/main.c", "src/run.sh", "tools/gen.py", "vendor/lib"]


def test_the_digest_is_the_documented_one(repository: BuiltRepository) -> None:
    gen = repository.git("rev-parse", "HEAD:tools/gen.py")
    head = (
        '{"documentation":{"changes":null,"ignore-case":false,"terms":["*.md"]},"format":1,'
        '"inputs":{"changes":null,"ignore-case":false,"terms":["/tools/gen.py"]},"sets":{},"suite":"run-gen"}'
    )
    expected = hashlib.sha256(f"{head}\n100644 blob {gen}\ttools/gen.py\0".encode()).hexdigest()
    assert digests(repository.directory)["run-gen"] == expected


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_shallow_clone_without_blobs_and_without_network_is_enough(tmp_path: Path, object_format: str) -> None:
    origin = BuiltRepository(tmp_path / "origin", object_format=object_format)
    length = 40 if object_format == "sha1" else 64
    commit = in_order(origin, {**FILES, "vendor/lib": Submodule("1" * length)}, {"other": "2\n"})[1]
    origin.name("refs/heads/main", commit)
    origin.check_out(commit)
    origin.configure({"uploadpack.allowFilter": "true", "uploadpack.allowAnySHA1InWant": "true"})
    clone = BuiltRepository(tmp_path / "clone", create=False)
    options = ["--bare", "--depth=1", "--filter=blob:none"]
    run_git(tmp_path, "clone", "--quiet", *options, origin.url, str(clone.directory))
    expected = digests(origin.directory)
    origin.directory.rename(tmp_path / "gone")
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    assert digests(clone.directory, "--rules", str(tmp_path / "rules.yaml")) == expected


def test_rules_that_a_clone_without_blobs_lacks_are_not_replaced_by_others(tmp_path: Path) -> None:
    origin = BuiltRepository(tmp_path / "origin")
    origin.name("refs/heads/main", origin.commit(FILES))
    origin.configure({"uploadpack.allowFilter": "true"})
    clone = BuiltRepository(tmp_path / "clone", create=False)
    run_git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", origin.url, str(clone.directory))
    clone.write({"rules.yaml": RULES})
    origin.directory.rename(tmp_path / "gone")
    ran = identity(clone.directory, "--rev", "HEAD")
    assert ran.code == 2
    assert "lacks the content of rules.yaml" in ran.stderr


def test_b091_a_revision_that_is_named_has_its_own_rules(built: BuiltRepository) -> None:
    edited = RULES.replace("[/tools/gen.py]", "[/tools/]")
    first, rules, tool, readme = in_order(
        built, FILES, {"rules.yaml": edited}, {"rules.yaml": RULES, "tools/gen.py": "2\n"}, {"README.md": "1\n"}
    )
    built.check_out(readme)
    at = {commit: digests(built.directory, "--rev", commit)["run-gen"] for commit in (first, rules, tool, readme)}
    assert len({at[first], at[rules], at[tool]}) == 3
    assert at[tool] == at[readme]


def test_rules_that_are_given_hold_for_any_revision(built: BuiltRepository, tmp_path: Path) -> None:
    first, second = in_order(built, FILES, {"rules.yaml": RULES.replace("/tools/gen.py", "/tools/")})
    (tmp_path / "given.yaml").write_text(RULES, encoding="utf-8")
    given = [digests(built.directory, "--rules", str(tmp_path / "given.yaml"), "--rev", c) for c in (first, second)]
    assert given[0] == given[1]


def test_b095_neither_place_nor_time_nor_permissions_of_a_checkout_count(
    built: BuiltRepository, tmp_path: Path
) -> None:
    first, second = in_order(built, FILES, {"src/main.c": "int niam;\n"})
    built.name("refs/heads/main", second)
    one, other = (built.clone(tmp_path / name, commit=first) for name in ("one", "other"))
    (other.directory / "src/main.c").chmod(0o600)
    os.utime(other.directory / "src/main.c", (1, 1))
    assert digests(one.directory) == digests(other.directory)
    other.check_out(second)
    os.utime(other.directory / "src/main.c", (1, 1))
    assert digests(one.directory)["run-src"] != digests(other.directory)["run-src"]


def test_nothing_but_the_rules_is_read_from_the_working_tree(repository: BuiltRepository) -> None:
    before = digests(repository.directory)
    repository.write({"src/main.c": "changed\n", "src/new.c": "new\n"})
    assert digests(repository.directory) == before


def test_b098_a_submodule_counts_by_its_recorded_commit_whatever_gitmodules_says(built: BuiltRepository) -> None:
    ignoring = '[submodule "lib"]\n\tpath = vendor/lib\n\turl = ../lib\n\tignore = all\n'
    first, second = in_order(built, {**FILES, ".gitmodules": ignoring}, {"vendor/lib": Submodule("2" * 40)})
    built.configure({"diff.ignoreSubmodules": "all", "submodule.lib.ignore": "all"})
    before, after = (digests(built.directory, "--rev", commit) for commit in (first, second))
    assert before["run-src"] != after["run-src"]
    assert before["run-gen"] == after["run-gen"]


def test_b100_an_input_that_is_gone_or_empty_or_a_directory_are_three_different_things(built: BuiltRepository) -> None:
    start, gone, empty = in_order(built, FILES, {"tools/gen.py": None}, {"tools/gen.py": ""})
    directory = built.commit({"tools/gen.py": None, "tools/gen.py/x": "1\n"}, empty)
    found = [digests(built.directory, "--rev", commit)["run-gen"] for commit in (start, gone, empty, directory)]
    assert len(set(found)) == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run-nothing"], "there is no output 'run-nothing'"),
        (["--rev", "nowhere"], "the clone lacks the commit nowhere"),
        (["--rev", "--all"], "is no revision"),
        (["--rules", "/nowhere.yaml"], "there are no rules"),
    ],
)
def test_what_cannot_be_answered_says_why(repository: BuiltRepository, words: list[str], said: str) -> None:
    ran = identity(repository.directory, *words)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr


def test_a_rules_file_that_is_a_link_at_a_revision_is_not_followed(built: BuiltRepository) -> None:
    commit = built.commit({**FILES, "rules.yaml": Link("real.yaml"), "real.yaml": RULES})
    ran = identity(built.directory, "--rev", commit)
    assert ran.code == 2
    assert "rules.yaml is a symbolic link" in ran.stderr


def test_outside_of_a_repository_there_is_no_identity(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    ran = identity(tmp_path)
    assert ran.code == 2
    assert "not in a git repository" in ran.stderr


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_path_makes_a_line_or_a_command(built: BuiltRepository, form: str) -> None:
    names = [f"src/{name}" for name in HOSTILE if len(name) < 200 and "//" not in name]
    built.check_out(built.commit({**FILES, **dict.fromkeys(names, "1")}))
    ran = identity(built.directory, "run-src", "--format", form)
    assert ran.code == 0
    assert "##[" not in ran.stdout
    assert not [line for line in ran.stdout.split("\n") if line.lstrip().startswith("::")]
    if form == "json":
        assert set(names) <= json.loads(ran.stdout)["identities"]["run-src"]["entries"].keys()
    else:
        assert len(ran.stdout.splitlines()) == 3 + len(names) + 3
