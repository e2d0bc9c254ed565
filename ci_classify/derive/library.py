"""Files of the checkout as what they are: workflows, actions, Python, TOML, JSON. Each is read once."""

import ast
import json
import tomllib
import warnings
from collections.abc import Callable, Mapping
from typing import TypeVar

from ci_classify.core.workflow import Action, Workflow
from ci_classify.derive.checkout import Checkout, ancestors
from ci_classify.formats.workflow_file import read_action, read_workflow

ACTION_FILES = ("action.yml", "action.yaml")
WORKFLOWS = ".github/workflows"

_T = TypeVar("_T")
Table = Mapping[str, object]


class Library:
    """The parsed files of a checkout; None stands for a file that is absent, or not what its name says."""

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout
        self._known: dict[tuple[str, str], object] = {}
        self._made: dict[tuple[object, ...], object] = {}

    def workflow(self, path: str) -> Workflow | None:
        """Return a workflow."""
        return self._read("workflow", path, self._parse_workflow)

    def action(self, directory: str) -> tuple[str, Action] | None:
        """Return the file of the action in a directory, and the action."""
        for name in ACTION_FILES:
            path = f"{directory}/{name}" if directory else name
            found = self._read("action", path, _parse_action)
            if found is not None:
                return path, found
        return None

    def python(self, path: str) -> ast.Module | None:
        """Return the syntax of a Python file."""
        return self._read("Python", path, _parse_python)

    def toml(self, path: str) -> Table:
        """Return the table of a TOML file; an empty one where it can't be read."""
        return self._read("TOML", path, _parse_toml) or {}

    def json(self, path: str) -> Table:
        """Return the object of a JSON file; an empty one where it can't be read."""
        return self._read("JSON", path, _parse_json) or {}

    def nearest(self, directory: str, *names: str) -> str | None:
        """Return the first file of these names in a directory or above it."""
        for above in ancestors(directory):
            for name in names:
                path = f"{above}/{name}" if above else name
                if self.checkout.is_file(path):
                    return path
        return None

    def workflow_files(self) -> tuple[str, ...]:
        """Return the files that GitHub takes for workflows: no directory below is looked into."""
        inside = (path for path in self.checkout.below(WORKFLOWS) if path.endswith((".yml", ".yaml")))
        return tuple(path for path in inside if path.count("/") == WORKFLOWS.count("/") + 1)

    def remembered(self, key: tuple[object, ...], make: Callable[[], _T]) -> _T:
        """Return what was made for a key, made at the first call."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]  # type: ignore[return-value]

    def _read(self, kind: str, path: str, parse: Callable[[str, str], _T | None]) -> _T | None:
        key = (kind, path)
        if key not in self._known:
            text = self.checkout.text(path)
            self._known[key] = None if text is None else self._parsed(kind, path, text, parse)
        return self._known[key]  # type: ignore[return-value]

    def _parsed(self, kind: str, path: str, text: str, parse: Callable[[str, str], _T | None]) -> _T | None:
        """Return a parsed file; one that is not what its name says is remembered as unreadable."""
        try:
            found = parse(text, path)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # MemoryError: nested too deeply for Python
            found = None
        if found is None:
            self.checkout.unreadable.setdefault(path, (1, f"it can't be read as {kind}"))
        return found

    def _parse_workflow(self, text: str, path: str) -> Workflow | None:
        found = read_workflow(text.encode(), path)
        for problem in found.problems[:1]:
            self.checkout.unreadable[path] = (problem.line, problem.message)
        return found.workflow


def table(value: object) -> Table:
    """Return a value of a TOML or JSON file as a table; an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def texts(value: object) -> tuple[str, ...]:
    """Return the texts in a value of a TOML or JSON file: of a list, or itself."""
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _parse_action(text: str, path: str) -> Action | None:
    return read_action(text.encode(), path)


def _parse_toml(text: str, _: str) -> Table:
    return tomllib.loads(text)


def _parse_json(text: str, _: str) -> Table | None:
    found = json.loads(text)
    return found if isinstance(found, dict) else None


def _parse_python(text: str, _: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
