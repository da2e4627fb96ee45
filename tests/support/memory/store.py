"""The store in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from play.match import Match
from play.people import Account, Address
from storage.ports import AddressState, Trace, Waiter, names_in_text
from tests.support.memory.events import MemoryEvents
from tests.support.memory.inbox import MemoryInbox, ReceivedUpdates
from tests.support.memory.journal import MemoryJournal
from tests.support.memory.matches import MemoryMatches
from tests.support.memory.outgoing import MemoryBucket, MemoryOutgoing, Outbox
from tests.support.memory.people import MemoryRatings, MemorySettings
from tests.support.memory.streams import MemoryAside
from tests.support.memory.texts import MemoryNotes, MemoryTimelines
from tests.support.memory.times import MemoryTimers, MemoryUptime


class MemoryStore:
    """A `storage.ports.FullStore` in memory, by a clock that returns aware times."""

    def __init__(self, clock: Callable[[], datetime] | None = None) -> None:
        self.clock = clock or (lambda: datetime.now(UTC))
        self.aside = MemoryAside()
        self.outbox = Outbox(self.aside)
        self.timers = MemoryTimers(self.aside)
        self.matches = MemoryMatches(self.clock, self.timers, self.outbox)
        self.events = MemoryEvents(self.clock, self.timers, self.outbox)
        self.settings = MemorySettings()
        self.ratings = MemoryRatings()
        self.notes = MemoryNotes(self.clock)
        self.timelines = MemoryTimelines()
        self.uptime = MemoryUptime()
        self.journal = MemoryJournal()
        self._received: dict[str, ReceivedUpdates] = {}
        self._spent: dict[str, tuple[datetime, timedelta]] = {}

    def outgoing(self) -> MemoryOutgoing:
        return MemoryOutgoing(self.outbox, self.settings)

    def inbox(self, platform: str) -> MemoryInbox:
        return MemoryInbox(self._received.setdefault(platform, ReceivedUpdates(platform, self.aside)))

    async def visited(
        self, place: Address, *whose: Account | Address, most: int
    ) -> tuple[AddressState, Sequence[Match] | None]:
        known = await self.outgoing().known(place, *whose)
        return known, await self.matches.at(place, over=False, most=most)

    def commits(self) -> Waiter:
        return self.outbox.streams.wakeup.waiter()

    def bucket(self) -> MemoryBucket:
        return MemoryBucket(self._spent, self.clock)

    async def now(self) -> datetime:
        return self.clock().astimezone(UTC)

    async def traces(self, account: Account) -> Sequence[Trace]:
        return [Trace(*trace) for trace in (*self.notes.naming(account), *self.timelines.naming(account))]

    async def forget(self, account: Account) -> None:
        self.settings.forget(account)
        self.ratings.forget(account)
        self.matches.forget_results(account)
        self.events.forget_results(account)
        for name, _ in self.notes.naming(account):
            await self.notes.write(name, None)
        for name, text in self.timelines.naming(account):
            await self.timelines.remove(name, text)
        self.outbox.forget(account)
        in_text = names_in_text(account)
        for key in filter(in_text, list(self._spent)):
            del self._spent[key]
