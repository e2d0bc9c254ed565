"""Make: what making a target runs.

Sees explicit targets with their prerequisites, recipes as scripts, variables that are assigned a text, ``include`` of
files, and ``$(MAKE) -C``. A prerequisite that is a tracked file is read.

Can't see pattern rules, functions such as ``$(shell ...)``, and variables that are put together; they are unclear.
"""

import re
from collections.abc import Iterator

from ci_classify.core.record import Record
from ci_classify.derive.found import UNKNOWN, Command, Found, Leads, MakeTarget, Place, Reads, Unclear
from ci_classify.derive.hash_files import matching
from ci_classify.derive.library import Library
from ci_classify.derive.naming import as_written, located

_NAMES = ("GNUmakefile", "makefile", "Makefile")
_RULE = re.compile(r"^([^\s#:=][^:=]*)::?(?!=)\s*([^;#]*)(?:;(.*))?$")
_ASSIGNED = re.compile(r"^(?:export\s+)?([A-Za-z_][\w.-]*)\s*(?::{0,3}|[+?])=\s*(.*)$")
_INCLUDE = re.compile(r"^-?s?include\s+(.*)$")
_VARIABLE = re.compile(r"\$[({]([^$(){}\s]+)[)}]|\$([A-Za-z@<^*])")
_FUNCTION = re.compile(r"\$\([^)$]*\)")
_MOST_TARGETS = 500
_MOST_VALUES = 500  # that need each other
_LONGEST = 10_000  # characters of a value


class _Rule(Record):
    line: int
    file: str
    prerequisites: tuple[str, ...]
    recipe: list[tuple[int, str]]  # grows while the file is read


class _Makefile:
    """The rules and the variables of a makefile and those that it includes."""

    def __init__(self) -> None:
        self.rules: dict[str, list[_Rule]] = {}
        self.variables: dict[str, str] = {"MAKE": "make", "CURDIR": ".", "SHELL": "/bin/sh"}
        self.files: list[str] = []
        self.first: str | None = None
        self.unclear: list[Unclear] = []
        self._values: dict[str, str] = {}

    def put_in(self, text: str) -> str:
        """Return a text with variables replaced by their values; what is no plain variable is UNKNOWN."""
        return _FUNCTION.sub(UNKNOWN, self._with_values(text.replace("$$", "\2"))).replace("\2", "$")

    def _with_values(self, text: str) -> str:
        found = _VARIABLE.sub(lambda match: self._value(match[1] or match[2]), text)
        return found if len(found) <= _LONGEST else UNKNOWN

    def _value(self, name: str) -> str:
        """Return the value of a variable, looked up once; one that needs itself is UNKNOWN."""
        if name not in self._values:
            self._values[name] = UNKNOWN
            if len(self._values) < _MOST_VALUES:
                self._values[name] = self._with_values(self.variables.get(name, UNKNOWN).replace("$$", "\2"))
        return self._values[name]

    def forget(self) -> None:
        """Look all values up again: another variable was assigned."""
        self._values.clear()


