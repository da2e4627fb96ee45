"""Move matches into the archive a month after they are over.

Each is written there first; then its record in Redis is replaced by its head, if it has not changed meanwhile. Ended between
the two steps, the move is repeated by the next sweep. A change of a match in the archive (someone is forgotten) puts a whole
record into Redis again, and the next sweep archives that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

from play.errors import Unavailable
from play.match import Match
from storage import keys
from storage.errors import Damaged
from storage.listing import last_activity
from storage.ports import FullStore
from storage.records import codec
from storage.redis.store import RedisStore
from storage.timestamps import read_time

AFTER: Final = timedelta(days=30)
"""How long a match that is over stays in Redis."""
EVERY: Final = timedelta(hours=6)
"""Time between sweeps, by whichever process."""
LOOK: Final = 600.0  # seconds between checks whether a sweep is due
PIECE: Final = 64  # records that are looked at together
PAUSE: Final = 0.1  # seconds after each piece

_SWEPT: Final = "archive:swept"
_MOVED: Final = "archive:moved"
_KEPT: Final = timedelta(days=3650)
_log: Final = logging.getLogger(__name__)


def is_due(match: Match, at: datetime) -> bool:
    """Return whether a match belongs into the archive."""
    return not match.live and last_activity(match) + AFTER <= at


async def last_moved(store: FullStore) -> datetime | None:
    """Return when a match was last moved into an archive; None if none was."""
    (noted,) = await store.notes.read(_MOVED)
    return read_time(noted)


class Archiver:
    """Sweeps a store that has an archive. Several processes may share the store."""

    def __init__(self, store: RedisStore, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._store = store
        self._sleep = sleep

    async def run(self) -> None:
        """Sweep when it is due, until cancelled."""
        while True:
            try:
                if await self._store.notes.write_once(_SWEPT, "", keep=EVERY):
                    await self.sweep(await self._store.now())
            except Unavailable as error:
                _log.warning("finished matches stay in Redis for now: %s", error.__cause__)
            await self._sleep(LOOK)

    async def sweep(self, at: datetime) -> int:
        """Move what is due at a time; return the number of matches.

        Raises:
            Unavailable: the store or the archive does not answer.
        """
        moved = 0
        async for found in self._store.connection.scan(keys.MATCHES):
            for start in range(0, len(found), PIECE):
                moved += await self._moved(found[start : start + PIECE], at)
                await self._sleep(PAUSE)
        if moved:
            await self._store.notes.write(_MOVED, at.isoformat(), keep=_KEPT)
        return moved

    async def _moved(self, found: list[str], at: datetime) -> int:
        records = await self._store.connection.batch([("GET", key) for key in found])
        due = {}
        for key, record in zip(found, records, strict=True):
            name = key.rpartition(":")[2]
            if record is None or codec.is_head(record):
                continue
            try:
                match = codec.decode(name, record)
            except Damaged:  # `klop verify` reports it
                continue
            if is_due(match, at):
                due[name] = (match, record)
        return await self._store.matches.archive(due)
