"""Commands: what a program and its words read.

Sees through wrappers such as ``env``, ``sudo`` and ``uv run``; knows shells, Python, cargo, npm and its kin, node,
docker, make and git; scripts of the repository by their path; the configuration files of common linters. Of any other
program, every tracked path among its words counts as read, save what it writes, makes or deletes.

Can't see what build tools find by rules of their own; they are said to be unclear.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from ci_classify.derive import known_programs as known
from ci_classify.derive.cargo import cargo
from ci_classify.derive.docker import docker
from ci_classify.derive.found import UNKNOWN, Command, Dialect, Found, Leads, Place, Reads, ShellScript, Unclear
from ci_classify.derive.library import Library
from ci_classify.derive.make import make
from ci_classify.derive.naming import as_written, located, named
from ci_classify.derive.node import node, package_manager
from ci_classify.derive.python_commands import console_script, coverage, pip, pytest, python, run_program
from ci_classify.derive.shell_values import Script
from ci_classify.derive.submodules import git

_Handler = Callable[[Command, list[str], Library], Iterator[Found]]

_HANDLERS: dict[str, _Handler] = {
    "cargo": cargo,
    "coverage": coverage,
    "docker": docker,
    "podman": docker,
    "buildah": docker,
    "nerdctl": docker,
    "git": git,
    "make": make,
    "gmake": make,
    "npm": package_manager,
    "yarn": package_manager,
    "pnpm": package_manager,
    "node": node,
    "nodejs": node,
    "bun": node,
    "deno": node,
    "tsx": node,
    "ts-node": node,
    "pip": pip,
    "pip3": pip,
    "pytest": pytest,
    "py.test": pytest,
    "python": python,
    "python3": python,
    "py": python,
    "pypy3": python,
}
_PYTHON = re.compile(r"python3?(\.\d+)?")


def expand_command(command: Command, library: Library) -> Iterator[Found]:
    """Return what a command reads and runs."""
    words, environment = _unwrapped(list(command.words), dict(command.environment))
    if not words:
        return
    if environment != dict(command.environment):
        command = Command(
            words=command.words,
            directory=command.directory,
            place=command.place,
            environment=tuple(sorted(environment.items())),
            standard_input=command.standard_input,
        )
    if UNKNOWN in words[0]:
        yield Unclear(place=command.place, why=f"which program {as_written(words[0])} runs is known at run time only")
        yield from named(words[1:], command.directory, command.place, library, bare=False)
        return
    yield from _program(command, words, library)


def _program(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    path = located(words[0], command.directory) if "/" in words[0] or words[0].startswith("\1") else None
    if path is not None and library.checkout.named(path) and not path.startswith("/"):
        yield from _script(command, path, words, library)
        return
    name = words[0].rpartition("/")[2].lower().removesuffix(".exe").removesuffix(".cmd")
    handler = python if _PYTHON.fullmatch(name) else _HANDLERS.get(name)
    if handler is not None:
        yield from handler(command, words, library)
    elif name in known.SHELLS | known.POWERSHELLS:
        yield from _shell(command, name, words[1:], library)
    elif name in {"source", "."}:
        yield from _sourced(command, words[1:], library)
    elif name not in known.SILENT:
        yield from _other(command, name, words, library)


def _unwrapped(words: list[str], environment: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the command behind wrappers, and the environment that they make."""
    while words:
        name = words[0].rpartition("/")[2]
        if name in known.RUNNERS and "run" in words[1:3]:
            words = _after_options(words[words.index("run") + 1 :], known.RUNNER_VALUES)
        elif name in known.WRAPPERS:
            words = _after_options(words[1:], known.WRAPPERS[name])
            if name == "timeout":
                words = words[1:]
            while words and re.match(r"[A-Za-z_]\w*=", words[0]):
                key, _, environment[key] = words[0].partition("=")
                words = words[1:]
        else:
            break
    return words, environment


def _after_options(words: list[str], with_value: frozenset[str]) -> list[str]:
    while words and words[0].startswith("-"):
        if words[0] == "--":
            return words[1:]
        words = words[2:] if words[0] in with_value else words[1:]
    return words


def _script(command: Command, path: str, words: list[str], library: Library) -> Iterator[Found]:
    """Return what running a file of the repository does."""
    if not library.checkout.is_file(path):
        yield from named(words, command.directory, command.place, library)
        return
    first = (library.checkout.text(path) or "").partition("\n")[0]
    interpreter = (
        first.removeprefix("#!").strip().replace("/usr/bin/env -S ", "").replace("/usr/bin/env ", "").split(" ")[0]
    )
    interpreter = interpreter.rpartition("/")[2] if first.startswith("#!") else ""
    extension = path[path.rfind(".") :] if "." in path.rpartition("/")[2] else ""
    if _PYTHON.fullmatch(interpreter) or extension == ".py":
        yield from run_program(command, path, words[1:], library)
    elif interpreter in {"node", "nodejs", "bun", "deno", "tsx", "ts-node"}:
        yield from node(command, ["node", words[0], *words[1:]], library)
    elif interpreter in known.SHELLS | known.POWERSHELLS or extension in known.DIALECTS:
        dialect: Dialect = "powershell" if interpreter in known.POWERSHELLS or extension == ".ps1" else "bash"
        yield from _run(command, path, dialect, words[1:], library)
    else:
        yield Reads(label=f"runs {path}", place=command.place, paths=(path,))
        if interpreter:
            yield Unclear(place=command.place, why=f"{path} is a script of {interpreter}, which is not read")
        yield from named(words[1:], command.directory, command.place, library)


