"""Command lines written in Python: which parts of a module a subcommand needs.

Sees the subcommands that ``python_subcommands`` finds. A function that only handlers of other subcommands reach is not
needed.

Can't see handlers that are chosen otherwise: then every function counts. What a module does when it is imported, its
imports at the top included, happens for every subcommand.
"""

import ast
from collections.abc import Iterable, Mapping

from ci_classify.core.record import Record
from ci_classify.derive.python_subcommands import Handler, SubcommandReader, names_in


class CommandLine(Record):
    """The subcommands of a module, and what handles them; ``references`` are which definitions use which."""

    names: frozenset[str]
    handlers: tuple[Handler, ...]
    definitions: Mapping[str, int]
    references: Mapping[str, frozenset[str]]  # by name of a definition; by "" what runs at import

    def unneeded(self, commands: tuple[str, ...] | None) -> frozenset[int]:
        """Return the nodes that none of these subcommands, in the order of the command line, can reach."""
        used = self._used(commands)
        unused = [handler for handler in self.handlers if handler not in used]
        if not used:
            return frozenset()
        handled = self._reached(name for handler in self.handlers for name in handler.names)
        free = set(self.definitions) - handled
        needed = self._reached([*free, *self.references[""], *(name for handler in used for name in handler.names)])
        nodes = {node for handler in unused for node in handler.nodes}
        nodes -= {node for handler in used for node in handler.nodes}
        nodes |= {self.definitions[name] for name in self._reached(n for h in unused for n in h.names) - needed}
        return frozenset(nodes)

    def modules(self, commands: tuple[str, ...] | None) -> tuple[str, ...]:
        """Return the modules that these subcommands name by text."""
        used = self._used(commands) or self.handlers
        return tuple(dict.fromkeys(module for handler in used for module in handler.modules))

    def _used(self, commands: tuple[str, ...] | None) -> list[Handler]:
        """Return the handlers of these subcommands; a module may define the later ones of them only."""
        for start in range(len(commands or ())):
            rest = (commands or ())[start:]
            found = [handler for handler in self.handlers if _is_used(handler.command, rest)]
            if found:
                return found
        return []

    def _reached(self, names: Iterable[str]) -> set[str]:
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in self.definitions and name not in found:
                found.add(name)
                waiting += self.references.get(name, ())
        return found


def _is_used(command: tuple[str, ...], commands: tuple[str, ...]) -> bool:
    length = min(len(command), len(commands))
    return command[:length] == commands[:length]


def command_line(module: ast.Module) -> CommandLine | None:
    """Return the subcommands of a module, or None where it has none."""
    reader = SubcommandReader(module)
    handlers = tuple(reader.handlers())
    if not reader.names:
        return None
    own = {id(node) for node in reader.definitions.values()}
    at_import: list[ast.AST] = [node for node in module.body if id(node) not in own]
    at_import += [decorator for node in reader.definitions.values() for decorator in node.decorator_list]
    parts: dict[str, list[ast.AST]] = {name: [*node.body] for name, node in reader.definitions.items()}
    parts[""] = at_import
    references = {
        name: frozenset(
            set().union(*(names_in(part, reader.registrations) for part in inside)) & reader.definitions.keys()
        )
        for name, inside in parts.items()
    }
    return CommandLine(
        names=frozenset(reader.names),
        handlers=handlers,
        definitions={name: id(node) for name, node in reader.definitions.items()},
        references=references,
    )
