"""Rust: what cargo reads for a command.

Sees the crates that a command builds (by directory, ``--manifest-path``, ``--package``, ``--workspace``, an alias), each
with its whole directory, since build scripts and tests may read any file there; path dependencies to any depth; the
manifest of the workspace, the lock file, the toolchain file, ``.cargo/config.toml``; files out of the crate that
``include_str!``, ``include_bytes!``, ``include!``, ``#[path]`` or a build script name.

Can't see paths that macros and build scripts put together, and dependencies from registries and from git.
"""

import re
from collections.abc import Iterator

from ci_classify.derive.checkout import ancestors, join, name_of, parent
from ci_classify.derive.found import UNKNOWN, Command, Crate, Found, Leads, Place, Reads, Unclear
from ci_classify.derive.hash_files import matching
from ci_classify.derive.library import Library, Table, table, texts
from ci_classify.derive.naming import as_written, located

MANIFEST = "Cargo.toml"
_BUILDING = frozenset(
    {
        "build",
        "b",
        "check",
        "c",
        "test",
        "t",
        "run",
        "r",
        "bench",
        "clippy",
        "doc",
        "d",
        "rustdoc",
        "rustc",
        "fmt",
        "fix",
    }
    | {"install", "package", "publish", "nextest", "llvm-cov", "miri", "hack", "tarpaulin", "udeps", "zigbuild", "xwin"}
)
_RESOLVING = frozenset(
    {"fetch", "metadata", "tree", "update", "vendor", "deny", "audit", "generate-lockfile", "machete"}
)
_CONFIGURATION = {
    "clippy": ("clippy.toml", ".clippy.toml"),
    "fmt": ("rustfmt.toml", ".rustfmt.toml"),
    "deny": ("deny.toml",),
    "nextest": (".config/nextest.toml",),
}
_TOOLCHAIN = ("rust-toolchain.toml", "rust-toolchain")
_INCLUDE = re.compile(
    r"""\b(include_str|include_bytes|include)!\s*[(\[{]\s*
    (?:r?\#*"(?P<text>[^"\n]*)"
    |concat!\s*\(\s*env!\s*\(\s*"CARGO_MANIFEST_DIR"\s*\)\s*,\s*"(?P<below>[^"\n]*)"
    |(?P<made>concat!\s*\(\s*env!\s*\(\s*"OUT_DIR"))?""",
    re.VERBOSE,
)
_MODULE_PATH = re.compile(r'#\[path\s*=\s*"([^"]+)"\s*\]')
_TEXT = re.compile(r'r?#*"((?:[^"\\\n]|\\.)*)"')
_RERUN = re.compile(r"cargo::?rerun-if-changed=([^\"{\n]*)(\{?)")
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")


def cargo(command: Command, words: list[str], library: Library) -> Iterator[Found]:
    """Return what a call of cargo reads."""
    place, directory = command.place, command.directory
    rest = [word for word in words[1:] if not word.startswith("+")]
    options = _options(rest)
    if "-C" in options:
        directory = located(options["-C"][-1], directory)
    if directory is None:
        yield Unclear(place=place, why="the directory in which cargo runs is known at run time only")
        return
    start, manifest = directory, None
    for option in ("--manifest-path", "--path"):
        for value in options.get(option, ()):
            path = located(value, directory)
            if path is None:
                yield Unclear(
                    place=place, why=f"which crate cargo {as_written(value)} builds is known at run time only"
                )
                return
            manifest = path if option == "--manifest-path" else f"{path}/{MANIFEST}"
            start = parent(manifest)
    submodule = library.checkout.submodule_of(start)
    manifest = manifest or library.nearest(start, MANIFEST)
    if submodule is not None:
        yield Reads(label=f"builds {submodule}", place=place, paths=(submodule,))
        yield from _settings(parent(submodule), "in a submodule", place, library)
    if submodule is not None or manifest is None or manifest.startswith("/"):
        return
    subcommand, options = _subcommand(rest, directory, options, library)
    if subcommand in _BUILDING | _RESOLVING:
        yield from _surroundings(manifest, directory, subcommand, place, library)
    if subcommand in _BUILDING:
        yield from _built(parent(manifest), options, place, library)


