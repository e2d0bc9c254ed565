"""The README and the docs are true: their commands run and print what stands there, their files load."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml
from support.command import run_command
from support.repository import BuiltRepository, Submodule

from ci_classify.cli import cli
from ci_classify.core.errors import FallbackCause
from ci_classify.core.findings import Code
from ci_classify.core.model import Pattern
from ci_classify.core.reasons import ReasonCode
from ci_classify.formats.rules_file import load_rules

TOP = Path(__file__).parents[2]
PAGES = [TOP / "README.md", *sorted((TOP / "docs").glob("**/*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fences(language: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of a language, each with a name of its page and place."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            place = f"{page.name}:{text.count(chr(10), 0, match.start()) + 1}"
            found += [(place, match[2])] if match[1] == language else []
    return found


def commands(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it prints."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


SESSIONS = [(where, *command) for where, block in fences("console") for command in commands(block)]
RULES = [(where, block) for where, block in fences("yaml") if block.startswith("version: 1")]
RULES += [(str(path), path.read_text(encoding="utf-8")) for path in sorted(TOP.glob("docs/examples/**/rules.yaml"))]


@pytest.fixture(scope="module")
def nvx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the paths and rules of NVX, and a branch with a small change checked out."""
    repository = BuiltRepository(tmp_path_factory.mktemp("docs") / "nvx")
    paths = (TOP / "tests/cases/nvx-tree.txt").read_text(encoding="utf-8").splitlines()
    files = {path: Submodule("1" * 40) if path == "openvmm" else f"{path}\n" for path in paths}
    base = repository.commit({**files, "rules.yaml": (TOP / "rules.yaml").read_text(encoding="utf-8")})
    repository.name("refs/heads/main", base)
    repository.check_out(repository.commit({"doc/ci.md": "new\n", "data/linux-kvm-virtual-machine.csv": "new\n"}, base))
    return repository.directory


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the rules and the history that the pages about history show, and their files beside it."""
    examples = TOP / "docs/examples"
    new = (examples / "replay/rules.yaml").read_text(encoding="utf-8")
    old = new.replace(', "!/src/cli/"', "")
    repository = BuiltRepository(tmp_path_factory.mktemp("docs") / "small")
    paths = ("src/api.py", "src/cli/main.py", "gpu/kernel.cu", "docs/index.md", "tests/test_cli.py")
    commit = repository.commit({"rules.yaml": old.split("examples:")[0], **dict.fromkeys(paths, "1\n")})
    repository.name("refs/tags/v1", commit)
    for number, changed in enumerate(
        (
            ["src/api.py"],
            ["src/cli/main.py"],
            ["docs/index.md"],
            ["gpu/kernel.cu"],
            ["src/cli/main.py", "tests/test_cli.py"],
            ["src/cli/device.py"],
            ["src/api.py", "docs/index.md"],
        )
    ):
        commit = repository.commit(dict.fromkeys(changed, f"{number}\n"), commit)
    repository.name("refs/heads/main", commit)
    repository.check_out(commit)
    repository.write({"rules.yaml": new})
    for file in (*examples.glob("replay/*.json"), *examples.glob("canary/*.json")):
        shutil.copy(file, repository.directory)
    return repository.directory


PAGES_ABOUT_HISTORY = ("canary.md", "mutate.md", "replay.md")


@pytest.mark.parametrize(
    ("where", "command", "expected"), SESSIONS, ids=[f"{where} {command}" for where, command, _ in SESSIONS]
)
def test_a_command_of_the_docs_prints_what_they_show(
    nvx: Path, small: Path, where: str, command: str, expected: str
) -> None:
    program, *arguments = shlex.split(command)
    assert program == "ci-classify"
    directory = small if where.startswith(PAGES_ABOUT_HISTORY) else nvx
    ran = subprocess.run(
        [sys.executable, "-m", "ci_classify", *arguments], cwd=directory, capture_output=True, text=True, check=False
    )
    printed = re.sub(r"Compared [0-9a-f]{40} with [0-9a-f]{40}", "Compared MERGE-BASE with HEAD", ran.stdout)
    assert printed == expected
    assert ran.stderr == ""


def test_the_picture_of_the_docs_is_what_replay_draws(small: Path, tmp_path: Path) -> None:
    words = ("replay", "v1..main", "--against", "v1", "--svg", str(tmp_path / "runs.svg"))
    subprocess.run([sys.executable, "-m", "ci_classify", *words], cwd=small, capture_output=True, check=True, text=True)
    assert (tmp_path / "runs.svg").read_bytes() == (TOP / "docs/examples/replay/runs.svg").read_bytes()


def test_the_docs_show_sessions_and_rules() -> None:
    assert SESSIONS
    assert RULES


@pytest.mark.parametrize("rules", [r[1] for r in RULES], ids=[r[0] for r in RULES])
def test_the_rules_of_the_docs_load_and_hold(rules: str, tmp_path: Path) -> None:
    loaded = load_rules(rules, "docs.yaml")
    assert loaded.rules.outputs
    (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "ci_classify", "test"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for line in re.findall(r"`[^`\n]*\bci-classify ([a-z-]+[^`\n]*)`", text):
        name, *rest = line.replace("[", " ").replace("]", " ").split()
        command = cli.commands.get(name)
        assert command is not None, line
        options = {option for parameter in options_of(command) for option in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= options, line


def options_of(command: click.Command) -> list[click.Parameter]:
    """Return the options of a command, of its subcommands too."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return [*command.params, *(parameter for inner in below for parameter in options_of(inner))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if "://" not in target and not (page.parent / target).exists()] == []


