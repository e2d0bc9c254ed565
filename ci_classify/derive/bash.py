"""The syntax of bash and sh, as far as it decides which commands a script holds.

Sees commands with their words, assignments, redirections, here-documents, loops over words, subshells, functions and
substitutions, each with its line. Conditions are not judged: every branch counts.

Can't see aliases, ``eval`` of what is put together at run time, and arithmetic.
"""

import re
from collections.abc import Iterator
from typing import Literal as OneOf

from ci_classify.core.record import Record


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


class Assignment(Record):
    """``name=value``, or with several values an array, or ``for name in values``."""

    name: str
    values: tuple[Word, ...]


class Simple(Record):
    """A command, the assignments before it, the files that it is redirected from and to, and its standard input."""

    line: int
    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    sources: tuple[Word, ...] = ()
    targets: tuple[Word, ...] = ()
    document: str | None = None


class Bracket(Record):
    """The start or the end of a subshell, of a function, or of a group."""

    kind: OneOf["subshell", "function", "group"]
    opens: bool


Node = Simple | Bracket

_SPACE = frozenset(" \t")
_OPERATORS = ("<<<", "<<-", "&>>", ";;&", "<<", ">>", "<&", ">&", "&>", ">|", "<>", "&&", "||", "|&", ";;", ";&")
_META = frozenset(";&|<>()\n")
_PLAIN = re.compile(r"[^\s;&|<>()'\"`\\$]+")
_PLAIN_IN_QUOTES = re.compile(r"[^\"`\\$]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^]]*\])?(\+?=)")
_HEADS = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "time", "coproc"})
_TAILS = frozenset({"fi", "done"})


class _Operator(Record):
    text: str
    line: int


class _Read(Record):
    word: Word
    line: int


_Token = _Operator | _Read


def parse(script: str) -> list[Node]:
    """Return the commands of a script in order, lines counted from 0."""
    return _Parser(_Lexer(script)).nodes()


class _Lexer:
    """Cuts a script into words and operators; line feeds are operators."""

    def __init__(self, script: str) -> None:
        self._text = script
        self._at = 0
        self._counted = (0, 0)  # a place, and its line
        self.documents: list[tuple[str, bool, int]] = []  # delimiter, tabs cut, number of the token that opened it
        self.bodies: dict[int, str] = {}

    def tokens(self) -> list[_Token]:
        found: list[_Token] = []
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
                found.append(self._operator())
                if found[-1] == _Operator(text="\n", line=found[-1].line):
                    self._read_documents()
            else:
                line = self._line()
                word = self._word()
                found.append(_Read(word=word, line=line))
                before = found[-2] if len(found) > 1 else None
                if isinstance(before, _Operator) and before.text in {"<<", "<<-"}:
                    delimiter = "".join(part.text for part in word.parts if isinstance(part, Literal))
                    self.documents.append((delimiter, before.text == "<<-", len(found) - 1))
        return found

    def _line(self) -> int:
        at, line = self._counted
        self._counted = (self._at, line + self._text.count("\n", at, self._at))
        return self._counted[1]

    def _operator(self) -> _Operator:
        line = self._line()
        found = next((o for o in _OPERATORS if self._text.startswith(o, self._at)), self._text[self._at])
        self._at += len(found)
        return _Operator(text=found, line=line)

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


