"""The store in memory. It passes the same contract tests as the one on Redis."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime

from play.people import Account
from storage.memory.inbox import MemoryInbox, ReceivedUpdates
from storage.memory.matches import MemoryMatches
from storage.memory.outgoing import MemoryBucket, MemoryOutgoing, Outbox
from storage.memory.people import MemoryRatings, MemorySettings
from storage.memory.texts import MemoryNotes, MemoryTimelines
from storage.memory.times import MemoryTimers, MemoryUptime


class MemoryStore:
    """A `storage.ports.FullStore` in memory, for tests and trials, by a clock that returns aware times."""

    def __init__(self, clock: Callable[[], datetime] | None = None) -> None:
        self.clock = clock or (lambda: datetime.now(UTC))
        self.outbox = Outbox()
        self.timers = MemoryTimers()
        self.matches = MemoryMatches(self.clock, self.timers, self.outbox)
        self.settings = MemorySettings()
        self.ratings = MemoryRatings()
        self.notes = MemoryNotes(self.clock)
        self.timelines = MemoryTimelines()
        self.uptime = MemoryUptime()
        self._received: dict[str, ReceivedUpdates] = {}
        self._spent: dict[str, datetime] = {}

    def outgoing(self) -> MemoryOutgoing:
        return MemoryOutgoing(self.outbox)

    def inbox(self, platform: str) -> MemoryInbox:
        return MemoryInbox(self._received.setdefault(platform, ReceivedUpdates()))

    def bucket(self) -> MemoryBucket:
        return MemoryBucket(self._spent)

    async def now(self) -> datetime:
        return self.clock().astimezone(UTC)

    async def forget(self, account: Account, name: str, matches: Collection[str]) -> None:
        self.settings.forget(account)
        self.ratings.forget(account)
        self.matches.forget_results(account, name, matches)
