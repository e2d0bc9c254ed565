"""Variables of a shell script, and the values that its words can have.

Sees all values that literal assignments, loops and the environment give a variable, in any branch; arrays, defaults,
braces, positional parameters, ``dirname "$0"`` and its kin, and the paths of the runner.

Can't see what commands print; such a part of a word is UNKNOWN.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from posixpath import basename, dirname

from ci_classify.core.record import Record
from ci_classify.derive import bash
from ci_classify.derive.bash import Assignment, Bracket, Simple
from ci_classify.derive.bash_words import Literal, Substitution, Unreadable, Variable, Word
from ci_classify.derive.checkout import parent
from ci_classify.derive.found import TOP, UNKNOWN, Dialect, Pairs, Place
from ci_classify.derive.naming import GLOB, located
from ci_classify.derive.values import OUTSIDE

MAX_ALTERNATIVES = 64  # values of one variable, and ways to read one command
MAX_VALUE = 20_000  # characters: no path is as long, and variables made of each other grow without end

_SPLIT = "\x1f"  # between words that an unquoted value becomes
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


class Script(Record):
    """A text to run: in which directory, with which environment, and from which file if it is one."""

    text: str
    dialect: Dialect
    place: Place  # of its first line
    directory: str | None
    environment: Pairs = ()
    file: str | None = None
    arguments: tuple[str, ...] = ()


class Values:
    """What is known while the commands of a script are walked through, in their order.

    ``directory`` is where the next command runs, ``file`` the script that holds it, ``functions`` how many functions
    are open around it.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._known: dict[str, tuple[str, ...]] = {}
        self._exported = {name for name, _ in script.environment}
        for name, text in (*_RUNNER.items(), *script.environment):
            self._known[self._key(name)] = (text.translate(_QUOTE),)
        self.file = script.file
        self.directory = script.directory
        self.functions = 0

    def environment(self, assignments: Iterable[Assignment] = ()) -> Pairs:
        """Return the variables that a command gets, those assigned before it included."""
        own = {assigned.name: self._first(assigned) for assigned in assignments}
        return tuple(sorted(({name: self._one(name) for name in self._exported} | own).items()))

    def _key(self, name: str) -> str:
        return name.lower() if self._script.dialect == "powershell" else name

    def assign(self, assignment: Assignment) -> None:
        """Learn the values that an assignment gives."""
        values = [
            text
            for alternatives in map(self.evaluated, assignment.values)
            for alternative in alternatives
            for text in ([alternative] if len(assignment.values) == 1 else alternative.split(_SPLIT))
        ]
        self._learn(assignment.name, values)

    def declare(self, word: str, *, exported: bool) -> None:
        """Learn from an operand of ``export`` or ``local``."""
        name, equals, value = word.partition("=")
        if equals:
            self._learn(name, [value])
        if exported:
            self._exported.add(name)

    def _learn(self, name: str, values: Iterable[str]) -> None:
        known = dict.fromkeys((*self._known.get(self._key(name), ()), *values))
        self._known[self._key(name)] = tuple(known) if len(known) <= MAX_ALTERNATIVES else (UNKNOWN,)

    def _first(self, assignment: Assignment) -> str:
        found = [text for value in assignment.values for text in self.evaluated(value)]
        return found[0] if len(found) == 1 else UNKNOWN

    def _one(self, name: str) -> str:
        values = self._known.get(self._key(name), ())
        return values[0] if len(values) == 1 else UNKNOWN

    def alternatives(self, words: tuple[Word, ...]) -> Iterator[list[str]]:
        """Return every way to read the words of a command."""
        readings = [self.evaluated(word) for word in words]
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

    def evaluated(self, word: Word) -> list[str]:
        """Return the values that a word can have."""
        found = [""]
        for part in word.parts:
            values = self._part(part)
            if len(found) * len(values) > MAX_ALTERNATIVES:
                values = [UNKNOWN]
            found = [_bounded(before + value) for before in found for value in values]
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
        return [" ".join(reading) for reading in product(*map(self.evaluated, words))] if words else []

    def _named(self, name: str) -> tuple[str, ...]:
        key = name.lower()
        if name in {"0", "BASH_SOURCE"} or key == "pscommandpath":
            return (f"{TOP}/{self.file}",) if self.file is not None else (UNKNOWN,)
        if key == "psscriptroot":
            return (f"{TOP}/{parent(self.file)}",) if self.file is not None else (UNKNOWN,)
        if name == "PWD":
            return (self._here(),)
        if name in {"@", "*"}:
            known = self._script.arguments and not self.functions
            return (_SPLIT.join(self._script.arguments),) if known else (UNKNOWN,)
        if name.isdigit():
            place = int(name) - 1
            known = place < len(self._script.arguments) and not self.functions
            return (self._script.arguments[place],) if known else ()
        return self._known.get(self._key(name), ())

    def _here(self) -> str:
        if self.directory is None:
            return UNKNOWN
        return self.directory if self.directory.startswith("/") else f"{TOP}/{self.directory}".rstrip("/")

    def _printed(self, substitution: Substitution) -> list[str]:
        """Return what a command prints, for those that do nothing but paths."""
        before = self.directory
        found = [UNKNOWN]
        for node in bash.parse(substitution.script):
            if isinstance(node, Bracket):
                continue
            for words in self.alternatives(node.words):
                found = [self._path_printed(words)]
        self.directory = before
        return found

    def _path_printed(self, words: list[str]) -> str:
        operands = [word for word in words[1:] if not word.startswith("-")]
        match words[0], operands:
            case "cd", [directory]:
                self.directory = located(directory, self.directory)
                return UNKNOWN
            case "pwd", []:
                return self._here()
            case "dirname", [path] if UNKNOWN not in path:
                return dirname(path) or "."
            case "basename", [path] if UNKNOWN not in path:
                return basename(path)
            case (("realpath" | "readlink"), [path]):
                found = located(path, self.directory)
                return UNKNOWN if found is None or found.startswith("/") else f"{TOP}/{found}".rstrip("/")
            case "git", ["rev-parse"] if "--show-toplevel" in words:
                return TOP
            case (("echo" | "printf"), [text]) if len(words) == 2:
                return text
            case _:
                return UNKNOWN


def _bounded(text: str) -> str:
    return text if len(text) <= MAX_VALUE else UNKNOWN


def _braces(text: str) -> list[str]:
    """Return what ``a{b,c}d`` stands for, as one text of several words; the innermost braces come first."""
    found, waiting = [], [text]
    while waiting:
        one = waiting.pop()
        end = one.find("}")
        start = one.rfind("{", 0, max(end, 0))
        if start < 0 or "," not in one[start:end]:
            found.append(one)
            continue
        waiting += [one[:start] + part + one[end + 1 :] for part in reversed(one[start + 1 : end].split(","))]
        if len(waiting) + len(found) > MAX_ALTERNATIVES or sum(map(len, waiting)) > MAX_VALUE:
            return [UNKNOWN]
    return [_SPLIT.join(dict.fromkeys(found))]
