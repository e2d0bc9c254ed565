"""Node: what npm, yarn, pnpm and node read for a command.

Sees scripts of ``package.json`` with those around them, workspaces chosen by option or by directory, lock files,
dependencies on other workspaces by name, files that ``node`` and its kin run with their local imports, configurations
that ``extends`` names. A package below the top counts with its whole directory.

Can't see what a tool without a path among its words finds by its own configuration in a package at the top, and
imports whose name only a run knows.
"""

import re
from collections.abc import Iterator

from pathspec import GitIgnoreSpec

from ci_classify.derive.checkout import ancestors, join, name_of, parent
from ci_classify.derive.found import (
    UNKNOWN,
    Command,
    Found,
    Leads,
    NodeModule,
    NodePackage,
    NodeScript,
    Place,
    Reads,
    Unclear,
)
from ci_classify.derive.library import Library, table, texts
from ci_classify.derive.naming import as_written, located, named

MANIFEST = "package.json"
_LOCKS = (
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
)
_INSTALLING = frozenset({"install", "i", "ci", "add", "install-clean", "rebuild", "dedupe", ""})
_SHORT = frozenset({"test", "t", "start", "stop", "restart"})
_OWN = frozenset(
    {"run", "run-script", "exec", "dlx", "publish", "pack", "audit", "cache", "config", "set", "view", "version"}
)
_EXTENSIONS = ("", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".jsx", ".json")
_SOURCES = (".js", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".jsx")
_IMPORT = re.compile(
    r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire(?:\.resolve)?\s*\(\s*)(['"`])(?P<name>[^'"`\n]+)\1(?P<more>\s*\+)?"""
    r"""|\b(?:import|require)\s*\(\s*(?P<unknown>[^'"`)\s][^)\n]*)\)"""
)
_EXTENDS = re.compile(r'"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")')
_DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def package_manager(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a call of npm, yarn or pnpm reads."""
    directory, chosen, rest = _arguments(words, command.directory)
    if directory is None or UNKNOWN in "".join(chosen):
        yield Unclear(place=command.place, why=f"which package {words[0]} works in is known at run time only")
        return
    manifest = library.nearest(directory, MANIFEST) if not directory.startswith("/") else None
    if manifest is None:
        return
    top = _workspace_top(parent(manifest), library)
    subcommand = rest[0] if rest else ""
    if subcommand in _INSTALLING:
        yield from _installed(top, command.place, library)
        return
    if subcommand in {"exec", "dlx"}:
        yield from named(rest[1:], directory, command.place, library, bare=False)
        return
    script = _script_name(subcommand, rest)
    if script is None:
        return
    packages = _chosen(parent(manifest), top, chosen, library)
    for package in packages:
        scripts = table(library.json(f"{package}/{MANIFEST}".lstrip("/")).get("scripts"))
        if script in scripts:
            source = NodeScript(directory=package, name=script, environment=command.environment)
            label = f"{words[0]} run {script}" + (f" in {package}" if package else "")
            yield Leads(label=label, place=command.place, source=source)
        else:
            path = f"{package}/{MANIFEST}".lstrip("/")
            yield Reads(label=f"looks for {script} in {path}", place=command.place, paths=(path,))
    yield from named(rest[2:], directory, command.place, library, bare=False)


def node(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a call of node, or of what runs TypeScript like it, reads."""
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in {"-r", "--require", "--import", "--loader", "--env-file"} and rest:
            yield from named([rest.pop(0)], command.directory, command.place, library, bare=False)
        elif option in {"-e", "--eval", "-p", "--print"}:
            return
    if not rest:
        return
    path = located(rest[0], command.directory)
    if path is None:
        yield Unclear(
            place=command.place, why=f"which file {as_written(' '.join(words[:2]))} runs is known at run time only"
        )
    elif found := _module_file(path, library):
        yield Leads(label=f"runs {found}", place=command.place, source=NodeModule(path=found))
    yield from named(rest[1:], command.directory, command.place, library, bare=False)


def expand_script(source: NodeScript, library: Library) -> Iterator[Found]:
    """Return what a script of a package reads: the package, and what its commands name."""
    manifest = f"{source.directory}/{MANIFEST}".lstrip("/")
    place = Place(file=manifest, line=_line_of(manifest, source.name, library))
    yield Leads(
        label=f"package {source.directory or 'at the top'}", place=place, source=NodePackage(directory=source.directory)
    )
    scripts = table(library.json(manifest).get("scripts"))
    for name in (f"pre{source.name}", source.name, f"post{source.name}"):
        if isinstance(text := scripts.get(name), str):
            words = ("bash", "-c", text)
            command = Command(words=words, directory=source.directory, place=place, environment=source.environment)
            yield Leads(label=f"script {name}", place=place, source=command)


def expand_package(source: NodePackage, library: Library) -> Iterator[Found]:
    """Return what using a package reads: itself, the workspace's files, the workspaces that it depends on."""
    directory = source.directory
    manifest = f"{directory}/{MANIFEST}".lstrip("/")
    place = Place(file=manifest, line=1)
    yield Reads(label=manifest, place=place, paths=(manifest,))
    if directory:
        inner = library.checkout.below(directory)
        yield Reads(label=f"package {directory}", place=place, paths=inner, exact=False)
    top = _workspace_top(directory, library)
    yield from _shared_files(top, place, library)
    workspaces = {name: member for member in _workspaces(top, library) if (name := _name(member, library))}
    content = library.json(manifest)
    for kind in _DEPENDENCIES:
        for name in table(content.get(kind)):
            if name in workspaces and workspaces[name] != directory:
                package = NodePackage(directory=workspaces[name])
                yield Leads(label=f"depends on package {name}", place=place, source=package)
    yield from _extended(directory, library)


def expand_module(source: NodeModule, library: Library) -> Iterator[Found]:
    """Return a file of JavaScript or TypeScript and the local files that it imports."""
    yield Reads(label=source.path, place=Place(file=source.path, line=1), paths=(source.path,))
    text = library.checkout.text(source.path) if source.path.endswith(_SOURCES) else None
    for match in _IMPORT.finditer(text or ""):
        place = Place(file=source.path, line=(text or "").count("\n", 0, match.start()) + 1)
        name = match["name"]
        if match["unknown"] or match["more"] or (name and "${" in name):
            yield Unclear(place=place, why="an import whose name is put together at run time")
        elif name and name.startswith("."):
            found = _module_file(join(parent(source.path), name), library)
            if found:
                yield Leads(label=f"imports {name}", place=place, source=NodeModule(path=found))
        elif name and (package := _package_named(name, source.path, library)) is not None:
            yield Leads(label=f"imports {name}", place=place, source=NodePackage(directory=package))


def _arguments(words: list[str], directory: str | None) -> tuple[str | None, list[str], list[str]]:
    """Return the directory, the chosen workspaces and the words that are left."""
    chosen: list[str] = []
    rest: list[str] = []
    waiting = iter(words[1:])
    for word in waiting:
        name, equals, value = word.partition("=")
        if name in {"--prefix", "-C", "--dir", "--cwd"}:
            directory = located(value if equals else next(waiting, UNKNOWN), directory)
        elif name in {"-w", "--workspace", "--filter", "-F"}:
            chosen.append(value if equals else next(waiting, UNKNOWN))
        elif name in {"--workspaces", "-ws", "-r", "--recursive"}:
            chosen.append("*")
        elif word == "workspace" and words[0].endswith("yarn") and not rest:
            chosen.append(next(waiting, UNKNOWN))
        elif word == "workspaces" and words[0].endswith("yarn") and not rest:
            chosen.append("*")
        elif word.startswith("-") and not rest:
            continue
        elif word not in {"foreach", "-A", "--all"}:
            rest.append(word)
    return directory, chosen, rest


def _script_name(subcommand: str, rest: list[str]) -> str | None:
    if subcommand in {"run", "run-script"}:
        return next((word for word in rest[1:] if not word.startswith("-")), None)
    if subcommand in _SHORT:
        return "test" if subcommand == "t" else subcommand
    return None if subcommand in _OWN else subcommand


def _workspaces(top: str, library: Library) -> list[str]:
    """Return the directories of the workspaces of a package."""
    workspaces = library.json(f"{top}/{MANIFEST}".lstrip("/")).get("workspaces")
    patterns = list(texts(workspaces) or texts(table(workspaces).get("packages")))
    pnpm = library.checkout.text(f"{top}/pnpm-workspace.yaml".lstrip("/")) or ""
    patterns += re.findall(r"^\s*-\s*['\"]?([^'\"#\s]+)", pnpm, re.MULTILINE)
    if not patterns:
        return []
    rooted = [f"!/{p[1:].lstrip('./')}" if p.startswith("!") else f"/{p.removeprefix('./')}" for p in patterns]
    spec = GitIgnoreSpec.from_lines(f"{pattern.rstrip('/')}/{MANIFEST}" for pattern in rooted)
    inner = [path for path in library.checkout.below(top) if name_of(path) == MANIFEST]
    cut = len(top) + 1 if top else 0
    return [parent(path) for path in inner if spec.match_file(path[cut:])]


def _workspace_top(directory: str, library: Library) -> str:
    for above in ancestors(directory):
        if above != directory and directory in _workspaces(above, library):
            return above
    return directory


def _chosen(package: str, top: str, chosen: list[str], library: Library) -> list[str]:
    """Return the packages that options choose: by name, by directory, or all."""
    if not chosen:
        return [package]
    members = _workspaces(top, library)
    if "*" in chosen:
        return [top, *members]
    found = []
    for one in chosen:
        wanted = one.removesuffix("...").removeprefix("...").strip("{}")
        path = join(top, wanted)
        found += [member for member in members if member == path or _name(member, library) == wanted]
    return found


def _name(directory: str, library: Library) -> str | None:
    name = library.json(f"{directory}/{MANIFEST}".lstrip("/")).get("name")
    return name if isinstance(name, str) else None


def _package_named(name: str, path: str, library: Library) -> str | None:
    """Return the workspace that an import without a dot means."""
    bare = "/".join(name.split("/")[: 2 if name.startswith("@") else 1])
    manifest = library.nearest(parent(path), MANIFEST)
    if manifest is None:
        return None
    top = _workspace_top(parent(manifest), library)
    return next((member for member in _workspaces(top, library) if _name(member, library) == bare), None)


def _installed(top: str, place: Place, library: Library) -> Iterator[Found]:
    manifests = [f"{directory}/{MANIFEST}".lstrip("/") for directory in (top, *_workspaces(top, library))]
    yield Reads(label="installs packages", place=place, paths=tuple(manifests))
    yield from _shared_files(top, place, library)


def _shared_files(top: str, place: Place, library: Library) -> Iterator[Found]:
    files = [f"{top}/{name}".lstrip("/") for name in (MANIFEST, *_LOCKS)]
    found = tuple(path for path in files if library.checkout.is_file(path))
    yield Reads(label="the workspace's files", place=place, paths=found)


def _extended(directory: str, library: Library) -> Iterator[Found]:
    """Return the configurations out of a package that those in it extend."""
    for path in library.checkout.below(directory) if directory else ():
        if not (name_of(path).startswith("tsconfig") or name_of(path).startswith(".eslintrc")):
            continue
        text = library.checkout.text(path) or ""
        for match in _EXTENDS.finditer(text):
            place = Place(file=path, line=text.count("\n", 0, match.start()) + 1)
            for name in re.findall(r'"(\.[^"]*)"', match[1]):
                found = _module_file(join(parent(path), name), library)
                if found:
                    yield Reads(label=f"extends {name}", place=place, paths=(found,))


def _module_file(path: str | None, library: Library) -> str | None:
    """Return the file that an import of a path means."""
    if path is None or path.startswith("/"):
        return None
    stem = path.removesuffix(".js")  # TypeScript names what a file will become
    candidates = [path + extension for extension in _EXTENSIONS]
    candidates += [stem + extension for extension in (".ts", ".tsx") if stem != path]
    candidates += [f"{path}/index{extension}" for extension in _EXTENSIONS[1:]]
    return next((candidate for candidate in candidates if library.checkout.is_file(candidate)), None)


def _line_of(manifest: str, script: str, library: Library) -> int:
    text = library.checkout.text(manifest) or ""
    at = text.find(f'"{script}"', max(text.find('"scripts"'), 0))
    return text.count("\n", 0, max(at, 0)) + 1
