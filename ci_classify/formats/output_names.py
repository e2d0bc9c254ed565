"""The names of outputs in a rules file that can't be loaded: everything that could be one.

Used for the fallback only, which needs names to say ``true`` for. Too many is better than too few, so that
three readings are joined: as YAML up to the mistake, by indentation, and by brackets.
"""

import codecs
import re
from collections.abc import Iterator

import yaml

from ci_classify.core.errors import InvalidFileError
from ci_classify.formats.declared_names import OWN_OUTPUTS, is_output_name
from ci_classify.formats.nodes import MAX_BYTES, UNREADABLE, decode, events

_SECTIONS = ("suites", "producers")
_HEADER = r"""["']?(?:suites|producers)["']?[ \t]*:"""
_BLOCK_HEADER = re.compile(rf"[ \t]*{_HEADER}")
_FLOW_HEADER = re.compile(rf"(?<![\w-]){_HEADER}\s*\{{")
_KEY = re.compile(r"""[ \t]*["']?([A-Za-z_][A-Za-z0-9_-]*)["']?[ \t]*:(?:\s+(.*)|$)""")
_OPENS_MAPPING = re.compile(r"$|[{#&!]")
_TOKEN = re.compile(
    r"""(?P<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*')|(?<=\s)\#[^\n]*|(?P<sign>[{}\[\]])|(?P<plain>[^\s{}\[\],:"'\#][^\s{}\[\],:]*)"""
)
_COLON = re.compile(r"\s{0,200}:")
_MARKS = frozenset("%]})!@`&*?,|>:;=~$^\\/+.<([{")  # what no name starts with; a dash begins an item of a list
_MOST_MARKS = 8  # in front of one word
_KEYS_OF_OUTPUTS = frozenset({"title", "inputs", "events", "empty-diff", "documentation", "internal", "consumers"})


def output_names(content: bytes, file: str) -> tuple[str, ...]:
    """Return what looks like names of outputs, each once. Never raises."""
    text = _text(content, file)
    kept: dict[str, str] = {}
    for name in dict.fromkeys((*_from_events(text), *_from_lines(text), *_from_brackets(text))):
        if is_output_name(name) and name.lower() not in OWN_OUTPUTS:
            kept.setdefault(name.lower(), name)
    return tuple(kept.values())


def _text(content: bytes, file: str) -> str:
    content = content[:MAX_BYTES]
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    try:
        return decode(content, file)
    except InvalidFileError:
        return content.decode("utf-8", "replace")


def _from_events(text: str) -> Iterator[str]:
    """Yield the keys below ``suites`` and ``producers`` as far as the text is YAML."""
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
                    yield value
                is_key[-1] = not is_key[-1]
    except UNREADABLE:
        pass  # what came before the mistake counts


def _from_lines(text: str) -> Iterator[str]:
    """Yield the keys below ``suites:`` and ``producers:`` by indentation, however odd that is.

    A line that is no key, such as a mark of a merge conflict, ends nothing; nor does a key behind a stray mark, which
    counts wherever it stands. A key deeper than the first one counts
    if a mapping starts there that has no business inside of a suite.
    """
    header: int | None = None  # the indentation of the section's name
    level: int | None = None  # that of the first name in it
    for line in text.splitlines():
        bare = _without_marks(line)
        key = _KEY.match(bare)
        if key is None:
            continue
        if bare is not line and header is not None and not _BLOCK_HEADER.match(bare):
            if key[1] not in _KEYS_OF_OUTPUTS:
                yield key[1]
            continue
        indentation = len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs())
        if header is None or indentation <= header:
            header = indentation if _BLOCK_HEADER.match(line) else None
            level = None
        elif level is None or indentation <= level:
            level = indentation
            yield key[1]
        elif key[1] not in _KEYS_OF_OUTPUTS and _OPENS_MAPPING.match(key[2] or ""):
            yield key[1]


def _without_marks(line: str) -> str:
    """Return a line without the signs and tags in front of its first word, if there are any."""
    text = line.lstrip(" \t")
    if text[:1] not in _MARKS:
        return line
    for _ in range(_MOST_MARKS):
        word, _, rest = text.partition(" ")
        rest = rest.lstrip(" \t")
        if ":" in word or rest[:1] in {"", ":"}:
            return text.lstrip("".join(_MARKS))
        text = rest
        if text[:1] not in _MARKS:
            break
    return text


def _from_brackets(text: str) -> Iterator[str]:
    """Yield the keys in the braces behind ``suites:`` and ``producers:``, some brackets missing or not."""
    start = _FLOW_HEADER.search(text)
    while start is not None:
        end = start.end()
        opened = ["{"]
        for token in _TOKEN.finditer(text, end):
            end = token.end()
            sign = token["sign"]
            if sign in {"{", "["}:
                opened.append(sign)
            elif sign == "]" and opened[-1] == "[":
                opened.pop()
            elif sign == "}":
                while opened.pop() != "{":
                    pass
                if not opened:
                    break
            elif len(opened) == 1 and sign is None and _COLON.match(text, end):
                yield (token["plain"] or token["quoted"] or "").strip("\"'")
        start = _FLOW_HEADER.search(text, end)
