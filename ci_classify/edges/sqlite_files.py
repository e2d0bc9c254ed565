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
_PATIENCE = 2.0  # seconds to wait for another process that uses a database
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
            # Whether indexes agree with tables was checked before recording, and the checksum holds that fast; to
            # check it here would compute whatever a hostile schema says.
            damage = _complaint(database, "quick_check")
            if damage is not None:
                return damage, 0, frozenset()
            (version,) = database.execute("PRAGMA user_version").fetchone()
            rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            names = frozenset(name.decode("utf-8", "replace") for (name,) in rows if isinstance(name, bytes))
            return None, int(version), names
    except (OSError, *_FAILURES) as error:
        return f"{error}"[:200] or type(error).__name__, 0, frozenset()


def write_log_back(path: Path) -> str | None:
    """Move all of a database's log into the database itself and check all of it; return what is wrong, or None."""
    try:
        with _connection(path, "mode=rw") as database:
            (busy, _, _) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return "it is in use" if busy else _complaint(database, "integrity_check")
    except (OSError, *_FAILURES) as error:
        return f"{error}"[:200] or type(error).__name__


def _complaint(database: sqlite3.Connection, check: str) -> str | None:
    """Return the first complaint of one of SQLite's checks, or None."""
    (answer,) = database.execute(f"PRAGMA {check}(1)").fetchone()
    return None if answer == b"ok" else answer.decode("utf-8", "replace")[:200]


@contextmanager
def _connection(path: Path, options: str) -> Iterator[sqlite3.Connection]:
    """Open a database that may be hostile; text comes as bytes, since it may be none."""
    address = f"{path.absolute().as_uri()}?{options}"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=_PATIENCE)) as database:
        database.text_factory = bytes
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        for setting in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "ignore_check_constraints=ON"):
            database.execute(f"PRAGMA {setting}")
        yield database
