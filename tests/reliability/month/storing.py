"""A store that fails at times, and chance from a seed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from play.errors import Unavailable
from play.facts import Fact
from play.ports import ALPHABET, CODE_LENGTH, Loaded, Operation
from storage.ports import DueTimer
from tests.reliability.month.knowing import TROUBLE, now
from tests.reliability.month.watching import Watch
from tests.support.memory import MemoryStore
from tests.support.memory.matches import MemoryMatches
from tests.support.memory.outgoing import MemoryOutgoing
from tests.support.memory.times import MemoryTimers

IDLE: Final = 3600.0
"""Seconds between polls of a sender without a wake-up."""


class Drawn:
    """Chance from a seed."""

    def __init__(self, luck: random.Random) -> None:
        self._luck = luck

    def code(self) -> str:
        return "".join(self._luck.choices(ALPHABET, k=CODE_LENGTH))

    def shuffled(self, count: int) -> Sequence[int]:
        return self._luck.sample(range(count), count)


class Store(MemoryStore):
    """A store that fails at times, looks at every commit, and does not go through all timers where none can be due."""

    def __init__(self, luck: random.Random, watch: Watch) -> None:
        super().__init__(now)
        self.luck, self.watch = luck, watch
        self.soonest: datetime | None = None
        self.timers = _Timers(self)
        self.matches = _Matches(self)

    def stumble(self) -> None:
        if self.luck.random() < TROUBLE:
            self.watch.counts["calls that failed"] += 1
            raise Unavailable

    def outgoing(self) -> MemoryOutgoing:
        return Patient(self.outbox, self.settings)


class _Matches(MemoryMatches):
    def __init__(self, store: Store) -> None:
        super().__init__(store.clock, store.timers, store.outbox)
        self._store = store

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        await asyncio.sleep(self._store.luck.random() * 0.01)  # others have their turn
        self._store.stumble()
        return await super().load(match_id, operation)

    async def commit(self, fact: Fact, expected: int, **more: Any) -> Fact:
        await asyncio.sleep(self._store.luck.random() * 0.01)
        self._store.stumble()
        before = self.stored.get(fact.match.id)
        committed = await super().commit(fact, expected, **more)
        if self.stored[fact.match.id] is not before:
            self._store.soonest = min(
                [timer.at for timer in more["timers"]] + [self._store.soonest or committed.match.expires]
            )
            self._store.watch.committed(before, committed, announced=more["announce"])
        self._store.stumble()
        return committed


class _Timers(MemoryTimers):
    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[DueTimer]:
        self._store.stumble()
        if self._store.soonest is None or at < self._store.soonest:
            return ()
        found = await super().due(at, lease, limit)
        self._store.soonest = min(
            (when for kept in self._timers.values() for when in kept.values()), default=None
        )
        return found

    async def hasten(self, name: str, at: datetime, every: timedelta) -> None:
        await super().hasten(name, at, every)
        self._store.soonest = at


class Patient(MemoryOutgoing):
    """A sender's view that does not look again and again where nothing has happened."""

    async def wait(self, seconds: float) -> None:
        await super().wait(IDLE)
