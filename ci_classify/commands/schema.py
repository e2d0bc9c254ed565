"""``ci-classify schema``: print the JSON Schema of the rules file."""

from importlib.resources import files

from ci_classify.commands.exits import OK
from ci_classify.edges import console


def run() -> int:
    """Print the schema that ships with the package."""
    console.write(files("ci_classify.formats").joinpath("rules.schema.json").read_text(encoding="utf-8"))
    return OK
