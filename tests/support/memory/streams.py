"""Streams in memory: the inbox, the outbox and the rate limits."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, Generic

from play.events.event import AnyFact, subject_of
from play.people import Account, Address
from storage.client.wakeups import Wakeup
from storage.keys import TAGS, tag_of, tag_of_chat
from storage.ports import (
    ASIDE_MOST,
    IDS_KEPT,
    AddressState,
    BoardMessage,
    E,
    Limit,
    Received,
    Sent,
    SetAside,
    Update,
    names_in_text,
)
from tests.support.memory.notes import MemorySettings


class MemoryAside:
    """An `Aside` in memory."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[SetAside, Callable[[], None]]] = {}  # by id, with what puts it back

    def add(self, stream: str, about: str, reason: str, put_back: Callable[[], None]) -> None:
        """Keep an entry aside."""
        name = secrets.token_hex(4)
        self._kept[name] = (SetAside(name, stream, about, reason, datetime.now(UTC)), put_back)
        for oldest in list(self._kept)[:-ASIDE_MOST]:
            del self._kept[oldest]

    async def all(self) -> Sequence[SetAside]:
        return [each for each, _ in self._kept.values()]

    async def replay(self, aside_id: str) -> bool:
        if aside_id not in self._kept:
            return False
        self._kept[aside_id][1]()
        return await self.drop(aside_id)

    async def drop(self, aside_id: str) -> bool:
        return self._kept.pop(aside_id, None) is not None


class MemoryStreams(Generic[E]):
    """The entries of one direction, in order, and which reader holds each tag; one for each store."""

    def __init__(self, name: str, about: Callable[[E], str], aside: MemoryAside | None = None) -> None:
        self.name = name
        self.about = about
        self.aside = aside or MemoryAside()
        self.waiting: dict[str, E] = {}
        self.holders: dict[int, MemoryReader[E]] = {}
        self.wakeup = Wakeup()
        self._count = 0

    def add(self, tag: int, decode: Callable[[str], E]) -> None:
        """Add what `decode` makes of the new entry's id."""
        self._count += 1
        entry = f"{tag}/{self._count}"
        self.waiting[entry] = decode(entry)
        self.wakeup.wake()


class MemoryReader(Generic[E]):
    """One process's view of streams in memory; see `storage.redis.streams.LeasedStreams`."""

    def __init__(self, streams: MemoryStreams[E]) -> None:
        self._streams = streams
        self._waiter = streams.wakeup.waiter()
        self._in_hand: set[str] = set()

    async def read(self, limit: int, done: Sequence[E] = ()) -> Sequence[E]:
        await self.done(done)
        self._waiter.clear()
        found: list[E] = []
        for entry, item in self._streams.waiting.items():
            if len(found) >= limit:
                break
            if entry in self._in_hand or self._streams.holders.setdefault(_tag(entry), self) is not self:
                continue
            self._in_hand.add(entry)
            found.append(item)
        return tuple(found)

    async def done(self, entries: Sequence[E]) -> None:
        for done in entries:
            self._streams.waiting.pop(done.entry, None)
            self._in_hand.discard(done.entry)
        self._release()

    async def set_aside(self, entry: E, reason: str) -> None:
        streams = self._streams
        if entry.entry in streams.waiting:

            def put_back() -> None:
                streams.add(_tag(entry.entry), lambda name: replace(entry, entry=name))

            streams.aside.add(streams.name, streams.about(entry), reason, put_back)
        await self.done([entry])

    def _release(self) -> None:
        busy = set(map(_tag, self._in_hand))
        for tag in range(TAGS):
            if tag not in busy and self._streams.holders.get(tag) is self:
                del self._streams.holders[tag]

    async def wait(self, seconds: float) -> None:
        await self._waiter.wait_for(seconds)

    def wake(self) -> None:
        self._waiter.set()

    async def close(self) -> None:
        self._in_hand.clear()
        self._release()

    async def backlog(self) -> int:
        return len(self._streams.waiting)


def _tag(entry: str) -> int:
    return int(entry.partition("/")[0])


class ReceivedUpdates:
    """The updates of one platform, and the ids of the last ones; one for each store and platform."""

    def __init__(self, platform: str = "", aside: MemoryAside | None = None) -> None:
        self.streams: MemoryStreams[Received] = MemoryStreams(
            f"in:{platform}", lambda received: received.update.chat, aside
        )
        self._ids: dict[int, dict[str, None]] = {}  # by tag

    def accept(self, update: Update) -> None:
        """Add an update, unless it has come before."""
        tag = tag_of_chat(update.chat)
        ids = self._ids.setdefault(tag, {})
        if update.id in ids:
            return
        ids[update.id] = None
        if len(ids) > IDS_KEPT:
            del ids[next(iter(ids))]
        self.streams.add(tag, lambda entry: Received(entry, update))


