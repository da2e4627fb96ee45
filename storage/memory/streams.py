"""Streams in memory: what the outbox and the inbox share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from storage.keys import TAGS
from storage.wakeup import Wakeup

T = TypeVar("T")


class MemoryStreams(Generic[T]):
    """The entries of one direction, in order, and which reader holds each tag; one for each store."""

    def __init__(self) -> None:
        self.waiting: dict[str, T] = {}
        self.holders: dict[int, MemoryReader[T]] = {}
        self.wakeup = Wakeup()
        self._count = 0

    def add(self, tag: int, decode: Callable[[str], T]) -> None:
        """Add what `decode` makes of the new entry's id."""
        self._count += 1
        entry = f"{tag}/{self._count}"
        self.waiting[entry] = decode(entry)
        self.wakeup.wake()


class MemoryReader(Generic[T]):
    """One process's view of streams in memory; see `storage.redis.streams.LeasedStreams`."""

    def __init__(self, streams: MemoryStreams[T]) -> None:
        self._streams = streams
        self._waiter = streams.wakeup.waiter()
        self._in_hand: set[str] = set()

    async def read(self, limit: int) -> Sequence[T]:
        self._waiter.clear()
        found: list[T] = []
        for entry, item in self._streams.waiting.items():
            if len(found) >= limit:
                break
            if entry in self._in_hand or self._streams.holders.setdefault(_tag(entry), self) is not self:
                continue
            self._in_hand.add(entry)
            found.append(item)
        return tuple(found)

    async def done(self, entries: Iterable[str]) -> None:
        for entry in entries:
            self._streams.waiting.pop(entry, None)
            self._in_hand.discard(entry)
        busy = set(map(_tag, self._in_hand))
        for tag in range(TAGS):
            if tag not in busy and self._streams.holders.get(tag) is self:
                del self._streams.holders[tag]

    async def wait(self, seconds: float) -> None:
        await self._waiter.wait_for(seconds)

    async def close(self) -> None:
        self._in_hand.clear()
        await self.done(())

    async def backlog(self) -> int:
        return len(self._streams.waiting)


def _tag(entry: str) -> int:
    return int(entry.partition("/")[0])
