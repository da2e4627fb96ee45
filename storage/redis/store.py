"""The store on Redis or Valkey, one server or a cluster: its parts, which share a connection."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from redis.asyncio import Redis, RedisCluster

from play.errors import Unavailable
from play.match import Match
from play.people import Account, Address
from storage.archive import Archive
from storage.client import PATIENCE, Connection
from storage.embedded.directory import Process
from storage.ports import Trace
from storage.records.columns import from_micros
from storage.redis.jobs import RedisJobs
from storage.redis.matches import RedisEvents, RedisMatches
from storage.redis.notes import RedisNotes, RedisSettings, RedisTimelines
from storage.redis.outgoing import RedisBucket, RedisOutgoing, ask_known, read_known
from storage.redis.ratings import RedisRatings
from storage.redis.streams import RedisAside, RedisInbox
from storage.redis.times import RedisTimers, RedisUptime
from storage.redis.upkeep import RedisJournal, RedisTraces
from storage.streams import Known, Waiter, Wakeup


class RedisStore:
    """A `storage.ports.FullStore` on Redis or Valkey, 6.2 or newer; the client is from `storage.client`."""

    def __init__(
        self,
        client: Redis | RedisCluster,
        patience: float = PATIENCE,
        process: Process | None = None,
        archive: Archive | None = None,
    ) -> None:
        self.connection = Connection(client, patience, process)
        self._wakeup = Wakeup()
        self._accepted: dict[str, Wakeup] = {}  # by platform
        self.archive = archive
        self.matches = RedisMatches(self.connection, self._wakeup, archive)
        self.events = RedisEvents(self.connection, self._wakeup)
        self.settings = RedisSettings(self.connection)
        self.ratings = RedisRatings(self.connection)
        self.notes = RedisNotes(self.connection)
        self.timelines = RedisTimelines(self.connection)
        self.timers = RedisTimers(self.connection)
        self.uptime = RedisUptime(self.connection)
        self.aside = RedisAside(self.connection)
        self.journal = RedisJournal(self.connection)
        self._traces = RedisTraces(self.connection)

    def outgoing(self) -> RedisOutgoing:
        return RedisOutgoing(self.connection, self._wakeup.waiter())

    def inbox(self, platform: str) -> RedisInbox:
        return RedisInbox(self.connection, self._accepted.setdefault(platform, Wakeup()), platform)

    async def visited(
        self, place: Address, *whose: Account | Address, most: int
    ) -> tuple[Known, Sequence[Match] | None]:
        """See `FullStore.visited`. One round trip, unless the matches at the place have changed since it was last visited."""
        calls, look = ask_known(place, *whose), self.matches.lists.look(place, 0, most)
        replies = await self.connection.batch([*calls, *look.calls])
        known = read_known(replies[: len(calls)], *whose)
        with suppress(Unavailable):
            return known, await self.matches.lists.seen(look, replies[len(calls) :])
        return known, None

    def commits(self) -> Waiter:
        return self._wakeup.waiter()

    def bucket(self) -> RedisBucket:
        return RedisBucket(self.connection)

    def jobs(self) -> RedisJobs:
        """Return the queue of searches for workers on any machine."""
        return RedisJobs(self.connection)

    async def now(self) -> datetime:
        """See `FullStore.now`. On a cluster the same node is asked each time, as long as it is there."""
        seconds, micros = await self.connection.time()
        return from_micros(seconds * 1_000_000 + micros)

    async def traces(self, account: Account) -> Sequence[Trace]:
        return [trace async for trace, _ in self._traces.of(account)]

    async def forget(self, account: Account) -> None:
        await self.matches.forget_archived(account)
        await self.ratings.forget(account)
        await self._traces.forget(account)
