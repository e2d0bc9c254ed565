"""Command lines that start Python: a script, a module, code in a word, pytest, unittest, pip, coverage.

Sees scripts by their path, modules by ``-m``, ``PYTHONPATH``, the subcommand among the words, requirement files and
local projects that are installed, the tests that pytest and unittest are given.

Can't see a script whose path only a run knows; it is said to be unclear.
"""

import ast
from collections.abc import Iterator
from fnmatch import fnmatchcase

from ci_classify.derive.checkout import join, name_of, parent
from ci_classify.derive.found import TOP, UNKNOWN, Command, Found, Leads, PythonCode, PythonModule, Reads, Unclear
from ci_classify.derive.hash_files import matching
from ci_classify.derive.library import Library
from ci_classify.derive.naming import as_written, located, named, unquoted
from ci_classify.derive.python_imports import Import, imports_of, resolve
from ci_classify.derive.python_modules import commands_of
from ci_classify.derive.python_projects import installed, program, requirements, tested

_WITH_VALUE = frozenset({"-X", "-W", "--check-hash-based-pycs"})
_PYTEST_VALUES = frozenset(
    {"-k", "-m", "-n", "-p", "-o", "-W", "-r", "--maxfail", "--durations", "--junitxml", "--junit-xml", "--timeout"}
    | {
        "-c",
        "--rootdir",
        "--confcutdir",
        "--cov-report",
        "--ignore",
        "--deselect",
        "--dist",
        "--tb",
        "--numprocesses",
        "--basetemp",
        "--import-mode",
    }
)
_UNITTEST_VALUES = frozenset({"-s", "--start-directory", "-p", "--pattern", "-t", "--top-level-directory", "-k"})
_SHOWN = 60


