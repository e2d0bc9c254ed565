"""What people read, word for word. The texts lie in tests/snapshots."""

import pytest
from support.plans import RULES_FILE, TELLING
from support.snapshots import DIRECTORY, Snapshots

from ci_classify.edges import console
from ci_classify.render.markdown import summary
from ci_classify.render.outputs import output_lines
from ci_classify.render.plan_json import plan_json
from ci_classify.render.terminal import plan_lines

_IN_JSON = ("inputs-changed", "shallow-clone", "hostile-names")


@pytest.mark.parametrize("name", TELLING)
def test_the_summary_reads_as_stored(name: str, snapshots: Snapshots) -> None:
    snapshots.check(f"{name}.md", summary(TELLING[name], RULES_FILE).decode())


@pytest.mark.parametrize("name", TELLING)
def test_the_terminal_reads_as_stored(name: str, snapshots: Snapshots) -> None:
    snapshots.check(f"{name}.txt", console.plain_text(plan_lines(TELLING[name], RULES_FILE)))


@pytest.mark.parametrize("name", _IN_JSON)
def test_the_full_plan_reads_as_stored(name: str, snapshots: Snapshots) -> None:
    snapshots.check(f"{name}.json", plan_json(TELLING[name]) + "\n")


@pytest.mark.parametrize("name", _IN_JSON)
def test_the_outputs_read_as_stored(name: str, snapshots: Snapshots) -> None:
    snapshots.check(f"{name}.outputs", (output_lines(TELLING[name]) or b"").decode())


def test_no_stored_text_is_without_its_plan() -> None:
    assert {path.stem for path in DIRECTORY.iterdir()} == set(TELLING)
