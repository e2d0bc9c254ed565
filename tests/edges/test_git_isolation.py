"""Nothing that a repository, a user or a runner configures has influence, and nothing that it names is run."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.ownership import owned_by_another_user
from support.repository import BuiltRepository, Executable, Link, Submodule, in_order, run_git

from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.edges.git import Repository
from ci_classify.edges.git_process import find_git

CHANGED = ["a.py", "docs/m.md", "link", "src/a.py", "src/m.py", "s\u00e4/x.py", "tool.sh", "vendor/v"]


@pytest.fixture
def compared(built: BuiltRepository) -> tuple[BuiltRepository, str, str]:
    """Return a repository with two commits of which the second is checked out, and one path of each kind of change."""
    ignore_all = '[submodule "v"]\n\tpath = vendor/v\n\turl = ../v\n\tignore = all\n'
    base, head = in_order(
        built,
        {
            ".gitattributes": "* diff=evil\n",
            ".gitmodules": ignore_all,
            "link": "1",
            "src/a.py": "1",
            "src/m.py": "a line\n" * 50,
            "tool.sh": "1",
            "vendor/v": Submodule("1" * 40),
        },
        {
            "a.py": "1",
            "docs/m.md": "a line\n" * 50,
            "link": Link("src"),
            "s\u00e4/x.py": "1",
            "src/a.py": "2",
            "src/m.py": None,
            "tool.sh": Executable("1"),
            "vendor/v": Submodule("2" * 40),
        },
    )
    built.check_out(head)
    return built, base, head


def changed(directory: Path, base: str, head: str) -> Sequence[str]:
    repository = Repository(directory)
    assert repository.commit("HEAD") is not None
    assert repository.merge_bases(base, head) == (base,)
    return repository.changes([base], head).paths


def script(path: Path, marker: Path) -> str:
    """Write a program that leaves a marker; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{marker}'\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


# PROGRAM is a program that leaves a marker, ELSEWHERE an empty directory.
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "file system monitor": {"core.fsmonitor": "PROGRAM"},
    "external diff": {"diff.external": "PROGRAM", "diff.evil.command": "PROGRAM"},
    "conversion to text": {"diff.evil.textconv": "PROGRAM", "diff.evil.cachetextconv": "true"},
    "hooks": {"core.hooksPath": "HOOKS"},
    "pager": {"core.pager": "PROGRAM", "pager.diff-tree": "true", "pager.diff": "PROGRAM"},
    "filters": {"filter.evil.clean": "PROGRAM", "filter.evil.process": "PROGRAM", "core.attributesFile": "ATTRIBUTES"},
    "signatures": {"log.showSignature": "true", "gpg.program": "PROGRAM"},
    "editor": {"core.editor": "PROGRAM", "core.askPass": "PROGRAM", "credential.helper": "!PROGRAM"},
    "alternate refs": {"core.alternateRefsCommand": "PROGRAM"},
    "alias": {"alias.diff-tree": "!PROGRAM", "alias.cat-file": "!PROGRAM", "alias.merge-base": "!PROGRAM"},
    "renames": {"diff.renames": "copies", "diff.renameLimit": "0", "merge.renames": "true"},
    "quoted paths": {"core.quotePath": "true"},
    "unquoted paths": {"core.quotePath": "false"},
    "order": {"diff.orderFile": "ORDER"},
    "ignored submodules": {"diff.ignoreSubmodules": "all", "submodule.v.ignore": "all"},
    "submodule logs": {"diff.submodule": "log", "submodule.recurse": "true", "status.submoduleSummary": "true"},
    "ignored modes": {"core.fileMode": "false"},
    "ignored case": {"core.ignoreCase": "true"},
    "no links": {"core.symlinks": "false"},
    "relative paths": {"diff.relative": "true"},
    "no prefix": {"diff.noprefix": "true", "diff.mnemonicPrefix": "true"},
    "colours": {"color.ui": "always", "color.diff": "always"},
    "short ids": {"core.abbrev": "4"},
    "another working tree": {"core.worktree": "ELSEWHERE"},
    "bare": {"core.bare": "true"},
    "sparse checkout": {"core.sparseCheckout": "true", "core.sparseCheckoutCone": "true"},
    "composed letters": {"core.precomposeUnicode": "true"},
    "encodings": {"i18n.logOutputEncoding": "UTF-16", "i18n.commitEncoding": "UTF-16"},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("place", ["repository", "user", "environment"])
