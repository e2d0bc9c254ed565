"""A long history with everything that a difference can be: moves, modes, submodules, merges, odd names."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from support.repository import BuiltRepository

_PATHS = (
    b"src/main.c",
    b"src/deep/er/x.c",
    b"doc/index.md",
    b"README.MD",
    b"gpu/kernel.cu",
    b"gpu/tests/t.py",
    b"vendor/lib",
    b"data/a b.csv",
    b"data/tab\there",
    b"data/line\nfeed",
    b"data/\xff\xfe.bin",
    b"data/\xc3\xa9.txt",
    b'data/"quoted".txt',
    b"data/:100644 100644 0 0 M",
    b":top",
    b"a\\b",
    b"tools/run.sh",
    b"rules.yaml",
)
RULES = """\
version: 1
documentation: {paths: ["*.md"], ignore-case: true}
unaffecting: [/tools/]
unclaimed: [run-all]
suites:
  run-src: {inputs: [/src/, "!/src/deep/"]}
  run-gpu: {inputs: [/gpu/, "/vendor/lib/", "!/gpu/tests/"], events: {push: any-change}}
  run-data: {inputs: ["/data/*.csv", "/data/*e*"], empty-diff: skip}
  run-added: {inputs: {paths: ["*"], changes: [added]}}
  run-all: {inputs: [/everything], empty-diff: skip}
producers:
  run-build: {consumers: [run-src, run-gpu]}
"""
OLD_RULES = RULES.replace(', "!/gpu/tests/"', "").replace('"/data/*.csv", ', "").replace("run-added", "run-gone")


def build(directory: Path, commits: int, *, object_format: str = "sha1") -> BuiltRepository:
    """Return a repository whose ``main`` has so many first-parent commits, made by one call of git."""
    repository = BuiltRepository(directory, object_format=object_format)
    repository.git("fast-import", "--quiet", stdin=b"".join(_stream(commits, 64 if object_format == "sha256" else 40)))
    (directory / "rules.yaml").write_text(RULES, encoding="utf-8")
    return repository


def add_and_remove(repository: BuiltRepository, changes: Sequence[Sequence[str]]) -> None:
    """Let ``main`` grow by two commits for each list of paths: one that adds them, one that removes them."""
    stream = [b"reset refs/heads/main\n\n"]
    for number, paths in enumerate(changes):
        names = [_quoted(path.encode("utf-8", "surrogateescape")) for path in paths]
        stream.append(_head(b"refs/heads/main", b":%d" % (4 * number + 1), 2 * number, b""))
        stream += [b"M 100644 inline %b\ndata 2\n1\n\n" % name for name in names]
        stream.append(_head(b"refs/heads/main", b":%d" % (4 * number + 3), 2 * number + 1, b""))
        stream += [b"D %b\n" % name for name in names]
    repository.git("fast-import", "--quiet", stdin=b"".join(stream))


def _stream(commits: int, digits: int) -> Iterator[bytes]:
    choose = random.Random(20)
    present: set[bytes] = set()
    last = b""
    for number in range(commits):
        side = b""
        if number and choose.random() < 0.1:
            yield _head(b"refs/heads/side", b":side-%d" % number, number, last)
            yield from _edits(choose, set(present), digits)
            side = b":%d" % (2 * number + 2)
        mark = b":%d" % (2 * number + 1)
        yield _head(b"refs/heads/main", mark, number, last, side)
        if number and choose.random() > 0.05:  # else it changes nothing
            yield from _edits(choose, present, digits)
        elif not number:
            present.add(_PATHS[0])
            yield b"M 100644 inline %b\ndata 2\n1\n\n" % _quoted(_PATHS[0])
        last = mark


def _head(ref: bytes, mark: bytes, number: int, parent: bytes, side: bytes = b"") -> bytes:
    mark = b":%d" % (2 * number + 2) if mark.startswith(b":side") else mark
    date = 1_600_000_000 + 3_600 * number
    text = b"commit %b\nmark %b\ncommitter B <b@localhost> %d +0000\ndata 7\nCommit\n\n" % (ref, mark, date)
    return text + (b"from %b\n" % parent if parent else b"") + (b"merge %b\n" % side if side else b"")


def _edits(choose: random.Random, present: set[bytes], digits: int) -> Iterator[bytes]:
    for _ in range(choose.randint(1, 4)):
        path = choose.choice(_PATHS)
        if path in present and choose.random() < 0.4:
            present.discard(path)
            yield b"D %b\n" % _quoted(path)
            continue
        present.add(path)
        mode = choose.choice((b"100644", b"100644", b"100755", b"120000", b"160000"))
        if mode == b"160000":
            commit = f"{choose.getrandbits(64):0{digits}x}".encode()
            yield b"M 160000 %b %b\n" % (commit, _quoted(path))
        else:
            content = b"%d" % choose.randrange(100)
            yield b"M %b inline %b\ndata %d\n%b\n" % (mode, _quoted(path), len(content), content)


def _quoted(path: bytes) -> bytes:
    return b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
