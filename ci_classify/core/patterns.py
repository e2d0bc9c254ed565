"""One pattern: gitignore syntax, read exactly as git reads it or refused.

A pattern becomes segments, one for each component of a path. ``**`` as a whole component is
``ANY_DEPTH``: any number of components. A pattern without an inner slash floats: it starts with
``ANY_DEPTH``. Everything is bytes, written as text with one character a byte, since git matches
bytes: ``?`` is one byte of a UTF-8 sequence.

Source of the meaning: git's ``wildmatch.c`` and ``dir.c`` (2.39); the property test asks
``git check-ignore``. What is refused here is either not reproducible, or means something else than
its author thinks. Nothing is matched approximately.
"""

import re
from enum import Enum
from functools import cache

from ci_classify.core.record import Record

# Bounds on the time of a match, whatever the path; no tree that people work in comes near them.
MAX_BYTES = 4096
MAX_COMPONENTS = 64
MAX_COMPONENTS_BEHIND_STARS = 32  # behind the first ``**``, where every component of a path may be the first
MAX_GLOBS_BEHIND_STARS = 5  # of those, components with wildcards: each doubles what a directory can have reached
MAX_NAME_BYTES = 255  # that a component asks for: file systems hold no longer name
MAX_WILDCARDS = 64  # in one component

_FIRST_RAW_BYTE, _LAST_RAW_BYTE = 0xDC80, 0xDCFF  # how surrogateescape writes bytes that are no UTF-8


class PatternError(ValueError):
    """A pattern is refused. ``help`` says what to write instead."""

    def __init__(self, message: str, help_: str) -> None:
        super().__init__(message)
        self.message = message
        self.help = help_


class Depth(Enum):
    """The component ``**``."""

    ANY = "**"


ANY_DEPTH = Depth.ANY


class Shape(Enum):
    """What a segment looks like; the cheap shapes are looked up instead of searched."""

    LITERAL = "literal"
    SUFFIX = "*literal"
    PREFIX = "literal*"
    ANYTHING = "*"
    REGEX = "regex"


class Segment(Record):
    """One component of a pattern. ``text`` is the literal part, or a regular expression for REGEX."""

    shape: Shape
    text: str


class Program(Record):
    """A pattern ready to match. ``ANY_DEPTH`` is never last; ``directory_only`` came from a final slash.

    It matches a path when its segments take the whole path, or the whole of a parent directory.
    """

    segments: tuple[Segment | Depth, ...]
    directory_only: bool