class _Parser:
    """Groups words into commands. Keywords count only where a command can start."""

    def __init__(self, lexer: _Lexer) -> None:
        self._tokens = lexer.tokens()
        self._bodies = lexer.bodies
        self._at = 0
        self._found: list[Node] = []
        self._braces: list[OneOf["function", "group"]] = []
        self._cases = 0
        self._pattern = False  # the pattern of a case is expected

    def nodes(self) -> list[Node]:
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if self._pattern:
                self._skip_pattern(token)
            elif isinstance(token, _Operator):
                self._separator(token)
            else:
                self._command(token.line)
        return self._found

    def _skip_pattern(self, token: _Token) -> None:
        self._at += 1
        if isinstance(token, _Read) and token.word.plain == "esac":
            self._cases -= 1
            self._pattern = False
        elif isinstance(token, _Operator) and token.text == ")":
            self._pattern = False

    def _separator(self, token: _Operator) -> None:
        self._at += 1
        if token.text == "(":
            if self._next_is("("):
                self._skip_arithmetic()
            else:
                self._found.append(Bracket(kind="subshell", opens=True))
        elif token.text == ")":
            self._found.append(Bracket(kind="subshell", opens=False))
        elif token.text in {";;", ";&", ";;&"} and self._cases:
            self._pattern = True

    def _next_is(self, operator: str) -> bool:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        return isinstance(token, _Operator) and token.text == operator

    def _skip_arithmetic(self) -> None:
        depth = 1
        while self._at < len(self._tokens) and depth:
            token = self._tokens[self._at]
            depth += isinstance(token, _Operator) and {"(": 1, ")": -1}.get(token.text, 0)
            self._at += 1

    def _command(self, line: int) -> None:
        """Read one command, or one keyword before it."""
        first = self._word()
        plain = first.plain
        if plain in _HEADS:
            return
        if plain in _TAILS:
            self._redirections(line)
        elif plain == "esac":
            self._cases -= 1
        elif plain == "{":
            self._braces.append("group")
            self._found.append(Bracket(kind="group", opens=True))
        elif plain == "}":
            kind = self._braces.pop() if self._braces else "group"
            self._found.append(Bracket(kind=kind, opens=False))
            self._redirections(line)
        elif plain in {"for", "select"}:
            self._loop(line)
        elif plain == "case":
            self._until_in()
        elif plain == "function" or (plain is not None and "=" not in plain and self._next_is("(")):
            self._function(named=plain != "function")
        elif plain == "[[":
            self._test(line)
        else:
            self._simple(first, line)

    def _word(self) -> Word:
        token = self._tokens[self._at]
        self._at += 1
        if isinstance(token, _Operator):
            raise TypeError("an operator is no word")
        return token.word

    def _words(self) -> list[Word]:
        found = []
        while self._at < len(self._tokens) and isinstance(self._tokens[self._at], _Read):
            found.append(self._word())
        return found

    def _loop(self, line: int) -> None:
        words = self._words()
        if len(words) > 1 and words[0].plain is not None and words[1].plain == "in":
            assigned = Assignment(name=words[0].plain, values=tuple(words[2:]))
            self._found.append(Simple(line=line, assignments=(assigned,), words=()))
        elif self._next_is("("):
            self._skip_arithmetic()

    def _until_in(self) -> None:
        self._cases += 1
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if isinstance(token, _Read) and token.word.plain == "in":
                break
        self._pattern = True

    def _function(self, *, named: bool) -> None:
        if not named and self._at < len(self._tokens) and isinstance(self._tokens[self._at], _Read):
            self._at += 1
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if isinstance(token, _Read):
                if token.word.plain == "{":
                    self._at += 1
                    self._braces.append("function")
                    self._found.append(Bracket(kind="function", opens=True))
                return
            if token.text not in {"(", ")", "\n"}:
                return
            self._at += 1

    def _test(self, line: int) -> None:
        """Read ``[[ ... ]]``, in which operators are words."""
        words = [Word(parts=(Literal(text="test"),))]
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if isinstance(token, _Read):
                if token.word.plain == "]]":
                    break
                words.append(token.word)
        self._found.append(Simple(line=line, assignments=(), words=tuple(words)))

    def _redirections(self, line: int) -> None:
        """Read the redirections behind a loop or a group."""
        node = self._rest([], [], line)
        if node.sources or node.targets or node.document is not None:
            self._found.append(node)

    def _simple(self, first: Word, line: int) -> None:
        assignments: list[Assignment] = []
        words = [first]
        while words and (assigned := self._assigned(words[-1])):
            assignments.append(assigned)
            token = self._tokens[self._at] if self._at < len(self._tokens) else None
            words = [self._word()] if isinstance(token, _Read) else []
        self._found.append(self._rest(assignments, words, line))

    def _assigned(self, word: Word) -> Assignment | None:
        """Return the assignment that a word is, with the list behind it if it is an array."""
        start, count = "", 0
        for part in word.parts:
            if not isinstance(part, Literal) or part.quoted:
                break
            start, count = start + part.text, count + 1
        match = _ASSIGNMENT.match(start)
        if match is None:
            return None
        if match.end() == len(start) and count == len(word.parts) and self._next_is("("):
            self._at += 1
            values: list[Word] = []
            while self._at < len(self._tokens) and not self._next_is(")"):
                token = self._tokens[self._at]
                self._at += 1
                values += [token.word] if isinstance(token, _Read) else []
            self._at += 1
            return Assignment(name=match[1], values=tuple(values))
        rest = Literal(text=start[match.end() :], quoted=True)
        return Assignment(name=match[1], values=(Word(parts=(rest, *word.parts[count:])),))

    def _rest(self, assignments: list[Assignment], words: list[Word], line: int) -> Simple:
        sources: list[Word] = []
        targets: list[Word] = []
        document = None
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if isinstance(token, _Read):
                words.append(self._word())
                continue
            if "<" not in token.text and ">" not in token.text:
                break
            if words and (words[-1].plain or "").isdigit():  # the number of a descriptor
                words.pop()
            self._at += 1
            if self._at == len(self._tokens) or isinstance(self._tokens[self._at], _Operator):
                continue
            number, operand = self._at, self._word()
            if token.text in {"<&", ">&"} and (operand.plain or "").strip("-").isdigit():
                continue
            if token.text in {"<<", "<<-"}:
                document = self._bodies.get(number, "")
            elif token.text == "<<<":
                document = operand.plain if document is None else document
            else:
                (sources if token.text == "<" else targets).append(operand)
        return Simple(
            line=line,
            assignments=tuple(assignments),
            words=tuple(words),
            sources=tuple(sources),
            targets=tuple(targets),
            document=document,
        )
