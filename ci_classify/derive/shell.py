"""Scripts of bash, sh and PowerShell: the commands that they run, with words, directory and environment known.

Sees commands with all values that their words can have (``shell_values``), ``cd`` in its order, subshells, functions,
scripts that are sourced, and commands inside of words.

Can't see which branch is taken: every branch counts. A directory that differs between values is unknown behind it.
"""

from collections.abc import Iterable, Iterator

from ci_classify.derive import bash, powershell
from ci_classify.derive.bash import Bracket, Simple
from ci_classify.derive.bash_words import Substitution, Word
from ci_classify.derive.found import Command, Found, Leads, Place, Reads, ShellScript, Unclear
from ci_classify.derive.library import Library
from ci_classify.derive.naming import located, unquoted
from ci_classify.derive.programs import expand_command
from ci_classify.derive.shell_values import Script, Values
from ci_classify.derive.values import OUTSIDE

_DECLARING = frozenset({"export", "local", "readonly", "declare", "typeset"})
_MOVING = frozenset({"cd", "pushd", "set-location", "push-location", "sl", "chdir"})


def run_script(script: Script, library: Library) -> Iterator[Found]:
    """Return what the commands of a script read and run."""
    shell = _Shell(script, library)
    found: dict[Found, None] = {}
    try:
        nodes = _parse(script)
        for _ in shell.walk(nodes, script.place, silent=True):  # functions may use what is assigned below them
            pass
        shell.start()
        for one in shell.walk(nodes, script.place, silent=False):
            found[one] = None
    except RecursionError:
        found[Unclear(place=script.place, why="a script is nested too deeply to be read")] = None
    yield from found


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
        self._values = Values(script)
        self._sourced: set[str] = set()
        self._stack: list[str | None] = []

    def start(self) -> None:
        """Go back to where the script starts; what it assigned stays known."""
        self._values.directory = self._script.directory
        self._values.functions = 0
        self._stack = []
        self._sourced.clear()

    def walk(self, nodes: Iterable[bash.Node], place: Place, *, silent: bool) -> Iterator[Found]:
        """Return what commands do; silently where only their assignments are wanted."""
        for node in nodes:
            if isinstance(node, Bracket):
                self._enter(node)
                continue
            here = Place(file=place.file, line=place.line + node.line)
            for assignment in node.assignments:
                if not node.words:
                    self._values.assign(assignment)
            if not silent:
                yield from self._substituted(node, here)
                yield from self._redirected(node, here)
            readings = list(self._values.alternatives(node.words))
            if len(readings) > 1 and readings[0][0].lower() in _MOVING:
                self._values.directory = None
                continue
            for words in readings:
                yield from self._command(words, node, here, silent=silent)

    def _enter(self, bracket: Bracket) -> None:
        if bracket.kind == "function":
            self._values.functions += 1 if bracket.opens else -1
        elif bracket.kind == "subshell" and bracket.opens:
            self._stack.append(self._values.directory)
        elif bracket.kind == "subshell" and self._stack:
            self._values.directory = self._stack.pop()

    def _command(self, words: list[str], node: Simple, place: Place, *, silent: bool) -> Iterator[Found]:
        name = words[0].lower() if self._script.dialect == "powershell" else words[0]
        if name in _DECLARING:
            for word in words[1:]:
                self._values.declare(word, exported=name == "export")
        elif name in _MOVING:
            operands = [word for word in words[1:] if not word.startswith("-") or word == "-"]
            self._values.directory = located(operands[0] if operands else OUTSIDE, self._values.directory)
        elif name in {"popd", "pop-location"}:
            self._values.directory = self._script.directory
        elif name in {"source", "."} and len(words) > 1:
            yield from self._source(words[1], place, silent=silent)
        elif not silent:
            yield from expand_command(
                Command(
                    words=tuple(unquoted(word) if " " in word or "\n" in word else word for word in words),
                    directory=self._values.directory,
                    place=place,
                    environment=self._values.environment(node.assignments),
                    standard_input=node.document,
                ),
                self._library,
            )

    def _source(self, word: str, place: Place, *, silent: bool) -> Iterator[Found]:
        """Read a sourced script: its commands are this script's, and so are its variables."""
        path = located(word, self._values.directory)
        text = self._library.checkout.text(path) if path is not None else None
        if path is None or text is None:
            if not silent:
                command = Command(words=(".", word), directory=self._values.directory, place=place)
                yield from expand_command(command, self._library)
            return
        if not silent:
            source = ShellScript(
                path=path,
                dialect=self._script.dialect,
                directory=self._values.directory,
                environment=self._values.environment(),
            )
            yield Leads(label=f"sources {path}", place=place, source=source)
        if path in self._sourced:
            return
        self._sourced.add(path)
        before, self._values.file = self._values.file, path
        for _ in self.walk(_parse(self._script_of(text)), Place(file=path, line=1), silent=True):
            pass
        self._values.file = before

    def _script_of(self, text: str) -> Script:
        return Script(
            text=text, dialect=self._script.dialect, place=self._script.place, directory=self._values.directory
        )

    def _substituted(self, node: Simple, place: Place) -> Iterator[Found]:
        """Return what the commands inside of words do."""
        words = [*node.words, *node.sources, *node.targets]
        words += [value for assigned in node.assignments for value in assigned.values]
        words += _words_of(node.document)
        for part in (part for word in words for part in word.parts if isinstance(part, Substitution)):
            line = place.line - node.line + part.line
            inner = bash.parse(part.script)
            directory, stack = self._values.directory, self._stack
            yield from self.walk(inner, Place(file=place.file, line=line), silent=False)
            self._values.directory, self._stack = directory, stack

    def _redirected(self, node: Simple, place: Place) -> Iterator[Found]:
        for word in node.sources:
            for alternative in self._values.evaluated(word):
                command = Command(words=("cat", alternative), directory=self._values.directory, place=place)
                yield from expand_command(command, self._library)


def _words_of(document: str | None) -> list[Word]:
    """Return a here-document as what it is to a shell: a word in double quotes, whose commands are run."""
    if document is None or ("$(" not in document and "`" not in document):
        return []
    quoted = document.replace('"', '\\"')
    return [word for node in bash.parse(f'"{quoted}"') if isinstance(node, Simple) for word in node.words]
