"""A store in memory that keeps what the port says it keeps, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from play.errors import NoSuchMatch, Refused, ReusedOperation, Stale
from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ports import Due, Loaded, Operation, Timer
from play.settings import Settings


class Keeper:
    """A `play.ports.Store` for the tests of the table."""

    def __init__(self) -> None:
        self._matches: dict[str, Match] = {}
        self.done: dict[tuple[str, str], tuple[str, Fact]] = {}
        self.timers: dict[str, tuple[Timer, ...]] = {}
        self.told: list[Fact] = []
        self.chosen: dict[Account | Address, Settings] = {}

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        if match_id not in self._matches:
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id)
        return Loaded(self._matches[match_id], self._before(match_id, operation))

    async def commit(
        self,
        fact: Fact,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> Fact:
        match_id = fact.match.id
        if before := self._before(match_id, operation):
            return before
        stored = self._matches.get(match_id)
        if (stored.revision if stored else 0) != expected:
            assert stored
            raise Stale(stored)
        committed: Fact = replace(fact, match=replace(fact.match, revision=expected + 1))
        self._matches.pop(match_id, None)
        self._matches[match_id] = committed.match
        self.timers[match_id] = tuple(timers)
        if operation:
            self.done[match_id, operation.id] = (operation.payload, committed)
        if announce:
            self.told.append(committed)
        return committed

    def _before(self, match_id: str, operation: Operation | None) -> Fact | None:
        if operation is None or (match_id, operation.id) not in self.done:
            return None
        payload, fact = self.done[match_id, operation.id]
        if payload != operation.payload:
            raise ReusedOperation
        return replace(fact, match=self._matches[match_id])

    async def at(self, address: Address) -> Sequence[Match]:
        return [match for match in reversed(self._matches.values()) if address in match.addresses]

    async def of(self, account: Account) -> Sequence[Match]:
        return [match for match in reversed(self._matches.values()) if account in match.people()]

    async def settings(self, whose: Account | Address) -> Settings:
        return self.chosen.get(whose, Settings())

    async def set_settings(self, whose: Account | Address, settings: Settings) -> None:
        self.chosen[whose] = settings

    async def now(self) -> datetime:
        return datetime.now(UTC)

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[Due]:
        found = [
            Due(match_id, timer, lease)
            for match_id, timers in self.timers.items()
            for timer in timers
            if timer.at <= at
        ]
        return sorted(found, key=lambda due: due.timer.at)[:limit]

    async def settle(self, due: Due) -> None:
        kept = tuple(timer for timer in self.timers[due.match_id] if timer != due.timer)
        self.timers[due.match_id] = kept
