"""JSON from elsewhere, read with a place for each mistake."""

import json
import re
from collections.abc import Sequence
from typing import NoReturn

from ci_classify.core.errors import InvalidFileError, Problem

_MOST_DIGITS = 300  # below where a number is no finite float any more
_BLANKS = re.compile(r"[ \t\r\n]*")


def wrong(file: str, message: str, help_: str, *, line: int = 0, column: int = 1) -> NoReturn:
    """Raise the complaint about a file."""
    raise InvalidFileError((Problem(file=file, line=line, column=column, message=message, help=help_),))


def read_json(content: bytes, file: str, help_: str) -> object:
    """Return the value of a JSON text, or the list of its values where several follow each other, on lines or not."""
    text = content.decode("utf-8-sig", "replace")
    values = []
    place = _next(text, 0)
    while place < len(text):
        try:
            value, end = _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            _unreadable(text, error.pos, error.msg, file, help_)
        except ValueError as error:
            _unreadable(text, place, str(error), file, help_)
        except RecursionError:
            _unreadable(text, place, "it is nested too deeply", file, help_)
        values.append(value)
        place = _next(text, end)
    return values[0] if len(values) == 1 else values


def once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return the members of an object, or raise ValueError where a name stands twice; for ``object_pairs_hook``."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands twice")
    return found


def _unreadable(text: str, place: int, message: str, file: str, help_: str) -> NoReturn:
    line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
    wrong(file, f"this is no JSON: {message}", help_, line=line, column=column)


def _next(text: str, place: int) -> int:
    match = _BLANKS.match(text, place)
    return match.end() if match else place


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits")
    return int(digits)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=once, parse_int=_whole, parse_constant=_no_number)
