"""Every accepted pattern matches what git says that it matches.

``git check-ignore`` is asked about many patterns at once: each stands alone in the ``.gitignore`` of a directory of its
own. ``pytest --hypothesis-profile=nightly`` asks about more than 100,000 pairs of a pattern and a path.
"""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.repository import BuiltRepository, run_git

from ci_classify.core.automaton import Automaton
from ci_classify.core.patterns import PatternError, compile_pattern

# A piece of a pattern, and texts that it may stand for. Few different characters, so that patterns and paths meet.
PIECES: dict[str, Sequence[str]] = {
    "a": ["a"],
    "b": ["b", "a"],
    "A": ["A", "a"],
    "é": ["é", "\udcc3\udca9", "e"],
    "\udce9": ["\udce9", "é"],
    " ": [" "],
    ".": [".", "a"],
    "-": ["-"],
    "!": ["!"],
    "^": ["^"],
    "]": ["]"],
    "#": ["#"],
    "/": ["/", "/", "/a/"],
    "//": ["/"],
    "*": ["", "a", "ab", "a\nb", "/", ".a", "é"],
    "?": ["a", "b", "\n", "é", "\udce9", "/", ""],
    "**": ["", "a", "a/b", "a/b/a", "\n"],
    "**/": ["", "a/", "b/a/", "a\n/"],
    "/**": ["/", "/a", "/b/a", ""],
    "/**/": ["/", "/a/", "/b/a/"],
    "***": ["", "a", "a/b"],
    "\\a": ["a", "\\a"],
    "\\*": ["*", "a"],
    "\\?": ["?", "a"],
    "\\[": ["[", "a"],
    "\\\\": ["\\", "\\\\"],
    "\\/": ["/", "\\/"],
    "\\ ": [" "],
    "\\!": ["!"],
    "\\é": ["é"],
    "\\": ["\\", "a"],
    "[": ["[", "a"],
    "[a]": ["a", "b"],
    "[!a]": ["a", "b", "/", "\n", "é"],
    "[^b]": ["a", "b", "^"],
    "[a-c]": ["b", "-", "B"],
    "[]a]": ["]", "a"],
    "[!]]": ["]", "a"],
    "[a-]": ["a", "-", "b"],
    "[-a]": ["a", "-", "b"],
    "[\\]]": ["]", "\\"],
    "[\\a-c]": ["b", "\\"],
    "[a\\-c]": ["b", "-"],
    "[]-a]": ["]", "^", "_", "a"],
    "[+--]": ["+", ",", "-"],
    "[a/b]": ["/", "a"],
    "[*?]": ["*", "?", "a"],
    "[[]": ["[", "a"],
    "[é]": ["é"],
    "[z-a]": ["z", "b"],
    "[[:alpha:]]": ["a"],
}
ASIDE = ["", "", "", "a/", "b/a/", "/a", "/b/a", "a", "\n"]


def as_path(text: str) -> str:
    """Return the nearest text that can be a path in a tree."""
    return "/".join(part for part in text.split("/") if part not in {"", ".", "..", ".gitignore"}) or "a"


@st.composite
def patterns_and_paths(draw: st.DrawFn) -> tuple[str, str]:
    """Return a pattern, and a path that it may well match."""
    pieces = draw(st.lists(st.sampled_from(list(PIECES)), min_size=1, max_size=8))
    meant = "".join(draw(st.sampled_from(PIECES[piece])) for piece in pieces)
    before, behind = draw(st.sampled_from(ASIDE)), draw(st.sampled_from(ASIDE))
    return "".join(pieces), as_path(before + meant + behind)


MANY = st.lists(patterns_and_paths(), min_size=14, max_size=14)
AS_FILE, AS_DIRECTORY = 0, 1


