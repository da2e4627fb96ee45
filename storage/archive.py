"""The archive: records of finished matches in an SQLite file, for all processes that see its folder.

A record is only ever replaced by a later one of the same match, never deleted: whatever Redis falls back to after a power
failure, the match is here. A write is on the disk when it returns, and what it replaces is overwritten with zeros.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from play.errors import Unavailable
from play.match import Match
from play.people import Account
from storage.errors import Damaged
from storage.records import codec

FILE: Final = "matches.sqlite"

_BUSY: Final = 5.0  # seconds for which another process's write is waited for
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS matches (id TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS people (account TEXT, id TEXT, PRIMARY KEY (account, id)) WITHOUT ROWID",
)
_SETTINGS: Final = ("journal_mode = DELETE", "synchronous = EXTRA", "secure_delete = ON")

T = TypeVar("T")
_log: Final = logging.getLogger(__name__)


class Archive:
    """The archive in a folder, which the first write makes. Every method may raise `Unavailable`."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None

    async def read(self, match_ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return the records of those matches that are here; one on a damaged page of the file is logged and left out."""
        wanted = list(match_ids)

        def reading(database: sqlite3.Connection) -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            for match_id in wanted:
                try:
                    found.update(database.execute("SELECT id, record FROM matches WHERE id = ?", (match_id,)))
                except sqlite3.OperationalError:  # busy, or a disk that fails
                    raise
                except sqlite3.DatabaseError as error:
                    _log.error("match %s cannot be read from the archive: %s", match_id, error)
            return found

        return await self._read(reading, {})

    async def write(self, matches: Sequence[tuple[Match, bytes]]) -> None:
        """Store matches with their records, all or none; what is here of one already is replaced."""
        await self._run(lambda database: _write(database, matches))

    async def of(self, accounts: Iterable[Account]) -> Sequence[str]:
        """Return the ids of the matches that name one of these accounts, as they are here."""
        names = [str(account) for account in accounts]

        def reading(database: sqlite3.Connection) -> list[str]:
            rows = [
                row
                for name in names
                for row in database.execute("SELECT id FROM people WHERE account = ?", (name,))
            ]
            return list(dict.fromkeys(match_id for (match_id,) in rows))

        return await self._read(reading, [])

    async def count(self) -> int:
        """Return how many matches are here."""
        counting = "SELECT count(*) FROM matches"
        return await self._read(lambda database: int(database.execute(counting).fetchone()[0]), 0)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._database is not None:
                self._database.close()
            self._database = None

    async def _read(self, work: Callable[[sqlite3.Connection], T], empty: T) -> T:
        return await self._run(work) if self._database is not None or self.file.exists() else empty

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return await asyncio.to_thread(self._worked, work)
        except (sqlite3.Error, OSError) as error:
            raise Unavailable from error

    def _worked(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            if self._database is None:
                self._database = _opened(self.file)
            return work(self._database)


def _opened(file: Path) -> sqlite3.Connection:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
    database = sqlite3.connect(file, timeout=_BUSY, isolation_level=None, check_same_thread=False)
    try:
        for setting in _SETTINGS:
            database.execute(f"PRAGMA {setting}")
        for table in _TABLES:
            database.execute(table)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _write(database: sqlite3.Connection, matches: Sequence[tuple[Match, bytes]]) -> None:
    with database:
        database.execute("BEGIN IMMEDIATE")
        for match, record in matches:
            before = database.execute("SELECT record FROM matches WHERE id = ?", (match.id,)).fetchone()
            if before is not None:
                _forget(database, match.id, before[0])
            database.execute("INSERT OR REPLACE INTO matches VALUES (?, ?)", (match.id, record))
            people = [(str(who), match.id) for who in match.people()]
            database.executemany("INSERT OR IGNORE INTO people VALUES (?, ?)", people)


def _forget(database: sqlite3.Connection, match_id: str, record: bytes) -> None:
    try:
        gone = [(str(who), match_id) for who in codec.decode(match_id, record).people()]
    except Damaged:  # without an index
        database.execute("DELETE FROM people WHERE id = ?", (match_id,))
    else:
        database.executemany("DELETE FROM people WHERE account = ? AND id = ?", gone)
