"""Files that a person names by an option."""

from pathlib import Path

from ci_classify.commands.exits import UsageError
from ci_classify.edges import files


def read_given(name: str, what: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``; ``what`` says what belongs there."""
    try:
        return files.read_standard_input() if name == "-" else files.read(Path(name))
    except files.FileProblemError as error:
        raise UsageError(str(error), f"name a file of {what}") from None