def make(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a call of make runs."""
    directory, file, targets = command.directory, None, []
    environment = dict(command.environment)
    waiting = iter(words[1:])
    for word in waiting:
        name, equals, value = word.partition("=")
        if word in {"-C", "--directory"} or name == "--directory":
            directory = located(value if equals else next(waiting, UNKNOWN), directory)
        elif word in {"-f", "--file", "--makefile"} or name in {"--file", "--makefile"}:
            file = value if equals else next(waiting, UNKNOWN)
        elif word in {"-j", "-l", "-o", "-W"}:
            continue
        elif equals and not word.startswith("-"):
            environment[name] = value
        elif not word.startswith("-") and not word.isdigit():
            targets.append(word)
    if directory is None or UNKNOWN in f"{file}{''.join(targets)}":
        yield Unclear(place=command.place, why="what make makes is known at run time only")
        return
    path = _makefile(directory, file, library)
    submodule = library.checkout.submodule_of(directory)
    if submodule is not None:
        yield Reads(label=f"make in {submodule}", place=command.place, paths=(submodule,))
    elif path is None and not directory.startswith("/"):
        yield Unclear(place=command.place, why=f"there is no tracked makefile in {directory or 'the top directory'}")
    chosen: list[str | None] = [*targets] or [None]
    for target in chosen if path is not None else ():
        source = MakeTarget(
            file=path or "", target=target, directory=directory, environment=tuple(sorted(environment.items()))
        )
        yield Leads(label=f"make {target}" if target else "make", place=command.place, source=source)


def expand_target(source: MakeTarget, library: Library) -> Iterator[Found]:
    """Return what making a target reads and runs."""
    makefile = _Makefile()
    _read(source.file, source.directory, makefile, library)
    makefile.variables |= dict(source.environment)
    makefile.forget()
    for path in makefile.files:
        yield Reads(label=path, place=Place(file=path, line=1), paths=(path,))
    yield from makefile.unclear
    target = source.target or makefile.first
    waiting = [target] if target else []
    for name in waiting:
        if len(waiting) > _MOST_TARGETS:
            yield Unclear(place=Place(file=source.file, line=1), why=f"{target} needs more targets than are read")
            return
        for rule in makefile.rules.get(name, ()):
            for prerequisite in (word for text in rule.prerequisites for word in makefile.put_in(text).split()):
                place = Place(file=rule.file, line=rule.line)
                yield from _prerequisite(prerequisite, source.directory, makefile, place, library)
                if prerequisite not in waiting:
                    waiting.append(prerequisite)
            yield from _recipe(rule, name, source, makefile)
        if name not in makefile.rules:
            yield from _unmade(name, source, makefile, library)


def _unmade(name: str, source: MakeTarget, makefile: _Makefile, library: Library) -> Iterator[Found]:
    """Return why a target without a rule of its own is unclear; a file needs none."""
    place = Place(file=source.file, line=1)
    path = located(name, source.directory)
    if _matches_pattern(name, makefile):
        yield Unclear(place=place, why=f"{name} is made by a pattern rule, which is not read")
    elif name == source.target and (path is None or not library.checkout.named(path)):
        yield Unclear(place=place, why=f"no rule that can be read makes {as_written(name)}")


def _makefile(directory: str, file: str | None, library: Library) -> str | None:
    if directory.startswith("/"):
        return None
    found = (located(name, directory) for name in ((file,) if file is not None else _NAMES))
    return next((path for path in found if path is not None and library.checkout.is_file(path)), None)


def _read(path: str, directory: str, makefile: _Makefile, library: Library) -> None:
    """Read a makefile and what it includes, by paths from the directory in which make runs."""
    makefile.files.append(path)
    rules: list[_Rule] = []
    for number, line in _logical_lines(library.checkout.text(path) or ""):
        body = line.strip()
        if line.startswith("\t"):
            for rule in rules:
                rule.recipe.append((number, line[1:]))
        elif included := _INCLUDE.match(body):
            place = Place(file=path, line=number)
            for name in makefile.put_in(included[1]).split():
                _include(name, place, directory, makefile, library)
        elif assigned := _ASSIGNED.match(body):
            makefile.variables[assigned[1]] = assigned[2].strip()
            makefile.forget()
        elif found := _RULE.match(line):
            rules = list(_rules(found, Place(file=path, line=number), makefile))


def _rules(match: re.Match[str], place: Place, makefile: _Makefile) -> Iterator[_Rule]:
    """Return the rules that a line begins, one for each target; they are added to those of the makefile."""
    for name in makefile.put_in(match[1]).split():
        rule = _Rule(
            line=place.line,
            file=place.file,
            prerequisites=tuple(match[2].replace("|", " ").split()),
            recipe=[(place.line, match[3].strip())] if match[3] else [],
        )
        makefile.rules.setdefault(name, []).append(rule)
        if makefile.first is None and not name.startswith("."):
            makefile.first = name
        yield rule


def _include(name: str, place: Place, directory: str, makefile: _Makefile, library: Library) -> None:
    path = located(name, directory)
    if path is None:
        makefile.unclear.append(Unclear(place=place, why="an included file whose name is put together"))
        return
    pattern = any(sign in path for sign in "*?[")
    for found in matching(path, library.checkout) if pattern else (path,):
        if library.checkout.is_file(found) and len(makefile.files) < _MOST_TARGETS and found not in makefile.files:
            _read(found, directory, makefile, library)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        start, line = number, lines[number]
        number += 1
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        while line.endswith("\\") and number < len(lines):
            line = line[:-1] + " " + lines[number].strip()
            number += 1
        yield start + 1, line


def _prerequisite(name: str, directory: str, makefile: _Makefile, place: Place, library: Library) -> Iterator[Found]:
    if UNKNOWN in name:
        yield Unclear(place=place, why="a prerequisite whose name is put together")
        return
    path = located(name, directory)
    if name not in makefile.rules and path is not None and library.checkout.is_file(path):
        yield Reads(label=f"needs {name}", place=place, paths=(path,))


def _recipe(rule: _Rule, target: str, source: MakeTarget, makefile: _Makefile) -> Iterator[Found]:
    for number, line in rule.recipe:
        names = {"@": target, "<": (rule.prerequisites or ("",))[0], "^": " ".join(rule.prerequisites)}
        text = re.sub(r"\$([@<^])", lambda match, names=names: names[match[1]], line.lstrip("@-+ "))  # type: ignore[misc]
        place = Place(file=rule.file, line=number)
        words = ("bash", "-c", makefile.put_in(text))
        command = Command(words=words, directory=source.directory, place=place, environment=source.environment)
        yield Leads(label=f"makes {target}", place=place, source=command)


def _matches_pattern(name: str, makefile: _Makefile) -> bool:
    patterns = [pattern.partition("%") for pattern in makefile.rules if "%" in pattern]
    return any(name.startswith(start) and name.endswith(end) for start, _, end in patterns)
