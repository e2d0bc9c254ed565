"""The syntax of PowerShell, as far as it decides which commands a script holds; the result is that of ``bash``.

Sees commands and their words, the call and the dot operator, assignments of texts and of lists, ``foreach`` over
them, ``Join-Path`` of two words, here-strings. Conditions are not judged: every branch counts.

Can't see methods of objects, splatting, aliases, and what operators make of values.
"""

import re
from collections.abc import Iterator

from ci_classify.derive.bash import Assignment, Node, Simple
from ci_classify.derive.bash_words import Literal, Unreadable, Variable, Word

_HERE = re.compile(r"@(['\"])\n(.*?)\n\1@", re.DOTALL)
_JOIN = re.compile(
    r"\(\s*Join-Path\s+(?:-Path\s+)?('[^'\n]*'|\"[^\"\n]*\"|[^\s)]+)\s+(?:-ChildPath\s+)?('[^'\n]*'|\"[^\"\n]*\"|[^\s)]+)\s*\)",
    re.IGNORECASE,
)
_VARIABLE = re.compile(
    r"\$\{(?:env:)?([^}\n]+)\}|\$(?:env:)?([A-Za-z_?][A-Za-z0-9_]*)(?::([A-Za-z_]\w*))?", re.IGNORECASE
)
_ASSIGNED = re.compile(r"\$\{?(?:env:|script:|global:)?([A-Za-z_]\w*)\}?\s*(\+?=)(?!=)", re.IGNORECASE)
_FOREACH = re.compile(r"foreach\s*\(\s*\$(\w+)\s+in\s+([^)\n]*)\)", re.IGNORECASE)
_KEYWORDS = frozenset(
    {"if", "elseif", "else", "while", "do", "until", "try", "catch", "finally", "function", "return", "param"}
)
_BREAKS = frozenset("\n;|{}()&")


