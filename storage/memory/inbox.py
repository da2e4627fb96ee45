"""The inbox in memory."""

from __future__ import annotations

from collections.abc import Sequence

from storage.inbox import IDS_KEPT, Received, Update
from storage.keys import tag_of_chat
from storage.memory.streams import MemoryReader, MemoryStreams


class ReceivedUpdates:
    """The updates of one platform, and the ids of the last ones; one for each store and platform."""

    def __init__(self) -> None:
        self.streams: MemoryStreams[Received] = MemoryStreams()
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


class MemoryInbox:
    """An `Inbox` in memory."""

    def __init__(self, received: ReceivedUpdates) -> None:
        self._received = received
        self._reader = MemoryReader(received.streams)

    async def accept(self, updates: Sequence[Update]) -> None:
        for update in updates:
            self._received.accept(update)

    async def read(self, limit: int) -> Sequence[Received]:
        return await self._reader.read(limit)

    async def done(self, received: Sequence[Received]) -> None:
        await self._reader.done(each.entry for each in received)

    async def wait(self, seconds: float) -> None:
        await self._reader.wait(seconds)

    async def close(self) -> None:
        await self._reader.close()

    async def backlog(self) -> int:
        return await self._reader.backlog()
