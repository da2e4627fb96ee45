"""Matches in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from play.errors import ReusedOperation, Stale
from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ports import Loaded, Operation
from storage.keys import check_operation
from storage.redis.matches import MATCHES
from tests.support.memory.committing import OPERATION_KEPT, MemorySubjects
from tests.support.memory.outgoing import Outbox
from tests.support.memory.times import MemoryTimers


class _Binding(NamedTuple):
    payload: str
    match_id: str
    until: datetime


class MemoryMatches(MemorySubjects[Match, Fact, Loaded]):
    """A `MatchStore` in memory."""

    def __init__(self, clock: Callable[[], datetime], timers: MemoryTimers, outbox: Outbox) -> None:
        super().__init__(clock, timers, outbox, MATCHES)
        self._bound: dict[str, _Binding] = {}  # by operation

    async def revisions(self, match_ids: Sequence[str]) -> Sequence[int]:
        found = map(self.stored.get, match_ids)
        return [match.revision if match else 0 for match in found]

    async def announce(self, fact: Fact) -> None:
        match = (await self.load(fact.match.id)).match
        if match.revision != fact.match.revision:
            raise Stale(match)
        self._outbox.post(replace(fact, match=match))

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        found = self._latest(address)
        live = {match.id for match in [match for match in found if match.live][:most]}
        return [match for match in found if match.id in live or (over and not match.live)]

    async def live_at(self, address: Address) -> int:
        return sum(match.live for match in self._latest(address))

    async def with_people(self, accounts: Collection[Account]) -> AsyncIterator[Match]:
        for match in list(self.stored.values()):
            if not frozenset(accounts).isdisjoint(match.people()):
                yield match

    async def bind(self, operation: Operation, match_id: str) -> str:
        name, now = check_operation(operation).id, self._clock()
        bound = self._bound.get(name)
        if bound is None or bound.until <= now:
            bound = self._bound[name] = _Binding(operation.payload, match_id, now + OPERATION_KEPT)
        if bound.payload != operation.payload:
            raise ReusedOperation
        return bound.match_id
