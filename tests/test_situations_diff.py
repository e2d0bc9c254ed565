"""Differences that have broken tools of this kind, from the event to the outputs. The ids are those of the collection."""

import json
from pathlib import Path

import pytest
from support import payloads
from support.ownership import owned_by_another_user
from support.repository import BuiltRepository, Executable, Files, Link, Submodule, in_order, text
from support.runner import Runner, call
from support.situations import assert_everything_runs, classify, evidence

from ci_classify.core.errors import FallbackCause

ANY = """\
version: 1
unclaimed: nothing
suites:
  run-src: {inputs: [/src/]}
  run-other: {inputs: [/other/]}
  run-any: {events: {push: any-change}}
"""


def rules(documentation: str = "/docs/", **suites: str) -> str:
    """Return rules with suites of one pattern each, whose names stand here with an underscore."""
    listed = "".join(f"  {name.replace('_', '-')}: {{inputs: [{json.dumps(term)}]}}\n" for name, term in suites.items())
    return f"version: 1\ndocumentation: [{json.dumps(documentation)}]\nunclaimed: nothing\nsuites:\n{listed}"


def pushed(built: BuiltRepository, before: Files, after: Files) -> dict[str, object]:
    """Commit twice, let HEAD be the second, return the payload of a push that added it."""
    base, head = in_order(built, before, after)
    built.head(head)
    return payloads.push(base, head)


def test_b001_a_name_that_is_no_utf8_is_a_change_like_any_other(runner: Runner, built: BuiltRepository) -> None:
    payload = pushed(built, {"src/a.py": "1"}, {"src/a.py": "2", text(b"docs\xe9.md"): "1"})
    shown = rules(documentation="/none", run_src="/src/", run_other="/other/", run_all="*")
    ran = classify(runner, built, shown, "push", payload, "--format", "json")
    assert ran.changed == 2
    assert ran.outputs == {"run-src": True, "run-other": False, "run-all": True}
    assert evidence(ran, "run-all") == [("docs\udce9.md", "added"), ("src/a.py", "modified")]


def test_b003_a_line_feed_belongs_to_the_name_and_is_shown_escaped(runner: Runner, built: BuiltRepository) -> None:
    payload = pushed(built, {"kept": "1"}, {"docs/x.md\nevil.py": "1"})
    ran = classify(runner, built, rules(documentation="*.md", run_py="*.py"), "push", payload)
    assert ran.outputs == {"run-py": True}
    for shown in (ran.stdout, ran.summary):
        assert r"docs/x.md\nevil.py" in shown
        assert not any(line.startswith("evil.py") for line in shown.splitlines())


def test_b005_a_submodule_that_is_to_be_ignored_is_a_change(runner: Runner, built: BuiltRepository) -> None:
    ignored = '[submodule "v"]\n\tpath = vendor/v\n\turl = ../v\n\tignore = all\n'
    before: Files = {".gitmodules": ignored, "vendor/v": Submodule("1" * 40)}
    payload = pushed(built, before, {"vendor/v": Submodule("2" * 40)})
    ran = classify(runner, built, rules(run_v="/vendor/"), "push", payload, "--format", "json")
    assert ran.changed == 1
    assert ran.outputs == {"run-v": True}
    assert evidence(ran, "run-v") == [("vendor/v", "modified")]


@pytest.mark.parametrize("renames", ["true", "false", "copies", None])
def test_b006_a_move_into_the_documentation_is_a_deletion_too(
    runner: Runner, built: BuiltRepository, renames: str | None
) -> None:
    if renames:
        built.configure({"diff.renames": renames})
    lines = "".join(f"line {number}\n" for number in range(50))
    payload = pushed(built, {"src/m.py": lines}, {"src/m.py": None, "docs/m.md": lines})
    ran = classify(runner, built, rules(run_src="/src/"), "push", payload, "--format", "json")
    assert ran.plan["changes"] == {"total": 2, "documentation": 1}
    assert ran.outputs == {"run-src": True}
    assert evidence(ran, "run-src") == [("src/m.py", "deleted")]


