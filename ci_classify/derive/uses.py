"""Actions that steps use.

Sees local actions with their inputs and defaults; of remote actions the inputs that name tracked files, the submodules
that ``actions/checkout`` gets, and the build of ``docker/build-push-action``.

Can't see what a remote action reads beyond its inputs; save for a few that are known to read nothing else, each is
said to be unclear.
"""

import re
from collections.abc import Iterator

from ci_classify.core.workflow import Step
from ci_classify.derive.checkout import join
from ci_classify.derive.docker import built
from ci_classify.derive.found import UNKNOWN, Absent, Found, Inputs, Leads, LocalAction, Place, Reads, Unclear, Value
from ci_classify.derive.library import Library
from ci_classify.derive.naming import named
from ci_classify.derive.submodules import checked_out
from ci_classify.derive.values import Scope, given_inputs, text_in, value_in

_FULL_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|sha256:[0-9a-f]{64}")
_PATH_INPUT = re.compile(
    r"(?:^|[-_])(?:path|paths|file|files|filename|config|configuration|directory|dir|context|folder|manifest|script)$"
)
_KNOWN = re.compile(
    r"actions/(checkout|cache|cache/restore|cache/save|upload-artifact|download-artifact|setup-(python|node|go|java|dotnet))"
    r"|docker/(build-push-action|setup-buildx-action|setup-qemu-action|login-action|metadata-action)"
)
_NOT_READ = {
    "actions/checkout": frozenset({"path", "repository", "ref", "token"}),
    "actions/download-artifact": frozenset({"path", "name", "pattern"}),
    "actions/cache": frozenset({"path", "key", "restore-keys"}),
    "actions/cache/restore": frozenset({"path", "key", "restore-keys"}),
    "actions/cache/save": frozenset({"path", "key"}),
}


def used(step: Step, scope: Scope, place: Place, elsewhere: frozenset[str], library: Library) -> Iterator[Found]:
    """Return what the action of a step reads. ``elsewhere`` are directories that hold other checkouts."""
    if step.uses is None:
        return
    name = text_in(step.uses.text, scope).strip()
    values: dict[str, Value] = {key.lower(): value_in(text.text, scope) for key, text in step.inputs.items()}
    if UNKNOWN in name:
        yield Unclear(place=place, why="which action is used is known at run time only")
    elif name.startswith(("./", "../")) or name == ".":
        yield from _local(name, values, place, elsewhere, library)
    elif name.startswith("docker://"):
        yield Unclear(place=place, why=f"{name} is an image, and what it reads is not known")
    else:
        yield from _remote(name, values, place, library)


def _local(
    name: str, values: dict[str, Value], place: Place, elsewhere: frozenset[str], library: Library
) -> Iterator[Found]:
    directory = join("", name)
    submodule = library.checkout.submodule_of(directory) if directory else None
    found = library.action(directory) if directory is not None else None
    if submodule is not None:
        yield Reads(label=f"uses {name}", place=place, paths=(submodule,))
    elif directory is not None and any(f"{directory}/".startswith(f"{path}/") for path in elsewhere if path):
        yield Unclear(place=place, why=f"{name} is an action of another checkout")
    elif found is None or directory is None:
        yield Absent(kind="action", place=place, path=directory or name)
    else:
        inputs: Inputs = given_inputs(dict(found[1].inputs), values, typed=False)
        yield Leads(label=f"uses {name}", place=place, source=LocalAction(directory=directory, inputs=inputs))


def _remote(name: str, values: dict[str, Value], place: Place, library: Library) -> Iterator[Found]:
    action, _, version = name.partition("@")
    lower = action.lower()
    if lower == "actions/checkout" and not values.get("repository"):
        yield from checked_out(str(values.get("submodules", "")), place, library)
    if lower == "docker/build-push-action":
        context = str(values.get("context") or "")
        if context and "://" not in context and "{{" not in context:
            file = values.get("file")
            yield from built(str(file) if file else None, context, "", place, library)
    else:
        yield from _named_by_inputs(lower, values, place, library)
    if not _KNOWN.fullmatch(lower):
        fixed = "" if _FULL_ID.fullmatch(version) else f", and {version or 'no version'} can come to mean other code"
        yield Unclear(place=place, why=f"{name} is a remote action: what it reads is not known{fixed}")


def _named_by_inputs(action: str, values: dict[str, Value], place: Place, library: Library) -> Iterator[Found]:
    """Return the tracked paths in the inputs of an action. A single word is one only in an input for paths."""
    for key, value in values.items():
        if not isinstance(value, str) or key in _NOT_READ.get(action, ()):
            continue
        words = re.split(r"[\s,]+", value)
        bare = bool(_PATH_INPUT.search(key))
        yield from named([word for word in words if word and word not in {".", "./"}], "", place, library, bare=bare)
