"""What the YAML parser complains about, in words of somebody who writes rules.

The parser's own words (PyYAML's pure scanner) are the key. What is not listed keeps them.
"""

from typing import NamedTuple

from ci_classify.core.text import quoted

_CONFLICT = ("<<<<<<< ", "=======", ">>>>>>> ", "|||||||")


class Explained(NamedTuple):
    """A mistake. ``at_start`` says that it lies where the construct starts, not where the parser gave up."""

    message: str
    help: str
    at_start: bool = False


def explain(context: str, problem: str, text: str, line: int) -> Explained:
    """Return what is wrong. ``text`` is the file from the start of the construct, which is on this 1-based line."""
    match context:
        case "while scanning an alias":
            return Explained(f"{as_meant(text)} is an alias without quotes", f"write {as_meant(text)}", at_start=True)
        case "while scanning a tag" | "while parsing a tag":
            return Explained(f"{as_meant(text)} is a YAML tag without quotes", f"write {as_meant(text)}", at_start=True)
        case "while scanning a quoted scalar":
            return Explained("the quote that opens here has no end", "write a quote behind the text", at_start=True)
        case "while scanning a double-quoted scalar":
            return Explained(
                "a backslash in double quotes starts an escape, and this is none",
                "use single quotes, which leave backslashes alone",
            )
        case "while parsing a flow sequence":
            return Explained(f"the [ on line {line} is not closed, or a comma is missing here", "write ] or a comma")
        case "while parsing a flow mapping":
            return Explained(f"the {{ on line {line} is not closed, or a comma is missing here", "write } or a comma")
        case _:
            return _by_problem(problem, text)


def _by_problem(problem: str, text: str) -> Explained:
    if problem.startswith("found character"):
        if text.startswith("\t"):
            return Explained("a tab can't indent", "write spaces")
        return Explained(f"a text can't start with {text[:1]} without quotes", f"write {as_meant(text)}")
    if problem == "mapping values are not allowed here":
        return Explained(
            "a colon can't stand here",
            "put quotes around a text with a colon, and a space behind the colon of the key above",
        )
    if text.startswith(_CONFLICT):
        return Explained("a mark of a merge conflict", "resolve the conflict", at_start=True)
    if problem == "could not find expected ':'":
        return Explained(
            "no colon follows this key", "write `key: value`, with a space behind the colon", at_start=True
        )
    if problem.startswith("expected <block end>"):
        return Explained(
            "this does not continue the lines above",
            "indent it like the lines that it belongs to, and put quotes around a text that starts with [ or {",
        )
    return Explained(f"this is no YAML: {problem}", "check quotes, indentation and brackets here")


def as_meant(text: str) -> str:
    """Return the text that somebody forgot to quote, in quotes: up to the end of the line or of the list's item."""
    depth = 0
    for at, sign in enumerate(text):
        if sign in "\r\n" or text.startswith((" #", ": ", ":\n"), at) or (depth == 0 and sign in ",]}"):
            return quoted(text[:at].rstrip())
        depth += (sign in "[{") - (sign in "]}")
    return quoted(text)
