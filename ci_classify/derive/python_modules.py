"""Modules of Python, looked into: their imports, the files that they read, and the programs that they call.

Sees what ``python_imports``, ``python_files`` and ``python_cli`` see, and lists of words whose first is a program that
this guard knows, such as ``subprocess.run(["cargo", "build"], cwd=ROOT)``.

Can't see programs whose name or words are put together at run time.
"""

import ast
from collections.abc import Iterator

from ci_classify.core.record import Record
from ci_classify.derive.checkout import parent
from ci_classify.derive.found import UNKNOWN, Command, Found, Leads, Place, PythonCode, PythonModule, Reads, Unclear
from ci_classify.derive.library import Library
from ci_classify.derive.naming import located
from ci_classify.derive.python_cli import CommandLine, command_line
from ci_classify.derive.python_files import Constants, PathReader, ReadPath, UnclearPath
from ci_classify.derive.python_imports import DynamicImport, Import, imports_of, resolve

CALLED = frozenset(
    {"bash", "sh", "pwsh", "powershell", "python", "python3", "cargo", "npm", "npx", "yarn", "pnpm", "node"}
    | {"docker", "podman", "buildah", "make", "git", "pytest", "pip"}
)


class Called(Record):
    """A program that code calls: its words, and the directory, which is None where only a run knows it."""

    line: int
    words: tuple[str, ...]
    directory: str | None


_Fact = Import | DynamicImport | ReadPath | UnclearPath | Called


def commands_of(path: str, library: Library) -> CommandLine | None:
    """Return the subcommands of a module."""

    def make() -> CommandLine | None:
        module = library.python(path)
        return command_line(module) if module is not None else None

    return library.remembered(("command line", path), make)


def expand_module(source: PythonModule, library: Library) -> Iterator[Found]:
    """Return what a module of the repository imports, reads and calls."""
    place = Place(file=source.path, line=1)
    yield Reads(label=source.path, place=place, paths=(source.path,))
    module = library.python(source.path)
    if module is None:
        return
    line = commands_of(source.path, library)
    unneeded = line.unneeded(source.commands) if line is not None else frozenset[int]()
    facts = library.remembered(
        ("facts", source.path, source.search, source.directory, unneeded),
        lambda: _facts(module, source.path, source.search, source.directory, unneeded, library),
    )
    yield from _found(facts, source, library)
    for name in line.modules(source.commands) if line is not None else ():
        for path in resolve(name, source.search, library):
            yield Leads(label=f"names module {name}", place=place, source=_sibling(source, path))


def expand_code(source: PythonCode, library: Library) -> Iterator[Found]:
    """Return what Python in a step or a script imports, reads and calls."""
    try:
        module = ast.parse(source.code)
    except (SyntaxError, ValueError, RecursionError):
        yield Unclear(place=source.place, why="Python in a script can't be read")
        return
    facts = _facts(module, None, source.search, source.directory, frozenset(), library)
    here = PythonModule(path="", search=source.search, directory=source.directory)
    for found in _found(facts, here, library):
        line = source.place.line + found.place.line - 1
        place = Place(file=source.place.file, line=line)
        yield type(found)(**{**found.__dict__, "place": place})


def _facts(
    module: ast.Module,
    path: str | None,
    search: tuple[str, ...],
    directory: str | None,
    unneeded: frozenset[int],
    library: Library,
) -> tuple[_Fact, ...]:
    skipped = unneeded | _never_run(module)
    reader = PathReader(
        _constants(module, path, search, library), directory, lambda other: _known_constants(other, search, library)
    )
    nodes = list(_walk(module, skipped))
    search = (*search, *reader.added_to_search(iter(nodes)))
    found: list[_Fact] = list(imports_of(iter(nodes), path, search, library))
    calls = [
        (call, called) for call in nodes if isinstance(call, ast.Call) and (called := _called(call, reader, directory))
    ]
    handled = {id(part) for call, _ in calls for part in (call.args[0], *(k for k in call.keywords if k.arg == "cwd"))}
    found += reader.reads(module, skipped | handled)
    found += (called for _, called in calls)
    return tuple(found)


