"""What runs without an installation: the libraries that the action carries, and the single file."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import cast

import pytest
import yaml
from support.action import TOP, lay_out
from support.payloads import pull_request
from support.pythons import oldest_and_newest
from support.repository import BuiltRepository
from support.runner import call

COMMAND = "python .action/bundle.py"
ISOLATED = ("-I", "-S")  # nothing that is installed for the interpreter is found
NEEDS = {"changes": {"result": "success", "outputs": {"run-unit": "true"}}, "unit": {"result": "skipped"}}
RULES = """\
version: 1
documentation: ["*.md"]
suites: {run-unit: {title: Unit tests, inputs: [/src/]}, run-gpu: {inputs: [/gpu/]}}
required-check: {detector: changes, jobs: {unit: {output: run-unit}}}
"""
EVENTS = """
import json, sys
import yaml

def read(text):
    found = []
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            mark = event.start_mark
            facts = [getattr(event, name, None) for name in ("anchor", "tag", "value", "style")]
            found.append([type(event).__name__, mark.index, mark.line, mark.column, *facts])
    except yaml.MarkedYAMLError as error:
        marks = [mark and (mark.index, mark.line, mark.column) for mark in (error.context_mark, error.problem_mark)]
        found.append([error.context, error.problem, *marks])
    except yaml.YAMLError as error:
        found.append(["no character", error.position])
    except (ValueError, OverflowError) as error:
        found.append([type(error).__name__])
    return found

json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
"""


def bundle(checkout: Path, *options: str, python: str = sys.executable, **variables: str) -> tuple[int, str]:
    """Run the command that makes the files; return its code and what it says."""
    words = [python, str(checkout / ".action/bundle.py"), *options]
    environment = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib"), **variables}
    ran = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/", env=environment)
    return ran.returncode, ran.stdout + ran.stderr


def checkout(directory: Path) -> Path:
    """Copy what the files are made from."""
    lay_out(directory)
    for name in ("LICENSE", "requirements.lock"):
        shutil.copy(TOP / name, directory / name)
    return directory


@pytest.fixture(scope="module")
def single_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the single file in a directory of its own that can't be written."""
    made = checkout(tmp_path_factory.mktemp("checkout"))
    assert bundle(made) == (0, "")
    directory = tmp_path_factory.mktemp("a directory") / "alone"
    directory.mkdir()
    program = Path(shutil.copy(made / "dist/ci-classify.pyz", directory))
    directory.chmod(0o555)
    return program


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkout of a branch that changes one file, with the event of its pull request beside it."""
    built = BuiltRepository(tmp_path_factory.mktemp("project") / "checkout")
    base = built.commit({"rules.yaml": RULES, "src/a.c": "1\n", "README.md": "1\n"})
    head = built.commit({"src/a.c": "2\n"}, base)
    built.name("refs/heads/main", base)
    built.check_out(built.commit({"src/a.c": "2\n"}, base, head))
    payload = built.directory.parent / "event.json"
    payload.write_text(json.dumps(pull_request(base, head)), encoding="utf-8")
    return built.directory


def test_the_committed_libraries_are_what_this_checkout_makes() -> None:
    assert bundle(TOP, "--check") == (0, "")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(lambda top: edit(top / ".action/libraries/click/core.py", "import", "import "), "click/core.py"),
        pytest.param(lambda top: (top / ".action/libraries/yaml/error.py").unlink(), "yaml/error.py"),
        pytest.param(lambda top: (top / ".action/libraries/os.py").write_text(""), "os.py"),
    ],
    ids=["a library edited", "a module missing", "a module too many"],
)
def test_what_is_stale_is_named_with_the_command_that_makes_it(
    change: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    top = checkout(tmp_path)
    change(top)
    assert bundle(top, "--check") == (1, f"not what this checkout makes: {said}; run {COMMAND}\n")
    assert bundle(top) == (0, "")
    assert bundle(top, "--check") == (0, "")


def test_another_version_in_the_lock_is_refused(tmp_path: Path) -> None:
    top = checkout(tmp_path)
    installed = distribution("click").version
    edit(top / "requirements.lock", f"click=={installed}", "click==99.0")
    said = f"click is {installed} here, requirements.lock pins 99.0; install what it pins\n"
    assert bundle(top, "--check") == (1, said)


def test_a_library_that_is_not_as_published_is_refused(tmp_path: Path) -> None:
    top = checkout(tmp_path / "checkout")
    installed = distribution("click")
    for name in ("click", Path(str(installed.locate_file(""))) / f"click-{installed.version}.dist-info"):
        shutil.copytree(str(installed.locate_file(name)), tmp_path / "installed" / Path(name).name)
    edit(tmp_path / "installed/click/core.py", "import", "import ")
    code, said = bundle(top, "--check", PYTHONPATH=str(tmp_path / "installed"))
    assert (code, said.partition(" with")[0]) == (1, "click/core.py is not as it was published")


def test_the_bytes_depend_on_the_sources_alone(tmp_path: Path) -> None:
    made = set()
    for number, python in enumerate(oldest_and_newest() * 2):
        top = checkout(tmp_path / f"place {number}" / ("deep" * number))
        (top / "ci_classify/__pycache__").mkdir()
        (top / f"ci_classify/__pycache__/odd{number}.py").touch()
        before = os.umask(0o077 if number % 2 else 0o002)
        try:
            zone, language = ("UTC", "C") if number % 2 else ("Asia/Kathmandu", "C.UTF-8")
            assert bundle(top, python=python, TZ=zone, LC_ALL=language, PYTHONHASHSEED=str(number)) == (0, "")
        finally:
            os.umask(before)
        assert bundle(top, "--check") == (0, "")
        single = (top / "dist/ci-classify.pyz").read_bytes()
        checksum = (top / "dist/ci-classify.pyz.sha256").read_text(encoding="utf-8")
        assert checksum == f"{hashlib.sha256(single).hexdigest()}  ci-classify.pyz\n"
        made.add(single)
    assert len(made) == 1


@pytest.mark.parametrize("python", oldest_and_newest())
@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("run", "--format", "json"),
        ("dry-run", "main"),
        ("explain", "src/a.c", "README.md"),
        ("check-required-ci",),
        ("test",),
        ("schema",),
        ("demo",),
        ("--help",),
        ("no-such-command",),
    ],
    ids=" ".join,
)
def test_the_single_file_does_what_the_package_does(
    python: str, words: tuple[str, ...], single_file: Path, project: Path, tmp_path: Path
) -> None:
    written = tmp_path / "output"
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(project.parent / "event.json"),
        "GITHUB_OUTPUT": str(written),
        "NEEDS_JSON": json.dumps(NEEDS),
    }
    expected = call(*words, variables=environment, cwd=project)
    outputs = written.read_text(encoding="utf-8") if written.exists() else ""
    written.unlink(missing_ok=True)
    ran = subprocess.run(
        [python, *ISOLATED, str(single_file), *words],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == expected.stdout
    assert ran.stderr.replace("ci-classify.pyz", "ci-classify") == expected.stderr
    assert ran.returncode == expected.code
    assert (written.read_text(encoding="utf-8") if written.exists() else "") == outputs
    assert os.listdir(single_file.parent) == [single_file.name]


def test_the_single_file_starts_by_itself(single_file: Path) -> None:
    ran = subprocess.run([str(single_file), "--version"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, call("--version").stdout)


@pytest.mark.parametrize("python", oldest_and_newest())
def test_the_single_file_holds_what_a_terminal_needs(python: str, single_file: Path) -> None:
    line = "import sys; sys.path.insert(0, sys.argv[1]); import rich.console, rich.text; print(rich.text.__file__)"
    ran = subprocess.run([python, *ISOLATED, "-c", line, str(single_file)], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith(str(single_file))


EVERY_MODULE = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import ci_classify
names = [name for _, name, _ in pkgutil.walk_packages(ci_classify.__path__, "ci_classify.")]
for name in names:
    if name != "ci_classify.__main__":
        importlib.import_module(name)
print(len(names) > 100)
"""


