"""Events in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import datetime

from play.errors import ReusedOperation
from play.events.errors import NoSuchEvent, StaleEvent
from play.events.event import Event
from play.events.facts import Changed
from play.events.ports import LoadedEvent
from play.people import Account, Address
from play.ports import Operation, Timer
from storage.keys import check_operation, check_timer, match_key
from storage.listing import OVER_KEPT, concerns
from storage.memory.matches import OPERATION_KEPT
from storage.memory.outgoing import Outbox
from storage.memory.times import MemoryTimers
from storage.records.codec import encode


class MemoryEvents:
    """An `EventStore` in memory."""

    def __init__(self, clock: Callable[[], datetime], timers: MemoryTimers, outbox: Outbox) -> None:
        self._clock = clock
        self._timers = timers
        self._outbox = outbox
        self._events: dict[str, Event] = {}  # in the order of their last changes
        self._done: dict[tuple[str, str], tuple[str, Changed, datetime]] = {}

    async def load(self, event_id: str, operation: Operation | None = None) -> LoadedEvent:
        if event_id not in self._events:
            raise NoSuchEvent(event_id)
        event = self._events[event_id]
        return LoadedEvent(event, self._fact_of(event, operation))

    async def commit(
        self,
        fact: Changed,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> Changed:
        """See `EventStore.commit`."""
        event = replace(fact.event, revision=expected + 1)
        committed = replace(fact, event=event)
        match_key(event.id)
        encode(event)  # refuses what the store on Redis refuses
        for timer in timers:
            check_timer(timer)
        stored = self._events.get(event.id)
        if stored is not None and (done := self._fact_of(stored, operation)) is not None:
            return done
        if stored is None and expected:
            raise NoSuchEvent(event.id)
        if stored is not None and stored.revision != expected:
            raise StaleEvent(stored)
        self._events.pop(event.id, None)
        self._events[event.id] = event
        self._timers.set(event.id, timers)
        if operation is not None:
            until = self._clock() + OPERATION_KEPT
            self._done[event.id, check_operation(operation).id] = operation.payload, committed, until
        if announce:
            self._outbox.post(committed)
        return committed

    async def at(self, address: Address) -> Sequence[Event]:
        return self._latest(address)

    async def of(self, account: Account) -> Sequence[Event]:
        return self._latest(account)

    async def ids(self) -> AsyncIterator[str]:
        for event_id in list(self._events):
            yield event_id

    def _fact_of(self, event: Event, operation: Operation | None) -> Changed | None:
        if operation is None:
            return None
        payload, fact, until = self._done.get(
            (event.id, check_operation(operation).id), (None, None, self._clock())
        )
        if fact is None or until <= self._clock():
            return None
        if payload != operation.payload:
            raise ReusedOperation
        return replace(fact, event=event)

    def _latest(self, whose: Account | Address) -> Sequence[Event]:
        found = [event for event in reversed(self._events.values()) if concerns(event, whose)]
        over = [event for event in found if not event.live][OVER_KEPT:]
        return tuple(event for event in found if event not in over)
