"""Words, lines, numbers, paths and expressions of the section ``baselines``; each mistake has a code."""

import re

from ci_classify.core.baseline import ErrorCode
from ci_classify.core.baseline_bucket import GLOB_SIGNS, check_path
from ci_classify.formats.nodes import Node, Scalar
from ci_classify.formats.reader import Reader

MAX_NAME = 100
MAX_NUMBER = 2**31 - 1  # what a user version of SQLite can be
MAX_EXPRESSION = 500

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
BRANCH = re.compile(r"refs/heads/(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*")
REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


class Words:
    """Reads values that stand in any part of the section."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def wrong(self, node: Node, message: str, help_: str, code: ErrorCode = ErrorCode.INVALID_POLICY) -> None:
        """Note a mistake with its code."""
        self.reader.wrong(node, message, help_, code=code.value)

    def matches(self, text: str, node: Node, form: re.Pattern[str], what: str) -> bool:
        """Return whether a word has a form; if not, that is noted."""
        if form.fullmatch(text) and len(text) <= MAX_NAME:
            return True
        help_ = "write refs/heads/NAME" if form is BRANCH else "write letters, digits, - and _, and no other signs"
        self.wrong(node, f"{what} can't be {text[:MAX_NAME]!a}", help_)
        return False

    def named(self, node: Node | None, what: str, form: re.Pattern[str]) -> str | None:
        """Return a word of a form."""
        text = self.reader.text(node, what) if node else None
        return text if text is not None and node and self.matches(text, node, form, what) else None

    def line(self, node: Node | None, what: str) -> str | None:
        """Return a text of one printable line."""
        text = self.reader.text(node, what) if node else None
        if text is not None and node and not (text.strip() and text.isprintable()):
            self.wrong(node, f"{what} must be one printable line", "write a short text")
        return text

    def lines(self, node: Node | None, what: str) -> tuple[str, ...]:
        """Return a list of texts of one printable line each."""
        items = self.reader.items(node, what) if node else []
        found = (self.line(item, f"an entry of {what}") for item in items)
        return tuple(text for text in found if text is not None)

    def number(self, node: Node | None, what: str, *, default: int) -> int:
        """Return a whole number, written without quotes."""
        if node is None:
            return default
        text = node.text if isinstance(node, Scalar) and node.kind == "a number" else ""
        if text.isascii() and text.isdigit() and len(text) < 11 and int(text) <= MAX_NUMBER:
            return int(text)
        self.wrong(node, f"{what} must be a whole number", "write one, such as 1, without quotes")
        return default

    def path(self, node: Node, what: str, code: ErrorCode) -> str | None:
        """Return a path in the repository, which is no pattern."""
        text = self.reader.text(node, what)
        if text is None:
            return None
        text_without = text.removesuffix("/")
        wrong = check_path(text_without, "")
        if wrong is None and not GLOB_SIGNS.isdisjoint(text_without):
            wrong = "it holds * ? or [, and is no pattern"
        if wrong is not None:
            self.wrong(node, f"{what} can't be {text[:MAX_NAME]!a}: {wrong}", "write a path from the top", code)
            return None
        return text_without

    def expression(self, node: Node, text: str | None, what: str) -> str | None:
        """Return a regular expression of bounded length."""
        if text is None:
            return None
        try:
            re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            self.wrong(node, f"{what} is no regular expression: {error}", "correct it")
            return None
        if not text or len(text) > MAX_EXPRESSION:
            self.wrong(node, f"{what} must have 1 to {MAX_EXPRESSION} characters", "write a shorter expression")
            return None
        return text
