"""JSON from elsewhere, read with a place for each mistake."""

import json
from typing import NoReturn

from ci_classify.core.errors import InvalidFileError, Problem


def wrong(file: str, message: str, help_: str, *, line: int = 0) -> NoReturn:
    """Raise the complaint about a file."""
    raise InvalidFileError((Problem(file=file, line=line, column=1, message=message, help=help_),))


def read_json(content: bytes, file: str, help_: str) -> object:
    """Return the value of a JSON text, or the list of the values on its lines."""
    text = content.decode("utf-8-sig", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    values = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                wrong(file, f"this is neither JSON nor a line of JSON: {error}", help_, line=number)
    return values
