"""The words of a script of bash or sh, and the operators between them.

Sees quotes, variables, substitutions, arithmetic and here-documents, each with its line.
"""

import re
from collections.abc import Iterator

from ci_classify.core.record import Record

_SPACE = frozenset(" \t")
_OPERATORS = ("<<<", "<<-", "&>>", ";;&", "<<", ">>", "<&", ">&", "&>", ">|", "<>", "&&", "||", "|&", ";;", ";&")
_META = frozenset(";&|<>()\n")
_PLAIN = re.compile(r"[^\s;&|<>()'\"`\\$]+")
_PLAIN_IN_QUOTES = re.compile(r"[^\"`\\$]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")


class Literal(Record):
    """Characters as they stand. Quoted ones are no pattern and split nothing."""

    text: str
    quoted: bool = False


class Variable(Record):
    """``$name`` or ``${name...}``; ``rest`` is what stands behind the name, such as ``:-default``."""

    name: str
    rest: str = ""
    quoted: bool = False


class Substitution(Record):
    """``$(script)``, or a process substitution, whose value is a name that only a run knows."""

    script: str
    line: int
    quoted: bool = False
    is_file: bool = False


class Unreadable(Record):
    """Arithmetic, whose value is no path."""


class Word(Record):
    """A word of a command."""

    parts: tuple[Literal | Variable | Substitution | Unreadable, ...]

    @property
    def plain(self) -> str | None:
        """The word if it is nothing but unquoted characters."""
        if all(isinstance(part, Literal) and not part.quoted for part in self.parts):
            return "".join(part.text for part in self.parts if isinstance(part, Literal))
        return None


class Operator(Record):
    """What stands between words; a line feed is one. ``joined``: it follows another one without a space."""

    text: str
    line: int
    joined: bool = False


class Read(Record):
    """A word, and its line."""

    word: Word
    line: int


Token = Operator | Read


