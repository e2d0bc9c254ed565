"""What derivation deals in: sources that read, and what is found in them.

A source is a value that can be looked into: the body of a job, a script called in a directory, a crate. Equal
sources are looked into once. What is found in one is a path that it reads, another source, or what can't be known.
"""

from typing import Literal

from ci_classify.core.record import Record

UNKNOWN = "\0"  # in a text: a part that only a run knows. No path and no variable holds this character.
TOP = "\1"  # at the start of a text: the absolute path of the checkout

Pairs = tuple[tuple[str, str], ...]


class Place(Record):
    """A line of a file, 1-based."""

    file: str
    line: int


# -- what is found -----------------------------------------------------------------------------------


class Reads(Record):
    """Tracked paths that a source reads. ``exact``: it names each of them, not a directory or a pattern."""

    label: str
    place: Place
    paths: tuple[str, ...]
    exact: bool = True


class Leads(Record):
    """Another source that this one runs, builds or imports."""

    label: str
    place: Place
    source: "Source"


class Unclear(Record):
    """Something that depends on run time, or on what this guard does not read."""

    place: Place
    why: str


class Absent(Record):
    """A file that is named where its absence breaks the job, or makes a cache key constant."""

    kind: Literal["workflow", "action", "pattern"]
    place: Place
    path: str


Found = Reads | Leads | Unclear | Absent


# -- sources -----------------------------------------------------------------------------------------


class JobBody(Record):
    """What a job of a workflow does itself. ``inputs`` are those of a reusable workflow."""

    file: str
    job: str
    inputs: "Inputs" = ()


class CalledWorkflow(Record):
    """All jobs of a reusable workflow."""

    file: str
    inputs: "Inputs"


class LocalAction(Record):
    """An action of the repository."""

    directory: str
    inputs: "Inputs"


class ShellScript(Record):
    """A script called in a directory, which is None where only a run knows it."""

    path: str
    dialect: "Dialect"
    directory: str | None
    environment: Pairs = ()
    arguments: tuple[str, ...] = ()


class Command(Record):
    """A program and its arguments, called in a directory."""

    words: tuple[str, ...]
    directory: str | None
    place: Place
    environment: Pairs = ()
    standard_input: str | None = None


class PythonModule(Record):
    """A module that is run or imported. ``search`` are directories in which imports look first.

    ``commands`` are the subcommands of the program that it belongs to; None stands for any of them.
    """

    path: str
    search: tuple[str, ...]
    directory: str | None = None
    commands: tuple[str, ...] | None = None


class PythonCode(Record):
    """Python that stands in a step or a script itself."""

    code: str
    place: Place
    search: tuple[str, ...]
    directory: str | None


class Crate(Record):
    """The directory of a package that cargo builds."""

    directory: str


class NodePackage(Record):
    """The directory of a package that a script of it, or a dependent, reads."""

    directory: str


class NodeScript(Record):
    """A script of a ``package.json``."""

    directory: str
    name: str
    environment: Pairs = ()


class NodeModule(Record):
    """A file of JavaScript or TypeScript that is run."""

    path: str


class DockerBuild(Record):
    """A Dockerfile built in a context, both from the top."""

    file: str
    context: str


class MakeTarget(Record):
    """A target of a makefile, made in a directory; None is the first one."""

    file: str
    target: str | None
    directory: str
    environment: Pairs = ()


Value = str | bool | float | None
Inputs = tuple[tuple[str, Value], ...]
Dialect = Literal["bash", "powershell"]
Source = (
    JobBody
    | CalledWorkflow
    | LocalAction
    | ShellScript
    | Command
    | PythonModule
    | PythonCode
    | Crate
    | NodePackage
    | NodeScript
    | NodeModule
    | DockerBuild
    | MakeTarget
)
