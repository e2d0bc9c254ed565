"""The ``yaml/__init__.py`` of the bundle: a text becomes events, and nothing else.

Scanner and parser beside it are PyYAML's own. What builds values and writes YAML is left out, and the reader is this
one, for texts alone: a first start has to compile it all, which takes longer than reading most files.
"""

import re
from collections.abc import Iterator

from yaml.error import *  # noqa: F403 -- as PyYAML's own
from yaml.error import Mark, YAMLError
from yaml.events import *  # noqa: F403
from yaml.events import Event
from yaml.parser import Parser
from yaml.scanner import Scanner

# What stands in no YAML. PyYAML lists the others: the same, and ten times as long to compile.
_NOT_PRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class ReaderError(YAMLError):
    """A character that can't stand in YAML, and where it stands."""

    def __init__(self, position: int, character: str) -> None:
        """Keep both."""
        super().__init__(f"unacceptable character #x{ord(character):04x} at {position}")
        self.position = position
        self.character = character


class Reader:
    """The characters of a text, one after the other, with their places."""

    def __init__(self, stream: str) -> None:
        """Start at the beginning, or raise ReaderError."""
        wrong = _NOT_PRINTABLE.search(stream)
        if wrong:
            raise ReaderError(wrong.start(), wrong.group())
        self.buffer = stream + "\0"
        self.encoding = None
        self.index = self.line = self.column = 0

    def peek(self, index: int = 0) -> str:
        """Return the character at a distance."""
        return self.buffer[self.index + index]

    def prefix(self, length: int = 1) -> str:
        """Return the next characters."""
        return self.buffer[self.index : self.index + length]

    def forward(self, length: int = 1) -> None:
        """Go on by some characters."""
        passed = self.buffer[self.index : self.index + length]
        if passed.isprintable():  # no end of a line, no mark of a byte order
            self.index += length
            self.column += length
            return
        for character in passed:
            self.index += 1
            if character in "\n\x85\u2028\u2029" or (character == "\r" and self.buffer[self.index] != "\n"):
                self.line += 1
                self.column = 0
            elif character != "\ufeff":
                self.column += 1

    def get_mark(self) -> Mark:
        """Return the place."""
        return Mark("<text>", self.index, self.line, self.column, self.buffer, self.index)


class SafeLoader(Reader, Scanner, Parser):
    """PyYAML's loader of that name, as far as events."""

    def __init__(self, stream: str) -> None:
        """Start at the beginning of a text."""
        Reader.__init__(self, stream)
        Scanner.__init__(self)
        Parser.__init__(self)

    def need_more_tokens(self) -> bool:
        """Return whether a token is missing, without PyYAML's search for possible keys where there are none."""
        if self.done or not self.tokens:
            return not self.done
        return bool(self.possible_simple_keys and super().need_more_tokens())


def parse(stream: str, Loader: type[SafeLoader]) -> Iterator[Event]:  # noqa: N803 -- PyYAML's name
    """Yield the events of a text; raises YAMLError where it is no YAML."""
    loader = Loader(stream)
    while loader.check_event():
        yield loader.get_event()  # type: ignore[no-untyped-call]
