"""Projects of Python: what installing one reads, which programs it installs, which tests pytest finds.

Sees the build files, the packages that flit, setuptools, hatch and poetry take by their plain configuration,
``project.scripts``, requirement files, the configuration of pytest and every ``conftest.py`` above a test.

Can't see what ``setup.py`` computes and what plugins add; a package that is not found is said to be unclear.
"""

import re
from collections.abc import Iterator

from ci_classify.derive.checkout import ancestors, join, name_of, parent
from ci_classify.derive.found import Found, Leads, Place, PythonModule, Reads, Unclear
from ci_classify.derive.library import Library, table, texts
from ci_classify.derive.python_imports import resolve

_BUILD_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "MANIFEST.in")
_PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_INCLUDED = re.compile(r"^\s*(?:-r|-c|--requirement|--constraint)[ =]*(\S+)", re.MULTILINE)
_LOCAL = re.compile(r"^\s*(?:-e\s+|--editable[ =])?(\.{1,2}(?:/\S*)?)(?:\[[^]]*\])?\s*(?:#.*)?$", re.MULTILINE)
_SCRIPT = re.compile(r"([\w.]+)(?::.*)?")


def installed(directory: str, place: Place, library: Library) -> Iterator[Found]:
    """Return what building and installing the project in a directory reads."""
    checkout = library.checkout
    files = [path for name in _BUILD_FILES if checkout.is_file(path := _in(directory, name))]
    if not files:
        return
    project = table(library.toml(_in(directory, "pyproject.toml")).get("project"))
    license_ = table(project.get("license")).get("file")
    readme = project.get("readme")
    named = [*texts(readme), *texts(table(readme).get("file")), *texts(license_), *texts(project.get("license-files"))]
    files += [at for name in named if (at := join(directory, name)) is not None and checkout.is_file(at)]
    yield Reads(label=f"installs {directory or 'the project'}", place=place, paths=tuple(dict.fromkeys(files)))
    packages = [path for name in _packages(directory, library) for path in checkout.named(name)]
    if packages:
        yield Reads(
            label=f"installs {directory or 'the project'}", place=place, paths=tuple(sorted(set(packages))), exact=False
        )
    else:
        yield Unclear(
            place=place, why=f"which packages the project in {directory or 'the top directory'} has is not plain"
        )


def requirements(path: str, place: Place, library: Library, seen: tuple[str, ...] = ()) -> Iterator[Found]:
    """Return a requirements file, those that it includes, and the local projects that it names."""
    text = library.checkout.text(path)
    if text is None or path in seen:
        return
    yield Reads(label=f"reads {path}", place=place, paths=(path,))
    here = Place(file=path, line=1)
    for match in _INCLUDED.finditer(text):
        other = join(parent(path), match[1])
        if other is not None:
            yield from requirements(other, here, library, (*seen, path))
    for match in _LOCAL.finditer(text):
        project = join("", match[1])
        if project is not None:
            yield from installed(project, here, library)


def program(name: str, directory: str | None, library: Library) -> str | None:
    """Return the file of the module that an installed program of the repository starts, or None."""
    for path in ("pyproject.toml", *(_in(above, "pyproject.toml") for above in ancestors(directory or ""))):
        scripts = table(table(library.toml(path).get("project")).get("scripts"))
        match = _SCRIPT.fullmatch(str(scripts.get(name, "")))
        found = resolve(match[1], (parent(path), _in(parent(path), "src")), library) if match else ()
        if found:
            return found[-1]
    return None


def tested(
    operands: list[str], directory: str, search: tuple[str, ...], place: Place, library: Library
) -> Iterator[Found]:
    """Return what pytest reads for some paths, or for those of its configuration: tests, and what they import."""
    checkout = library.checkout
    start = operands[0] if operands else directory
    settings = _pytest_settings(start if checkout.is_directory(start) else parent(start), library)
    root = directory
    if settings is not None:
        path, options = settings
        root = parent(path)
        yield Reads(label=f"reads {path}", place=place, paths=(path,))
        search = (*search, *(at for name in texts(options.get("pythonpath")) if (at := join(root, name)) is not None))
        found = [at for name in texts(options.get("testpaths")) if (at := join(root, name)) is not None]
        operands = operands or found
    for operand in operands or [directory]:
        paths = checkout.named(operand)
        yield Reads(
            label=f"tests {operand or 'the top directory'}", place=place, paths=paths, exact=paths == (operand,)
        )
        above = [_in(directory, "conftest.py") for directory in ancestors(parent(operand))]
        for path in (*paths, *filter(checkout.is_file, above)):
            if path.endswith(".py"):
                module = PythonModule(path=path, search=(_base(path, library), *search), directory=root)
                yield Leads(label=f"tests {path}", place=place, source=module)


def _base(path: str, library: Library) -> str:
    """Return the first directory above a test that is no package; pytest imports from there."""
    directory = parent(path)
    while directory and library.checkout.is_file(f"{directory}/__init__.py"):
        directory = parent(directory)
    return directory


def _pytest_settings(directory: str, library: Library) -> tuple[str, dict[str, object]] | None:
    for above in ancestors(directory):
        for name in _PYTEST_FILES:
            path = _in(above, name)
            text = library.checkout.text(path)
            if text is None:
                continue
            if name == "pyproject.toml":
                options = table(table(library.toml(path).get("tool")).get("pytest")).get("ini_options")
                if options is not None:
                    return path, dict(table(options))
            elif "[pytest]" in text or "[tool:pytest]" in text or name.endswith("pytest.ini"):
                return path, _ini_options(text)
    return None


def _ini_options(text: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for key in ("testpaths", "pythonpath"):
        match = re.search(rf"^{key}[ \t]*=[ \t]*(.*(?:\n[ \t]+\S.*)*)", text, re.MULTILINE)
        if match:
            found[key] = match[1].split()
    return found


def _packages(directory: str, library: Library) -> list[str]:
    """Return the directories and modules that a project packs, as far as its configuration is plain."""
    settings = library.toml(_in(directory, "pyproject.toml"))
    tool = table(settings.get("tool"))
    name = table(table(tool.get("flit")).get("module")).get("name") or table(settings.get("project")).get("name")
    listed = texts(table(tool.get("setuptools")).get("packages"))
    found = [at for package in listed if (at := join(directory, package.replace(".", "/"))) is not None]
    names = [name.replace("-", "_").lower()] if isinstance(name, str) else []
    for base in (_in(directory, "src"), directory):
        found += [path for one in names for path in (f"{_in(base, one)}", f"{_in(base, one)}.py")]
    found = [path for path in found if library.checkout.named(path)]
    source = _in(directory, "src")
    if not found and library.checkout.is_directory(source):
        return [source]
    if not found:
        inner = {path for path in library.checkout.below(directory) if name_of(path) == "__init__.py"}
        found = sorted({parent(path) for path in inner if parent(parent(path)) == directory and parent(path)})
    return found


def _in(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name
