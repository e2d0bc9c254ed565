"""Make: what making a target runs.

Sees explicit targets with their prerequisites, recipes as scripts, variables that are assigned a text, ``include`` of
files, and ``$(MAKE) -C``. A prerequisite that is a tracked file is read.

Can't see pattern rules, functions such as ``$(shell ...)``, and variables that are put together; they are unclear.
"""

import re
from collections.abc import Iterator

from ci_classify.core.record import Record
from ci_classify.derive.checkout import join, parent
from ci_classify.derive.found import UNKNOWN, Command, Found, Leads, MakeTarget, Place, Reads, Unclear
from ci_classify.derive.library import Library
from ci_classify.derive.naming import located

_NAMES = ("GNUmakefile", "makefile", "Makefile")
_RULE = re.compile(r"^([^\s#:=][^:=]*?)\s*::?(?!=)\s*([^;#]*)(?:;(.*))?$")
_ASSIGNED = re.compile(r"^(?:export\s+)?([A-Za-z_][\w.-]*)\s*(?::{0,3}|[+?])=\s*(.*)$")
_INCLUDE = re.compile(r"^-?s?include\s+(.*)$")
_VARIABLE = re.compile(r"\$[({]([^$(){}\s]+)[)}]|\$([A-Za-z@<^*])")
_MOST_TARGETS = 500


class _Rule(Record):
    line: int
    file: str
    prerequisites: tuple[str, ...]
    recipe: tuple[tuple[int, str], ...]


class _Makefile:
    """The rules and the variables of a makefile and those that it includes."""

    def __init__(self) -> None:
        self.rules: dict[str, list[_Rule]] = {}
        self.variables: dict[str, str] = {"MAKE": "make", "CURDIR": ".", "SHELL": "/bin/sh"}
        self.files: list[str] = []
        self.first: str | None = None


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
    chosen: list[str | None] = [*targets] or [None]
    for target in chosen if path is not None else ():
        source = MakeTarget(
            file=path or "", target=target, directory=directory, environment=tuple(sorted(environment.items()))
        )
        yield Leads(label=f"make {target}" if target else "make", place=command.place, source=source)


def expand_target(source: MakeTarget, library: Library) -> Iterator[Found]:
    """Return what making a target reads and runs."""
    makefile = _Makefile()
    _read(source.file, makefile, library)
    makefile.variables |= dict(source.environment)
    for path in makefile.files:
        yield Reads(label=path, place=Place(file=path, line=1), paths=(path,))
    target = source.target or makefile.first
    waiting, seen = [target] if target else [], set[str]()
    while waiting and len(seen) < _MOST_TARGETS:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        for rule in makefile.rules.get(name, ()):
            for prerequisite in (word for text in rule.prerequisites for word in _put_in(text, makefile).split()):
                place = Place(file=rule.file, line=rule.line)
                yield from _prerequisite(prerequisite, source.directory, makefile, place, library)
                waiting.append(prerequisite)
            yield from _recipe(rule, name, source, makefile)
        if name not in makefile.rules and _matches_pattern(name, makefile):
            place = Place(file=source.file, line=1)
            yield Unclear(place=place, why=f"{name} is made by a pattern rule, which is not read")


def _makefile(directory: str, file: str | None, library: Library) -> str | None:
    if directory.startswith("/"):
        return None
    found = (located(name, directory) for name in ((file,) if file is not None else _NAMES))
    return next((path for path in found if path is not None and library.checkout.is_file(path)), None)


def _read(path: str, makefile: _Makefile, library: Library) -> None:
    text = library.checkout.text(path)
    if text is None or path in makefile.files:
        return
    makefile.files.append(path)
    lines = _logical_lines(text)
    rules: list[str] = []
    for number, line in lines:
        if line.startswith("\t"):
            for name in rules:
                last = makefile.rules[name][-1]
                recipe = (*last.recipe, (number, line[1:]))
                makefile.rules[name][-1] = _Rule(
                    line=last.line, file=path, prerequisites=last.prerequisites, recipe=recipe
                )
            continue
        body = line.strip()
        if included := _INCLUDE.match(body):
            for name in _put_in(included[1], makefile).split():
                other = join(parent(path), name)
                if other is not None:
                    _read(other, makefile, library)
        elif assigned := _ASSIGNED.match(body):
            makefile.variables[assigned[1]] = assigned[2].strip()
        elif rule := _RULE.match(line):
            rules = _put_in(rule[1], makefile).split()
            for name in rules:
                recipe = ((number, rule[3].strip()),) if rule[3] else ()
                new = _Rule(
                    line=number, file=path, prerequisites=tuple(rule[2].replace("|", " ").split()), recipe=recipe
                )
                makefile.rules.setdefault(name, []).append(new)
                if makefile.first is None and not name.startswith("."):
                    makefile.first = name


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


def _put_in(text: str, makefile: _Makefile, depth: int = 0) -> str:
    """Return a text with variables replaced by their values; what is no plain variable is UNKNOWN."""
    if depth > 10:
        return UNKNOWN
    text = _VARIABLE.sub(lambda m: _put_in(makefile.variables.get(m[1] or m[2], UNKNOWN), makefile, depth + 1), text)
    return re.sub(r"\$\([^)]*\)", UNKNOWN, text.replace("$$", "\2")).replace("\2", "$$" if depth else "$")


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
        words = ("bash", "-c", _put_in(text, makefile))
        command = Command(words=words, directory=source.directory, place=place, environment=source.environment)
        yield Leads(label=f"makes {target}", place=place, source=command)


def _matches_pattern(name: str, makefile: _Makefile) -> bool:
    patterns = [pattern.partition("%") for pattern in makefile.rules if "%" in pattern]
    return any(name.startswith(start) and name.endswith(end) for start, _, end in patterns)
