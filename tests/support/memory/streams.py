"""Streams in memory: what the outbox and the inbox share."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Generic

from storage.keys import TAGS
from storage.ports import ASIDE_MOST, E, SetAside, Wakeup


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
                streams.add(_tag(entry.entry), lambda name: replace(entry, entry=name))  # type: ignore[type-var]

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
