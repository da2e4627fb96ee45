"""The inbox in memory."""

from __future__ import annotations

from collections.abc import Sequence

from storage.keys import tag_of_chat
from storage.ports import IDS_KEPT, Received, Update
from tests.support.memory.streams import MemoryAside, MemoryReader, MemoryStreams


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
