"""Docker: what building an image reads.

Sees the Dockerfile and the context of ``docker build`` and its kin, ``COPY``, ``ADD`` and bind mounts with their
patterns, defaults of ``ARG``, the ignore file and what it leaves out, volumes that a container is given.

Can't see base images, what is fetched, and what commands in a container do with what they are given.
"""

import json
import re
from collections.abc import Iterator

from pathspec import GitIgnoreSpec

from ci_classify.derive.checkout import join
from ci_classify.derive.found import UNKNOWN, Command, DockerBuild, Found, Leads, Place, Reads, Unclear
from ci_classify.derive.hash_files import matching
from ci_classify.derive.library import Library
from ci_classify.derive.naming import as_written, located, named

_WITH_VALUE = frozenset(
    {
        "-t",
        "--tag",
        "--build-arg",
        "--label",
        "--platform",
        "--cache-from",
        "--cache-to",
        "--progress",
        "-o",
        "--output",
    }
    | {"--network", "--add-host", "--iidfile", "--metadata-file", "--ssh", "--target", "--memory", "-m", "--builder"}
    | {"--ulimit", "--shm-size", "--cpuset-cpus", "--isolation", "--attest", "--annotation", "--call", "--provenance"}
)
_MOUNT = re.compile(r"--mount=(\S+)")
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))")