def test_no_setting_has_influence(
    compared: tuple[BuiltRepository, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Mapping[str, str],
    place: str,
) -> None:
    built, base, head = compared
    marker = tmp_path / "marker"
    program = script(tmp_path / "program", marker)
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        script(tmp_path / "hooks" / hook, marker)
    (tmp_path / "order").write_text("vendor/v\nsrc/*\n", encoding="utf-8")
    (tmp_path / "attributes").write_text("* filter=evil diff=evil\n", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    places = {name.upper(): str(tmp_path / name) for name in ("hooks", "order", "attributes", "elsewhere")}
    written = {}
    for key, value in settings.items():
        written[key] = places.get(value, value.replace("PROGRAM", program))
    if place == "environment":
        monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(written)))
        for number, (key, value) in enumerate(written.items()):
            monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
            monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    else:
        file = built.directory / ".git/config" if place == "repository" else Path.home() / ".gitconfig"
        for key, value in written.items():
            run_git(tmp_path, "config", "--file", str(file), key, value)
    assert changed(built.directory, base, head) == CHANGED
    assert not marker.exists()


# OTHER is the git directory of another repository, PROGRAM as above.
VARIABLES: Mapping[str, Mapping[str, str]] = {
    "another repository": {"GIT_DIR": "OTHER"},
    "another repository and working tree": {"GIT_DIR": "OTHER", "GIT_WORK_TREE": "/", "GIT_COMMON_DIR": "OTHER"},
    "another index": {"GIT_INDEX_FILE": "/x"},
    "other objects": {"GIT_OBJECT_DIRECTORY": "OTHER/objects", "GIT_ALTERNATE_OBJECT_DIRECTORIES": "OTHER/objects"},
    "external diff": {"GIT_EXTERNAL_DIFF": "PROGRAM", "GIT_DIFF_OPTS": "-u0"},
    "other settings": {"GIT_CONFIG_GLOBAL": "/x", "GIT_CONFIG_PARAMETERS": "'core.fsmonitor=PROGRAM'"},
    "a ceiling": {"GIT_CEILING_DIRECTORIES": "/", "GIT_DISCOVERY_ACROSS_FILESYSTEM": "0"},
    "pathspecs": {"GIT_ICASE_PATHSPECS": "1", "GIT_GLOB_PATHSPECS": "1", "GIT_NOGLOB_PATHSPECS": "1"},
    "a namespace": {"GIT_NAMESPACE": "other"},
    "other programs": {"GIT_EXEC_PATH": "/x", "GIT_PAGER": "PROGRAM", "GIT_SSH": "PROGRAM", "GIT_ASKPASS": "PROGRAM"},
    "another history": {"GIT_SHALLOW_FILE": "/x", "GIT_GRAFT_FILE": "/x", "GIT_REPLACE_REF_BASE": "refs/heads/"},
    "other attributes": {"GIT_ATTR_SOURCE": "HEAD", "GIT_ATTR_NOSYSTEM": "1"},
    "another object format": {"GIT_DEFAULT_HASH": "sha256"},
    "traces": {"GIT_TRACE": "1", "GIT_TRACE2_EVENT": "2", "GIT_TRACE_SETUP": "1"},
    "another language": {"LANGUAGE": "de", "LANG": "de_DE.UTF-8", "LC_MESSAGES": "de_DE.UTF-8"},
    "lower case": {"git_dir": "OTHER"},
}


