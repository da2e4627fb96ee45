"""Groups that became supergroups, with a new number and the same matches.

A match keeps the number that its chat was first known by; only requests to Telegram use the new one.
"""

from __future__ import annotations

from contextlib import suppress

from bot.on_telegram.places import PLATFORM, SUPERGROUP
from play.errors import Unavailable
from play.ports import NoteStore


class ChatMigrations:
    """The old and the new numbers of chats, stored as notes."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes

    async def moved(self, old: int, new: int) -> None:
        """Note that a group has become a supergroup; again changes nothing."""
        await self._notes.write(_went(old), str(new))
        await self._notes.write(_came(new), str(old))

    async def current(self, chat: int) -> int:
        """Return the present number of a chat; the old one if the store does not answer, for Telegram names the new one."""
        with suppress(Unavailable):
            return await self._noted(_went(chat), chat) if SUPERGROUP < chat < 0 else chat
        return chat

    async def original(self, chat: int) -> int:
        """Return the number that a chat was first known by.

        Raises:
            Unavailable: the store does not answer.
        """
        return await self._noted(_came(chat), chat) if chat <= SUPERGROUP else chat

    async def _noted(self, note: str, chat: int) -> int:
        (found,) = await self._notes.read(note)
        return int(found) if found else chat


def _went(old: int) -> str:
    return f"{PLATFORM}:went:{old}"


def _came(new: int) -> str:
    return f"{PLATFORM}:came:{new}"
