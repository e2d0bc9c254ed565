"""The start of the process. Reads a plain ``run`` itself, so that a detector need not load click.

Refuses: help, abbreviations, mistakes and every other command; click reads those (``cli``).
"""

import gc
import sys
from collections.abc import Sequence

from ci_classify.core.annotations import Any

_VALUES = ("--repo", "--rules", "--event", "--base", "--head", "--branch", "--paths-from")
INTERRUPTED = 130  # as shells say that of any program


def main() -> None:
    """Run the command line and end the process: 0 fine, 1 findings, 2 usage or configuration, 3 our own bug, 130 interrupted."""
    gc.disable()  # a run is over before a collection would pay; hence also no import before this line
    from ci_classify.edges import console  # noqa: PLC0415

    console.prepare()
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001 -- the last handler
        from ci_classify.commands import showing  # noqa: PLC0415

        code = showing.failure(error)
    console.leave(code)


def plain_run(words: Sequence[str]) -> dict[str, Any] | None:
    """Return the options of a ``run`` in which each is written out, else None."""
    if list(words[:1]) != ["run"]:
        return None
    options: dict[str, Any] = {"repo": "."}
    labels: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if word == "--fetch":
            options["fetch"] = True
            continue
        if word == "--canary":
            options["canary"] = True
            continue
        name, equals, value = word.partition("=")
        if not equals:
            value = next(rest, "--")
            if value.startswith("-") and value != "-":
                return None
        if name == "--label":
            labels.append(value)
        elif name in _VALUES:
            options[name[2:].replace("-", "_")] = value
        elif name == "--format" and value in {"text", "json"}:
            options["as_json"] = value == "json"
        else:
            return None
    return {**options, "labels": tuple(labels)}


def _run(words: Sequence[str]) -> int:
    options = plain_run(words)
    if options is None:
        from ci_classify.cli import call  # noqa: PLC0415

        return call(words)
    from ci_classify.commands.run import RunRequest, run  # noqa: PLC0415

    return run(RunRequest(**options))


if __name__ == "__main__":
    main()