class Lexer:
    """Cuts a script into words and operators; line feeds are operators."""

    def __init__(self, script: str) -> None:
        self._text = script
        self._at = 0
        self._counted = (0, 0)  # a place, and its line
        self.documents: list[tuple[str, bool, int]] = []  # delimiter, tabs cut, number of the token that opened it
        self.bodies: dict[int, str] = {}

    def tokens(self) -> list[Token]:
        """Return all words and operators; ``bodies`` then has the here-document of each delimiter, by its number."""
        found: list[Token] = []
        text = self._text
        while self._at < len(text):
            character = text[self._at]
            if character in _SPACE:
                self._at += 1
            elif text.startswith("\\\n", self._at):
                self._at += 2
            elif character == "#":
                end = text.find("\n", self._at)
                self._at = len(text) if end < 0 else end
            elif character in _META and not text.startswith(("<(", ">("), self._at):
                operator = self._operator()
                found.append(operator)
                if operator.text == "\n":
                    self._read_documents()
            else:
                line = self._line()
                word = self._word()
                found.append(Read(word=word, line=line))
                before = found[-2] if len(found) > 1 else None
                if isinstance(before, Operator) and before.text in {"<<", "<<-"}:
                    delimiter = "".join(part.text for part in word.parts if isinstance(part, Literal))
                    self.documents.append((delimiter, before.text == "<<-", len(found) - 1))
        return found

    def _line(self) -> int:
        at, line = self._counted
        self._counted = (self._at, line + self._text.count("\n", at, self._at))
        return self._counted[1]

    def _operator(self) -> Operator:
        line = self._line()
        found = next((o for o in _OPERATORS if self._text.startswith(o, self._at)), self._text[self._at])
        joined = self._at > 0 and self._text[self._at - 1] in "()"
        self._at += len(found)
        return Operator(text=found, line=line, joined=joined)

    def _read_documents(self) -> None:
        for delimiter, cut, number in self.documents:
            lines: list[str] = []
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                end = len(self._text) if end < 0 else end
                line = self._text[self._at : end]
                self._at = min(end + 1, len(self._text))
                if (line.lstrip("\t") if cut else line) == delimiter:
                    break
                lines.append(line.lstrip("\t") if cut else line)
            self.bodies[number] = "\n".join(lines)
        self.documents.clear()

    def _word(self) -> Word:
        parts: list[Literal | Variable | Substitution | Unreadable] = []
        text = self._text
        while self._at < len(text):
            character = text[self._at]
            if text.startswith(("<(", ">("), self._at):
                self._at += 1
                parts.append(self._substitution(quoted=False, is_file=True))
            elif character in _SPACE or character in _META:
                break
            elif character == "'":
                parts.append(Literal(text=self._until("'"), quoted=True))
            elif text.startswith("$'", self._at):
                self._at += 1
                parts.append(Literal(text=self._until("'"), quoted=True))
            elif character == '"' or text.startswith('$"', self._at):
                self._at += 1 if character == '"' else 2
                parts += self._double_quoted()
            else:
                parts += self._part(quoted=False)
        return Word(parts=tuple(parts) or (Literal(text="", quoted=True),))

    def _until(self, sign: str) -> str:
        end = self._text.find(sign, self._at + 1)
        end = len(self._text) if end < 0 else end
        found = self._text[self._at + 1 : end]
        self._at = end + 1
        return found

    def _double_quoted(self) -> Iterator[Literal | Variable | Substitution | Unreadable]:
        yield Literal(text="", quoted=True)
        while self._at < len(self._text) and self._text[self._at] != '"':
            yield from self._part(quoted=True)
        self._at += 1

    def _part(self, *, quoted: bool) -> Iterator[Literal | Variable | Substitution | Unreadable]:
        """Read one character, or what a dollar or a backtick starts."""
        text, at = self._text, self._at
        if text[at] == "\\":
            self._at += 2
            following = text[at + 1 : at + 2]
            if following != "\n":
                kept = quoted and following not in {"$", "`", '"', "\\"}
                yield Literal(text="\\" + following if kept else following, quoted=True)
        elif text[at] == "`":
            line = self._line()
            yield Substitution(script=self._until("`"), line=line, quoted=quoted)
        elif text.startswith("$((", at):
            self._at += 1
            self._balanced()
            yield Unreadable()
        elif text.startswith("$(", at):
            self._at += 1
            yield self._substitution(quoted=quoted, is_file=False)
        elif text.startswith("${", at):
            end = _closing(text, at + 1, "{", "}")
            inner = text[at + 2 : end]
            self._at = end + 1
            match = _NAME.match(inner)
            yield Variable(name=match[0], rest=inner[match.end() :], quoted=quoted) if match else Unreadable()
        elif text[at] == "$" and (match := _NAME.match(text, at + 1)):
            self._at = match.end()
            yield Variable(name=match[0], quoted=quoted)
        else:
            run = (_PLAIN_IN_QUOTES if quoted else _PLAIN).match(text, at)
            self._at = run.end() if run else at + 1
            yield Literal(text=text[at : self._at], quoted=quoted)

    def _substitution(self, *, quoted: bool, is_file: bool) -> Substitution:
        line = self._line()
        return Substitution(script=self._balanced(), line=line, quoted=quoted, is_file=is_file)

    def _balanced(self) -> str:
        """Return what stands between the parenthesis here and its end."""
        end = _closing(self._text, self._at, "(", ")")
        found = self._text[self._at + 1 : end]
        self._at = end + 1
        return found


def _closing(text: str, at: int, opens: str, closes: str) -> int:
    """Return the place of the bracket that closes the one at a place, or the end of the text."""
    depth, quote = 0, ""
    while at < len(text):
        character = text[at]
        if character == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in {"'", '"'}:
            quote = character
        elif character == opens:
            depth += 1
        elif character == closes:
            depth -= 1
            if not depth:
                return at
        at += 1
    return len(text)