def parse(script: str) -> list[Node]:
    """Return the commands of a script in order, lines counted from 0."""
    text = _HERE.sub(_here_string, script)
    text = re.sub(r"<#.*?#>", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
    while (joined := _JOIN.sub(lambda match: f'"{_bare(match[1])}/{_bare(match[2])}"', text)) != text:
        text = joined
    return list(_Parser(text).nodes())


def _here_string(match: re.Match[str]) -> str:
    body = match[2].replace("'", "''")
    return f"'{body}'\n\n"


def _bare(word: str) -> str:
    return word[1:-1] if word[:1] in {"'", '"'} else word


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def nodes(self) -> Iterator[Node]:
        while self._at < len(self._text):
            if self._text[self._at] in " \t\r":
                self._at += 1
                continue
            line = self._text.count("\n", 0, self._at)
            looped = _FOREACH.match(self._text, self._at)
            assigned = _ASSIGNED.match(self._text, self._at)
            if looped:
                self._at = looped.end()
                yield _assignment(line, looped[1], looped[2])
            elif assigned:
                self._at = assigned.end()
                yield from self._value(line, assigned[1])
            else:
                called = self._text.startswith("&", self._at)
                words = self._words()
                if words and (called or _is_command(words[0])):
                    yield Simple(line=line, assignments=(), words=tuple(words))
                elif not words:
                    self._at += 1

    def _value(self, line: int, name: str) -> Iterator[Node]:
        """Read what is assigned: a list of texts, or a command."""
        start = self._at
        words = self._words()
        if self._text[start : self._at].strip() in {"", "@"} and self._text.startswith("(", self._at):
            end = self._text.find(")", self._at)
            end = len(self._text) if end < 0 else end
            yield _assignment(line, name, self._text[self._at + 1 : end])
            self._at = end + 1
        elif len(words) == 3 and (words[0].plain or "").lower() == "join-path":
            joined = Word(parts=(*words[1].parts, Literal(text="/"), *words[2].parts))
            yield Simple(line=line, assignments=(Assignment(name=name, values=(joined,)),), words=())
        elif len(words) == 1 or all((word.plain or "").endswith(",") for word in words[:-1]):
            yield _assignment(line, name, self._text[start : self._at])
        elif words:
            yield Simple(line=line, assignments=(Assignment(name=name, values=(_UNKNOWN,)),), words=())
            yield Simple(line=line, assignments=(), words=tuple(words))

    def _words(self) -> list[Word]:
        """Read words up to the end of a command. The call operator is no word."""
        found: list[Word] = []
        while self._at < len(self._text):
            character = self._text[self._at]
            if self._text.startswith(("`\n", "`\r\n"), self._at):
                self._at = self._text.index("\n", self._at) + 1
            elif character in " \t\r,":
                self._at += 1
            elif character == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif character == "&" and not found and not self._text.startswith("&&", self._at):
                self._at += 1
            elif character in _BREAKS:
                break
            else:
                found.append(self._word())
        return found

    def _word(self) -> Word:
        parts: list[Literal | Variable | Unreadable] = []
        text = self._text
        while self._at < len(text) and text[self._at] not in " \t\r," and text[self._at] not in _BREAKS:
            character = text[self._at]
            if character == "'":
                end = self._quote("'")
                parts.append(Literal(text=text[self._at + 1 : end].replace("''", "'"), quoted=True))
                self._at = end + 1
            elif character == '"':
                end = self._quote('"')
                parts.append(Literal(text="", quoted=True))
                parts += _expanded(text[self._at + 1 : end], quoted=True)
                self._at = end + 1
            elif match := _VARIABLE.match(text, self._at):
                parts.append(_variable(match, quoted=True))
                self._at = match.end()
            elif character == "`":
                parts.append(Literal(text=text[self._at + 1 : self._at + 2], quoted=True))
                self._at += 2
            else:
                parts.append(Literal(text="/" if character == "\\" else character))
                self._at += 1
        return Word(parts=tuple(parts))

    def _quote(self, sign: str) -> int:
        """Return the place of the quote that closes the one here."""
        at = self._at + 1
        while at < len(self._text):
            if (self._text[at] == "`" and sign == '"') or self._text.startswith(sign * 2, at):
                at += 1
            elif self._text[at] == sign:
                return at
            at += 1
        return len(self._text)


def _is_command(word: Word) -> bool:
    """Return whether a statement calls a program, and is no keyword and no expression."""
    first = word.parts[0] if word.parts else None
    if not isinstance(first, Literal) or first.quoted:
        return False
    return (
        first.text[:1] not in "[@$-+!" and not first.text[:1].isdigit() and (word.plain or "").lower() not in _KEYWORDS
    )


_UNKNOWN = Word(parts=(Unreadable(),))


def _assignment(line: int, name: str, values: str) -> Simple:
    parser = _Parser(values.replace("\n", " "))
    words = tuple(parser._words()) if "(" not in values else (_UNKNOWN,)  # noqa: SLF001 -- of this module
    return Simple(line=line, assignments=(Assignment(name=name, values=words),), words=())


def _expanded(text: str, *, quoted: bool) -> Iterator[Literal | Variable | Unreadable]:
    """Read a text in double quotes."""
    at = 0
    while at < len(text):
        match = _VARIABLE.match(text, at)
        if text.startswith("$(", at):
            yield Unreadable()
            end = text.find(")", at)
            at = len(text) if end < 0 else end + 1
        elif match:
            yield _variable(match, quoted=quoted)
            at = match.end()
        elif text[at] == "`":
            yield Literal(text=text[at + 1 : at + 2], quoted=quoted)
            at += 2
        else:
            end = next((i for i in range(at + 1, len(text)) if text[i] in "$`"), len(text))
            yield Literal(text=text[at:end].replace("\\", "/"), quoted=quoted)
            at = end


def _variable(match: re.Match[str], *, quoted: bool) -> Variable | Unreadable:
    if match[3] is not None:
        return Unreadable()
    return Variable(name=match[1] or match[2], quoted=quoted)
