"""Matches in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from play.errors import NoSuchMatch, Refused, ReusedOperation, Stale
from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ports import Loaded, Operation, Timer
from storage.keys import check_operation, check_timer, match_key
from storage.listing import OVER_KEPT, concerns
from storage.memory.outgoing import Outbox
from storage.memory.times import MemoryTimers
from storage.records.codec import encode
from storage.records.facts import encode_fact
from storage.traces import names_in_fact

OPERATION_KEPT: Final = timedelta(days=7)  # how long the result of an operation is kept


class _OperationResult(NamedTuple):
    payload: str
    fact: Fact
    until: datetime


class _Binding(NamedTuple):
    payload: str
    match_id: str
    until: datetime


class MemoryMatches:
    """A `MatchStore` in memory."""

    def __init__(self, clock: Callable[[], datetime], timers: MemoryTimers, outbox: Outbox) -> None:
        self._clock = clock
        self._timers = timers
        self._outbox = outbox
        self._matches: dict[str, Match] = {}  # in the order of their last changes
        self._done: dict[tuple[str, str], _OperationResult] = {}
        self._bound: dict[str, _Binding] = {}  # by operation

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        try:
            match = self._matches[match_id]
        except KeyError:
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id) from None
        return Loaded(match, self._fact_of(match, operation))

    async def revisions(self, match_ids: Sequence[str]) -> Sequence[int]:
        found = map(self._matches.get, match_ids)
        return [match.revision if match else 0 for match in found]

    async def commit(
        self,
        fact: Fact,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> Fact:
        """See `MatchStore.commit`."""
        match = replace(fact.match, revision=expected + 1)
        committed = replace(fact, match=match)
        match_key(match.id)
        encode(match)  # refuses what the store on Redis refuses
        for timer in timers:
            check_timer(timer)
        stored = self._matches.get(match.id)
        if stored is not None:
            done = self._fact_of(stored, operation)
            if done is not None:
                return done
        if stored is None and expected:
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match.id)
        if stored is not None and stored.revision != expected:
            raise Stale(stored)
        self._matches.pop(match.id, None)
        self._matches[match.id] = match
        self._timers.set(match.id, timers)
        if operation is not None:
            until = self._clock() + OPERATION_KEPT
            result = _OperationResult(operation.payload, committed, until)
            self._done[match.id, check_operation(operation).id] = result
        if announce:
            self._outbox.post(committed)
        return committed

    async def announce(self, fact: Fact) -> None:
        match = (await self.load(fact.match.id)).match
        if match.revision != fact.match.revision:
            raise Stale(match)
        self._outbox.post(replace(fact, match=match))

    def _fact_of(self, match: Match, operation: Operation | None) -> Fact | None:
        """Return what an operation did, with its match as it is now; None if it has not been done."""
        if operation is None:
            return None
        done = self._done.get((match.id, check_operation(operation).id))
        if done is None or done.until <= self._clock():
            return None
        if done.payload != operation.payload:
            raise ReusedOperation
        return replace(done.fact, match=match)

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        found = self._latest(address)
        live = {match.id for match in [match for match in found if match.live][:most]}
        return [match for match in found if match.id in live or (over and not match.live)]

    async def live_at(self, address: Address) -> int:
        return sum(match.live for match in self._latest(address))

    async def of(self, account: Account) -> Sequence[Match]:
        return self._latest(account)

    def _latest(self, whose: Account | Address) -> Sequence[Match]:
        found = []
        over = 0
        for match in reversed(self._matches.values()):
            if concerns(match, whose):
                over += not match.live
                if match.live or over <= OVER_KEPT:
                    found.append(match)
        return tuple(found)

    async def ids(self) -> AsyncIterator[str]:
        for match_id in list(self._matches):
            yield match_id

    async def bind(self, operation: Operation, match_id: str) -> str:
        name, now = check_operation(operation).id, self._clock()
        bound = self._bound.get(name)
        if bound is None or bound.until <= now:
            bound = self._bound[name] = _Binding(operation.payload, match_id, now + OPERATION_KEPT)
        if bound.payload != operation.payload:
            raise ReusedOperation
        return bound.match_id

    def forget_results(self, account: Account) -> None:
        """Delete the results of operations that name a person; see `FullStore.forget`."""
        names = names_in_fact(account)
        for key, done in list(self._done.items()):
            if names(encode_fact(done.fact)):
                del self._done[key]
            else:  # the match of a result is read anew each time
                self._done[key] = done._replace(fact=replace(done.fact, match=self._matches[key[0]]))