class MemoryInbox(MemoryReader[Received]):
    """An `Inbox` in memory."""

    def __init__(self, received: ReceivedUpdates) -> None:
        super().__init__(received.streams)
        self._received = received

    async def accept(self, updates: Sequence[Update]) -> None:
        for update in updates:
            self._received.accept(update)


_SKEW: Final = timedelta(seconds=1)  # by which the clocks of processes may differ


class Outbox:
    """The facts to be sent, and what senders remember; one for each store."""

    def __init__(self, aside: MemoryAside | None = None) -> None:
        self.streams: MemoryStreams[Sent] = MemoryStreams("out", lambda sent: sent.subject.id, aside)
        self.shown: dict[tuple[str, Address], BoardMessage] = {}
        self.dead: dict[Address, datetime] = {}

    def post(self, fact: AnyFact) -> None:
        """Add a fact."""
        self.streams.add(tag_of(subject_of(fact).id), lambda entry: Sent(entry, fact))

    def forget(self, account: Account) -> None:
        """Delete what is remembered of the chat with a person."""
        names = names_in_text(account)
        self.shown = {key: shown for key, shown in self.shown.items() if not names(str(key[1]))}
        self.dead = {place: since for place, since in self.dead.items() if not names(str(place))}


class MemoryOutgoing(MemoryReader[Sent]):
    """An `Outgoing` in memory."""

    def __init__(self, outbox: Outbox, settings: MemorySettings) -> None:
        super().__init__(outbox.streams)
        self._outbox = outbox
        self._settings = settings

    async def shown(self, match_id: str, address: Address) -> BoardMessage | None:
        return self._outbox.shown.get((match_id, address))

    async def set_shown(self, match_id: str, address: Address, shown: BoardMessage | None) -> None:
        tag_of(match_id)
        if shown is None:
            self._outbox.shown.pop((match_id, address), None)
        else:
            self._outbox.shown[match_id, address] = shown

    def set_shown_later(self, match_id: str, address: Address, shown: BoardMessage) -> None:
        self._outbox.shown[match_id, address] = shown

    async def known(
        self, address: Address, *whose: Account | Address, match_id: str | None = None
    ) -> AddressState:
        chosen = await self._settings.get_many(*whose)
        return AddressState(
            await self.dead(address),
            None if match_id is None else await self.shown(match_id, address),
            dict(zip(whose, chosen, strict=True)),
        )

    async def dead(self, address: Address) -> datetime | None:
        return self._outbox.dead.get(address)

    async def set_dead(self, address: Address, at: datetime | None) -> None:
        if at is None:
            self._outbox.dead.pop(address, None)
        else:
            self._outbox.dead[address] = at


class MemoryBucket:
    """A `Bucket` in memory."""

    def __init__(
        self, spent: dict[str, tuple[datetime, timedelta]], clock: Callable[[], datetime] | None = None
    ) -> None:
        self._spent: Final = spent  # up to when each bucket's tokens are spent, and for how long it was held
        self._clock = clock or (lambda: datetime.now(UTC))

    async def take(self, limit: Limit, at: datetime | None = None) -> float:
        return self._take([limit], at or self._clock())

    async def take_all(self, limits: Sequence[Limit], at: datetime | None = None) -> bool:
        return not self._take(limits, at or self._clock())

    def _before(self, limit: Limit, at: datetime) -> tuple[datetime, timedelta]:
        before, span = self._spent.get(limit.key, (at, timedelta()))
        possible = before <= at + limit.burst * _every(limit) + span + _SKEW
        return (before, span) if possible else (at, timedelta())

    def _take(self, limits: Sequence[Limit], at: datetime) -> float:
        spent = {limit.key: max(self._before(limit, at)[0], at) + _every(limit) for limit in limits}
        wait = max(spent[limit.key] - limit.burst * _every(limit) - at for limit in limits)
        if wait > timedelta():
            return wait.total_seconds()
        self._spent.update({key: (until, timedelta()) for key, until in spent.items()})
        return 0.0

    async def hold(self, limit: Limit, seconds: float, at: datetime | None = None) -> None:
        now, span = at or self._clock(), timedelta(seconds=seconds)
        held = (now + span + (limit.burst - 1) * _every(limit), span)
        self._spent[limit.key] = max(held, self._before(limit, now))


def _every(limit: Limit) -> timedelta:
    return timedelta(seconds=1 / limit.rate)
