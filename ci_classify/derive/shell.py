"""Scripts of bash, sh and PowerShell: the commands that they run, with words, directory and environment known.

Sees literal words, variables that literal assignments, loops and the environment give values (all of them, in any
branch), ``cd`` in its order, ``dirname "$0"`` and its kin, the checkout's own path, patterns of file names, scripts
that are sourced.

Can't see values that commands print, those of other steps, and which branch is taken: every branch counts.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from posixpath import basename, dirname

from ci_classify.core.record import Record
from ci_classify.derive import bash, powershell
from ci_classify.derive.bash import Assignment, Bracket, Literal, Simple, Substitution, Unreadable, Variable, Word
from ci_classify.derive.checkout import parent
from ci_classify.derive.found import (
    TOP,
    UNKNOWN,
    Command,
    Dialect,
    Found,
    Leads,
    Pairs,
    Place,
    Reads,
    ShellScript,
)
from ci_classify.derive.library import Library
from ci_classify.derive.naming import GLOB, located
from ci_classify.derive.programs import expand_command
from ci_classify.derive.values import OUTSIDE

MAX_ALTERNATIVES = 64  # values of one variable, and ways to read one command
MAX_SOURCED = 8  # scripts that source each other

_SPLIT = "\x1f"  # between words that an unquoted value becomes
_UNQUOTE = str.maketrans({hidden: sign for sign, hidden in GLOB.items()})
_QUOTE = str.maketrans(GLOB)
_RUNNER = {
    "GITHUB_WORKSPACE": TOP,
    "RUNNER_TEMP": f"{OUTSIDE}/temp",
    "RUNNER_TOOL_CACHE": f"{OUTSIDE}/tools",
    "GITHUB_OUTPUT": f"{OUTSIDE}/files/output",
    "GITHUB_ENV": f"{OUTSIDE}/files/env",
    "GITHUB_PATH": f"{OUTSIDE}/files/path",
    "GITHUB_STEP_SUMMARY": f"{OUTSIDE}/files/summary",
    "GITHUB_EVENT_PATH": f"{OUTSIDE}/files/event",
    "HOME": f"{OUTSIDE}/home",
    "TMPDIR": "/tmp",  # noqa: S108 -- the directory of the runner, for comparison only
}
_DECLARING = frozenset({"export", "local", "readonly", "declare", "typeset"})
_MOVING = frozenset({"cd", "pushd", "set-location", "push-location", "sl", "chdir"})


class Script(Record):
    """A text to run: in which directory, with which environment, and from which file if it is one."""

    text: str
    dialect: Dialect
    place: Place  # of its first line
    directory: str | None
    environment: Pairs = ()
    file: str | None = None
    arguments: tuple[str, ...] = ()


def run_script(script: Script, library: Library) -> Iterator[Found]:
    """Return what the commands of a script read and run."""
    shell = _Shell(script, library)
    nodes = _parse(script)
    for _ in shell.walk(nodes, script.place, silent=True):  # functions may use what is assigned below them
        pass
    shell.start()
    yield from dict.fromkeys(shell.walk(nodes, script.place, silent=False))


def expand_script(source: ShellScript, library: Library) -> Iterator[Found]:
    """Return what a script of the repository reads and runs."""
    place = Place(file=source.path, line=1)
    yield Reads(label=source.path, place=place, paths=(source.path,))
    text = library.checkout.text(source.path)
    if text is not None:
        script = Script(
            text=text,
            dialect=source.dialect,
            place=place,
            directory=source.directory,
            environment=source.environment,
            file=source.path,
            arguments=source.arguments,
        )
        yield from run_script(script, library)


def _parse(script: Script) -> list[bash.Node]:
    return powershell.parse(script.text) if script.dialect == "powershell" else bash.parse(script.text)


class _Shell:
    """Walks the commands of a script in order."""

    def __init__(self, script: Script, library: Library) -> None:
        self._script = script
        self._library = library
        self._values: dict[str, tuple[str, ...]] = {}
        self._exported = {name for name, _ in script.environment}
        for name, text in (*_RUNNER.items(), *script.environment):
            self._values[self._key(name)] = (text.translate(_QUOTE),)
        self._file = script.file
        self._sourced: list[str] = []
        self.start()

    def start(self) -> None:
        """Go back to where the script starts; what it assigned stays known."""
        self._directory = self._script.directory
        self._stack: list[str | None] = []
        self._functions = 0

    def _key(self, name: str) -> str:
        return name.lower() if self._script.dialect == "powershell" else name

    # -- commands ------------------------------------------------------------------------------------

    def walk(self, nodes: Iterable[bash.Node], place: Place, *, silent: bool) -> Iterator[Found]:
        """Return what commands do; silently where only their assignments are wanted."""
        for node in nodes:
            if isinstance(node, Bracket):
                self._enter(node)
                continue
            here = Place(file=place.file, line=place.line + node.line)
            for assignment in node.assignments:
                if not node.words:
                    self._assign(assignment)
            if not silent:
                yield from self._substituted(node, here)
                yield from self._redirected(node, here)
            readings = list(self._alternatives(node.words))
            if len(readings) > 1 and readings[0][0].lower() in _MOVING:
                self._directory = None
                continue
            for words in readings:
                yield from self._command(words, node, here, silent=silent)

    def _enter(self, bracket: Bracket) -> None:
        if bracket.kind == "function":
            self._functions += 1 if bracket.opens else -1
        elif bracket.kind == "subshell" and bracket.opens:
            self._stack.append(self._directory)
        elif bracket.kind == "subshell" and self._stack:
            self._directory = self._stack.pop()

    def _command(self, words: list[str], node: Simple, place: Place, *, silent: bool) -> Iterator[Found]:
        name = words[0].lower() if self._script.dialect == "powershell" else words[0]
        if name in _DECLARING:
            for word in words[1:]:
                self._declare(word, exported=name == "export")
        elif name in _MOVING:
            operands = [word for word in words[1:] if not word.startswith("-") or word == "-"]
            self._directory = located(operands[0] if operands else OUTSIDE, self._directory)
        elif name in {"popd", "pop-location"}:
            self._directory = self._script.directory
        elif name in {"source", "."} and len(words) > 1:
            yield from self._source(words[1], place, silent=silent)
        elif not silent:
            own = {assigned.name: self._first(assigned) for assigned in node.assignments}
            environment = {name: self._one(name) for name in self._exported} | own
            yield from expand_command(
                Command(
                    words=tuple(word.translate(_UNQUOTE) if " " in word or "\n" in word else word for word in words),
                    directory=self._directory,
                    place=place,
                    environment=tuple(sorted(environment.items())),
                    standard_input=node.document,
                ),
                self._library,
            )

    def _source(self, word: str, place: Place, *, silent: bool) -> Iterator[Found]:
        """Read a sourced script: its commands are this script's, and so are its variables."""
        path = located(word, self._directory)
        text = self._library.checkout.text(path) if path is not None else None
        if path is None or text is None or len(self._sourced) > MAX_SOURCED or path in self._sourced:
            if not silent:
                command = Command(words=(".", word), directory=self._directory, place=place)
                yield from expand_command(command, self._library)
            return
        if not silent:
            source = ShellScript(
                path=path,
                dialect=self._script.dialect,
                directory=self._directory,
                environment=tuple(sorted((name, self._one(name)) for name in self._exported)),
            )
            yield Leads(label=f"sources {path}", place=place, source=source)
        before, self._file = self._file, path
        self._sourced.append(path)
        for _ in self.walk(_parse(self._script_of(text)), Place(file=path, line=1), silent=True):
            pass
        self._sourced.pop()
        self._file = before

    def _script_of(self, text: str) -> Script:
        return Script(text=text, dialect=self._script.dialect, place=self._script.place, directory=self._directory)

    def _substituted(self, node: Simple, place: Place) -> Iterator[Found]:
        """Return what the commands inside of words do."""
        words = [*node.words, *node.sources, *node.targets]
        words += [value for assigned in node.assignments for value in assigned.values]
        for part in (part for word in words for part in word.parts if isinstance(part, Substitution)):
            line = place.line - node.line + part.line
            inner = bash.parse(part.script)
            directory, stack = self._directory, self._stack
            yield from self.walk(inner, Place(file=place.file, line=line), silent=False)
            self._directory, self._stack = directory, stack

    def _redirected(self, node: Simple, place: Place) -> Iterator[Found]:
        for word in node.sources:
            for alternative in self._evaluated(word):
                command = Command(words=("cat", alternative), directory=self._directory, place=place)
                yield from expand_command(command, self._library)

    # -- values --------------------------------------------------------------------------------------

    def _assign(self, assignment: Assignment) -> None:
        values = [
            text
            for alternatives in map(self._evaluated, assignment.values)
            for alternative in alternatives
            for text in ([alternative] if len(assignment.values) == 1 else alternative.split(_SPLIT))
        ]
        self._learn(assignment.name, values)

    def _declare(self, word: str, *, exported: bool) -> None:
        name, equals, value = word.partition("=")
        if equals:
            self._learn(name, [value])
        if exported:
            self._exported.add(name)

    def _learn(self, name: str, values: Iterable[str]) -> None:
        known = dict.fromkeys((*self._values.get(self._key(name), ()), *values))
        self._values[self._key(name)] = tuple(known) if len(known) <= MAX_ALTERNATIVES else (UNKNOWN,)

    def _first(self, assignment: Assignment) -> str:
        found = [text for value in assignment.values for text in self._evaluated(value)]
        return found[0] if len(found) == 1 else UNKNOWN

    def _one(self, name: str) -> str:
        values = self._values.get(self._key(name), ())
        return values[0] if len(values) == 1 else UNKNOWN

    def _alternatives(self, words: tuple[Word, ...]) -> Iterator[list[str]]:
        """Return every way to read the words of a command."""
        readings = [self._evaluated(word) for word in words]
        count = 1
        for number, reading in enumerate(readings):
            if count * len(reading) > MAX_ALTERNATIVES:
                readings[number] = [UNKNOWN]
            count *= len(readings[number])
        for words_read in product(*readings):
            split = [text for word in words_read for text in (word.split(_SPLIT) if _SPLIT in word else [word])]
            found = [text for number, text in enumerate(split) if text or not self._may_vanish(words, number, split)]
            if found:
                yield found

    @staticmethod
    def _may_vanish(words: tuple[Word, ...], number: int, split: list[str]) -> bool:
        """Return whether an empty word is none, as that of an empty variable without quotes."""
        return len(words) != len(split) or all(
            isinstance(part, Variable) and not part.quoted for part in words[number].parts
        )

    def _evaluated(self, word: Word) -> list[str]:
        """Return the values that a word can have."""
        found = [""]
        for part in word.parts:
            values = self._part(part)
            if len(found) * len(values) > MAX_ALTERNATIVES:
                values = [UNKNOWN]
            found = [before + value for before in found for value in values]
        plain = word.plain
        if plain is not None and "{" in plain and "," in plain:
            found = _braces(plain)
        return list(dict.fromkeys(found))

    def _part(self, part: Literal | Variable | Substitution | Unreadable) -> list[str]:
        match part:
            case Literal(text=text, quoted=quoted):
                return [text.translate(_QUOTE) if quoted else text]
            case Variable():
                return self._variable(part)
            case Substitution(is_file=False):
                return self._printed(part)
            case _:
                return [UNKNOWN]

    def _variable(self, variable: Variable) -> list[str]:
        values = list(self._named(variable.name))
        rest = variable.rest
        if rest.startswith("["):
            _, _, rest = rest.partition("]")
            values = [_SPLIT.join(values)] if values else [UNKNOWN]
        if rest[:2] in {":-", ":="} or rest[:1] in {"-", "="}:
            default = [text for node in bash.parse(f"x {rest.lstrip(':')[1:]}") for text in self._default(node)]
            values = [*values, *default] if values else default or [""]
        elif rest in {"%/*", "%%/*"}:
            values = [parent(value) if "/" in value else value for value in values]
        elif rest:
            values = [UNKNOWN]
        if not variable.quoted:
            values = [value.replace("\n", _SPLIT).replace(" ", _SPLIT) for value in values]
        return list(dict.fromkeys(values)) or [UNKNOWN]

    def _default(self, node: bash.Node) -> list[str]:
        words = node.words[1:] if isinstance(node, Simple) else ()
        return [" ".join(reading) for reading in product(*map(self._evaluated, words))] if words else []

    def _named(self, name: str) -> tuple[str, ...]:
        key = name.lower()
        if name in {"0", "BASH_SOURCE"} or key in {"pscommandpath"}:
            return (f"{TOP}/{self._file}",) if self._file is not None else (UNKNOWN,)
        if key == "psscriptroot":
            return (f"{TOP}/{parent(self._file)}",) if self._file is not None else (UNKNOWN,)
        if name == "PWD":
            return (self._here(),)
        if name in {"@", "*"}:
            known = self._script.arguments and not self._functions
            return (_SPLIT.join(self._script.arguments),) if known else (UNKNOWN,)
        if name.isdigit():
            place = int(name) - 1
            known = place < len(self._script.arguments) and not self._functions
            return (self._script.arguments[place],) if known else ()
        return self._values.get(self._key(name), ())

    def _here(self) -> str:
        if self._directory is None:
            return UNKNOWN
        return self._directory if self._directory.startswith("/") else f"{TOP}/{self._directory}".rstrip("/")

    def _printed(self, substitution: Substitution) -> list[str]:
        """Return what a command prints, for those that do nothing but paths."""
        before = self._directory
        found = [UNKNOWN]
        for node in bash.parse(substitution.script):
            if isinstance(node, Bracket):
                continue
            for words in self._alternatives(node.words):
                found = [self._path_printed(words)]
        self._directory = before
        return found

    def _path_printed(self, words: list[str]) -> str:
        operands = [word for word in words[1:] if not word.startswith("-")]
        match words[0], operands:
            case "cd", [directory]:
                self._directory = located(directory, self._directory)
                return UNKNOWN
            case "pwd", []:
                return self._here()
            case "dirname", [path] if UNKNOWN not in path:
                return dirname(path) or "."
            case "basename", [path] if UNKNOWN not in path:
                return basename(path)
            case (("realpath" | "readlink"), [path]):
                found = located(path, self._directory)
                return UNKNOWN if found is None or found.startswith("/") else f"{TOP}/{found}".rstrip("/")
            case "git", ["rev-parse"] if "--show-toplevel" in words:
                return TOP
            case (("echo" | "printf"), [text]) if len(words) == 2:
                return text
            case _:
                return UNKNOWN


def _braces(text: str) -> list[str]:
    """Return what ``a{b,c}d`` stands for."""
    start = text.rfind("{", 0, text.find("}") if "}" in text else 0)
    end = text.find("}", start)
    if start < 0 or end < 0 or "," not in text[start:end]:
        return [text]
    found = [text[:start] + one + text[end + 1 :] for one in text[start + 1 : end].split(",")]
    return [_SPLIT.join(inner for one in found for inner in _braces(one)[0].split(_SPLIT))]
