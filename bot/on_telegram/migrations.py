"""Groups that became supergroups: another number, the same people, and the same matches.

A chat keeps the number it was first known by wherever a match remembers it; only what goes over the wire has the new one.
"""

from __future__ import annotations

from contextlib import suppress

from bot.on_telegram.places import PLATFORM, SUPERGROUP
from play.errors import Unavailable
from storage.upkeep import Upkeep


class ChatMigrations:
    """Knows where chats have gone."""

    def __init__(self, notes: Upkeep) -> None:
        self._notes = notes

    async def moved(self, old: int, new: int) -> None:
        """A group has become a supergroup; to be told twice changes nothing.

        Raises:
            Unavailable: it could not be written down.
        """
        await self._notes.set_note(_went(old), str(new))
        await self._notes.set_note(_came(new), str(old))

    async def now(self, chat: int) -> int:
        """The number that a chat has today."""
        return await self._look(_went(chat), chat) if SUPERGROUP < chat < 0 else chat

    async def first(self, chat: int) -> int:
        """The number that a chat was first known by."""
        return await self._look(_came(chat), chat) if chat <= SUPERGROUP else chat

    async def _look(self, note: str, chat: int) -> int:
        with suppress(Unavailable):
            (found,) = await self._notes.notes(note)
            if found:
                return int(found)
        return chat


def _went(old: int) -> str:
    return f"{PLATFORM}:went:{old}"


def _came(new: int) -> str:
    return f"{PLATFORM}:came:{new}"
