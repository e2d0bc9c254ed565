"""Paths in Python code: the tracked files that a module opens beside itself or from the directory of the program.

Sees ``Path(__file__)`` with ``parent``, ``parents[n]``, ``with_name``, ``/`` and ``joinpath``, the same by ``os.path``,
``importlib.resources.files``, literal arguments of ``open`` and ``Path``, constants that hold such paths, those of
imported modules too, and ``sys.path`` entries. A directory counts with all below it.

Can't see names that are put together at run time: where the directory is known, all of it counts. What is written,
made or deleted is not read.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from posixpath import dirname, normpath

from ci_classify.core.record import Record
from ci_classify.derive.checkout import parent
from ci_classify.derive.found import TOP, UNKNOWN
from ci_classify.derive.naming import located

_MAX_DEPTH = 24
_PATH_CLASSES = frozenset({"Path", "PurePath", "PosixPath", "PurePosixPath"})
_SAME = frozenset(
    {"resolve", "absolute", "expanduser", "as_posix", "as_uri", "abspath", "realpath", "normpath", "fspath"}
)
_WRITING = frozenset(
    {"write_text", "write_bytes", "mkdir", "unlink", "touch", "rmdir", "chmod", "makedirs", "rename", "replace"}
)
_WRITES = frozenset("wax")


class Constants(Record):
    """What names of a module stand for: expressions assigned once, and names imported from other modules."""

    path: str | None
    assigned: Mapping[str, ast.expr]
    imported: Mapping[str, tuple[str, str | None]]  # a name here: the module's file, and the name there


class ReadPath(Record):
    """A path that code names: the line, the path from the top, and whether it is one file or all below it."""

    line: int
    path: str
    shown: str


class UnclearPath(Record):
    """A path of which only a run knows a part."""

    line: int
    shown: str


Lookup = Callable[[str], Constants | None]  # the constants of another module, by its file


class _Value(Record):
    """A text, whether a part of it tells more than where the module is, and whether it is surely a path."""

    text: str
    literal: bool = False
    is_path: bool = False


class PathReader:
    """Evaluates the path expressions of one module. ``directory`` is where the program runs, None if unknown."""

    def __init__(self, constants: Constants, directory: str | None, lookup: Lookup) -> None:
        self._constants = constants
        self._directory = directory
        self._lookup = lookup

    def reads(self, root: ast.AST, skipped: frozenset[int]) -> Iterator[ReadPath | UnclearPath]:
        """Return the paths that code reads, in its order; nodes whose ids are skipped are passed over."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if id(node) in skipped or self._is_no_read(node):
                continue
            if isinstance(node, ast.Call) and _writes(node):
                waiting += [*reversed(node.keywords), *reversed(node.args)]
                continue
            found = self._read(node) if isinstance(node, ast.expr) else None
            if found is not None:
                yield found
            else:
                waiting += reversed(list(ast.iter_child_nodes(node)))

    def _is_no_read(self, node: ast.AST) -> bool:
        """Return whether a node only names a path for later, changes ``sys.path``, or opens a file to write it."""
        match node:
            case ast.Assign(targets=[ast.Name()], value=value):
                return self._is_path(value)
            case ast.AnnAssign(target=ast.Name(), value=value) if value is not None:
                return self._is_path(value)
            case ast.Call():
                return _changes_search(node) or _opens_for_writing(node)
            case _:
                return False

    def text(self, node: ast.expr) -> str | None:
        """Return the text or path that an expression comes to, with UNKNOWN parts; None if it is neither."""
        found = self._value(node, 0)
        return None if found is None else found.text

    def added_to_search(self, nodes: Iterator[ast.AST]) -> tuple[str, ...]:
        """Return the directories that code adds to ``sys.path``."""
        found = []
        for node in nodes:
            if isinstance(node, ast.Call) and _changes_search(node) and node.args:
                text = self.text(node.args[-1])
                path = located(text, self._directory) if text is not None else None
                found += [path] if path is not None and not path.startswith("/") else []
        return tuple(dict.fromkeys(found))

    def _is_path(self, node: ast.expr) -> bool:
        found = self._value(node, 0)
        return found is not None and found.is_path

    def _read(self, node: ast.expr) -> ReadPath | UnclearPath | None:
        opened = _opened(node)
        found = self._value(opened or node, 0)
        if found is None or not (opened or found.is_path):
            return None
        known, unknown, _ = found.text.partition(UNKNOWN)
        shown = ast.unparse(node)[:80]
        path = located(known.rpartition("/")[0] if unknown else known, self._directory) if found.literal else None
        if path is not None and not path.startswith("/") and (path or not unknown):
            return ReadPath(line=node.lineno, path=path, shown=shown)
        return UnclearPath(line=node.lineno, shown=shown) if unknown and path is None else None

    # -- evaluation ----------------------------------------------------------------------------------

    def _value(self, node: ast.expr, depth: int) -> _Value | None:
        if depth > _MAX_DEPTH:
            return None
        match node:
            case ast.Constant(value=str() as text):
                return _Value(text=text, literal=True)
            case ast.JoinedStr(values=values):
                return self._joined(values, depth)
            case ast.Name(id="__file__") if self._constants.path is not None:
                return _Value(text=f"{TOP}/{self._constants.path}", is_path=True)
            case ast.Name(id=name):
                return self._named(name, depth)
            case ast.Attribute(value=of, attr="parent"):
                return _up(self._value(of, depth + 1), 1)
            case ast.Subscript(value=ast.Attribute(value=of, attr="parents"), slice=ast.Constant(value=int() as count)):
                return _up(self._value(of, depth + 1), count + 1)
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                return self._of_module(module, name, depth)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._under(self._value(left, depth + 1), [right], depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                one, other = self._value(left, depth + 1), self._value(right, depth + 1)
                if one is None or other is None:
                    return None
                literal, is_path = one.literal or other.literal, one.is_path or other.is_path
                return _Value(text=one.text + other.text, literal=literal, is_path=is_path)
            case ast.Call():
                return self._call(node, depth)
            case _:
                return None

    def _joined(self, values: list[ast.expr], depth: int) -> _Value:
        text = ""
        for value in values:
            inner = self._value(value.value if isinstance(value, ast.FormattedValue) else value, depth + 1)
            text += UNKNOWN if inner is None else inner.text
        return _Value(text=text, literal=True)

    def _named(self, name: str, depth: int) -> _Value | None:
        assigned = self._constants.assigned.get(name)
        if assigned is not None:
            return self._value(assigned, depth + 1)
        imported = self._constants.imported.get(name)
        if imported is None or imported[1] is None:
            return None
        return self._elsewhere(imported[0], imported[1], depth)

    def _of_module(self, module: str, name: str, depth: int) -> _Value | None:
        imported = self._constants.imported.get(module)
        return self._elsewhere(imported[0], name, depth) if imported and imported[1] is None else None

    def _elsewhere(self, path: str, name: str, depth: int) -> _Value | None:
        constants = self._lookup(path)
        if constants is None:
            return None
        return PathReader(constants, self._directory, self._lookup)._named(name, depth + 1)  # noqa: SLF001 -- its own

    def _call(self, call: ast.Call, depth: int) -> _Value | None:
        match call.func, call.args:
            case ((ast.Name(id=name) | ast.Attribute(attr=name)), [first, *rest]) if name in _PATH_CLASSES:
                return self._under(self._value(first, depth + 1), rest, depth)
            case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name), attr="cwd"), [] if (
                name in _PATH_CLASSES
            ):
                return self._here()
            case ast.Attribute(attr="getcwd"), []:
                return self._here()
            case ast.Name(id="str"), [first]:
                return self._value(first, depth + 1)
            case (ast.Attribute(attr="join"), [first, *rest]) if _is_os_path(call.func):
                return self._under(self._value(first, depth + 1), rest, depth)
            case ((ast.Attribute(attr="dirname") | ast.Name(id="dirname")), [first]):
                return _up(self._value(first, depth + 1), 1)
            case ((ast.Attribute(attr=name) | ast.Name(id=name)), [first]) if name in _SAME:
                return self._value(first, depth + 1)
            case ((ast.Attribute(attr="files") | ast.Name(id="files")), [first]) if self._constants.path is not None:
                return self._package(first)
            case ast.Attribute(value=of, attr=name), [] if name in _SAME:
                return self._value(of, depth + 1)
            case ast.Attribute(value=of, attr="joinpath"), rest:
                return self._under(self._value(of, depth + 1), rest, depth)
            case ast.Attribute(value=of, attr="with_name"), [name_]:
                return self._under(_up(self._value(of, depth + 1), 1), [name_], depth)
            case _:
                return None

    def _package(self, argument: ast.expr) -> _Value | None:
        """Return the directory that ``importlib.resources.files`` means, for a module's own package."""
        own = isinstance(argument, ast.Name) and argument.id in {"__package__", "__name__"}
        name = argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None
        directory = parent(self._constants.path or "")
        if own:
            return _Value(text=f"{TOP}/{directory}", is_path=True)
        if name is None or not f"/{directory}".endswith(f"/{name.replace('.', '/')}"):
            return None
        return _Value(text=f"{TOP}/{directory}", is_path=True)

    def _here(self) -> _Value:
        if self._directory is None or self._directory.startswith("/"):
            return _Value(text=UNKNOWN, is_path=True)
        return _Value(text=f"{TOP}/{self._directory}".rstrip("/"), is_path=True)

    def _under(self, base: _Value | None, rest: list[ast.expr], depth: int) -> _Value | None:
        """Return a path below another one."""
        if base is None:
            return None
        text, literal = base.text, base.literal
        for node in rest:
            inner = self._value(node, depth + 1)
            added = UNKNOWN if inner is None else inner.text
            if added.startswith(("/", TOP)):
                text, literal = "", False
            # Only whole components that are known before the first unknown one tell where a path leads.
            known, unknown, _ = added.partition(UNKNOWN)
            whole = known.rpartition("/")[0] if unknown else known
            literal = literal or (UNKNOWN not in text and not {*whole.split("/")} <= {"", ".", ".."})
            text = f"{text}/{added}" if text else added
        return _Value(text=text, literal=literal, is_path=True)


