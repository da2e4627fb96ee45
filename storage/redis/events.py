"""Events on Redis, stored as matches are."""

from __future__ import annotations

from collections.abc import Sequence

from play.events.event import Event
from play.events.facts import Changed
from play.events.ports import LoadedEvent
from play.people import Address
from storage import keys
from storage.client import Connection
from storage.listing import OVER_KEPT
from storage.redis.committing import RedisSubjects
from storage.redis.lists import RedisLists, decode_event
from storage.subjects import EVENTS
from storage.wakeup import Wakeup


class RedisEvents(RedisSubjects[Event, Changed, LoadedEvent]):
    """An `EventStore` on Redis."""

    def __init__(self, connection: Connection, wakeup: Wakeup) -> None:
        super().__init__(
            connection, wakeup, EVENTS, RedisLists(connection, keys.event_list_keys, decode_event)
        )

    async def at(self, address: Address) -> Sequence[Event]:
        return await self.lists.read(address, OVER_KEPT)