@pytest.mark.parametrize("variables", VARIABLES.values(), ids=VARIABLES)
def test_no_variable_has_influence(
    compared: tuple[BuiltRepository, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: Mapping[str, str],
) -> None:
    built, base, head = compared
    other = BuiltRepository(tmp_path / "other")
    other.head(other.commit({"other": "1"}))
    marker = tmp_path / "marker"
    program = script(tmp_path / "program", marker)
    for name, value in variables.items():
        monkeypatch.setenv(name, value.replace("PROGRAM", program).replace("OTHER", str(other.directory / ".git")))
    assert changed(built.directory, base, head) == CHANGED
    assert not marker.exists()


def test_a_replaced_commit_or_tree_is_read_as_it_was(compared: tuple[BuiltRepository, str, str]) -> None:
    built, base, head = compared
    empty = built.commit({})
    built.git("replace", head, empty)
    built.git("replace", f"{base}^{{tree}}", f"{empty}^{{tree}}")
    assert changed(built.directory, base, head) == CHANGED


def test_a_graft_changes_no_history(compared: tuple[BuiltRepository, str, str]) -> None:
    built, base, head = compared
    stranger = built.commit({"x": "1"})
    (built.directory / ".git/info").mkdir(exist_ok=True)
    (built.directory / ".git/info/grafts").write_text(f"{head} {stranger}\n{base} {stranger}\n", encoding="utf-8")
    repository = Repository(built.directory)
    commit = repository.commit(head)
    assert commit is not None
    assert commit.parents == (base,)
    assert repository.merge_bases(base, head) == (base,)
    assert not repository.is_ancestor(stranger, head)


def test_nothing_is_written(compared: tuple[BuiltRepository, str, str]) -> None:
    built, base, head = compared
    (Path.home() / ".gitconfig").write_text("[user]\n\tname = Somebody\n", encoding="utf-8")
    (built.directory / "src/a.py").touch()

    def state() -> dict[Path, tuple[bytes, int]]:
        files = [path for path in (*built.directory.rglob("*"), *Path.home().rglob("*")) if path.is_file()]
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    before = state()
    assert changed(built.directory, base, head) == CHANGED
    Repository(built.directory).worktree_changes([base])
    assert not Repository(built.directory).is_dirty()
    assert state() == before


# -- which repository --------------------------------------------------------------------------------


def test_from_a_directory_inside_of_it_the_whole_repository_is_compared(
    compared: tuple[BuiltRepository, str, str],
) -> None:
    built, base, head = compared
    (built.directory / "docs").mkdir(exist_ok=True)
    assert changed(built.directory / "docs", base, head) == CHANGED


def test_a_bare_repository_is_compared(compared: tuple[BuiltRepository, str, str], tmp_path: Path) -> None:
    built, base, head = compared
    built.name("refs/heads/main", head)
    built.clone(tmp_path / "bare", "--bare")
    assert changed(tmp_path / "bare", base, head) == CHANGED


def test_a_bare_repository_below_a_working_tree_is_meant_when_it_is_named(
    compared: tuple[BuiltRepository, str, str],
) -> None:
    built, _, _ = compared
    inner = BuiltRepository(built.directory / "inner.git", bare=True)
    base, head = in_order(inner, {"a": "1"}, {"a": "2"})
    inner.name("refs/heads/main", head)
    repository = Repository(inner.directory)
    assert repository.top == str(inner.directory)
    assert repository.changes([base], head).paths == ["a"]


def test_a_linked_working_tree_is_compared(compared: tuple[BuiltRepository, str, str], tmp_path: Path) -> None:
    built, base, head = compared
    built.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"), base)
    assert changed(tmp_path / "linked", base, head) == CHANGED
    commit = Repository(tmp_path / "linked").commit("HEAD")
    assert commit is not None
    assert commit.id == base


def test_the_checkout_of_a_submodule_is_a_repository_of_its_own(built: BuiltRepository, tmp_path: Path) -> None:
    library = BuiltRepository(tmp_path / "library")
    base, head = in_order(library, {"lib": "1"}, {"lib": "2"})
    library.name("refs/heads/main", head)
    built.check_out(built.commit({"a": "1"}))
    built.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.url, "library")
    assert changed(built.directory / "library", base, head) == ["lib"]


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param(None, id="an empty .git directory"),
        pytest.param("", id="an empty .git file"),
        pytest.param("gitdir: /nowhere\n", id="a .git file that leads nowhere"),
    ],
)
def test_the_repository_around_a_broken_one_is_never_taken_for_it(
    compared: tuple[BuiltRepository, str, str], contents: str | None
) -> None:
    built, base, head = compared
    inner = built.directory / "inner"
    inner.mkdir()
    if contents is None:
        (inner / ".git").mkdir()
    else:
        (inner / ".git").write_text(contents, encoding="utf-8")
    with pytest.raises(CannotClassifyError):
        Repository(inner).changes([base], head)


def test_a_bare_repository_that_is_committed_is_never_taken_for_the_one_around_it(
    compared: tuple[BuiltRepository, str, str], tmp_path: Path
) -> None:
    built, base, head = compared
    marker = tmp_path / "marker"
    inner = BuiltRepository(built.directory / "inner", bare=True)
    inner.configure({"core.fsmonitor": script(tmp_path / "program", marker), "core.worktree": "."})
    (inner.directory / "below").mkdir()
    assert changed(inner.directory / "below", base, head) == CHANGED
    assert not marker.exists()


