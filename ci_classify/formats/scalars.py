"""What YAML makes of a text without quotes."""

import re
from functools import cache

_BOOLEAN_WORDS = frozenset({"true", "false", "yes", "no", "on", "off"})
_NOTHING_WORDS = frozenset({"", "~", "null"})
_NUMBER_STARTS = frozenset("0123456789+-.")
_BEHIND_A_DOT = frozenset("0123456789_in")


def kind_of(text: str) -> str:
    """Return ``text``, or what YAML 1.1 or 1.2 makes of a plain scalar: a boolean, a number, a date, ..."""
    word = text.lower()
    if word in _BOOLEAN_WORDS:
        return "a boolean"
    if word in _NOTHING_WORDS:
        return "nothing"
    if word[0] not in _NUMBER_STARTS or (word[0] == "." and word[1:2] not in _BEHIND_A_DOT):
        return "text" if word != "<<" else "a merge key"
    if word.isascii() and word.isdecimal():
        return "a number"
    return next((kind for regex, kind in _numbers() if regex.fullmatch(word)), "text")


@cache
def _numbers() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what numbers and dates look like; compiled at first need: in most files a version is all."""
    number = (
        r"[-+]?(?:0x[0-9a-f_]+|0b[01_]+|0o?[0-7_]+|[0-9][0-9_]*(?::[0-5]?[0-9])*)",
        r"[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?::[0-5]?[0-9])*\.[0-9_]*)(?:e[-+]?[0-9]+)?",
        r"[-+]?[0-9][0-9_]*e[-+]?[0-9]+",
        r"[-+]?\.(?:inf|nan)",
    )
    date = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t \t].*)?"
    return (re.compile("|".join(number)), "a number"), (re.compile(date), "a date")