def to_byte_text(path: str) -> str:
    """Return a path (text with ``surrogateescape``) with one character for each byte that git stores."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("latin-1")


def fold(text: str) -> str:
    """Return byte text in lower case, ASCII letters only."""
    return text.lower() if text.isascii() else text.encode("latin-1").lower().decode("latin-1")


@cache
def compile_pattern(text: str, *, ignore_case: bool = False) -> Program:
    """Return the program of a pattern, or raise PatternError.

    With ``ignore_case`` the program expects components that went through ``fold``.
    """
    _refuse_text(text)
    body = to_byte_text(text)
    directory_only = body.endswith("/")
    parts = body.removesuffix("/").split("/")
    anchored = len(parts) > 1
    if parts[0] == "":
        parts = parts[1:]
    if not parts or parts == [""]:
        raise PatternError("a slash alone matches nothing", "write /** for every path")
    if len(parts) > MAX_COMPONENTS:
        raise PatternError(f"it has more than {MAX_COMPONENTS} components", "match a parent directory instead")
    segments: list[Segment | Depth] = [] if anchored else [ANY_DEPTH]
    for number, part in enumerate(parts):
        after_slash = anchored and (number > 0 or text.startswith("/"))
        segments.append(_segment(part, after_slash=after_slash, ignore_case=ignore_case))
    if segments[-1] is ANY_DEPTH:
        segments.append(Segment(shape=Shape.ANYTHING, text=""))
    _refuse_depth(segments)
    return Program(segments=_without_repeats(segments), directory_only=directory_only)


def literal_pattern(path: str) -> str:
    """Return the pattern of exactly one path, given from the top of the repository."""
    special = frozenset("\\*?[ ")
    return "/" + "".join(f"\\{character}" if character in special else character for character in path)


def human_doubts(text: str) -> tuple[str, str] | None:
    """Return what a person may have meant instead of an accepted pattern, and what to write; or None."""
    if "{" in text and "}" in text[text.index("{") :]:
        return "braces are literal in a pattern", "write one pattern for each alternative"
    name = text.removesuffix("/")
    if "/" not in name and not set(name) & set("*?[\\"):
        return f"{text} matches at any depth", f"write /{text} if only the one at the top is meant"
    escaped = re.search(r"\\([A-Za-z0-9])", text.replace("\\\\", ""))
    if escaped:
        return f"\\{escaped[1]} is {escaped[1]} alone in a pattern", "write / between directories"
    if re.search(r"/\*\*[^/]", text):
        return "** beside other text means *", "write * here, or **/ for any depth"
    return None


def _refuse_text(text: str) -> None:
    """Refuse what no component alone can show to be wrong."""
    if not text:
        raise PatternError("it is empty", "write a path, or delete the line")
    if text.startswith("\ufeff"):
        raise PatternError("it starts with a byte order mark", "delete the invisible first character")
    for character in text if not text.isprintable() else ():
        code = ord(character)
        if code < 0x20 or code == 0x7F:
            raise PatternError(f"it holds the control character \\x{code:02x}", "match that with ? instead")
        if 0xD800 <= code <= 0xDFFF and not _FIRST_RAW_BYTE <= code <= _LAST_RAW_BYTE:
            raise PatternError(f"it holds half of a surrogate pair, \\u{code:04x}", "write the whole character")
    if text[0].isspace() or (text[-1].isspace() and not _ends_escaped(text[:-1])):
        raise PatternError(
            "it has white space at an end",
            "delete it, or write \\ before a space at the end that is meant, in single quotes",
        )
    if _ends_escaped(text):
        raise PatternError("it ends in a backslash", "write \\\\ for a literal backslash, in single quotes")
    if text[0] in "!@#":
        raise PatternError(
            f"it starts with {text[0]}", f"write \\{text[0]} for the literal character, in single quotes"
        )
    if "//" in text:
        raise PatternError("// matches nothing, since no path holds it", "write one slash")
    if "\\/" in text.replace("\\\\", ""):
        raise PatternError("a slash can't be escaped", "write / without the backslash")
    if len(text.encode("utf-8", "surrogateescape")) > MAX_BYTES:
        raise PatternError(f"it is longer than {MAX_BYTES} bytes", "match a parent directory instead")


def _ends_escaped(text: str) -> bool:
    """Return whether a character behind this text would be escaped: an odd number of backslashes ends it."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _segment(part: str, *, after_slash: bool, ignore_case: bool) -> Segment | Depth:
    """Read one component, given as byte text."""
    if part in {".", ".."}:
        raise PatternError(
            f"the component {part} matches nothing, since no path holds it", "write the path from the top, such as /src"
        )
    if part == "**":
        return ANY_DEPTH
    if _SPECIAL.isdisjoint(part):
        _refuse_length(len(part))
        return Segment(shape=Shape.LITERAL, text=fold(part) if ignore_case else part)
    stars = part.find("**")
    if stars >= 0:
        # git reads these stars as one, but only behind a slash is that so for every pattern: a literal
        # prefix is cut off first, and then `a**/b` crosses directories.
        if stars > 0 or not after_slash or "**" in part[1:]:
            raise PatternError(
                "it has ** beside other text", "write * within a name, **/ for any depth, such as **/*.c"
            )
        part = part[1:]
    tokens = _tokens(part, ignore_case=ignore_case)
    wildcards = sum(1 for token in tokens if token.is_wildcard)
    if wildcards > MAX_WILDCARDS:
        raise PatternError(f"it has more than {MAX_WILDCARDS} wildcards in one component", "write a shorter pattern")
    _refuse_length(sum(1 for token in tokens if token is not _STAR))
    return _shape(tokens)


def _refuse_length(name_bytes: int) -> None:
    if name_bytes > MAX_NAME_BYTES:
        raise PatternError(
            f"a component asks for names of more than {MAX_NAME_BYTES} bytes, which no file system holds",
            "match a parent directory instead",
        )


class _Token:
    """A literal byte, ``?``, ``*`` or a class: ``regex`` matches it, ``literal`` is the byte itself."""

    __slots__ = ("literal", "regex")

    def __init__(self, regex: str, literal: str = "") -> None:
        self.regex = regex
        self.literal = literal

    @property
    def is_wildcard(self) -> bool:
        return not self.literal


_SPECIAL = frozenset("*?[\\")
_STAR = _Token("*")
_ONE = _Token(".")