def _up(value: _Value | None, count: int) -> _Value | None:
    if value is None or UNKNOWN in value.text:
        return None
    top, path = (TOP, value.text[1:]) if value.text.startswith(TOP) else ("", value.text)
    for _ in range(count):
        if path in {"", "/"}:
            return None
        path = dirname(normpath(path))
    return _Value(text=top + path.rstrip("/"), is_path=True)


def _is_os_path(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and ast.unparse(function.value) in {"os.path", "path", "posixpath"}


def _writes(call: ast.Call) -> bool:
    """Return whether a method writes, makes or deletes the path that it is called on."""
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr in _WRITING and ast.unparse(function.value) != "os"


def _changes_search(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="sys"), attr="path"), attr=("insert" | "append")):
            return True
        case _:
            return False


def _opened(node: ast.expr) -> ast.expr | None:
    """Return the argument of a call of ``open``."""
    match node:
        case ast.Call(
            func=(ast.Name(id="open") | ast.Attribute(value=ast.Name(id="io"), attr="open")), args=[first, *_]
        ):
            return first
        case _:
            return None


def _opens_for_writing(call: ast.Call) -> bool:
    opened = _opened(call) is not None
    method = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
    if not opened and not method:
        return False
    modes = [keyword.value for keyword in call.keywords if keyword.arg == "mode"] + call.args[opened : opened + 1]
    return any(
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and not _WRITES.isdisjoint(mode.value)
        for mode in modes
    )
