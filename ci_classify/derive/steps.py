"""Steps of jobs and of composite actions.

Sees the shell, the directory and the environment of a step, ``hashFiles`` in its expressions, its script, its action.
A step whose ``if`` is false for the given inputs is left out.

Can't see the shell ``cmd`` and shells of one's own; they are said to be unclear.
"""

from collections.abc import Iterable, Iterator, Mapping

from ci_classify.core.workflow import Step, Text
from ci_classify.derive.found import UNKNOWN, Dialect, Found, Leads, Place, PythonCode, Unclear
from ci_classify.derive.hash_files import hashed
from ci_classify.derive.library import Library
from ci_classify.derive.naming import located
from ci_classify.derive.shell import run_script
from ci_classify.derive.shell_values import Script
from ci_classify.derive.uses import used
from ci_classify.derive.values import Scope, expressions_in, line_of, never_holds, text_in

_BASH = frozenset({"bash", "sh", "dash", "zsh"})
_POWERSHELL = frozenset({"pwsh", "powershell"})
_PYTHON = frozenset({"python", "python3"})


def read_steps(steps: Iterable[Step], scope: Scope, file: str, library: Library, *, windows: bool) -> Iterator[Found]:
    """Return what steps read and run. Without a shell of its own, a step runs by PowerShell on Windows, else by bash."""
    live = [step for step in steps if not never_holds(step.condition, scope)]
    elsewhere = frozenset(filter(None, (_other_checkout(step, scope) for step in live)))
    for step in live:
        yield from hashed_in((*step.texts, *filter(None, (step.condition,))), scope, file, library)
        if step.uses is not None:
            place = Place(file=file, line=step.uses.position[0])
            yield from used(step, scope, place, elsewhere, library)
        if step.run is not None:
            yield from _run(step, step.run, with_environment(scope, step.environment), file, library, windows=windows)


def hashed_in(texts: Iterable[Text], scope: Scope, file: str, library: Library) -> Iterator[Found]:
    """Return the files that ``hashFiles`` in some texts reads."""
    for text in texts:
        if "hashfiles" in text.text.lower():
            fenced = text if "${{" in text.text else Text(text=f"${{{{ {text.text} }}}}", position=text.position)
            for line, expression in expressions_in(fenced):
                yield from hashed(expression, scope, Place(file=file, line=line), library.checkout)


def with_environment(scope: Scope, texts: Mapping[str, Text]) -> Scope:
    """Return a scope with more variables."""
    own = {name: text_in(text.text, scope) for name, text in texts.items()}
    environment = tuple(sorted((dict(scope.environment) | own).items()))
    return Scope(inputs=scope.inputs, environment=environment, matrix=scope.matrix, action=scope.action)


def _other_checkout(step: Step, scope: Scope) -> str | None:
    """Return the directory into which a step checks another repository out."""
    if step.uses is None or not step.uses.text.lower().startswith("actions/checkout@"):
        return None
    path, repository = step.inputs.get("path"), step.inputs.get("repository")
    return text_in(path.text, scope).strip("/").removeprefix("./") if path and repository else None


def _run(step: Step, run: Text, scope: Scope, file: str, library: Library, *, windows: bool) -> Iterator[Found]:
    place = Place(file=file, line=line_of(run, 0))
    directory = located(text_in(step.working_directory, scope), "")
    if directory is None:
        yield Unclear(place=place, why="the directory of this step is known at run time only")
    text = text_in(run.text, scope)
    shell = text_in(step.shell or ("pwsh" if windows else "bash"), scope).split()
    name = shell[0].rpartition("/")[2].removesuffix(".exe").lower() if shell else "bash"
    dialect: Dialect | None = "bash" if name in _BASH else "powershell" if name in _POWERSHELL else None
    environment = scope.environment
    if scope.action is not None:
        environment = (*environment, ("GITHUB_ACTION_PATH", f"\1/{scope.action}"))
    if dialect is not None:
        script = Script(text=text, dialect=dialect, place=place, directory=directory, environment=environment)
        yield from run_script(script, library)
    elif name in _PYTHON:
        search = (directory,) if directory is not None and not directory.startswith("/") else ()
        code = PythonCode(code=text, place=place, search=search, directory=directory)
        yield Leads(label="runs Python", place=place, source=code)
    else:
        shown = "which only a run knows" if UNKNOWN in name else name
        yield Unclear(place=place, why=f"the script of this step is for the shell {shown}, which is not read")