class Judge:
    """A repository in which git is asked."""

    def __init__(self, directory: Path) -> None:
        self._repository = BuiltRepository(directory)
        self._tree = directory / "tree"

    def ignored(
        self, patterns: Sequence[str], files: Iterable[str], directories: Iterable[str], *, ignore_case: bool = False
    ) -> set[tuple[str, str, int]]:
        """Return which patterns match which paths, as files that don't exist and as directories that do."""
        shutil.rmtree(self._tree, ignore_errors=True)
        self._tree.mkdir()
        (self._tree / ".gitignore").write_text("/any\n", encoding="utf-8")
        asked = [("/any", "any", AS_FILE)]  # git fails where nothing at all is ignored
        questions: list[bytes] = [b"tree/any"]
        for kind, paths in ((AS_FILE, files), (AS_DIRECTORY, directories)):
            for number, pattern in enumerate(patterns):
                top = self._tree / f"{kind}/{number}"
                top.mkdir(parents=True)
                (top / ".gitignore").write_bytes(to_bytes(pattern) + b"\n")
                for path in paths:
                    if kind == AS_DIRECTORY:
                        (top / path).mkdir(parents=True, exist_ok=True)
                    asked.append((pattern, path, kind))
                    questions.append(to_bytes(f"tree/{kind}/{number}/{path}"))
        options = ["-c", f"core.ignorecase={str(ignore_case).lower()}", "check-ignore", "--no-index", "--verbose"]
        stdin = b"\0".join([*questions, b""])
        out = run_git(self._repository.directory, *options, "--non-matching", "-z", "--stdin", stdin=stdin)
        fields = out.split(b"\0")
        assert fields[3:-1:4] == questions
        return {question for question, source in zip(asked, fields[:-1:4], strict=True) if source} - set(asked[:1])


def to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("judge") / "repository")


def ours(
    patterns: Iterable[str], files: Iterable[str], directories: Iterable[str], *, ignore_case: bool = False
) -> set[tuple[str, str, int]]:
    """Return which patterns match which paths by our own reading."""
    found = set()
    for pattern in patterns:
        automaton = Automaton([(compile_pattern(pattern, ignore_case=ignore_case), ignore_case)])
        for kind, paths in ((AS_FILE, files), (AS_DIRECTORY, directories)):
            found |= {(pattern, path, kind) for path in paths if automaton.masks(path)[kind]}
    return found


def is_accepted(pattern: str) -> bool:
    try:
        compile_pattern(pattern)
    except PatternError:
        return False
    return True


@given(MANY)
def test_git_agrees_on_every_accepted_pattern(judge: Judge, pairs: list[tuple[str, str]]) -> None:
    patterns = sorted({pattern for pattern, _ in pairs if is_accepted(pattern)})
    files = sorted({path for _, path in pairs})
    directories = files[:3]
    if patterns:
        assert ours(patterns, files, directories) ^ judge.ignored(patterns, files, directories) == set()


@given(MANY)
def test_folded_letters_are_those_of_git_too(judge: Judge, pairs: list[tuple[str, str]]) -> None:
    # git folds no letter in brackets or behind a backslash; a person who ignores case means those too.
    patterns = sorted({pattern for pattern, _ in pairs if is_accepted(pattern) and not set(pattern) & set("[\\")})
    files = sorted({path for _, path in pairs} | {path.swapcase() for _, path in pairs})
    if patterns:
        assert (
            ours(patterns, files, (), ignore_case=True) ^ judge.ignored(patterns, files, (), ignore_case=True) == set()
        )


FOLDED = [
    ("[a-c]x", "BX", True),
    ("[A-C]x", "bX", True),
    ("[!a]x", "AX", False),
    ("\\a", "A", True),
    ("[Z-a]", "z", True),
    ("[Z-a]", "_", True),
    ("[Z-a]", "b", False),
    ("É", "é", False),
]


@pytest.mark.parametrize(("pattern", "path", "matches"), FOLDED)
def test_ascii_letters_fold_everywhere(pattern: str, path: str, matches: bool) -> None:
    assert bool(ours([pattern], [path], (), ignore_case=True)) == matches


ALONE = ["a", "/a", "a/", "a/b", "**/b", "a/**", "*", "/*/b", "!a", "b*"]


def test_a_pattern_in_a_directory_of_its_own_is_alone(judge: Judge, tmp_path: Path) -> None:
    paths = ["a", "a/b", "b/a", "b", "a/a/b", "ba"]
    together = judge.ignored(ALONE, paths, paths)
    for number, pattern in enumerate(ALONE):
        alone = BuiltRepository(tmp_path / str(number))
        alone.write({".gitignore": f"{pattern}\n"})
        out = run_git(
            alone.directory, "check-ignore", "--no-index", "-v", "-n", "--stdin", stdin="\n".join(paths).encode()
        )
        said = {line.split("\t")[1] for line in out.decode().splitlines() if not line.startswith("::")}
        assert {path for found, path, kind in together if found == pattern and kind == AS_FILE} == said
