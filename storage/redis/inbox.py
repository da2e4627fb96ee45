"""The inbox on Redis; see `storage.inbox`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from storage import keys
from storage.client import Connection, Script, Word
from storage.inbox import IDS_KEPT, Received, Update
from storage.redis.streams import LeasedStreams
from storage.streams import LEASE
from storage.wakeup import Wakeup

_ACCEPT: Final = Script("accept")


class RedisInbox(LeasedStreams[Received]):
    """An `Inbox` on Redis."""

    def __init__(self, connection: Connection, wakeup: Wakeup, platform: str, lease: float = LEASE) -> None:
        super().__init__(connection, wakeup.waiter(), keys.inbox(platform), _received, lease)
        self._wakeup = wakeup

    async def accept(self, updates: Sequence[Update]) -> None:
        words: dict[int, list[Word]] = {}
        for update in updates:
            tag = keys.tag_of_chat(update.chat)
            words.setdefault(tag, [IDS_KEPT]).extend((update.id, update.chat, update.person, update.body))
        calls = [
            _ACCEPT.call([self._keys.stream(tag), self._keys.ids(tag)], each) for tag, each in words.items()
        ]
        await self._connection.batch(calls, [_ACCEPT])
        self._wakeup.wake()


def _received(entry: str, fields: Mapping[bytes, bytes]) -> Received:
    update = Update(fields[b"i"].decode(), fields[b"c"].decode(), fields[b"p"].decode(), fields[b"b"])
    return Received(entry, update)