def test_every_fallback_cause_and_reason_is_documented() -> None:
    events, workflows = ((TOP / "docs" / name).read_text(encoding="utf-8") for name in ("events.md", "workflows.md"))
    assert [cause for cause in FallbackCause if f"`{cause}`" not in events] == []
    assert [reason for reason in ReasonCode if f"`{reason}`" not in workflows] == []


def test_the_adoption_of_the_readme_is_short() -> None:
    workflow = next(block for where, block in fences("yaml") if where.startswith("README") and "jobs:" in block)
    assert len(workflow.splitlines()) < 30
    assert set(yaml.safe_load(workflow)["jobs"]) == {"changes", "gpu-tests"}


def test_every_finding_of_check_is_documented() -> None:
    page = (TOP / "docs/check.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE) == [code.value for code in Code]


WORKFLOWS = [(where, block) for where, block in fences("yaml") if "\njobs:" in block]


@pytest.mark.parametrize("workflow", [w[1] for w in WORKFLOWS], ids=[w[0] for w in WORKFLOWS])
def test_a_workflow_of_the_docs_passes_the_check_with_the_rules_of_its_page(
    workflow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    page = request.node.callspec.id.split(":")[0]
    rules = next(block for wanted in (page, "README.md") for where, block in RULES if where.startswith(f"{wanted}:"))
    # A file for each pattern, so that no term is without one.
    loaded = load_rules(rules, "rules.yaml").rules
    sets = [loaded.documentation, *(suite.inputs for suite in loaded.suites if suite.inputs)]
    texts = [term.matches.text for path_set in sets for term in path_set.terms if isinstance(term.matches, Pattern)]
    files = {text.lstrip("/").replace("*", "x") + ("file" if text.endswith("/") else ""): "x\n" for text in texts}
    built = BuiltRepository(tmp_path / "docs")
    built.check_out(built.commit({**files, ".github/ci-classify.yaml": rules, ".github/workflows/ci.yml": workflow}))
    ran = run_command(capsys, "check", "--repo", str(built.directory))
    assert (ran.code, ran.stdout) == (0, "0 errors, 0 warnings\n")


def test_the_rules_and_the_workflow_of_the_project_pass_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run_command(capsys, "check", "--repo", str(TOP), "--worktree")
    assert (ran.code, ran.stdout) == (0, "0 errors, 0 warnings\n")
