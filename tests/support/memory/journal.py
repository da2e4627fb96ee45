"""The journal of the store in memory, which has no file."""

from __future__ import annotations

from datetime import datetime

from storage.ports import JournalState


class MemoryJournal:
    """A `Journal` without a file."""

    async def rewrite(self) -> bool:
        return True

    async def state(self) -> JournalState:
        return JournalState()

    async def oldest_entry(self) -> datetime | None:
        return None

    async def fsync(self) -> str | None:
        return None
