"""Events in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from play.events.event import Changed, Event
from play.events.events import LoadedEvent
from play.people import Address
from storage.redis.matches import EVENTS
from tests.support.memory.committing import MemorySubjects
from tests.support.memory.outgoing import Outbox
from tests.support.memory.times import MemoryTimers


class MemoryEvents(MemorySubjects[Event, Changed, LoadedEvent]):
    """An `EventStore` in memory."""

    def __init__(self, clock: Callable[[], datetime], timers: MemoryTimers, outbox: Outbox) -> None:
        super().__init__(clock, timers, outbox, EVENTS)

    async def at(self, address: Address) -> Sequence[Event]:
        return self._latest(address)
