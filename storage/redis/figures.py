"""How much waits in the store, from one batch of commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from storage import keys
from storage.client import Connection
from storage.records import codec
from storage.redis.jobs import Backlog, RedisJobs
from storage.timestamps import from_micros

GLANCED: Final = 8
"""Matches of each of the 64 tags that are looked at, to say how many there are of each kind."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What waits in the store.

    Attributes:
        at: When it was so, by the store's clock.
        untold: Facts that are not announced yet.
        oldest_untold: When the oldest of them was stored.
        jobs: Searches for workers elsewhere, of all classes.
    """

    at: datetime
    untold: int
    oldest_untold: datetime | None
    jobs: Backlog


class RedisFigures:
    """Reads how much waits."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._jobs = RedisJobs(connection)

    async def read(self) -> Figures:
        """Return how much waits now.

        Raises:
            Unavailable: the store does not answer.
        """
        streams = [keys.OUT.stream(tag) for tag in range(keys.TAGS)]
        calls = [
            *(("XLEN", stream) for stream in streams),
            *(("XRANGE", stream, "-", "+", "COUNT", 1) for stream in streams),
        ]
        found = await self.connection.batch(calls)
        untold, first = found[: keys.TAGS], found[keys.TAGS :]
        jobs = (await self._jobs.backlog()).values()
        seconds, micros = await self.connection.time()
        return Figures(
            at=from_micros(seconds * 1_000_000 + micros),
            untold=sum(untold),
            oldest_untold=_earliest(first),
            jobs=Backlog(
                sum(each.queued for each in jobs),
                sum(each.acquired for each in jobs),
                max(each.oldest for each in jobs),
            ),
        )

    async def live(self) -> Mapping[tuple[str, str], int]:
        """Return how many matches are not over, by game and state; of many, an estimate from some of each tag, in two round trips.

        Raises:
            Unavailable: the store does not answer.
        """
        timed = [
            keys.timers_of_key(tag) for tag in range(keys.TAGS)
        ]  # every match that is not over has a timer
        found = await self.connection.batch(
            [*(("HLEN", key) for key in timed), *(("HRANDFIELD", key, GLANCED) for key in timed)]
        )
        stands_for: dict[str, float] = {}  # by match: for how many of its tag
        for size, drawn in zip(found[: keys.TAGS], found[keys.TAGS :], strict=True):
            stands_for |= {bytes(each).decode(): size / len(drawn) for each in drawn}
        matches = [each for each in stands_for if keys.is_match_id(each)]
        records = await self.connection.batch([("GET", keys.match_key(each)) for each in matches])
        counted: dict[tuple[str, str], float] = {}
        for match_id, record in zip(matches, records, strict=True):
            if record is not None and (kind := codec.glance(record)) is not None:
                counted[kind] = counted.get(kind, 0.0) + stands_for[match_id]
        return {kind: round(count) for kind, count in counted.items()}


def _earliest(streams: Iterable[Any]) -> datetime | None:
    """Return when the first of the first entries of streams was added."""
    entries = [entry for entries in streams for entry in entries]
    if not entries:
        return None
    return from_micros(min(int(bytes(entry[0]).partition(b"-")[0]) for entry in entries) * 1000)
