"""The people who were seen where others are: when each was first seen in a chat, by a request or a message."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from bot.chat.fair_queue import Recent
from play.people import Account, Address
from storage.ports import FullStore

MOST: Final = 2000  # people of a chat who are remembered; those who were not seen for longest give way
KEPT: Final = timedelta(days=365)  # for how long, after they were last seen

_REMEMBERED: Final = 20_000
_CHATS: Final = "seen"  # the timeline of the chats, by when a person was last seen there


class Seen(Recent[tuple[Address, Account, date], None]):
    """Those whom this process has noted today, so that most requests only look here: `(chat, account, day) in seen`."""

    def __init__(self, store: FullStore) -> None:
        super().__init__(_REMEMBERED)
        self._timelines = store.timelines

    async def note(self, chat: Address, account: Account, at: datetime) -> None:
        """Note a person who was seen in a chat. What is out of date is deleted, also of chats where none is seen any more."""
        lines, name, old = self._timelines, _people_of(str(chat)), at - KEPT
        held, left = await asyncio.gather(lines.read(name), lines.read(_CHATS, until=old))
        first = _unpack(held).get(str(account), at)
        await asyncio.gather(
            lines.add(_CHATS, str(chat), at),
            lines.add(name, f"{int(first.timestamp())} {account}", at, most=MOST),
            *(lines.cut(each, until=old) for each in (_CHATS, name, *map(_people_of, left))),
        )
        self[chat, account, at.date()] = None


async def first_seen(
    store: FullStore, chat: Address, accounts: Sequence[Account]
) -> Sequence[datetime | None]:
    """Return when people were first seen in a chat; None for those who were not."""
    first = _unpack(await store.timelines.read(_people_of(str(chat))))
    return [first.get(str(each)) for each in accounts]


async def count_seen(store: FullStore, chat: Address) -> int:
    """Return how many people were seen in a chat."""
    return len(_unpack(await store.timelines.read(_people_of(str(chat)))))


def _people_of(chat: str) -> str:
    return f"{_CHATS}:{chat}"


def _unpack(texts: Sequence[str]) -> dict[str, datetime]:
    """Two processes may have noted a person at once: the earlier time counts."""
    split = sorted((text.partition(" ") for text in texts), key=lambda each: -int(each[0]))
    return {account: datetime.fromtimestamp(int(first), UTC) for first, _, account in split}