def python(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a call of the interpreter runs."""
    rest = words[1:]
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option, *rest = rest
        if option in _WITH_VALUE:
            rest = rest[1:]
        elif option[1] != "-" and option[-1] == "m" and rest:
            yield from _module(command, rest[0], rest[1:], library)
            return
        elif option[1] != "-" and option[-1] == "c" and rest:
            yield _code(command, rest[0])
            yield from named(rest[1:], command.directory, command.place, library, bare=False)
            return
    if rest and rest[0] != "-":
        yield from _script(command, rest[0], rest[1:], library)
    elif command.standard_input is not None:
        yield _code(command, command.standard_input)
        yield from named(rest[1:], command.directory, command.place, library, bare=False)


def run_program(command: Command, path: str, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a program of the repository reads: its module, as far as the subcommand needs it, and named paths."""
    search = (parent(path), *_python_path(command))
    line = _subcommands(path, search, library)
    operands = [word for word in words if not word.startswith("-")]
    chosen = tuple(word for word in operands if word in line)
    hidden = line and not chosen and any(UNKNOWN in word for word in operands)
    if hidden:
        yield Unclear(place=command.place, why=f"which subcommand of {path} runs is known at run time only")
    shown = " ".join((path, *(as_written(word) for word in chosen)))[:_SHOWN]
    module = PythonModule(path=path, search=search, directory=command.directory, commands=chosen or None)
    yield Leads(label=f"runs {shown}", place=command.place, source=module)
    others = [word for word in words if word not in chosen]
    yield from named(others, command.directory, command.place, library)


def pytest(command: Command, words: list[str], library: Library, search: tuple[str, ...] = ()) -> Iterator[Found]:
    """Return what pytest reads."""
    operands, options = _operands(words[1:], _PYTEST_VALUES)
    found: list[str] = []
    for word in operands:
        path = located(word.partition("::")[0], command.directory)
        if path is None:
            yield Unclear(place=command.place, why=f"what pytest {as_written(word)} tests is known at run time only")
        elif library.checkout.named(path):
            found.append(path)
    read = [value for name, value in options.items() if name in {"-c", "--rootdir", "--cov", "--confcutdir"}]
    yield from named(read, command.directory, command.place, library, bare=False)
    if command.directory is None:
        yield Unclear(place=command.place, why="the directory in which pytest runs is known at run time only")
    elif (found or not operands) and not command.directory.startswith("/"):
        yield from tested(found, command.directory, (*search, *_python_path(command)), command.place, library)


def pip(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what ``pip install``, ``pip wheel`` and their kin read: requirement files and local projects."""
    waiting = map(unquoted, words[1:])
    if not {"install", "wheel", "download", "sync", "compile"} & set(words):
        return
    for word in waiting:
        option, equals, value = word.partition("=")
        if option in {"-r", "-c", "--requirement", "--constraint", "--build-constraint"}:
            path = located(value if equals else next(waiting, ""), command.directory)
            if path is None:
                yield Unclear(place=command.place, why="a requirement file whose name is known at run time only")
            else:
                yield from requirements(path, command.place, library)
            continue
        editable = option in {"-e", "--editable"}
        project = ((value if equals else next(waiting, "")) if editable else word).partition("[")[0]
        if editable or project.startswith((".", "/", TOP)) or "/" in project:
            path = located(project, command.directory)
            if path is not None and library.checkout.is_directory(path):
                yield from installed(path, command.place, library)
            else:
                yield from named([project], command.directory, command.place, library)


def coverage(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a program that runs under coverage reads."""
    if words[1:2] == ["run"]:
        rest = words[2:]
        while rest and rest[0].startswith("-") and rest[0] != "-m":
            rest = rest[1:]
        yield from python(command, ["python", *rest], library)


def console_script(command: Command, words: list[str], library: Library) -> Iterator[Found] | None:
    """Return what a program that a project of the repository installs reads, or None for any other program."""
    path = program(words[0].rpartition("/")[2], command.directory, library)
    return None if path is None else run_program(command, path, words[1:], library)


def _code(command: Command, code: str) -> Found:
    directory = command.directory
    search = (directory,) if directory is not None and not directory.startswith("/") else ()
    source = PythonCode(code=code, place=command.place, search=(*search, *_python_path(command)), directory=directory)
    return Leads(label="runs Python", place=command.place, source=source)


def _script(command: Command, word: str, words: list[str], library: Library) -> Iterator[Found]:
    path = located(word, command.directory)
    if path is None:
        yield Unclear(place=command.place, why=f"which script python {as_written(word)} runs is known at run time only")
        yield from named(words, command.directory, command.place, library, bare=False)
    elif library.checkout.is_file(path):
        yield from run_program(command, path, words, library)
    elif main := _main_of(path, library):
        yield from run_program(command, main, words, library)
    else:
        yield from named([word, *words], command.directory, command.place, library)


def _main_of(path: str, library: Library) -> str | None:
    main = join(path, "__main__.py") if not path.startswith("/") else None
    return main if main is not None and library.checkout.is_file(main) else None


def _module(command: Command, name: str, words: list[str], library: Library) -> Iterator[Found]:
    here = (command.directory,) if command.directory is not None and not command.directory.startswith("/") else ()
    if name in {"pytest", "py.test"}:
        yield from pytest(command, ["pytest", *words], library, here)
    elif name == "pip":
        yield from pip(command, ["pip", *words], library)
    elif name == "coverage":
        yield from coverage(command, ["coverage", *words], library)
    elif name == "unittest":
        yield from _unittest(command, words, here, library)
    elif name in {"build", "flit"}:
        for directory in here:
            yield from installed(directory, command.place, library)
    elif UNKNOWN in name:
        yield Unclear(place=command.place, why="which module python -m runs is known at run time only")
    else:
        search = (*here, *_python_path(command))
        paths = resolve(name, search, library)
        if paths and (main := _main_of(parent(paths[-1]), library)) and paths[-1].endswith("/__init__.py"):
            paths = (*paths, main)
        for path in paths[:-1]:
            package = PythonModule(path=path, search=search, directory=command.directory)
            yield Leads(label=f"runs {name}", place=command.place, source=package)
        if paths:
            yield from _run_module(command, name, paths[-1], search, words, library)
        else:
            yield from named(words, command.directory, command.place, library)


def _run_module(
    command: Command, name: str, path: str, search: tuple[str, ...], words: list[str], library: Library
) -> Iterator[Found]:
    for found in run_program(command, path, words, library):
        match found:
            case Leads(source=PythonModule(commands=commands)):
                shown = " ".join((f"-m {name}", *(commands or ())))
                module = PythonModule(path=path, search=search, directory=command.directory, commands=commands)
                yield Leads(label=f"runs {shown}"[:_SHOWN], place=command.place, source=module)
            case _:
                yield found


def _unittest(command: Command, words: list[str], here: tuple[str, ...], library: Library) -> Iterator[Found]:
    """Return the tests that unittest runs: modules by name or path, or those below a directory."""
    operands, options = _operands(words, _UNITTEST_VALUES)
    search = (*here, *_python_path(command))
    if operands[:1] == ["discover"] or not operands:
        start = located(
            options.get("-s", options.get("--start-directory", (operands[1:] or ["."])[0])), command.directory
        )
        if start is None or start.startswith("/"):
            yield Unclear(place=command.place, why="where unittest discovers tests is known at run time only")
            return
        paths = library.checkout.named(start)
        yield Reads(label=f"tests {start or 'the top directory'}", place=command.place, paths=paths, exact=False)
        search = (start, *search)
        pattern = as_written(options.get("-p", options.get("--pattern", "test*.py")))
        modules = [path for path in paths if fnmatchcase(name_of(path), pattern)]
    else:
        modules = [path for word in operands for path in _tests(word, command, search, library)]
    for path in dict.fromkeys(modules):
        module = PythonModule(path=path, search=(*search, parent(path)), directory=command.directory)
        yield Leads(label=f"tests {path}", place=command.place, source=module)


def _tests(word: str, command: Command, search: tuple[str, ...], library: Library) -> tuple[str, ...]:
    """Return the modules that an operand of unittest names: a pattern of files, a file, a dotted name."""
    path = located(word, command.directory)
    if path is not None and any(sign in path for sign in "*?["):
        return matching(path, library.checkout)
    return (path,) if path is not None and library.checkout.is_file(path) else resolve(word, search, library)


def _operands(words: list[str], with_value: frozenset[str]) -> tuple[list[str], dict[str, str]]:
    """Return the operands among words, and the options that have a value."""
    operands: list[str] = []
    values: dict[str, str] = {}
    waiting = iter(words)
    for word in waiting:
        name, equals, value = word.partition("=")
        if word in with_value:
            values[word] = next(waiting, "")
        elif not word.startswith("-"):
            operands.append(word)
        elif equals:
            values[name] = value
    return operands, values


def _subcommands(path: str, search: tuple[str, ...], library: Library) -> frozenset[str]:
    """Return the subcommands of a program, defined in its module or in one that this imports."""

    def make() -> frozenset[str]:
        module = library.python(path)
        imports = imports_of(ast.walk(module), path, search, library) if module is not None else iter(())
        near = [path, *(other for one in imports if isinstance(one, Import) for other in one.paths)]
        lines = (commands_of(one, library) for one in dict.fromkeys(near))
        return frozenset(name for line in lines if line is not None for name in line.names)

    return library.remembered(("subcommands", path, search), make)


def _python_path(command: Command) -> tuple[str, ...]:
    given = dict(command.environment).get("PYTHONPATH", "")
    found = (located(entry, command.directory) for entry in given.split(":") if entry)
    return tuple(path for path in found if path is not None and not path.startswith("/"))
