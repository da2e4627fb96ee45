"""The inbox: updates of a platform that are to be handled, each once.

A platform that delivers an update until it is confirmed confirms it as soon as it is in the inbox:

    await inbox.accept(updates)                  # one round trip; one that came before is not stored again
    ...
    for received in await inbox.read(50):        # those of one chat in their order
        ...
        await inbox.done([received])             # once it was handled and answered

Updates that a process had read when it ended are read by another (`storage.streams`); so an update may be handled twice,
never not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from storage.streams import Stream

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


class Inbox(Stream[Received], Protocol):
    """One process's view of a platform's inbox. Every method may raise `Unavailable`."""

    async def accept(self, updates: Sequence[Update]) -> None:
        """Store updates, except those that have come before."""
