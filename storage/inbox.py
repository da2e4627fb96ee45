"""The inbox: updates of a platform that are to be handled, each once.

A platform that delivers an update until it is confirmed confirms it as soon as it is in the inbox:

    await inbox.accept(updates)                  # one round trip; one that came before is not stored again
    ...
    for received in await inbox.read(50):        # those of one chat in their order
        ...
        await inbox.done([received])             # once it was handled and answered

Updates that a process had read when it ended are read by another within `LEASE` seconds, as facts of the outbox are
(`storage.outgoing`); so an update may be handled twice, never not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

IDS_KEPT: Final = 2000
"""Ids kept of each of 64 streams. A platform delivers anew only what it saw no confirmation of: the last hundred or two."""


@dataclass(frozen=True, slots=True)
class Update:
    """Something that happened on a platform.

    Attributes:
        id: The platform's, at most 100 characters.
        chat: What updates are ordered by: a chat, or the message or person that stands for one.
        person: Who caused it, empty if that is unknown.
        body: What the platform's adapter makes of it.
    """

    id: str
    chat: str
    person: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Received:
    """An update in the inbox, by its opaque entry."""

    entry: str
    update: Update


class Inbox(Protocol):
    """One process's view of a platform's inbox. Every method may raise `Unavailable`."""

    async def accept(self, updates: Sequence[Update]) -> None:
        """Store updates, except those that have come before."""

    async def read(self, limit: int) -> Sequence[Received]:
        """Return up to `limit` updates that no process has read, or only one that is gone; to be called every second or two."""

    async def done(self, received: Sequence[Received]) -> None:
        """Delete updates that were handled."""

    async def wait(self, seconds: float) -> None:
        """Return when this process accepts an update, or after so many seconds."""

    async def close(self) -> None:
        """Release everything that is not done to the other processes."""

    async def backlog(self) -> int:
        """Return how many updates are not done, of all processes."""
