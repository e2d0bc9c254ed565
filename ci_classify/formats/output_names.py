"""The names of outputs in a rules file that can't be loaded: everything that could be one.

Used for the fallback only, which needs names to say ``true`` for. Too many is better than too few.
"""

import re

import yaml

from ci_classify.core.errors import InvalidFileError
from ci_classify.formats.nodes import decode, events
from ci_classify.formats.rules_file import OWN_OUTPUTS, is_output_name

_SECTIONS = ("suites", "producers")
_KEY = re.compile(r"""( +)["']?([A-Za-z_][A-Za-z0-9_-]*)["']?[ \t]*:(?:\s|\Z)""")


def output_names(content: bytes, file: str) -> tuple[str, ...]:
    """Return what looks like names of outputs, each once, in the order of the file."""
    try:
        text = decode(content, file)
    except InvalidFileError:
        text = content[: 4 << 20].decode("utf-8", "replace")
    names = [*_from_events(text), *_from_lines(text)]
    kept: dict[str, str] = {}
    for name in names:
        if is_output_name(name) and name.lower() not in OWN_OUTPUTS:
            kept.setdefault(name.lower(), name)
    return tuple(kept.values())


def _from_events(text: str) -> list[str]:
    """Return the keys below ``suites`` and ``producers`` as far as the text is YAML."""
    names: list[str] = []
    depth = 0
    section = ""
    is_key = [True]  # for each open collection: whether the next node is a key of a mapping
    try:
        for event in events(text):
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                is_key[-1] = not is_key[-1]
                is_key.append(isinstance(event, yaml.MappingStartEvent))
                depth += 1
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                is_key.pop()
                depth -= 1
            elif isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent)):
                value = event.value if isinstance(event, yaml.ScalarEvent) else ""
                if is_key[-1] and depth == 1:
                    section = value
                elif is_key[-1] and depth == 2 and section in _SECTIONS:
                    names.append(value)
                is_key[-1] = not is_key[-1]
    except yaml.YAMLError:
        pass  # what came before the mistake counts
    return names


def _from_lines(text: str) -> list[str]:
    """Return the keys of the first level below ``suites:`` and ``producers:``, by indentation alone."""
    names: list[str] = []
    inside = False
    level: int | None = None
    for line in text.splitlines():
        if line[:1] not in {"", " ", "#", "\t"}:
            inside = re.match(r"""["']?(suites|producers)["']?[ \t]*:""", line) is not None
            level = None
            continue
        match = _KEY.match(line)
        if inside and match:
            level = len(match[1]) if level is None else level
            if len(match[1]) == level:
                names.append(match[2])
    return names
