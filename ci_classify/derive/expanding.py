"""Each source looked into by the module that knows its kind."""

from collections.abc import Iterator
from typing import assert_never

from ci_classify.derive import cargo, docker, make, node, programs, python_modules, shell
from ci_classify.derive.actions import expand_action
from ci_classify.derive.found import (
    CalledWorkflow,
    Command,
    Crate,
    DockerBuild,
    Found,
    JobBody,
    LocalAction,
    MakeTarget,
    NodeModule,
    NodePackage,
    NodeScript,
    Place,
    PythonCode,
    PythonModule,
    ShellScript,
    Source,
    Unclear,
)
from ci_classify.derive.library import Library
from ci_classify.derive.workflows import expand_job, expand_workflow


def expand(source: Source, library: Library) -> Iterator[Found]:
    """Return what is found in a source; what is nested too deeply is unclear."""
    try:
        yield from _expand(source, library)
    except RecursionError:
        yield Unclear(place=_place_of(source), why="it is nested too deeply to be read")


def way_of(source: Source) -> object:
    """Return what stays equal where a source is the same but for what it is given."""
    match source:
        case JobBody(job=name) | NodeScript(name=name) | MakeTarget(target=name):
            return (type(source), _place_of(source), name)
        case _:
            return (type(source), _place_of(source))


def _place_of(source: Source) -> Place:
    match source:
        case JobBody(file=path) | CalledWorkflow(file=path) | DockerBuild(file=path) | MakeTarget(file=path):
            return Place(file=path, line=1)
        case ShellScript(path=path) | PythonModule(path=path) | NodeModule(path=path):
            return Place(file=path, line=1)
        case LocalAction(directory=path) | Crate(directory=path):
            return Place(file=path, line=1)
        case NodePackage(directory=path) | NodeScript(directory=path):
            return Place(file=path, line=1)
        case Command(place=place) | PythonCode(place=place):
            return place
        case _:
            assert_never(source)


def _expand(source: Source, library: Library) -> Iterator[Found]:
    match source:
        case JobBody():
            return expand_job(source, library)
        case CalledWorkflow():
            return expand_workflow(source, library)
        case LocalAction():
            return expand_action(source, library)
        case ShellScript():
            return shell.expand_script(source, library)
        case Command():
            return programs.expand_command(source, library)
        case PythonModule():
            return python_modules.expand_module(source, library)
        case PythonCode():
            return python_modules.expand_code(source, library)
        case Crate():
            return cargo.expand_crate(source, library)
        case NodePackage():
            return node.expand_package(source, library)
        case NodeScript():
            return node.expand_script(source, library)
        case NodeModule():
            return node.expand_module(source, library)
        case DockerBuild():
            return docker.expand_build(source, library)
        case MakeTarget():
            return make.expand_target(source, library)
        case _:
            assert_never(source)