def test_b008_a_file_that_becomes_a_link_is_a_change(runner: Runner, built: BuiltRepository) -> None:
    payload = pushed(built, {"conf": "other/conf"}, {"conf": Link("other/conf")})
    ran = classify(runner, built, rules(run_conf="/conf"), "push", payload, "--format", "json")
    assert ran.outputs == {"run-conf": True}
    assert evidence(ran, "run-conf") == [("conf", "type-changed")]


def test_b009_a_mode_alone_is_a_change_whatever_the_clone_thinks_of_modes(
    runner: Runner, built: BuiltRepository
) -> None:
    built.configure({"core.fileMode": "false"})
    payload = pushed(built, {"tools/run.sh": "1"}, {"tools/run.sh": Executable("1")})
    ran = classify(runner, built, rules(run_tools="/tools/"), "push", payload)
    assert ran.outputs == {"run-tools": True}
    assert ran.changed == 1


@pytest.mark.parametrize("quote", ["true", "false", None])
def test_b011_a_name_is_never_quoted(runner: Runner, built: BuiltRepository, quote: str | None) -> None:
    if quote:
        built.configure({"core.quotePath": quote})
    payload = pushed(built, {"src/Behörig.py": "1"}, {"src/Behörig.py": "2"})
    ran = classify(runner, built, rules(run_src="src/**"), "push", payload, "--format", "json")
    assert ran.outputs == {"run-src": True}
    assert evidence(ran, "run-src") == [("src/Behörig.py", "modified")]


NAMES = ['q"x.py', "bs\\x.py", "tab\tx.py", " lead.py", "trail.py ", "-dash.py", "*.py", ":(top)x.py"]


@pytest.mark.parametrize("name", NAMES)
def test_b013_no_name_is_an_option_or_a_pattern(runner: Runner, built: BuiltRepository, name: str) -> None:
    payload = pushed(built, {"kept": "1"}, dict.fromkeys(NAMES, "1"))
    # The term that means this name alone; a control character can't stand in one.
    term = "".join(f"\\{sign}" if sign in " *\\!#@?[" else sign for sign in name).replace("\t", "?")
    ran = classify(runner, built, rules(run_py="*.py", run_one=f"/{term}"), "push", payload, "--format", "json")
    assert ran.changed == 8
    assert ran.outputs == {"run-py": True, "run-one": True}
    assert evidence(ran, "run-one") == [(name, "added")]
    behind = json.loads(ran.stdout)["decisions"]["run-py"]
    assert len(behind["evidence"]) + behind["more"] == 7


def test_b016_several_merge_bases_count_together_and_the_summary_says_so(
    runner: Runner, built: BuiltRepository
) -> None:
    root = built.commit({"src/a.py": "1", "other/x": "1"})
    main, topic = built.commit({"m": "1"}, root), built.commit({"t": "1"}, root)
    main_merge, topic_merge = built.commit({"t": "1"}, main, topic), built.commit({"m": "1"}, topic, main)
    head = built.commit({"src/a.py": "2"}, topic_merge)
    built.head(head)
    ran = classify(runner, built, ANY, "pull_request", payloads.pull_request(main_merge, head))
    assert ran.outputs["run-src"]
    assert "2 merge bases" in ran.summary


def test_b018_a_shallow_clone_without_the_base_runs_everything_and_names_the_remedy(
    runner: Runner, built: BuiltRepository, tmp_path: Path
) -> None:
    commits = in_order(built, *({"src/a.py": str(number)} for number in range(5)))
    clone = built.job_checkout(tmp_path / "clone", commits[4], depth=1)
    ran = classify(runner, clone, ANY, "pull_request", payloads.pull_request(commits[1], commits[4]))
    assert_everything_runs(ran, FallbackCause.COMMIT_MISSING, "shallow", commits[1], "fetch-depth: 0")


