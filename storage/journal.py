"""The journal: the server's append-only file, which holds deleted data until it is rewritten."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class JournalState:
    """The state of the journal.

    Attributes:
        run: Which run of the server it is; a rewrite does not survive it.
        rewriting: Whether it is being rewritten.
        failed: Whether the last rewrite of this run failed.
    """

    run: str = ""
    rewriting: bool = False
    failed: bool = False


class Journal(Protocol):
    """The journal. Every method may raise `Unavailable`."""

    async def rewrite(self) -> bool:
        """Begin to rewrite it; return whether the server lets the bot do that."""

    async def state(self) -> JournalState:
        """Return its state."""

    async def oldest_entry(self) -> datetime | None:
        """Return when the oldest fact or update came that is not done yet; None if there is none."""

    async def fsync(self) -> str | None:
        """Return when the server writes it to the disk: `always`, `everysec` or `no`; None if it does not say."""
