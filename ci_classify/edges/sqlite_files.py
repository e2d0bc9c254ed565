"""What a database holds, read so that nothing near it changes; and writing its log back.

A restored database may be damaged or hostile. It is opened read-only and immutable: no lock, no log,
no shared memory. Whatever SQLite says about it is an answer, never an exception.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ci_classify.core.baseline_validation import DatabaseFacts, FileFacts
from ci_classify.edges.recordings import file_facts

_LOGS = ("-wal", "-journal")
_HEADER = b"SQLite format 3\0"
_STEPS = 1_000_000  # instructions of SQLite's machine between two looks at how many there were
_MOST_LOOKS = 5_000  # bounds the time of a hostile schema
_LONGEST_VALUE = 256 << 20  # bytes
_FAILURES = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError)


def database_facts(directory: Path, name: str) -> DatabaseFacts:
    """Return what is seen of a database without changing anything."""
    path = directory / name
    file = file_facts(directory, name)
    damage, user_version, tables = file.damage, 0, frozenset[str]()
    has_log = any(_is_there(path.with_name(path.name + suffix)) for suffix in _LOGS)
    if file.exists and damage is None and not has_log:
        damage, user_version, tables = _look_into(path)
    seen = FileFacts(name=name, exists=file.exists, damage=damage, size=file.size, sha256=file.sha256)
    return DatabaseFacts(file=seen, has_log=has_log, user_version=user_version, tables=tables)


def _is_there(log: Path) -> bool:
    """Return whether a log may hold anything: all but an empty file counts."""
    facts = file_facts(log.parent, log.name)
    return facts.exists and (facts.damage is not None or facts.size > 0)


def _look_into(path: Path) -> tuple[str | None, int, frozenset[str]]:
    try:
        with path.open("rb") as file:
            if file.read(len(_HEADER)) != _HEADER:
                return "it is no SQLite database", 0, frozenset()
        with _connection(path, "mode=ro&immutable=1") as database:
            (answer,) = database.execute("PRAGMA integrity_check(1)").fetchone()
            if answer != b"ok":
                return str(answer)[:200], 0, frozenset()
            (version,) = database.execute("PRAGMA user_version").fetchone()
            rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            names = frozenset(name.decode("utf-8", "replace") for (name,) in rows if isinstance(name, bytes))
            return None, int(version), names
    except (OSError, *_FAILURES) as error:
        return f"{error}"[:200] or type(error).__name__, 0, frozenset()


def write_log_back(path: Path) -> str | None:
    """Move all of a database's log into the database itself; return why that failed, or None."""
    try:
        with _connection(path, "mode=rw") as database:
            (busy, _, _) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return "it is in use" if busy else None
    except (OSError, *_FAILURES) as error:
        return f"{error}"[:200] or type(error).__name__


@contextmanager
def _connection(path: Path, options: str) -> Iterator[sqlite3.Connection]:
    """Open a database that may be hostile; text comes as bytes, since it may be none."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True, isolation_level=None)) as database:
        looks = iter(range(_MOST_LOOKS))
        database.text_factory = bytes
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        database.set_progress_handler(lambda: next(looks, None) is None, _STEPS)
        for setting in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
            database.execute(f"PRAGMA {setting}")
        yield database