def test_b020_what_the_base_got_in_the_meantime_is_not_charged_to_the_pull_request(
    runner: Runner, built: BuiltRepository
) -> None:
    start, base = in_order(built, {"src/a.py": "1", "other/x.py": "1"}, {"other/x.py": "2"})
    head = built.commit({"src/a.py": "2"}, start)
    built.head(head)
    ran = classify(runner, built, ANY, "pull_request", payloads.pull_request(base, head), "--format", "json")
    assert ran.changed == 1
    assert not ran.outputs["run-other"]
    assert evidence(ran, "run-src") == [("src/a.py", "modified")]


@pytest.mark.parametrize("filter_", ["blob:none", "tree:0"])
def test_b021_a_partial_clone_is_compared_without_network_or_runs_everything(
    runner: Runner, built: BuiltRepository, tmp_path: Path, filter_: str
) -> None:
    built.configure({"uploadpack.allowFilter": "true"})
    base, head = in_order(built, {"src/a.py": "1", "other/x": "1"}, {"src/a.py": "2"})
    built.name("refs/heads/main", head)
    clone = built.job_checkout(tmp_path / "clone", head, filter_=filter_)
    built.directory.rename(tmp_path / "gone")
    for options in ((), ("--fetch",), ("--base", "HEAD~1", "--head", "HEAD")):
        ran = classify(runner, clone, ANY, "push", payloads.push(base, head), *options)
        if filter_ == "blob:none":
            assert ran.cause is None
            assert ran.outputs == {"run-src": True, "run-other": False, "run-any": True}
        else:
            assert_everything_runs(ran, FallbackCause.OBJECTS_MISSING, "filter")


def test_b022_a_change_of_3500_files_is_whole(runner: Runner, built: BuiltRepository) -> None:
    docs = {f"docs/{number:04}.md": "1" for number in range(1, 3500)}
    payload = pushed(built, {"kept": "1"}, {**docs, "zz/core.py": "1"})
    ran = classify(runner, built, rules(run_zz="/zz/"), "push", payload)
    assert ran.plan["changes"] == {"total": 3500, "documentation": 3499}
    assert ran.outputs == {"run-zz": True}
    assert "3,500" in ran.summary


def test_b023_a_long_path_and_one_with_a_blank_stay_whole(runner: Runner, built: BuiltRepository) -> None:
    long = "/".join(["d" * 100] * 30) + "/abc"
    assert len(long) == 3033
    payload = pushed(built, {"kept": "1"}, {long: "1", "a b.py": "1"})
    ran = classify(runner, built, rules(run_deep="d*/", run_py="*.py"), "push", payload, "--format", "json")
    assert ran.outputs == {"run-deep": True, "run-py": True}
    assert evidence(ran, "run-deep") == [(long, "added")]
    assert evidence(ran, "run-py") == [("a b.py", "added")]
    assert long not in ran.summary
    assert "…" in ran.summary


@pytest.mark.parametrize("how", ["--repo", "working directory"])
def test_b025_the_variables_of_another_repository_are_dropped(
    runner: Runner, built: BuiltRepository, tmp_path: Path, how: str
) -> None:
    other = BuiltRepository(tmp_path / "other")
    pushed(other, {"other/x": "1"}, {"other/x": "2"})
    payload = pushed(built, {"src/a.py": "1"}, {"src/a.py": "2"})
    built.write({"rules.yaml": ANY})
    variables = {
        "GIT_DIR": str(other.directory / ".git"),
        "GIT_WORK_TREE": str(other.directory),
        "GIT_INDEX_FILE": "/x",
    }
    cwd = built.directory if how == "working directory" else None
    ran = runner.run(built.directory, "push", payload, variables=variables, cwd=cwd)
    assert ran.cause is None
    assert ran.outputs == {"run-src": True, "run-other": False, "run-any": True}


