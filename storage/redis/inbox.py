"""The inbox on Redis; see `storage.inbox`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from storage import keys
from storage.client import Connection, Script, Word
from storage.inbox import IDS_KEPT, Received, Update
from storage.outgoing import LEASE
from storage.redis.streams import LeasedStreams
from storage.wakeup import Wakeup

_ACCEPT: Final = Script("accept")


class RedisInbox:
    """An `Inbox` on Redis, which loses its streams if it does not read for the seconds of the lease."""

    def __init__(self, connection: Connection, wakeup: Wakeup, platform: str, lease: float = LEASE) -> None:
        self._connection = connection
        self._wakeup = wakeup
        self._keys = keys.inbox(platform)
        self._streams = LeasedStreams(connection, wakeup.waiter(), self._keys, _received, lease)

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

    async def read(self, limit: int) -> Sequence[Received]:
        return await self._streams.read(limit)

    async def done(self, received: Sequence[Received]) -> None:
        await self._streams.done(each.entry for each in received)

    async def wait(self, seconds: float) -> None:
        await self._streams.wait(seconds)

    async def close(self) -> None:
        await self._streams.close()

    async def backlog(self) -> int:
        return await self._streams.backlog()


def _received(entry: str, fields: Mapping[bytes, bytes]) -> Received:
    update = Update(fields[b"i"].decode(), fields[b"c"].decode(), fields[b"p"].decode(), fields[b"b"])
    return Received(entry, update)
