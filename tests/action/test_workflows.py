"""The workflows of the project and of its docs: linted, valid, pinned."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from support.runner import call

TOP = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent
ZIZMOR = (str(TOOLS / "zizmor"), "--offline", "--quiet", "--config", str(TOP / ".github/zizmor.yml"))
FENCE = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [TOP / "README.md", *sorted((TOP / "docs").glob("**/*.md"))]
IN_DOCS = {
    f"{page.stem}-{number}": match[1]
    for page in PAGES
    for number, match in enumerate(FENCE.finditer(page.read_text(encoding="utf-8")))
    if "\njobs:" in match[1]
}
IN_DOCS |= {path.stem: path.read_text(encoding="utf-8") for path in sorted((TOP / "docs/examples").glob("**/ci.yml"))}
OWN = sorted((TOP / ".github/workflows").glob("*.y*ml"))
ALL = {path.name: path.read_text(encoding="utf-8") for path in (*OWN, TOP / "action.yml")} | IN_DOCS


def check(*words: str) -> None:
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture
def workflows(tmp_path: Path) -> list[str]:
    """Return files with every workflow, those of the docs included."""
    directory = tmp_path / ".github/workflows"
    directory.mkdir(parents=True)
    for name, text in IN_DOCS.items():
        (directory / f"{name}.yml").write_text(text, encoding="utf-8")
    return [str(path) for path in (*OWN, *sorted(directory.iterdir()))]


def test_the_docs_show_workflows() -> None:
    assert len(IN_DOCS) >= 3


def test_workflows_pass_the_linter(workflows: list[str]) -> None:
    check(*ZIZMOR, *workflows)


def test_the_project_s_own_files_pass_it_at_its_strictest() -> None:
    check(*ZIZMOR, "--persona=auditor", *map(str, OWN), str(TOP / "action.yml"))


def test_workflows_are_valid(workflows: list[str]) -> None:
    check(str(TOOLS / "check-jsonschema"), "--builtin-schema", "vendor.github-workflows", *workflows)


def test_the_action_is_valid() -> None:
    check(str(TOOLS / "check-jsonschema"), "--builtin-schema", "vendor.github-actions", str(TOP / "action.yml"))


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_b121_other_actions_are_pinned_by_full_id(text: str) -> None:
    used = re.findall(r"uses: *(\S+)( +#.*)?", text)
    loose = [name for name, comment in used if name != "./" and not (re.search(r"@[0-9a-f]{40}$", name) and comment)]
    assert loose == []


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_no_script_holds_an_expression(text: str) -> None:
    document = yaml.safe_load(text)
    jobs = document.get("jobs", {"": document.get("runs", {})}).values()
    scripts = [step.get("run", "") for job in jobs for step in job.get("steps", ())]
    assert [script for script in scripts if "${{" in script] == []


def test_the_readme_holds_the_lines_that_ci_runs() -> None:
    readme = (TOP / "README.md").read_text(encoding="utf-8")
    lines = [line for line in readme.splitlines() if line.startswith("python3 -m venv")]
    assert [line.rsplit(" && ", 1)[1] for line in lines] == [
        ".venv/bin/ci-classify demo",
        ".venv/bin/python -m pytest -n 2",
    ]
    assert len({line.rsplit(" && ", 1)[0] for line in lines}) == 1
    assert "line=$(grep -m 1 'pytest' README.md)" in (TOP / ".ci/run").read_text(encoding="utf-8")


CI = yaml.safe_load((TOP / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
RULES = yaml.safe_load((TOP / ".github/ci-classify.yaml").read_text(encoding="utf-8"))
JUDGED = RULES["required-check"]["jobs"]


def test_one_job_judges_all_others() -> None:
    assert set(CI) == {"changes", "required", *JUDGED}
    assert sorted(CI["required"]["needs"]) == sorted({*CI} - {"required"})
    assert CI["required"]["if"] == "${{ always() }}"


@pytest.mark.parametrize("job", JUDGED)
def test_a_dead_detector_runs_every_job(job: str) -> None:
    output = JUDGED[job]["output"]
    guard = f"!cancelled() && (needs.changes.result != 'success' || needs.changes.outputs.{output} == 'true')"
    assert CI[job]["if"] == f"${{{{ {guard} }}}}"
    assert CI["changes"]["outputs"][output] == f"${{{{ fromJSON(steps.classify.outputs.plan).outputs.{output} }}}}"


@pytest.mark.parametrize(
    ("benchmarks", "expected"), [("skipped", 0), ("success", 1)], ids=["as planned", "a run that nobody planned"]
)
def test_the_project_s_own_results_are_judged(benchmarks: str, expected: int) -> None:
    outputs = {name: str(name != "run-benchmarks").lower() for name in RULES["suites"]}
    results = {**dict.fromkeys(JUDGED, "success"), "benchmarks": benchmarks}
    needs = {"changes": {"result": "success", "outputs": outputs}, **{job: {"result": results[job]} for job in results}}
    ran = call(
        "check-required-ci", "--repo", str(TOP), "--event-name", "push", variables={"NEEDS_JSON": json.dumps(needs)}
    )
    assert ran.code == expected, ran.stdout