@pytest.mark.parametrize("python", oldest_and_newest())
def test_every_module_of_the_single_file_finds_what_it_imports(python: str, single_file: Path) -> None:
    words = [python, *ISOLATED, "-c", EVERY_MODULE, str(single_file)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("True\n", "")


def test_the_licences_are_inside(single_file: Path) -> None:
    line = "import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist())"
    names = subprocess.run([sys.executable, "-c", line, single_file], capture_output=True, text=True, check=True).stdout
    packages = {name.split("/")[0] for name in names.split() if name.endswith(".py")} - {"__main__.py"}
    licensed = {name.split("/")[1] for name in names.split() if name.startswith("licenses/")}
    assert packages == {"ci_classify", "click", "git", "gitdb", "pathspec", "rich", "smmap", "yaml"}
    assert licensed == {"ci-classify", "click", "gitpython", "gitdb", "pathspec", "rich", "smmap", "pyyaml"}


def test_yaml_is_read_as_by_the_library() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(TOP.glob("tests/cases/**/*.y*ml"))]
    texts += [
        (TOP / "rules.yaml").read_text(encoding="utf-8"),
        "",
        "\ufeffa: 1\n",
        "a: \x07",
        '"\\U00110000"',
        "%YAML 9",
    ]
    chance = random.Random(1)
    for _ in range(2_000):
        text = chance.choice(texts)
        start = chance.randrange(len(text) + 1)
        odd = "".join(
            chance.choices("\n\r\t\x85\u2028\ufeff\U0001f600\0\udc80\uffff -:?,[]{}#&*!|>'\"%@`\\ax1~=<.", k=4)
        )
        texts.append(text[start : start + 120] + odd + text[start + 120 : start + 200])
    library = {"PYTHONPATH": sysconfig.get_path("purelib")}
    ours = {"PYTHONPATH": str(TOP / ".action/libraries")}
    assert yaml.__version__ == distribution("pyyaml").version
    by_library, by_ours = (events(texts, variables) for variables in (library, ours))
    assert [text for text, one, other in zip(texts, by_library, by_ours, strict=True) if one != other] == []


def events(texts: list[str], variables: dict[str, str]) -> list[object]:
    """Return what a process that finds YAML by these variables reads in texts."""
    words = [sys.executable, "-B", "-c", EVENTS]
    environment = {**os.environ, **variables}
    ran = subprocess.run(
        words, input=json.dumps(texts), capture_output=True, text=True, check=False, env=environment, cwd="/"
    )
    assert ran.returncode == 0, ran.stderr
    return cast("list[object]", json.loads(ran.stdout))
