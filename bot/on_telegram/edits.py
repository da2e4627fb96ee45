"""Edited messages: an edit of a refused message counts as the message; all other edits are ignored."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Final

from bot.on_telegram.places import PLATFORM, Chat
from play.errors import Unavailable
from play.ports import NoteStore

KEPT: Final = timedelta(days=2)
"""How long a refused message can be corrected; Telegram lets people edit for two days."""


class Edits:
    """Remembers refused messages, so that each takes effect once at most, also after a restart.

    The note of a message is empty while the message is refused, and else the number of the edit that counts.
    """

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes

    async def refused(self, chat: Chat, message: int) -> None:
        """Note that a message, or its last edit, was refused."""
        with suppress(Unavailable):
            await self._notes.write(_note(chat, message), "", keep=KEPT)

    async def counts(self, chat: Chat, message: int, update: int) -> bool:
        """Whether an edit counts: the message is refused until now, or this very edit was delivered before."""
        name = _note(chat, message)
        try:
            (held,) = await self._notes.read(name)
            if held == "":
                await self._notes.write(name, str(update), keep=KEPT)
        except Unavailable:
            return False
        return held in ("", str(update))


def _note(chat: Chat, message: int) -> str:
    return f"{PLATFORM}:refused:{chat.id}:{message}"