def _tokens(part: str, *, ignore_case: bool) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(part):
        character = part[at]
        if character == "\\":
            tokens.append(_literal(part[at + 1], ignore_case=ignore_case))
            at += 2
        elif character == "*":
            tokens.append(_STAR)
            at += 1
        elif character == "?":
            tokens.append(_ONE)
            at += 1
        elif character == "[":
            token, at = _bracket(part, at, ignore_case=ignore_case)
            tokens.append(token)
        else:
            tokens.append(_literal(character, ignore_case=ignore_case))
            at += 1
    return tokens


def _literal(character: str, *, ignore_case: bool) -> _Token:
    folded = fold(character) if ignore_case else character
    return _Token(re.escape(folded), folded)


def _bracket(part: str, start: int, *, ignore_case: bool) -> tuple[_Token, int]:
    """Read a bracket expression; return its token and the index behind it."""
    at = start + 1
    negated = part[at : at + 1] in {"!", "^"}
    at += negated
    members: set[int] = set()
    previous: int | None = None
    first = True
    while True:
        if at >= len(part):
            raise PatternError(
                "[ has no ] in its component", "close the bracket, or write \\[ for the literal character"
            )
        if part[at] == "]" and not first:
            break
        if part.startswith(("[:", "[.", "[="), at):
            raise PatternError("named classes are not read", "write the characters, such as [a-z]")
        if part[at] == "-" and previous is not None and part[at + 1 : at + 2] not in {"", "]"}:
            last, at = _member(part, at + 1)
            if last < previous:
                raise PatternError(
                    f"the range {chr(previous)}-{chr(last)} is reversed", f"write {chr(last)}-{chr(previous)}"
                )
            members.update(range(previous, last + 1))
            previous = None
        else:
            previous, at = _member(part, at)
            members.add(previous)
        first = False
    if ignore_case:
        members = {ord(form) for member in members for form in (chr(member).lower(), chr(member).upper())}
    listed = "".join(f"\\x{member:02x}" for member in sorted(members))
    return _Token(f"[{'^' if negated else ''}{listed}]"), at + 1


def _member(part: str, at: int) -> tuple[int, int]:
    """Return one byte of a bracket expression and the index behind it."""
    if part[at] == "\\":
        at += 1
        if at >= len(part):
            raise PatternError("[ has no ] in its component", "close the bracket")
    if not part[at].isascii():
        raise PatternError(
            "brackets hold bytes, and this character has several", "write one pattern for each character"
        )
    return ord(part[at]), at + 1


def _shape(tokens: list[_Token]) -> Segment:
    literal = "".join(token.literal for token in tokens)
    stars = [token is _STAR for token in tokens]
    plain = not any(token.is_wildcard for token in tokens if token is not _STAR)
    if plain and not any(stars):
        return Segment(shape=Shape.LITERAL, text=literal)
    if plain and sum(stars) == 1:
        if len(tokens) == 1:
            return Segment(shape=Shape.ANYTHING, text="")
        if stars[0]:
            return Segment(shape=Shape.SUFFIX, text=literal)
        if stars[-1]:
            return Segment(shape=Shape.PREFIX, text=literal)
    return Segment(shape=Shape.REGEX, text=_regex(tokens))


def _regex(tokens: list[_Token]) -> str:
    """Join tokens so that no match backtracks: the leftmost place of each piece between stars is enough."""
    pieces = [""]
    for token in tokens:
        if token is _STAR:
            pieces.append("")
        else:
            pieces[-1] += token.regex
    if len(pieces) == 1:
        return f"(?s:{pieces[0]})"
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1] if piece)
    return f"(?s:{pieces[0]}{middle}.*{pieces[-1]})"


def _refuse_depth(segments: list[Segment | Depth]) -> None:
    if ANY_DEPTH not in segments:
        return
    behind = segments[segments.index(ANY_DEPTH) + 1 :]
    globs = sum(1 for segment in behind if isinstance(segment, Segment) and segment.shape is not Shape.LITERAL)
    for count, most, what in (
        (len(behind), MAX_COMPONENTS_BEHIND_STARS, "components"),
        (globs, MAX_GLOBS_BEHIND_STARS, "components with wildcards"),
    ):
        if count > most:
            raise PatternError(f"it has more than {most} {what} behind **", "match a parent directory instead")


def _without_repeats(segments: list[Segment | Depth]) -> tuple[Segment | Depth, ...]:
    kept: list[Segment | Depth] = []
    for segment in segments:
        if not (segment is ANY_DEPTH and kept and kept[-1] is ANY_DEPTH):
            kept.append(segment)
    return tuple(kept)
