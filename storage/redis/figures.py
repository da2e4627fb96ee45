"""How much waits in the store, from one batch of commands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from storage import keys
from storage.client import Connection
from storage.redis.jobs import Backlog, RedisJobs
from storage.timestamps import from_micros


@dataclass(frozen=True, slots=True)
class Figures:
    """What waits in the store.

    Attributes:
        at: When it was so, by the store's clock.
        untold: Facts that are not announced yet.
        oldest_untold: When the oldest of them was stored.
        timed: Matches, events and invitations that have a timer.
        jobs: Searches for workers elsewhere, of all classes.
    """

    at: datetime
    untold: int
    oldest_untold: datetime | None
    timed: int
    jobs: Backlog


class RedisFigures:
    """Reads how much waits."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def read(self) -> Figures:
        """Return how much waits now.

        Raises:
            Unavailable: the store does not answer.
        """
        streams = [keys.OUT.stream(tag) for tag in range(keys.TAGS)]
        calls = [
            *(("XLEN", stream) for stream in streams),
            *(("HLEN", keys.timers_of_key(tag)) for tag in range(keys.TAGS)),
            *(("XRANGE", stream, "-", "+", "COUNT", 1) for stream in streams),
        ]
        found = await self._connection.batch(calls)
        untold, timed, first = found[: keys.TAGS], found[keys.TAGS : 2 * keys.TAGS], found[2 * keys.TAGS :]
        jobs = (await RedisJobs(self._connection).backlog()).values()
        seconds, micros = await self._connection.time()
        return Figures(
            at=from_micros(seconds * 1_000_000 + micros),
            untold=sum(untold),
            oldest_untold=_earliest(first),
            timed=sum(timed),
            jobs=Backlog(
                sum(each.queued for each in jobs),
                sum(each.acquired for each in jobs),
                max(each.oldest for each in jobs),
            ),
        )


def _earliest(streams: Iterable[Any]) -> datetime | None:
    """Return when the first of the first entries of streams was added."""
    entries = [entry for entries in streams for entry in entries]
    if not entries:
        return None
    return from_micros(min(int(bytes(entry[0]).partition(b"-")[0]) for entry in entries) * 1000)
