"""Imports of Python: which files of the repository a module needs.

Sees absolute and relative imports to any depth, packages with every ``__init__.py`` on the way, imports inside
functions, literal ``import_module``, ``__import__`` and ``run_module``, and directories that ``sys.path`` is given. What
is not found in the repository is installed, or belongs to Python.

Can't see a name that is put together at run time. What stands under ``TYPE_CHECKING`` is never imported.
"""

import ast
import sys
from collections.abc import Iterator

from ci_classify.core.record import Record
from ci_classify.derive.checkout import ancestors, join, name_of, parent
from ci_classify.derive.library import Library

_DYNAMIC = {"import_module": 0, "__import__": 0, "run_module": 0, "find_spec": 0}
_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg")


class Import(Record):
    """An import: the line, the name as written, the files that it needs. Without files it is not of the repository."""

    line: int
    name: str
    paths: tuple[str, ...]


class DynamicImport(Record):
    """An import whose name only a run knows."""

    line: int
    what: str


def imports_of(
    nodes: Iterator[ast.AST], path: str | None, search: tuple[str, ...], library: Library
) -> Iterator[Import | DynamicImport]:
    """Return the imports among some nodes of a module; ``path`` is None for code without a file."""
    for node in nodes:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(line=node.lineno, name=alias.name, paths=resolve(alias.name, search, library))
            case ast.ImportFrom():
                yield from _imported_from(node, path, search, library)
            case ast.Call(func=(ast.Name(id=name) | ast.Attribute(attr=name))) if name in _DYNAMIC and node.args:
                yield from _dynamic(node, name, path, search, library)
            case _:
                pass


def resolve(name: str, search: tuple[str, ...], library: Library) -> tuple[str, ...]:
    """Return the files of an absolute name: the packages on the way, and the module; none if it is not found."""
    return library.remembered(("import", name, search), lambda: _resolved(name.split("."), search, library))


def _resolved(parts: list[str], search: tuple[str, ...], library: Library) -> tuple[str, ...]:
    for directory in search:
        found = _below(directory, parts, library)
        if found:
            return found
    if parts[0] in sys.stdlib_module_names:
        return ()
    for directory in roots(library):
        found = _below(directory, parts, library)
        if found and directory not in search:
            return found
    return ()


def roots(library: Library) -> tuple[str, ...]:
    """Return the directories from which installed projects of the repository are imported."""
    return library.remembered(("roots",), lambda: _roots(library))


def _roots(library: Library) -> tuple[str, ...]:
    projects = [parent(path) for path in library.checkout.paths if name_of(path) in _PROJECTS]
    found = [place for project in ("", *projects) for place in (join(project, "src"), project)]
    return tuple(dict.fromkeys(place for place in found if place is not None and library.checkout.is_directory(place)))


def _below(directory: str, parts: list[str], library: Library) -> tuple[str, ...]:
    """Return the files of a dotted name from a directory, as far as it leads to modules."""
    found: list[str] = []
    here = directory
    for number, part in enumerate(parts):
        here = f"{here}/{part}" if here else part
        package, module = f"{here}/__init__.py", f"{here}.py"
        if library.checkout.is_file(package):
            found.append(package)
        elif library.checkout.is_file(module):
            return (*found, module)
        elif not _holds_python(here, library):
            # The last name may be a function or a class in the package before it.
            return tuple(found) if number and found else ()
    return tuple(found)


def _holds_python(directory: str, library: Library) -> bool:
    """Return whether a directory can be a package without ``__init__.py``."""
    return library.remembered(
        ("package", directory), lambda: any(path.endswith(".py") for path in library.checkout.below(directory))
    )


def _imported_from(
    node: ast.ImportFrom, path: str | None, search: tuple[str, ...], library: Library
) -> Iterator[Import]:
    shown = "." * node.level + (node.module or "")
    base = _relative_base(node, path)
    for alias in node.names:
        name = f"{shown}{'' if shown.endswith('.') else '.'}{alias.name}"
        if node.level:
            parts = [*(node.module.split(".") if node.module else []), *([] if alias.name == "*" else [alias.name])]
            paths = _relative(base, parts, library) if base is not None else ()
        else:
            full = node.module or ""
            paths = resolve(full if alias.name == "*" else f"{full}.{alias.name}", search, library)
            paths = paths or resolve(full, search, library)
        yield Import(line=node.lineno, name=shown if alias.name == "*" else name, paths=paths)


def _relative_base(node: ast.ImportFrom, path: str | None) -> str | None:
    """Return the directory of the package that a relative import starts from."""
    if path is None or not node.level:
        return None
    above = ancestors(parent(path))
    return above[node.level - 1] if node.level <= len(above) else None


def _relative(base: str, parts: list[str], library: Library) -> tuple[str, ...]:
    package = f"{base}/__init__.py" if base else "__init__.py"
    own = (package,) if library.checkout.is_file(package) else ()
    return own + _below(base, parts, library) if parts else own


def _dynamic(
    node: ast.Call, function: str, path: str | None, search: tuple[str, ...], library: Library
) -> Iterator[Import | DynamicImport]:
    argument = node.args[0]
    if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
        yield DynamicImport(line=node.lineno, what=f"{function} of a name that is put together at run time")
        return
    name = argument.value
    if name.startswith(".") and path is not None:
        relative = ast.ImportFrom(
            module=name.lstrip(".") or None, names=[ast.alias(name="*")], level=len(name) - len(name.lstrip("."))
        )
        relative.lineno = node.lineno
        yield from _imported_from(relative, path, search, library)
    else:
        yield Import(line=node.lineno, name=name, paths=resolve(name, search, library))