@pytest.mark.parametrize("name", [".", "missing", "file", "loop", "x" * 300])
def test_what_is_no_repository_is_said_to_be_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("1", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(CannotClassifyError) as caught:
        Repository(tmp_path / name)
    assert caught.value.cause is FallbackCause.NOT_A_REPOSITORY


def test_a_missing_directory_of_a_repository_is_not_the_repository(built: BuiltRepository) -> None:
    with pytest.raises(CannotClassifyError) as caught:
        Repository(built.directory / "missing")
    assert caught.value.cause is FallbackCause.NOT_A_REPOSITORY


# -- another owner -----------------------------------------------------------------------------------


def test_a_repository_of_another_owner_is_read_when_it_is_named(compared: tuple[BuiltRepository, str, str]) -> None:
    built, base, head = compared
    with owned_by_another_user(built.directory, built.directory / ".git"):
        assert changed(built.directory, base, head) == CHANGED
    assert list(Path.home().iterdir()) == []


def test_a_repository_of_another_owner_above_the_named_directory_is_not_read(
    compared: tuple[BuiltRepository, str, str],
) -> None:
    built, base, head = compared
    (built.directory / "docs").mkdir(exist_ok=True)
    with (
        owned_by_another_user(built.directory, built.directory / ".git"),
        pytest.raises(CannotClassifyError) as caught,
    ):
        Repository(built.directory / "docs").changes([base], head)
    assert caught.value.cause is FallbackCause.NOT_A_REPOSITORY
    assert f"{built.directory} belongs to another user" in caught.value.detail


def test_a_user_can_trust_a_repository_of_another_owner(compared: tuple[BuiltRepository, str, str]) -> None:
    built, base, head = compared
    (built.directory / "docs").mkdir(exist_ok=True)
    (Path.home() / ".gitconfig").write_text(f"[safe]\n\tdirectory = {built.directory}\n", encoding="utf-8")
    with owned_by_another_user(built.directory, built.directory / ".git"):
        assert changed(built.directory / "docs", base, head) == CHANGED


# -- which git ---------------------------------------------------------------------------------------


@pytest.fixture
def planted(compared: tuple[BuiltRepository, str, str], tmp_path: Path) -> tuple[BuiltRepository, str, str]:
    """Return the same repository with a program `git` in its directory `bin` and at its top."""
    for directory in ("bin", "."):
        script(compared[0].directory / directory / "git", tmp_path / "marker")
    return compared


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param("REPOSITORY/bin", id="a directory inside"),
        pytest.param("REPOSITORY", id="the top"),
        pytest.param("bin", id="relative"),
        pytest.param(".", id="the current directory"),
        pytest.param("", id="empty"),
        pytest.param("LINKED/bin", id="a link to the repository"),
        pytest.param("LINKING", id="a link to the program"),
        pytest.param("LOOP", id="a loop of links"),
        pytest.param("/" + "x" * 300, id="too long"),
    ],
)
@pytest.mark.parametrize("inside", [True, False], ids=["from inside", "from outside"])
def test_a_git_inside_the_repository_is_never_run(
    planted: tuple[BuiltRepository, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    entry: str,
    inside: bool,
) -> None:
    built, base, head = planted
    (tmp_path / "linked").symlink_to(built.directory)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "linking").mkdir()
    (tmp_path / "linking/git").symlink_to(built.directory / "bin/git")
    for place, directory in {
        "REPOSITORY": built.directory,
        "LINKED": tmp_path / "linked",
        "LINKING": tmp_path / "linking",
        "LOOP": tmp_path / "loop",
    }.items():
        entry = entry.replace(place, str(directory))
    monkeypatch.setenv("PATH", os.pathsep.join([entry, os.environ["PATH"]]))
    # A relative entry that leads to a program from here could lead to another one from the repository.
    script(tmp_path / "outside/bin/git", tmp_path / "marker")
    monkeypatch.chdir(built.directory if inside else tmp_path / "outside")
    assert changed(built.directory, base, head) == CHANGED
    assert not (tmp_path / "marker").exists()


def test_a_link_inside_the_repository_to_a_git_outside_is_not_run(
    built: BuiltRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = find_git(str(built.directory))
    (built.directory / "git").symlink_to(real)
    monkeypatch.setenv("PATH", os.pathsep.join([str(built.directory), os.environ["PATH"]]))
    assert find_git(str(built.directory)) == real


@pytest.mark.parametrize("path", ["", "/nowhere", "REPOSITORY/bin"])
def test_without_a_git_outside_the_repository_there_is_none(
    planted: tuple[BuiltRepository, str, str], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("PATH", path.replace("REPOSITORY", str(planted[0].directory)))
    with pytest.raises(CannotClassifyError) as caught:
        Repository(planted[0].directory)
    assert caught.value.cause is FallbackCause.GIT_MISSING


def test_a_git_that_cannot_be_started_is_none(
    built: BuiltRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text("no program\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    with pytest.raises(CannotClassifyError) as caught:
        Repository(built.directory).commit("HEAD")
    assert caught.value.cause is FallbackCause.GIT_MISSING
