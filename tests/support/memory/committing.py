"""What the stores of matches and of events in memory share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Generic, NamedTuple, cast

from play.errors import ReusedOperation
from play.events.event import AnyFact, Event, subject_of
from play.match import Match
from play.people import Account, Address
from play.ports import Operation, Timer
from storage.keys import check_operation, check_timer, match_key
from storage.ports import names_in_fact
from storage.records.codec import decode_fact, encode, encode_fact
from storage.redis.lists import OVER_KEPT, S, concerns
from storage.redis.matches import F, L, Subject
from tests.support.memory.outgoing import Outbox
from tests.support.memory.times import MemoryTimers

OPERATION_KEPT: Final = timedelta(days=7)  # how long the result of an operation is kept


class _OperationResult(NamedTuple):
    payload: str
    fact: AnyFact
    until: datetime


def _moved(fact: AnyFact, stored: Match | Event) -> AnyFact:
    """Return a fact with its match or event as it is now."""
    return decode_fact(encode_fact(fact), stored)


class MemorySubjects(Generic[S, F, L]):
    """Matches, or events, and the results of their operations.

    Attributes:
        stored: By id, in the order of their last changes.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        timers: MemoryTimers,
        outbox: Outbox,
        subject: Subject[S, F, L],
    ) -> None:
        self.stored: dict[str, S] = {}
        self._clock = clock
        self._timers = timers
        self._outbox = outbox
        self._subject = subject
        self._done: dict[tuple[str, str], _OperationResult] = {}

    async def load(self, subject_id: str, operation: Operation | None = None) -> L:
        stored = self.stored.get(subject_id)
        if stored is None:
            raise self._subject.missing(subject_id)
        return self._subject.loaded(stored, self._fact_of(stored, operation))

    async def commit(
        self,
        fact: F,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> F:
        """See `MatchStore.commit`."""
        committed = self._subject.revised(fact, expected + 1)
        new = cast("S", subject_of(committed))
        match_key(new.id)
        encode(new)  # refuses what the store on Redis refuses
        for timer in timers:
            check_timer(timer)
        stored = self.stored.get(new.id)
        if stored is not None and (done := self._fact_of(stored, operation)) is not None:
            return done
        if stored is None and expected:
            raise self._subject.missing(new.id)
        if stored is not None and stored.revision != expected:
            raise self._subject.stale(stored)
        self.stored.pop(new.id, None)
        self.stored[new.id] = new
        self._timers.set(new.id, timers)
        if operation is not None:
            until = self._clock() + OPERATION_KEPT
            result = _OperationResult(operation.payload, committed, until)
            self._done[new.id, check_operation(operation).id] = result
        if announce:
            self._outbox.post(committed)
        return committed

    def _fact_of(self, stored: S, operation: Operation | None) -> F | None:
        """Return what an operation did, with its match or event as it is now; None if it has not been done."""
        if operation is None:
            return None
        done = self._done.get((stored.id, check_operation(operation).id))
        if done is None or done.until <= self._clock():
            return None
        if done.payload != operation.payload:
            raise ReusedOperation
        return cast("F", _moved(done.fact, stored))

    async def of(self, account: Account) -> Sequence[S]:
        return self._latest(account)

    def _latest(self, whose: Account | Address) -> Sequence[S]:
        found = []
        over = 0
        for stored in reversed(self.stored.values()):
            if concerns(stored, whose):
                over += not stored.live
                if stored.live or over <= OVER_KEPT:
                    found.append(stored)
        return tuple(found)

    async def ids(self) -> AsyncIterator[str]:
        for subject_id in list(self.stored):
            yield subject_id

    def forget_results(self, account: Account) -> None:
        """Delete the results of operations that name a person; see `FullStore.forget`."""
        names = names_in_fact(account)
        for key, done in list(self._done.items()):
            if names(encode_fact(done.fact)):
                del self._done[key]
            else:  # the match or event of a result is read anew each time
                moved = _moved(done.fact, self.stored[key[0]])
                self._done[key] = done._replace(fact=moved)