def _found(facts: tuple[_Fact, ...], source: PythonModule, library: Library) -> Iterator[Found]:
    for fact in facts:
        place = Place(file=source.path, line=fact.line)
        match fact:
            case Import(paths=paths, name=name):
                for path in paths:
                    yield Leads(label=f"imports {name}", place=place, source=_sibling(source, path))
            case DynamicImport(what=what):
                yield Unclear(place=place, why=what)
            case ReadPath():
                yield from _read(fact, source, place, library)
            case UnclearPath(shown=shown):
                yield Unclear(place=place, why=f"a part of the path {shown} is known at run time only")
            case Called(words=words, directory=directory):
                command = Command(words=words, directory=directory, place=place)
                yield Leads(label=f"calls {words[0]}", place=place, source=command)


def _read(fact: ReadPath, source: PythonModule, place: Place, library: Library) -> Iterator[Found]:
    """Return a path that a module reads. Another program of Python counts with all that it needs."""
    paths = library.checkout.named(fact.path)
    if paths == (fact.path,) and fact.path.endswith(".py"):
        search = (parent(fact.path), *source.search)
        other = PythonModule(path=fact.path, search=search, directory=source.directory)
        yield Leads(label=f"reads {fact.path}", place=place, source=other)
    elif paths:
        yield Reads(label=f"reads {fact.path}", place=place, paths=paths, exact=paths == (fact.path,))


def _sibling(source: PythonModule, path: str) -> PythonModule:
    return PythonModule(path=path, search=source.search, directory=source.directory, commands=source.commands)


def _walk(node: ast.AST, skipped: frozenset[int]) -> Iterator[ast.AST]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if id(one) not in skipped:
            yield one
            waiting += reversed(list(ast.iter_child_nodes(one)))


def _never_run(module: ast.Module) -> frozenset[int]:
    """Return the statements that only type checkers look at."""
    return frozenset(
        id(statement)
        for node in ast.walk(module)
        if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}
        for statement in node.body
    )


def _constants(module: ast.Module, path: str | None, search: tuple[str, ...], library: Library) -> Constants:
    """Return what names of a module stand for, wherever in it they are assigned, if only once."""
    assigned: dict[str, list[ast.expr]] = {}
    nodes = list(ast.walk(module))
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                assigned.setdefault(name, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
                assigned.setdefault(name, []).append(value)
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                assigned.setdefault(name, [])
            case _:
                pass
    bound = [node.arg for node in nodes if isinstance(node, ast.arg)]
    once = {name: values[0] for name, values in assigned.items() if len(values) == 1 and name not in bound}
    return Constants(path=path, assigned=once, imported=_imported(nodes, path, search, library))


def _imported(
    nodes: list[ast.AST], path: str | None, search: tuple[str, ...], library: Library
) -> dict[str, tuple[str, str | None]]:
    """Return which names are modules of the repository, or names of such a module."""
    found: dict[str, tuple[str, str | None]] = {}
    for node in nodes:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        imports = [one for one in imports_of(iter([node]), path, search, library) if isinstance(one, Import)]
        for alias, one in zip(node.names, imports, strict=True):
            if not one.paths:
                continue
            file = one.paths[-1]
            local = alias.asname or alias.name
            tail = alias.name.replace(".", "/")
            is_module = file.endswith((f"{tail}.py", f"{tail}/__init__.py")) or isinstance(node, ast.Import)
            found[local] = (file, None if is_module else alias.name)
    return found


def _known_constants(path: str, search: tuple[str, ...], library: Library) -> Constants | None:
    def make() -> Constants | None:
        module = library.python(path)
        return None if module is None else _constants(module, path, search, library)

    return library.remembered(("constants", path, search), make)


def _called(call: ast.Call, reader: PathReader, directory: str | None) -> Called | None:
    """Return the program that a call runs, if its first argument lists a known program and its words."""
    match call.args:
        case [ast.List(elts=[first, *rest]) | ast.Tuple(elts=[first, *rest]), *_]:
            words = (_program(first, reader), *(reader.text(word) or UNKNOWN for word in rest))
        case _:
            return None
    if words[0] not in CALLED:
        return None
    own = next((keyword.value for keyword in call.keywords if keyword.arg == "cwd"), None)
    where = directory if own is None else located(reader.text(own) or UNKNOWN, directory)
    return Called(line=call.lineno, words=words, directory=where)


def _program(node: ast.expr, reader: PathReader) -> str:
    if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable":
        return "python"
    return reader.text(node) or UNKNOWN
