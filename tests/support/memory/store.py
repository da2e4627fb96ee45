"""The store in memory: its matches, events and timers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Generic, cast

from play.errors import ReusedOperation, Stale
from play.events.event import Changed, Event, subject_of
from play.events.events import LoadedEvent
from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ports import Loaded, Operation, Timer
from play.time.clock import Outage, merged
from storage.client.wakeups import Waiter
from storage.keys import check_operation, check_timer, match_key
from storage.ports import AddressState, DueTimer, Trace, names_in_fact, names_in_text
from storage.records.codec import decode_fact, encode, encode_fact
from storage.redis.lists import OVER_KEPT, S, concerns
from storage.redis.matches import EVENTS, MATCHES, OPERATION_SECONDS, F, L, Subject
from tests.support.memory.notes import (
    MemoryJournal,
    MemoryNotes,
    MemoryRatings,
    MemorySettings,
    MemoryTimelines,
)
from tests.support.memory.streams import (
    MemoryAside,
    MemoryBucket,
    MemoryInbox,
    MemoryOutgoing,
    Outbox,
    ReceivedUpdates,
)


class MemoryTimers:
    """A `TimerStore` in memory."""

    def __init__(self, aside: MemoryAside | None = None) -> None:
        self.aside = aside or MemoryAside()
        self._timers: dict[str, dict[Timer, datetime]] = {}  # by match: its time, or the end of its lease
        self._changed = Waiter()

    def set(self, match_id: str, timers: Sequence[Timer]) -> None:
        """Give a match these timers and no others."""
        self._timers[match_id] = {timer: timer.at for timer in timers}
        self._changed.set()

    async def until_due(self, at: datetime, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        while True:
            self._changed.clear()
            times = [when for timers in self._timers.values() for when in timers.values()]
            left = min([seconds, *((when - at).total_seconds() for when in times)]) - (clock() - began)
            if left <= 0:
                return
            await self._changed.wait_for(left)

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[DueTimer]:
        found = self._found(lambda _, when: when <= at)[:limit]
        for match_id, timer in found:
            self._timers[match_id][timer] = lease
        return tuple([DueTimer(match_id, timer, lease) for match_id, timer in found])

    def _found(self, wanted: Callable[[Timer, datetime], bool]) -> list[tuple[str, Timer]]:
        found = [
            (match_id, timer)
            for match_id, timers in self._timers.items()
            for timer, when in timers.items()
            if wanted(timer, when)
        ]
        return sorted(found, key=lambda each: (each[1].at, each[0], each[1].name))

    async def settle(self, due: DueTimer) -> None:
        timers = self._timers[due.match_id]
        if timers.get(due.timer) == due.lease:
            del timers[due.timer]

    async def set_aside(self, due: DueTimer, reason: str) -> None:
        timers = self._timers[due.match_id]
        self.aside.add(
            "timers",
            f"{due.match_id} {due.timer.name}",
            reason,
            lambda: timers.__setitem__(due.timer, due.timer.at),
        )
        await self.settle(due)

    async def hasten(self, name: str, at: datetime, every: timedelta) -> None:
        for number, (match_id, timer) in enumerate(self._found(lambda timer, _: timer.name == name)):
            kept = self._timers[match_id]
            kept[timer] = min(kept[timer], at + number * every)

    async def bound(self, lease: datetime) -> None:
        for timers in self._timers.values():
            timers.update({timer: lease for timer, when in timers.items() if when > max(timer.at, lease)})


class MemoryUptime:
    """An `UptimeStore` in memory."""

    def __init__(self) -> None:
        self._outages: set[Outage] = set()
        self._beat: datetime | None = None

    async def beat(self, at: datetime) -> None:
        self._beat = at if self._beat is None else max(at, self._beat)

    async def last_beat(self) -> datetime | None:
        return self._beat

    async def add_outage(self, outage: Outage) -> None:
        self._outages.add(outage)

    async def bound(self, at: datetime) -> None:
        self._beat = self._beat and min(at, self._beat)
        self._outages = {Outage(one.start, min(one.end, at)) for one in self._outages if one.start < at}

    async def outages(self, since: datetime) -> Sequence[Outage]:
        spans = merged(sorted((outage.start, outage.end) for outage in self._outages))
        return [Outage(start, end) for start, end in spans if end > since]


class MemorySubjects(Generic[S, F, L]):
    """Matches, or events, and the results of their operations.

    Attributes:
        stored: By id, in the order of their last changes.
    """

    def __init__(
        self, clock: Callable[[], datetime], timers: MemoryTimers, outbox: Outbox, subject: Subject[S, F, L]
    ) -> None:
        self.stored: dict[str, S] = {}
        self._clock = clock
        self._timers = timers
        self._outbox = outbox
        self._subject = subject
        # By id and operation: its payload, what it did, and until when that is kept.
        self._done: dict[tuple[str, str], tuple[str, bytes, datetime]] = {}

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
            until = self._clock() + timedelta(seconds=OPERATION_SECONDS)
            self._done[new.id, check_operation(operation).id] = (
                operation.payload,
                encode_fact(committed),
                until,
            )
        if announce:
            self._outbox.post(committed)
        return committed

    def _fact_of(self, stored: S, operation: Operation | None) -> F | None:
        if operation is None:
            return None
        payload, fact, until = self._done.get((stored.id, check_operation(operation).id), ("", b"", None))
        if until is None or until <= self._clock():
            return None
        if payload != operation.payload:
            raise ReusedOperation
        return cast("F", decode_fact(fact, stored))

    async def of(self, account: Account) -> Sequence[S]:
        return self._latest(account)

    async def live_of(self, accounts: Sequence[Account]) -> Sequence[S]:
        live = [each for each in self.stored.values() if each.live]
        return [each for each in live if any(concerns(each, account) for account in accounts)]

    async def marks(self, accounts: Sequence[Account]) -> Sequence[int]:
        every = self.stored.values()
        return [sum(each.revision for each in every if concerns(each, account)) for account in accounts]

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
        self._done = {key: done for key, done in self._done.items() if not names(done[1])}


class MemoryEvents(MemorySubjects[Event, Changed, LoadedEvent]):
    """An `EventStore` in memory."""

    def __init__(self, clock: Callable[[], datetime], timers: MemoryTimers, outbox: Outbox) -> None:
        super().__init__(clock, timers, outbox, EVENTS)

    async def at(self, address: Address) -> Sequence[Event]:
        return self._latest(address)


class MemoryMatches(MemorySubjects[Match, Fact, Loaded]):
    """A `MatchStore` in memory."""

    def __init__(self, clock: Callable[[], datetime], timers: MemoryTimers, outbox: Outbox) -> None:
        super().__init__(clock, timers, outbox, MATCHES)
        # By operation: its payload, its match, and until when that is kept.
        self._bound: dict[str, tuple[str, str, datetime]] = {}

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
        if bound is None or bound[2] <= now:
            bound = operation.payload, match_id, now + timedelta(seconds=OPERATION_SECONDS)
        payload, self._bound[name] = bound[0], bound
        if payload != operation.payload:
            raise ReusedOperation
        return bound[1]


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
        self, place: Address, *whose: Account | Address, most: int, alias: Account | None = None
    ) -> tuple[AddressState, Sequence[Match] | None, bool]:
        known = await self.outgoing().known(place, *whose)
        kept = alias is not None and any(match.live for match in await self.matches.of(alias))
        return known, await self.matches.at(place, over=False, most=most), kept

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