def docker(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a call of docker, podman or buildah reads."""
    rest = [word for word in words[1:] if word not in {"image", "builder", "container", "buildx"}]
    operation = next((word for word in rest if not word.startswith("-")), "")
    rest = rest[rest.index(operation) + 1 :] if operation else []
    if operation in {"build", "bud", "b"}:
        yield from _build(command, rest, library)
    elif operation in {"run", "create"}:
        yield from _mounted(command, rest, library)
    elif operation in {"compose", "bake"}:
        yield from named(rest, command.directory, command.place, library, bare=False)
        yield Unclear(place=command.place, why=f"docker {operation} builds what its file says, which is not read")


def built(file: str | None, context: str, directory: str | None, place: Place, library: Library) -> Iterator[Found]:
    """Return the build of a Dockerfile in a context, both as words."""
    where = located(context, directory)
    if "://" in context or (where is not None and where.startswith("/")):
        return
    path = located(file, directory) if file is not None else None if where is None else join(where, "Dockerfile")
    if where is None or path is None:
        yield Unclear(place=place, why="what docker builds is known at run time only")
        return
    submodule = library.checkout.submodule_of(where)
    if submodule is not None:
        yield Reads(label=f"builds {submodule}", place=place, paths=(submodule,))
    if library.checkout.is_file(path):
        source = DockerBuild(file=path, context=where)
        yield Leads(label=f"builds {path}", place=place, source=source)


def expand_build(source: DockerBuild, library: Library) -> Iterator[Found]:
    """Return what building a Dockerfile reads."""
    yield Reads(label=source.file, place=Place(file=source.file, line=1), paths=(source.file,))
    ignore = next(
        (
            path
            for path in (f"{source.file}.dockerignore", f"{source.context}/.dockerignore".lstrip("/"))
            if library.checkout.is_file(path)
        ),
        None,
    )
    ignored = _ignored(ignore, library)
    if ignore is not None:
        yield Reads(label=ignore, place=Place(file=ignore, line=1), paths=(ignore,))
    arguments: dict[str, str] = {}
    for line, text in _instructions(library.checkout.text(source.file) or ""):
        place = Place(file=source.file, line=line)
        instruction, _, rest = text.partition(" ")
        match instruction.upper():
            case "ARG":
                name, _, value = rest.strip().partition("=")
                arguments.setdefault(name, value.strip("\"'") if value else UNKNOWN)
            case "COPY" | "ADD":
                for word in _sources(rest):
                    yield from _copied(
                        f"{instruction.upper()} {word}", word, arguments, source, ignored, place, library
                    )
            case "RUN":
                for mount in _MOUNT.findall(rest):
                    options = dict(part.partition("=")[::2] for part in mount.split(","))
                    if options.get("type", "bind") == "bind" and "from" not in options:
                        word = options.get("source") or options.get("src") or "."
                        yield from _copied(f"mounts {word}", word, arguments, source, ignored, place, library)
            case _:
                pass


def _build(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    file: str | None = None
    operands: list[str] = []
    waiting = iter(words)
    for word in waiting:
        name, equals, value = word.partition("=")
        if name in {"-f", "--file"}:
            file = value if equals else next(waiting, UNKNOWN)
        elif name in {"--secret", "--build-context"}:
            given = value if equals else next(waiting, "")
            yield from named(re.split(r"[,=]", given), command.directory, command.place, library, bare=False)
        elif word in _WITH_VALUE:
            next(waiting, None)
        elif word == "-" or not word.startswith("-"):
            operands.append(word)
    if operands and operands[-1] != "-":
        if file == "-":
            return
        yield from built(file, operands[-1], command.directory, command.place, library)


def _mounted(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return the directories of the checkout that a container is given."""
    for number, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option not in {"-v", "--volume", "--mount"}:
            continue
        given = (
            value
            if equals and option != "--mount"
            else words[number + 1]
            if number + 1 < len(words) and not equals
            else value
        )
        options = dict(part.partition("=")[::2] for part in given.split(","))
        host = options.get("source") or options.get("src") or given.partition(":")[0]
        path = located(host, command.directory) if "/" in host or host.startswith(("\1", ".")) else OUT
        if path == "":
            yield Unclear(
                place=command.place, why="a container sees the whole checkout, and what it reads there is not known"
            )
        elif path is None:
            yield Unclear(
                place=command.place,
                why=f"which directory {as_written(host)} a container sees is known at run time only",
            )
        elif not path.startswith("/"):
            yield from named([host], command.directory, command.place, library)


OUT = "/"  # a volume that is no directory


def _instructions(text: str) -> Iterator[tuple[int, str]]:
    """Return the instructions of a Dockerfile with their lines; continued lines are one."""
    number, lines = 0, text.split("\n")
    while number < len(lines):
        start, line = number, lines[number].strip()
        number += 1
        if not line or line.startswith("#"):
            continue
        while line.endswith("\\") and number < len(lines):
            following = lines[number].strip()
            line = line[:-1] + ("" if following.startswith("#") else following)
            line += "\\" if following.startswith("#") else ""
            number += 1
        for delimiter in re.findall(r"<<-?[\"']?(\w+)[\"']?", line):
            while number < len(lines) and lines[number].strip() != delimiter:
                number += 1
            number += 1
        yield start + 1, line


def _sources(rest: str) -> list[str]:
    """Return the sources of ``COPY`` and ``ADD``; none where they come from another stage or image."""
    words = rest.split()
    while words and words[0].startswith("--"):
        if words[0].startswith("--from="):
            return []
        words = words[1:]
    joined = " ".join(words)
    if joined.startswith("["):
        try:
            words = [word for word in json.loads(joined) if isinstance(word, str)]
        except ValueError:
            return []
    return [word for word in words[:-1] if "://" not in word and not word.startswith(("<<", "git@"))]


def _copied(
    label: str,
    word: str,
    arguments: dict[str, str],
    source: DockerBuild,
    ignored: GitIgnoreSpec | None,
    place: Place,
    library: Library,
) -> Iterator[Found]:
    name = _VARIABLE.sub(lambda m: arguments.get(m[1] or m[3], m[2] or UNKNOWN) or UNKNOWN, word).strip("\"'")
    if UNKNOWN in name:
        yield Unclear(place=place, why=f"{label}: a part of the path is known at run time only")
        return
    path = join(source.context, name.lstrip("/") or ".")
    if path is None:
        return
    taken = matching(path, library.checkout) if path else library.checkout.paths
    cut = len(source.context) + 1 if source.context else 0
    paths = tuple(one for one in taken if ignored is None or not ignored.match_file(one[cut:]))
    if paths:
        yield Reads(label=label, place=place, paths=paths, exact=paths == (path,))


def _ignored(path: str | None, library: Library) -> GitIgnoreSpec | None:
    """Return what an ignore file leaves out. Its patterns start at the context, unlike those of git."""
    text = library.checkout.text(path) if path is not None else None
    if text is None:
        return None
    lines = []
    for line in text.split("\n"):
        pattern = line.strip()
        if pattern and not pattern.startswith("#"):
            negated, body = pattern.startswith("!"), pattern.removeprefix("!").removeprefix("./").lstrip("/")
            lines.append(f"{'!' if negated else ''}/{body}" if body not in {"", "."} else "/**")
    return GitIgnoreSpec.from_lines(lines)
