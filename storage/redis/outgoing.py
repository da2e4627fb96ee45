"""The outbox on Redis; see `storage.outgoing`.

An entry holds the record of its match, and not only its id. It costs a second copy until the fact is sent (the copy is made
inside Redis, from what the commit sends anyway); in return every fact comes with the match of its time, in one read.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Final

import msgspec

from play.people import Account, Address
from storage import keys
from storage.client import Connection, Script
from storage.outgoing import BoardMessage, Known, Sent
from storage.records import codec
from storage.records.facts import unpack_fact
from storage.redis.settings import get_settings, readable
from storage.redis.streams import LeasedStreams
from storage.streams import LEASE
from storage.timestamps import from_micros, to_micros
from storage.wakeup import Waiter

_TAKE: Final = Script("take")
_HOLD: Final = Script("hold")
_MICROS: Final = 1_000_000
_log = logging.getLogger(__name__)


class _StoredMessage(msgspec.Struct, array_like=True, frozen=True):
    revision: int
    message: str
    digest: bytes


_decode_shown: Final = msgspec.msgpack.Decoder(_StoredMessage).decode


class RedisOutgoing(LeasedStreams[Sent]):
    """An `Outgoing` on Redis."""

    def __init__(self, connection: Connection, waiter: Waiter, lease: float = LEASE) -> None:
        super().__init__(connection, waiter, keys.OUT, _sent, lease)

    async def shown(self, match_id: str, address: Address) -> BoardMessage | None:
        stored = await self._connection.command("HGET", keys.shown_key(match_id), keys.whose_words(address))
        return _shown(match_id, address, stored)

    async def set_shown(self, match_id: str, address: Address, shown: BoardMessage | None) -> None:
        key, field = keys.shown_key(match_id), keys.whose_words(address)
        if shown is None:
            await self._connection.command("HDEL", key, field)
        else:
            await self._connection.command("HSET", key, field, write_shown(match_id, field, shown))

    async def known(self, address: Address, *whose: Account | Address, match_id: str | None = None) -> Known:
        field, each = keys.whose_words(address), dict.fromkeys(whose)
        messages = () if match_id is None else (("HGET", keys.shown_key(match_id), field),)
        since, *found = await self._connection.batch(
            [("HGET", keys.DEAD, field), *map(get_settings, each), *messages]
        )
        chosen = {one: readable(one, stored) for one, stored in zip(each, found, strict=False)}
        shown = None if match_id is None else _shown(match_id, address, found[-1])
        return Known(_dead(since), shown, chosen)

    async def dead(self, address: Address) -> datetime | None:
        return _dead(await self._connection.command("HGET", keys.DEAD, keys.whose_words(address)))

    async def set_dead(self, address: Address, at: datetime | None) -> None:
        field = keys.whose_words(address)
        if at is None:
            await self._connection.command("HDEL", keys.DEAD, field)
        else:
            await self._connection.command("HSET", keys.DEAD, field, to_micros(at))


class RedisBucket:
    """A `Bucket` on Redis."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def take(self, key: str, rate: float, burst: int, at: datetime) -> float:
        values = (to_micros(at), round(_MICROS / rate), burst)
        wait: int = await self._connection.run(_TAKE, [keys.bucket_key(key)], values)
        return wait / _MICROS

    async def hold(self, key: str, rate: float, burst: int, at: datetime, until: datetime) -> None:
        values = (to_micros(at), to_micros(until), round(_MICROS / rate), burst)
        await self._connection.run(_HOLD, [keys.bucket_key(key)], values)


def _dead(since: bytes | None) -> datetime | None:
    return None if since is None else from_micros(int(since))


def _shown(match_id: str, address: Address, stored: bytes | None) -> BoardMessage | None:
    if stored is None:
        return None
    try:
        return read_shown(match_id, keys.whose_words(address), stored)
    except ValueError:
        _log.error("the message that shows match %s at %s cannot be read", match_id, address)
        return None


def write_shown(match_id: str, field: str, shown: BoardMessage) -> bytes:
    """Return a message that shows a match, as it is stored."""
    return msgspec.msgpack.encode(
        _StoredMessage(shown.revision, shown.message, _digest(match_id, field, shown))
    )


def read_shown(match_id: str, field: str, stored: bytes) -> BoardMessage:
    """Return what `write_shown` was given.

    Raises:
        ValueError: the bytes are not those that were stored.
    """
    read = _decode_shown(stored)
    shown = BoardMessage(read.message, read.revision)
    if read.digest != _digest(match_id, field, shown):
        raise ValueError("not what was stored")
    return shown


def _digest(match_id: str, field: str, shown: BoardMessage) -> bytes:
    said = f"{match_id} {field} {shown.revision} {shown.message}"
    return blake2b(said.encode(errors="replace"), digest_size=8).digest()


def _sent(entry: str, fields: Mapping[bytes, bytes]) -> Sent:
    match = codec.decode_any(fields[b"m"].decode(), fields[b"r"])
    return Sent(entry, unpack_fact(fields[b"f"], match))
