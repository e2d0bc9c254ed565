"""Subcommands of a program in Python, and what handles them.

Sees subcommands of argparse (``add_parser``, nested ones too) whose handler is set by ``set_defaults``, by a helper
that takes name and handler together, or by a table; those of click and typer (``@group.command``, ``add_command``);
branches that compare with a subcommand's name.

Can't see names and handlers that are put together at run time.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping

from ci_classify.core.record import Record

_COMMANDS = frozenset({"command", "group"})


class Handler(Record):
    """What runs for a subcommand: definitions of the module by name, nodes, modules named by a text."""

    command: tuple[str, ...]
    names: tuple[str, ...] = ()
    nodes: tuple[int, ...] = ()
    modules: tuple[str, ...] = ()


class SubcommandReader:
    """Collects the subcommands of one module."""

    def __init__(self, module: ast.Module) -> None:
        walked = (node for node in ast.walk(module) if hasattr(node, "lineno") or isinstance(node, ast.match_case))
        self._nodes = sorted(walked, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))
        self.definitions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef] = {
            node.name: node
            for node in module.body
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }
        self.names: set[str] = set()
        self.registrations: set[int] = set()  # nodes in which naming a handler calls nothing
        self._parsers: dict[str, tuple[str, ...]] = {}  # variables that hold parsers or groups of them
        self._helpers = {
            node.name for node in self._nodes if isinstance(node, ast.FunctionDef) and _adds_free_name(node)
        }
        self._tables = _tables(self._nodes)

    def handlers(self) -> Iterator[Handler]:
        """Return all handlers; ``names`` and ``registrations`` are complete behind the last one."""
        found = [*self._argparse(), *self._click(), *self._pairs()]
        yield from found
        yield from self._branches()

    # -- argparse ------------------------------------------------------------------------------------

    def _argparse(self) -> Iterator[Handler]:
        for node in self._nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name) | ast.Attribute(attr=name)], value=ast.Call() as call):
                    self._learn(name, call)
                case ast.Call(func=ast.Attribute(attr="add_parser")):
                    self._add_parser(node)
                case ast.Call(func=ast.Attribute(value=of, attr="set_defaults"), keywords=keywords):
                    command = self._command_of(of)
                    for keyword in keywords if command else ():
                        yield self._handler(command, keyword.value)
                case _:
                    pass

    def _learn(self, name: str, call: ast.Call) -> None:
        match call.func:
            case ast.Attribute(value=of, attr="add_subparsers"):
                self._parsers[name] = self._command_of(of)
            case ast.Attribute(attr="add_parser"):
                self._parsers[name] = self._add_parser(call)
            case _:
                pass

    def _add_parser(self, call: ast.Call) -> tuple[str, ...]:
        own = _text(call.args[0]) if call.args else None
        if own is None:
            return ()
        aliases = [keyword.value for keyword in call.keywords if keyword.arg == "aliases"]
        self.names |= {own, *(text for value in aliases for text in _texts(value))}
        return (*self._command_of(call.func.value), own) if isinstance(call.func, ast.Attribute) else (own,)

    def _command_of(self, node: ast.expr) -> tuple[str, ...]:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self._parsers.get(name, ())
            case ast.Call(func=ast.Attribute(attr="add_parser")):
                return self._add_parser(node)
            case _:
                return ()

    # -- click, typer --------------------------------------------------------------------------------

    def _click(self) -> Iterator[Handler]:
        groups: dict[str, tuple[str, ...]] = {}
        for name, node in self.definitions.items():
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            for decorator in node.decorator_list:
                function = decorator.func if isinstance(decorator, ast.Call) else decorator
                if not isinstance(function, ast.Attribute) or function.attr not in _COMMANDS:
                    continue
                owner = function.value.id if isinstance(function.value, ast.Name) else ""
                if owner in {"click", "typer"}:
                    groups[name] = () if function.attr == "group" else groups.get(name, ())
                    continue
                command = (*groups.get(owner, ()), _declared(decorator) or _click_name(name))
                if function.attr == "group":
                    groups[name] = command
                self.names.add(command[-1])
                yield Handler(command=command, names=(name,))
        yield from self._added(groups)

    def _added(self, groups: Mapping[str, tuple[str, ...]]) -> Iterator[Handler]:
        for node in self._nodes:
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=owner), attr="add_command"), args=[ast.Name(id=name), *rest]
                ):
                    self.registrations.add(id(node))
                    declared = _text(rest[0]) if rest else None
                    definition = self.definitions.get(name)
                    decorators = definition.decorator_list if isinstance(definition, ast.FunctionDef) else []
                    own = next((text for d in decorators if (text := _declared(d))), None)
                    command = (*groups.get(owner, ()), declared or own or _click_name(name))
                    self.names.add(command[-1])
                    yield Handler(command=command, names=(name,))
                case _:
                    pass

    # -- tables, helpers and branches ----------------------------------------------------------------

    def _pairs(self) -> Iterator[Handler]:
        """Return handlers that stand beside a literal name: in a table, or in a call of a helper."""
        for node in self._nodes:
            match node:
                case ast.Dict(keys=keys, values=values):
                    named = {_text(key) for key in keys if key is not None}
                    if id(node) not in self._tables and not (named and named <= self.names):
                        continue
                    pairs = [(key, [value]) for key, value in zip(keys, values, strict=True) if key is not None]
                case ast.Tuple(elts=[first, *rest]) if id(node) in self._tables:
                    pairs = [(first, rest)]
                case ast.Call(func=ast.Name(id=helper) | ast.Attribute(attr=helper), args=arguments) if (
                    helper in self._helpers
                ):
                    key = next((argument for argument in arguments if _text(argument) is not None), None)
                    pairs = [] if key is None else [(key, [*arguments, *(k.value for k in node.keywords)])]
                case _:
                    continue
            yield from self._paired(pairs)

    def _paired(self, pairs: Iterable[tuple[ast.expr, list[ast.expr]]]) -> Iterator[Handler]:
        for key, values in pairs:
            name = _text(key)
            for value in values:
                if name is not None and self._can_handle(value, is_key=value is key):
                    self.names.add(name)
                    yield self._handler((name,), value)

    def _can_handle(self, node: ast.expr, *, is_key: bool) -> bool:
        if _text(node) is not None:
            return not is_key and "." in (_text(node) or "")
        return isinstance(node, ast.Lambda) or (isinstance(node, ast.Name) and node.id in self.definitions)

    def _branches(self) -> Iterator[Handler]:
        for node in self._nodes:
            match node:
                case ast.If(
                    test=ast.Compare(left=ast.Attribute() | ast.Name(), ops=[ast.Eq() | ast.In()], comparators=[right])
                ):
                    names = [name for name in _texts(right) if name in self.names]
                    if names and len(names) == len(_texts(right)):
                        yield from self._branch(names, node.body)
                case ast.match_case(pattern=pattern, guard=None):
                    named = _matched(pattern)
                    if named and self.names.issuperset(named):
                        yield from self._branch(named, node.body)
                case _:
                    pass

    def _branch(self, names: list[str], body: list[ast.stmt]) -> Iterator[Handler]:
        used = tuple(sorted(set().union(*(names_in(n, set()) for n in body)) & self.definitions.keys()))
        self.registrations |= {id(node) for node in body}
        for name in names:
            yield Handler(command=(name,), names=used, nodes=tuple(id(node) for node in body))

    def _handler(self, command: tuple[str, ...], value: ast.expr) -> Handler:
        self.registrations.add(id(value))
        text = _text(value)
        if text is not None:
            return Handler(command=command, modules=(text.partition(":")[0],) if "." in text else ())
        nodes = (id(value),) if isinstance(value, ast.Lambda) else ()
        names = tuple(sorted(names_in(value, set()) & self.definitions.keys()))
        return Handler(command=command, names=names, nodes=nodes)


def _adds_free_name(node: ast.AST) -> bool:
    """Return whether code adds a parser under a name that is no literal."""
    return any(
        isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Attribute)
        and inner.func.attr == "add_parser"
        and bool(inner.args)
        and _text(inner.args[0]) is None
        for inner in ast.walk(node)
    )


def _tables(nodes: list[ast.AST]) -> set[int]:
    """Return the dictionaries and tuples of the tables that loops add parsers from."""
    loops = [node for node in nodes if isinstance(node, ast.For) and _adds_free_name(node)]
    iterated = [node.iter for node in loops]
    named = {name.id for node in iterated for name in ast.walk(node) if isinstance(name, ast.Name)}
    assigned = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in named for t in node.targets)
    ]
    assigned += [
        node.value
        for node in nodes
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id in named
        and node.value
    ]
    return {id(inner) for table in (*iterated, *assigned) for inner in ast.walk(table)}


def names_in(node: ast.AST, skipped: set[int]) -> set[str]:
    """Return the names that code uses; nodes whose ids are skipped are passed over."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if id(one) in skipped:
            continue
        if isinstance(one, ast.Name):
            found.add(one.id)
        waiting += ast.iter_child_nodes(one)
    return found


def _matched(pattern: ast.pattern) -> list[str]:
    match pattern:
        case ast.MatchValue(value=value):
            return _texts(value)
        case ast.MatchOr(patterns=patterns):
            return [text for one in patterns for text in _matched(one)]
        case _:
            return []


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _texts(node: ast.expr) -> list[str]:
    items = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    return [text for item in items if (text := _text(item)) is not None]


def _declared(decorator: ast.expr) -> str | None:
    """Return the name that a decorator gives a command."""
    if not isinstance(decorator, ast.Call):
        return None
    named = [keyword.value for keyword in decorator.keywords if keyword.arg == "name"] + decorator.args[:1]
    return _text(named[0]) if named else None


def _click_name(function: str) -> str:
    name = function.lower()
    for suffix in ("_command", "_cmd", "_group", "_grp"):
        name = name.removesuffix(suffix)
    return name.replace("_", "-")