def _run(command: Command, path: str, dialect: Dialect, words: list[str], library: Library) -> Iterator[Found]:
    script = ShellScript(
        path=path,
        dialect=dialect,
        directory=command.directory,
        environment=command.environment,
        arguments=tuple(words),
    )
    yield Leads(label=f"runs {path}", place=command.place, source=script)
    yield from named(words, command.directory, command.place, library)


def _shell(command: Command, name: str, words: list[str], library: Library) -> Iterator[Found]:
    from ci_classify.derive.shell import run_script  # noqa: PLC0415 -- scripts hold commands, commands hold scripts

    dialect: Dialect = "powershell" if name in known.POWERSHELLS else "bash"
    text, words = _script_text(dialect, words)
    if text is None and (not words or words[0] == "-"):
        text = command.standard_input
    if text is not None:
        script = Script(
            text=text,
            dialect=dialect,
            place=command.place,
            directory=command.directory,
            environment=command.environment,
        )
        if UNKNOWN in text and not text.strip(UNKNOWN):
            yield Unclear(place=command.place, why=f"what {name} -c runs is known at run time only")
            return
        yield from run_script(script, library)
    elif words:
        path = located(words[0], command.directory)
        if path is None:
            yield Unclear(
                place=command.place, why=f"which script {name} {as_written(words[0])} runs is known at run time only"
            )
            yield from named(words[1:], command.directory, command.place, library, bare=False)
        elif library.checkout.is_file(path):
            yield from _run(command, path, dialect, words[1:], library)
        else:
            yield from named(words, command.directory, command.place, library)


def _script_text(dialect: Dialect, words: list[str]) -> tuple[str | None, list[str]]:
    """Return the script that stands among the words of a shell itself, or None, and the words behind its options."""
    rest, is_text = list(words), False
    while rest and rest[0][:1] in {"-", "+"} and rest[0] != "-":
        option = rest.pop(0)
        if dialect == "powershell":
            if option.lower() in {"-command", "-c"}:
                is_text = True
                break
            if option.lower() in {"-executionpolicy", "-version", "-workingdirectory", "-configurationname"}:
                del rest[:1]
        elif option.startswith("--"):
            if option in {"--rcfile", "--init-file"}:
                del rest[:1]
        else:
            is_text = is_text or "c" in option
            if option.lower().endswith("o"):
                del rest[:1]
    return (rest[0], rest[1:]) if is_text and rest else (None, rest)


def _sourced(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what sourcing a file reads whose text is not known here."""
    path = located(words[0], command.directory) if words else OUTSIDE_PATH
    if path is None:
        why = f"which script is sourced as {as_written(words[0])} is known at run time only"
        yield Unclear(place=command.place, why=why)
    else:
        yield from named(words, command.directory, command.place, library)


OUTSIDE_PATH = "/"


def _other(command: Command, name: str, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a program reads that is not known: what it is installed from, its configuration, what its words name."""
    own = console_script(command, words, library)
    if own is not None:
        yield from own
        return
    if command.directory is not None and not command.directory.startswith("/"):
        yield from _configuration(name, command.directory, command.place, library)
    if name in known.OWN_RULES:
        yield Unclear(place=command.place, why=f"{name} finds its files by rules of its own")
    rest = words[1:]
    if name in {"test", "["}:
        rest = [word for before, word in pairwise(rest) if before in known.FILE_TESTS]
    elif name in known.COPYING:
        operands = [number for number, word in enumerate(rest) if not word.startswith("-")]
        if len(operands) > 1 and "-t" not in rest:
            del rest[operands[-1]]
    elif name in known.WITH_SUBCOMMAND and rest and "/" not in rest[0] and "." not in rest[0]:
        rest = rest[1:]
    read = [word for before, word in zip([name, *rest], rest, strict=False) if not _is_output(before, word)]
    yield from named(read, command.directory, command.place, library)


def _is_output(before: str, word: str) -> bool:
    return before.lower() in known.OUTPUT or word.partition("=")[0].lower() in known.OUTPUT


def _configuration(name: str, directory: str, place: Place, library: Library) -> Iterator[Found]:
    candidates = known.CONFIGURATION.get(name, ())
    groups = [(one,) for one in candidates] if name in known.EVERY_CONFIGURATION else [candidates]
    for names in groups:
        path = library.nearest(directory, *names)
        if path is not None:
            yield Reads(label=f"{name} is configured", place=place, paths=(path,))
