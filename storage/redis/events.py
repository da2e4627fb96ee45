"""Events on Redis, stored as matches are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import cast

from play.events.errors import NoSuchEvent, StaleEvent
from play.events.event import Event
from play.events.facts import Changed
from play.events.ports import LoadedEvent
from play.people import Account, Address
from play.ports import Operation, Timer
from storage import keys
from storage.client import Connection
from storage.listing import OVER_KEPT
from storage.records.results import fact_of
from storage.redis.committing import commit_fact
from storage.redis.lists import RedisLists, decode_event
from storage.wakeup import Wakeup


class RedisEvents:
    """An `EventStore` on Redis."""

    def __init__(self, connection: Connection, wakeup: Wakeup) -> None:
        self.lists = RedisLists(connection, keys.event_list_keys, decode_event)
        self._connection = connection
        self._wakeup = wakeup

    async def load(self, event_id: str, operation: Operation | None = None) -> LoadedEvent:
        """See `EventStore.load`.

        Raises:
            Damaged: what is stored cannot be read.
        """
        if not keys.is_event_id(event_id):
            raise NoSuchEvent(event_id)
        if operation is None:
            return LoadedEvent(
                _read(event_id, await self._connection.command("GET", keys.match_key(event_id)))
            )
        key = keys.operation_key(event_id, keys.check_operation(operation).id)
        record, done = await self._connection.command("MGET", keys.match_key(event_id), key)
        event = _read(event_id, record)
        if done is None:
            return LoadedEvent(event)
        return LoadedEvent(event, cast("Changed", fact_of(key, operation, done, event)))

    async def commit(
        self,
        fact: Changed,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> Changed:
        """See `EventStore.commit`.

        Raises:
            Damaged: another change came first, and what is stored cannot be read.
            ValueError: the event cannot be stored as it is.
        """
        event = replace(fact.event, revision=expected + 1)
        committed = replace(fact, event=event)
        found, changed = await commit_fact(
            self._connection, committed, expected, operation=operation, timers=timers, announce=announce
        )
        if changed:
            if self._connection.clustered:
                await self.lists.add(event, changed)
            if announce:
                self._wakeup.wake()
        if found.stored:
            return committed
        stored = _read(event.id, found.record)
        if operation is not None and found.done is not None:
            return cast("Changed", fact_of(found.key, operation, found.done, stored))
        raise StaleEvent(stored)

    async def at(self, address: Address) -> Sequence[Event]:
        return await self.lists.read(address, OVER_KEPT)

    async def of(self, account: Account) -> Sequence[Event]:
        return await self.lists.read(account, OVER_KEPT)

    async def ids(self) -> AsyncIterator[str]:
        async for found in self._connection.scan(keys.EVENTS):
            for key in found:
                event_id = key.rpartition(":")[2]
                if keys.is_event_id(event_id):
                    yield event_id


def _read(event_id: str, record: bytes | None) -> Event:
    if record is None:
        raise NoSuchEvent(event_id)
    return decode_event(event_id, record)