def test_b027_a_repository_of_sha256_objects_is_classified(runner: Runner, tmp_path: Path) -> None:
    built = BuiltRepository(tmp_path / "repository", object_format="sha256")
    payload = pushed(built, {"src/a.py": "1", "other/x": "1"}, {"src/a.py": "2"})
    assert len(str(payload["before"])) == 64
    ran = classify(runner, built, ANY, "push", payload)
    assert ran.outputs == {"run-src": True, "run-other": False, "run-any": True}
    created = classify(runner, built, ANY, "push", {**payload, "before": "0" * 64})
    assert_everything_runs(created, FallbackCause.NEW_BRANCH)


def test_b028_a_repository_of_another_owner_is_classified_where_it_is_named(
    runner: Runner, built: BuiltRepository
) -> None:
    payload = pushed(built, {"src/a.py": "1", "other/x": "1"}, {"src/a.py": "2"})
    with owned_by_another_user(built.directory, built.directory / ".git"):
        ran = classify(runner, built, ANY, "push", payload)
    assert ran.outputs == {"run-src": True, "run-other": False, "run-any": True}
    assert list(Path.home().iterdir()) == []


def test_b028_a_repository_of_another_owner_further_up_runs_everything(runner: Runner, built: BuiltRepository) -> None:
    payload = pushed(built, {"src/a.py": "1"}, {"src/a.py": "2"})
    built.write({"rules.yaml": ANY, "src/a.py": "2"})
    with owned_by_another_user(built.directory, built.directory / ".git"):
        ran = runner.run(built.directory / "src", "push", payload)
    assert_everything_runs(ran, FallbackCause.NOT_A_REPOSITORY, "belongs to another user")
    assert list(Path.home().iterdir()) == []


@pytest.mark.parametrize("created", [True, False])
def test_b029_a_null_id_is_no_commit(runner: Runner, built: BuiltRepository, created: bool) -> None:
    payload = pushed(built, {"src/a.py": "1"}, {"src/a.py": "2"})
    ran = classify(runner, built, ANY, "push", {**payload, "before": "0" * 40, "created": created})
    assert_everything_runs(ran, FallbackCause.NEW_BRANCH)


def test_b029_no_change_is_believed_of_two_commits_with_equal_trees_and_said(
    runner: Runner, built: BuiltRepository
) -> None:
    payload = pushed(built, {"src/a.py": "1"}, {})
    ran = classify(runner, built, f"{ANY}empty-diff: skip\n", "push", payload)
    assert ran.changed == 0
    assert set(ran.outputs.values()) == {False}
    assert "No path differs" in ran.summary
    assert str(payload["before"]) in ran.summary


def test_b030_the_first_commit_of_a_repository_runs_everything(runner: Runner, built: BuiltRepository) -> None:
    only = built.commit({"src/a.py": "1"})
    built.head(only)
    ran = classify(runner, built, ANY, "push", payloads.push("0" * 40, only, created=True))
    assert_everything_runs(ran, FallbackCause.NEW_BRANCH)


# -- the same on a laptop ----------------------------------------------------------------------------


def test_a_dry_run_tells_what_is_left_out_and_takes_it_in_when_asked(built: BuiltRepository) -> None:
    base, head = in_order(built, {"rules.yaml": ANY, "other/x": "1", "src/a.py": "1"}, {"src/a.py": "2"})
    built.name("refs/heads/main", base)
    built.check_out(head)
    built.write({"other/x": "2"})
    without = call("dry-run", "main", "--repo", str(built.directory))
    assert without.code == 0
    assert "--worktree" in without.stderr
    assert "other/x" not in without.stdout
    taken_in = call("dry-run", "main", "--repo", str(built.directory), "--worktree")
    assert taken_in.code == 0
    assert "--worktree" not in taken_in.stderr
    assert "other/x" in taken_in.stdout


@pytest.mark.parametrize("branch", ["nowhere", "-x", "a\nb", ""])
def test_a_dry_run_against_no_branch_says_so(built: BuiltRepository, branch: str) -> None:
    built.check_out(built.commit({"rules.yaml": ANY}))
    ran = call("dry-run", "--repo", str(built.directory), "--", branch)
    assert ran.code == 2
    assert "Traceback" not in ran.stderr
    assert ran.stderr.startswith("error: ")