def expand_crate(source: Crate, library: Library) -> Iterator[Found]:
    """Return what building a crate reads."""
    directory = source.directory
    manifest = f"{directory}/{MANIFEST}".lstrip("/")
    place = Place(file=manifest, line=1)
    paths = _own_files(directory, library)
    yield Reads(label=f"crate {directory or 'at the top'}", place=place, paths=paths, exact=False)
    yield from _path_dependencies(library.toml(manifest), directory, place, library)
    build = library.toml(manifest).get("package")
    script = table(build).get("build", "build.rs")
    for path in paths:
        if path.endswith(".rs"):
            is_script = path == join(directory, str(script))
            yield from _named_in_source(path, directory, library, is_script=is_script)


def _options(words: list[str]) -> dict[str, list[str]]:
    """Return the values of the options that matter, up to ``--``."""
    found: dict[str, list[str]] = {}
    waiting = iter(words)
    for word in waiting:
        name, equals, value = word.partition("=")
        if word == "--":
            break
        if name in {"--manifest-path", "--path", "-C", "-p", "--package", "--exclude"}:
            found.setdefault(name, []).append(value if equals else next(waiting, UNKNOWN))
        elif name.startswith("-"):
            found.setdefault(name, [])
    return found


def _subcommand(
    words: list[str], directory: str, options: dict[str, list[str]], library: Library
) -> tuple[str, dict[str, list[str]]]:
    """Return the subcommand, an alias of the repository replaced, and the options with those of the alias."""
    skipped = False
    for word in words:
        if skipped or word.startswith("-"):
            skipped = word in {"-C", "--manifest-path", "--config", "-Z", "--color"} and not skipped
            continue
        aliases = [
            table(library.toml(f"{above}/.cargo/config.toml".lstrip("/")).get("alias")).get(word)
            for above in ancestors(directory)
        ]
        alias = next((value for value in aliases if value), None)
        meant = alias.split() if isinstance(alias, str) else list(texts(alias))
        if meant:
            return meant[0], _options(meant[1:]) | options
        return word, options
    return "", options


def _surroundings(manifest: str, directory: str, subcommand: str, place: Place, library: Library) -> Iterator[Found]:
    """Return the files that any command of cargo reads beside the crates."""
    top = _workspace(parent(manifest), library)
    found = [manifest, f"{top}/{MANIFEST}".lstrip("/"), f"{top}/Cargo.lock".lstrip("/")]
    found += [path for path in (library.nearest(parent(manifest), *_CONFIGURATION.get(subcommand, ())),) if path]
    for path in dict.fromkeys(found):
        if library.checkout.is_file(path):
            yield Reads(label=f"cargo {subcommand}", place=place, paths=(path,))
    yield from _settings(directory, subcommand, place, library)


def _settings(directory: str, subcommand: str, place: Place, library: Library) -> Iterator[Found]:
    """Return the toolchain file and the settings that hold in a directory."""
    found = [path for path in (library.nearest(directory, *_TOOLCHAIN),) if path is not None]
    for above in ancestors(directory):
        found += [f"{above}/.cargo/{name}".lstrip("/") for name in ("config.toml", "config")]
    for path in found:
        if library.checkout.is_file(path):
            yield Reads(label=f"cargo {subcommand}", place=place, paths=(path,))


def _workspace(directory: str, library: Library) -> str:
    """Return the directory of the workspace that a crate belongs to, or its own."""
    for above in ancestors(directory):
        manifest = library.toml(f"{above}/{MANIFEST}".lstrip("/"))
        if "workspace" in manifest:
            return above
        named = table(manifest.get("package")).get("workspace") if above == directory else None
        if isinstance(named, str) and (found := join(above, named)) is not None:
            return found
    return directory


def _built(directory: str, options: dict[str, list[str]], place: Place, library: Library) -> Iterator[Found]:
    top = _workspace(directory, library)
    members = _members(top, library)
    manifest = library.toml(f"{directory}/{MANIFEST}".lstrip("/"))
    chosen = [name for option in ("-p", "--package") for name in options.get(option, ())]
    if chosen:
        for name in chosen:
            crates = [member for member in members if _name(member, library) == name.partition("@")[0]]
            if UNKNOWN in name:
                yield Unclear(place=place, why="which package cargo builds is known at run time only")
            for crate in crates:
                yield Leads(label=f"builds crate {crate or name}", place=place, source=Crate(directory=crate))
        return
    everything = {"--workspace", "--all"} & options.keys()
    if "package" in manifest and not everything:
        members = [directory]
    elif not everything:
        default = _globbed(top, texts(table(manifest.get("workspace")).get("default-members")), library)
        members = default or members
    excluded = options.get("--exclude", ())
    for member in members:
        if _name(member, library) not in excluded:
            yield Leads(label=f"builds crate {member or 'at the top'}", place=place, source=Crate(directory=member))


