"""The outbox on Redis; see `storage.streams`.

An entry holds the record of its match, and not only its id. It costs a second copy until the fact is sent (the copy is made
inside Redis, from what the commit sends anyway); in return every fact comes with the match of its time, in one read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

import msgspec

from play.people import Account, Address
from storage import keys
from storage.client import Connection, Script, Word
from storage.records import codec
from storage.records.columns import from_micros, to_micros, unpack_fact
from storage.redis.notes import get_settings, readable
from storage.redis.streams import LeasedStreams
from storage.streams import LEASE, BoardMessage, Known, Limit, Sent, Waiter

_TAKE: Final = Script("take")
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
        self._later: dict[tuple[str, Address], BoardMessage] = {}  # what shows a match, still to be stored
        self._going: dict[tuple[str, Address], BoardMessage] = {}  # what of it is being stored
        self._storing = asyncio.Lock()

    async def shown(self, match_id: str, address: Address) -> BoardMessage | None:
        stored = await self._connection.command("HGET", keys.shown_key(match_id), keys.whose_words(address))
        return self._shown(match_id, address, stored)

    async def set_shown(self, match_id: str, address: Address, shown: BoardMessage | None) -> None:
        if (match_id, address) in self._going:
            async with self._storing:  # else the older one might be stored last
                pass
        self._later.pop((match_id, address), None)
        if shown is None:
            await self._connection.command("HDEL", keys.shown_key(match_id), keys.whose_words(address))
        else:
            await self._connection.command(*_set_shown(match_id, address, shown))

    def set_shown_later(self, match_id: str, address: Address, shown: BoardMessage) -> None:
        self._later[match_id, address] = shown

    async def _acknowledge(
        self, done: Sequence[Sent], calls: Sequence[Sequence[Word]] = (), first: Sequence[Sequence[Word]] = ()
    ) -> list[Any]:
        """Store what is still to be stored of messages before the entries are deleted."""
        if not self._later:
            return await super()._acknowledge(done, calls, first)
        async with self._storing:
            self._going, self._later = self._later, {}
            sets = [_set_shown(*key, shown) for key, shown in self._going.items()]
            try:
                return await super()._acknowledge(done, calls, [*first, *sets])
            except BaseException:
                self._later = self._going | self._later
                raise
            finally:
                self._going = {}

    async def known(self, address: Address, *whose: Account | Address, match_id: str | None = None) -> Known:
        calls = ask_known(address, *whose)
        if match_id is None:
            return read_known(await self._connection.batch(calls), *whose)
        calls.append(("HGET", keys.shown_key(match_id), keys.whose_words(address)))
        *found, stored = await self._connection.batch(calls)
        return replace(read_known(found, *whose), shown=self._shown(match_id, address, stored))

    def _shown(self, match_id: str, address: Address, stored: bytes | None) -> BoardMessage | None:
        key = (match_id, address)
        if (later := self._later.get(key) or self._going.get(key)) is not None:
            return later
        if stored is None:
            return None
        try:
            return read_shown(match_id, keys.whose_words(address), stored)
        except ValueError:
            _log.error("the message that shows match %s at %s cannot be read", match_id, address)
            return None

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

    async def take(self, limit: Limit, at: datetime | None = None) -> float:
        return await self._take([limit], at) / _MICROS

    async def take_all(self, limits: Sequence[Limit], at: datetime | None = None) -> bool:
        return not self._connection.clustered and not await self._take(limits, at)

    async def hold(self, limit: Limit, seconds: float, at: datetime | None = None) -> None:
        await self._take([limit], at, round(seconds * _MICROS))

    async def _take(self, limits: Sequence[Limit], at: datetime | None, held: Word = "") -> int:
        values = [word for limit in limits for word in (round(_MICROS / limit.rate), limit.burst)]
        names = [keys.bucket_key(limit.key) for limit in limits]
        return int(await self._connection.run(_TAKE, names, [_time(at), held, *values]))


def _time(at: datetime | None) -> Word:
    return "" if at is None else to_micros(at)


def ask_known(address: Address, *whose: Account | Address) -> list[tuple[str, ...]]:
    """Return the commands whose replies `read_known` takes."""
    return [("HGET", keys.DEAD, keys.whose_words(address)), *map(get_settings, dict.fromkeys(whose))]


def read_known(replies: Sequence[bytes | None], *whose: Account | Address) -> Known:
    """Return what is known of an address, and what some have chosen."""
    since, *found = replies
    each = dict.fromkeys(whose)
    chosen = {one: readable(one, stored) for one, stored in zip(each, found, strict=True)}
    return Known(_dead(since), None, chosen)


def _dead(since: bytes | None) -> datetime | None:
    return None if since is None else from_micros(int(since))


def _set_shown(match_id: str, address: Address, shown: BoardMessage) -> tuple[Word, ...]:
    field = keys.whose_words(address)
    return "HSET", keys.shown_key(match_id), field, write_shown(match_id, field, shown)


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
