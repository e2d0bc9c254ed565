"""The syntax of bash and sh, as far as it decides which commands a script holds.

Sees commands with their words, assignments, redirections, here-documents, loops over words, subshells, functions and
substitutions, each with its line. Conditions are not judged: every branch counts.

Can't see aliases, ``eval`` of what is put together at run time, and arithmetic.
"""

import re
from typing import Literal as OneOf

from ci_classify.core.record import Record
from ci_classify.derive.bash_words import Lexer, Literal, Operator, Read, Token, Word


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

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^]]*\])?(\+?=)")
_HEADS = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "time", "coproc"})
_TAILS = frozenset({"fi", "done"})


def parse(script: str) -> list[Node]:
    """Return the commands of a script in order, lines counted from 0."""
    return _Parser(Lexer(script)).nodes()


class _Parser:
    """Groups words into commands. Keywords count only where a command can start."""

    def __init__(self, lexer: Lexer) -> None:
        self._tokens = lexer.tokens()
        self._bodies = lexer.bodies
        self._closing = _closing(self._tokens)
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
            elif isinstance(token, Operator):
                self._separator(token)
            else:
                self._command(token.line)
        return self._found

    def _skip_pattern(self, token: Token) -> None:
        self._at += 1
        if isinstance(token, Read) and token.word.plain == "esac":
            self._cases -= 1
            self._pattern = False
        elif isinstance(token, Operator) and token.text == ")":
            self._pattern = False

    def _separator(self, token: Operator) -> None:
        self._at += 1
        if token.text == "(":
            if self._is_arithmetic():
                self._skip_arithmetic()
            else:
                self._found.append(Bracket(kind="subshell", opens=True))
        elif token.text == ")":
            self._found.append(Bracket(kind="subshell", opens=False))
        elif token.text in {";;", ";&", ";;&"} and self._cases:
            self._pattern = True

    def _next_is(self, operator: str) -> bool:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        return isinstance(token, Operator) and token.text == operator

    def _is_arithmetic(self) -> bool:
        """Return whether the bracket just read is that of ``((...))``, which is closed by two at once too."""
        inner = self._tokens[self._at] if self._at < len(self._tokens) else None
        if not isinstance(inner, Operator) or inner.text != "(" or not inner.joined:
            return False
        after = self._closing.get(self._at, len(self._tokens)) + 1
        last = self._tokens[after] if after < len(self._tokens) else None
        return last is None or (isinstance(last, Operator) and last.text == ")" and last.joined)

    def _skip_arithmetic(self) -> None:
        depth = 1
        while self._at < len(self._tokens) and depth:
            token = self._tokens[self._at]
            depth += isinstance(token, Operator) and {"(": 1, ")": -1}.get(token.text, 0)
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
        if isinstance(token, Operator):
            raise TypeError("an operator is no word")
        return token.word

    def _words(self) -> list[Word]:
        found = []
        while self._at < len(self._tokens) and isinstance(self._tokens[self._at], Read):
            found.append(self._word())
        return found

    def _loop(self, line: int) -> None:
        words = self._words()
        if len(words) > 1 and words[0].plain is not None and words[1].plain == "in":
            assigned = Assignment(name=words[0].plain, values=tuple(words[2:]))
            self._found.append(Simple(line=line, assignments=(assigned,), words=()))
        elif self._next_is("("):
            self._at += 1
            self._skip_arithmetic()

    def _until_in(self) -> None:
        self._cases += 1
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if isinstance(token, Read) and token.word.plain == "in":
                break
        self._pattern = True

    def _function(self, *, named: bool) -> None:
        if not named and self._at < len(self._tokens) and isinstance(self._tokens[self._at], Read):
            self._at += 1
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if isinstance(token, Read):
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
            if isinstance(token, Read):
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
            words = [self._word()] if isinstance(token, Read) else []
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
                values += [token.word] if isinstance(token, Read) else []
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
            if isinstance(token, Read):
                words.append(self._word())
                continue
            if "<" not in token.text and ">" not in token.text:
                break
            if words and (words[-1].plain or "").isdigit():  # the number of a descriptor
                words.pop()
            self._at += 1
            if self._at == len(self._tokens) or isinstance(self._tokens[self._at], Operator):
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


def _closing(tokens: list[Token]) -> dict[int, int]:
    """Return the places of brackets, each with that of the one which closes it."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if isinstance(token, Operator) and token.text == "(":
            opened.append(number)
        elif isinstance(token, Operator) and token.text == ")" and opened:
            found[opened.pop()] = number
    return found