def _members(top: str, library: Library) -> list[str]:
    """Return the directories of the crates of a workspace."""
    manifest = library.toml(f"{top}/{MANIFEST}".lstrip("/"))
    workspace = table(manifest.get("workspace"))
    excluded = _globbed(top, texts(workspace.get("exclude")), library)
    own = [top] if "package" in manifest else []
    inner = [path for path in _globbed(top, texts(workspace.get("members")), library) if path not in excluded]
    return list(dict.fromkeys((*own, *inner)))


def _globbed(top: str, patterns: tuple[str, ...], library: Library) -> list[str]:
    found = []
    for pattern in patterns:
        manifest = join(top, f"{pattern}/{MANIFEST}")
        found += [parent(path) for path in matching(manifest or UNKNOWN, library.checkout)]
    return sorted(set(found))


def _name(directory: str, library: Library) -> object:
    return table(library.toml(f"{directory}/{MANIFEST}".lstrip("/")).get("package")).get("name")


def _own_files(directory: str, library: Library) -> tuple[str, ...]:
    """Return all files of a crate, those of crates inside of it left out."""
    paths = library.checkout.below(directory)
    inner = [parent(path) + "/" for path in paths if name_of(path) == MANIFEST and parent(path) != directory]
    return tuple(path for path in paths if not path.startswith(tuple(inner)))


def _path_dependencies(manifest: Table, directory: str, place: Place, library: Library) -> Iterator[Found]:
    top = _workspace(directory, library)
    root = library.toml(f"{top}/{MANIFEST}".lstrip("/"))
    shared = table(table(root.get("workspace")).get("dependencies"))
    groups = [table(manifest.get(kind)) for kind in _DEPENDENCIES]
    groups += [
        table(target.get(kind))
        for target in map(table, table(manifest.get("target")).values())
        for kind in _DEPENDENCIES
    ]
    groups += [table(patched) for patched in table(root.get("patch")).values()]
    for number, group in enumerate(groups):
        for name, value in group.items():
            here = top if number >= len(groups) - len(table(root.get("patch"))) else directory
            wanted = table(value)
            if wanted.get("workspace") is True:
                here, wanted = top, table(shared.get(name))
            path = join(here, str(wanted["path"])) if "path" in wanted else None
            if path is not None and (submodule := library.checkout.submodule_of(path)):
                yield Reads(label=f"depends on crate {name}", place=place, paths=(submodule,))
            elif path is not None and library.checkout.is_file(f"{path}/{MANIFEST}".lstrip("/")):
                yield Leads(label=f"depends on crate {name}", place=place, source=Crate(directory=path))


def _named_in_source(path: str, directory: str, library: Library, *, is_script: bool) -> Iterator[Found]:
    """Return the files out of the crate that a source file names."""
    text = library.checkout.text(path) or ""
    for match in _INCLUDE.finditer(text):
        place = Place(file=path, line=text.count("\n", 0, match.start()) + 1)
        start, name = (parent(path), match["text"]) if match["text"] else (directory, match["below"])
        if name:
            yield from _out_of_crate(f"{match[1]}!", start, name.lstrip("/"), directory, place, library)
        elif not match["made"]:
            yield Unclear(place=place, why=f"{match[1]}! of a path that is put together")
    for match in _MODULE_PATH.finditer(text):
        place = Place(file=path, line=text.count("\n", 0, match.start()) + 1)
        yield from _out_of_crate("#[path]", parent(path), match[1], directory, place, library)
    if not is_script:
        return
    for match in _TEXT.finditer(text):
        place = Place(file=path, line=text.count("\n", 0, match.start()) + 1)
        rerun = _RERUN.match(match[1])
        if rerun and rerun[2]:
            yield Unclear(place=place, why="rerun-if-changed of a path that is put together")
        name = rerun[1] if rerun else match[1]
        if "/" in name:
            yield from _out_of_crate("build script", directory, name, directory, place, library)


def _out_of_crate(label: str, start: str, name: str, crate: str, place: Place, library: Library) -> Iterator[Found]:
    path = join(start, name)
    paths = library.checkout.named(path) if path else ()
    outside = tuple(one for one in paths if not one.startswith(f"{crate}/" if crate else ""))
    if outside:
        yield Reads(label=f'{label} "{name}"', place=place, paths=outside, exact=outside == (path,))
