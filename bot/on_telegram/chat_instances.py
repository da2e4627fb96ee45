"""The groups in which inline cards are.

A press on a card names no chat, but carries the same `chat_instance` as the presses on the bot's own messages there:
https://core.telegram.org/bots/api#callbackquery.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import Final

from bot.on_telegram.places import PLATFORM
from play.errors import Unavailable
from play.ports import NoteStore

KNOWN: Final = 5_000
"""Groups that are remembered without a look into the store."""


class ChatInstances:
    """Learns the `chat_instance` of groups, and finds the group of one."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes
        self._known: OrderedDict[str, int] = OrderedDict()

    async def learn(self, instance: str, chat: int) -> None:
        """Note a group's."""
        if chat < 0 and instance and self._known.get(instance) != chat:
            with suppress(Unavailable):
                await self._notes.write(_note(instance), str(chat))
                self._remember(instance, chat)

    async def chat(self, instance: str) -> int | None:
        """Return the group of one; None where no key of the bot's own messages was pressed there."""
        if instance not in self._known:
            with suppress(Unavailable):
                (found,) = await self._notes.read(_note(instance))
                if found:
                    self._remember(instance, int(found))
        return self._known.get(instance)

    def _remember(self, instance: str, chat: int) -> None:
        self._known[instance] = chat
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)


def _note(instance: str) -> str:
    return f"{PLATFORM}:instance:{instance[:64]}"
