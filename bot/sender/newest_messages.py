"""The newest messages of chats, as far as a process sees them: whether a board is still where its player looks."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, TypeVar

KEPT: Final = 4096  # chats, and pressed messages, that are remembered

_K = TypeVar("_K")


class NewestMessages:
    """The newest message of each chat, by its number, which rises in a chat; nothing of it is stored."""

    def __init__(self) -> None:
        self._newest: OrderedDict[str, int] = OrderedDict()
        self._read: OrderedDict[tuple[str, int], int] = OrderedDict()

    def came(self, chat: str, number: int) -> None:
        """Note that a message is in a chat."""
        self._newest[chat] = max(number, self._newest.get(chat, 0))
        _bound(self._newest, chat)

    def pressed(self, chat: str, number: int) -> None:
        """Note that a person looks at a message, even with others below it."""
        self.came(chat, number)
        self._read[chat, number] = self._newest[chat]
        _bound(self._read, (chat, number))

    def buried(self, chat: str, number: int) -> bool:
        """Whether a message came below another since that was sent or pressed, or nothing is known of the chat."""
        newest = self._newest.get(chat)
        return newest is None or newest > max(number, self._read.get((chat, number), 0))


def _bound(held: OrderedDict[_K, int], key: _K) -> None:
    held.move_to_end(key)
    while len(held) > KEPT:
        held.popitem(last=False)
