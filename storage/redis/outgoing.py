"""The outbox on Redis: a stream for each hash tag, each read by one sender at a time; see `storage.outgoing`.

Each stream has one consumer group with one consumer. A key beside the stream, which expires after seconds and is renewed by
`read`, holds which sender may read as that consumer: two consumers would share the entries of one match between them, and
lose their order. So XAUTOCLAIM is not needed: a sender that takes over a stream begins with all that the last one has not
done.

An entry holds the record of its match, and not only its id. It costs a second copy until the fact is sent (the copy is made
inside Redis, from what the commit sends anyway); in return every fact comes with the match of its time, in one read.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections import deque
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

import msgspec

from play.people import Address
from storage import keys
from storage.client import Connection, Script, Word
from storage.errors import Damaged
from storage.outgoing import LEASE, BoardMessage, Sent
from storage.records import codec
from storage.records.facts import unpack_fact
from storage.timestamps import from_micros, to_micros
from storage.wakeup import Waiter

_NOTHING: Final = "0"
_TAKEN: Final = 0  # states of a stream, in read.lua
_ACQUIRED: Final = 2
_REGISTER: Final = Script("register_sender")
_READ: Final = Script("read")
_DONE: Final = Script("done")
_RELEASE: Final = Script("release")
_TAKE: Final = Script("take")
_HOLD: Final = Script("hold")
_MICROS: Final = 1_000_000

_REGISTERED: Final = 0.1
_RENEWED: Final = 0.3
"""Fractions of a lease after which a sender registers again, and renews its streams; in time for one that reads every second
or two."""
_log = logging.getLogger(__name__)


class _StoredMessage(msgspec.Struct, array_like=True, frozen=True):
    revision: int
    message: str
    digest: bytes


_decode_shown: Final = msgspec.msgpack.Decoder(_StoredMessage).decode


class _Stream:
    """A stream that this sender reads.

    Attributes:
        after: The last entry that was read. Those after it are read again if a reply was lost.
        ready: Read, and not returned yet.
        in_hand: Read, and not done.
    """

    def __init__(self) -> None:
        self.after = _NOTHING
        self.ready: deque[Sent] = deque()
        self.in_hand: set[str] = set()

    def begin(self) -> None:
        """Read again from the oldest entry that is not done; what was returned before stays in hand."""
        self.in_hand.difference_update(sent.entry.partition("/")[2] for sent in self.ready)
        self.ready.clear()
        self.after = _NOTHING

    def add(self, tag: int, entry: str, said: Any) -> None:
        self.after = entry
        if entry not in self.in_hand:
            sent = _sent(tag, entry, said)
            if sent is not None:
                self.in_hand.add(entry)
                self.ready.append(sent)


class RedisOutgoing:
    """An `Outgoing` on Redis, which loses its streams if it does not read for the seconds of the lease."""

    def __init__(self, connection: Connection, waiter: Waiter, lease: float = LEASE) -> None:
        self._connection = connection
        self._waiter = waiter
        self._name = secrets.token_hex(8)
        self._lease = int(lease * 1000)
        self._streams: dict[int, _Stream] = {}
        self._senders, self._before = 1, 0
        self._turn = 0
        self._registered = self._renewed = -math.inf  # when, by the loop's clock

    async def read(self, limit: int) -> Sequence[Sent]:
        self._waiter.clear()
        await self._share()
        missing = max(0, limit - sum(len(stream.ready) for stream in self._streams.values()))
        await self._fetch(self._wanted(), missing)
        return tuple(self._give(limit))

    def _wanted(self) -> list[int]:
        """Return the tags of this sender's share, and those it has entries of; a different one first each time."""
        share = {tag for tag in range(keys.TAGS) if tag % self._senders == self._before}
        tags = sorted(share | self._streams.keys())
        self._turn += 1
        start = self._turn % len(tags) if tags else 0
        return tags[start:] + tags[:start]

    async def _share(self) -> None:
        """Register this sender, count the others, and release streams of their share that have nothing in hand."""
        now = asyncio.get_running_loop().time()
        if now - self._registered < self._lease / 1000 * _REGISTERED:
            return
        self._senders, self._before = await self._connection.run(
            _REGISTER, [keys.SENDERS], [self._name, self._lease]
        )
        given = [
            tag
            for tag, stream in self._streams.items()
            if tag % self._senders != self._before and not stream.in_hand
        ]
        await self._release(given)
        self._registered = now

    async def _fetch(self, tags: Sequence[int], limit: int) -> None:
        """Renew the streams that are held, take those that are free, and read their entries."""
        after = {tag: self._streams[tag].after if tag in self._streams else _NOTHING for tag in tags}
        now = asyncio.get_running_loop().time()
        renew = int(now - self._renewed >= self._lease / 1000 * _RENEWED)
        if self._connection.clustered:
            each = math.ceil(limit / 8)  # of each, for one script cannot read all; the rest stays ready
            calls = [
                _READ.call(
                    (keys.stream_key(tag), keys.sender_key(tag)),
                    (self._name, self._lease, each, renew, after[tag]),
                )
                for tag in tags
            ]
            answers = [answer[0] for answer in await self._connection.batch(calls, [_READ])]
        else:
            names = [key for tag in tags for key in (keys.stream_key(tag), keys.sender_key(tag))]
            values: list[Word] = [self._name, self._lease, limit, renew, *after.values()]
            answers = await self._connection.run(_READ, names, values) if tags else []
        if renew:
            self._renewed = now
        for tag, (state, entries) in zip(tags, answers, strict=True):
            if state == _TAKEN:
                if self._streams.pop(tag, None):
                    _log.warning("another sender has taken over stream %d", tag)
                continue
            stream = self._streams.setdefault(tag, _Stream())
            if state == _ACQUIRED:
                stream.begin()
            for name, said in entries:
                stream.add(tag, bytes(name).decode(), said)

    def _give(self, limit: int) -> Iterable[Sent]:
        left = limit
        for stream in self._streams.values():
            while left and stream.ready:
                left -= 1
                yield stream.ready.popleft()

    async def done(self, entries: Sequence[Sent]) -> None:
        names: dict[int, list[str]] = {}
        for sent in entries:
            stream, _, entry = sent.entry.partition("/")
            names.setdefault(int(stream), []).append(entry)
        await self._connection.batch(
            [_DONE.call([keys.stream_key(tag)], each) for tag, each in names.items()], [_DONE]
        )
        for tag, each in names.items():
            if tag in self._streams:
                self._streams[tag].in_hand.difference_update(each)

    async def wait(self, seconds: float) -> None:
        await self._waiter.wait_for(seconds)

    async def close(self) -> None:
        await self._release(list(self._streams))
        await self._connection.run(_REGISTER, [keys.SENDERS], [self._name, 0])

    async def _release(self, tags: Sequence[int]) -> None:
        if not tags:
            return
        names = [keys.sender_key(tag) for tag in tags]
        if self._connection.clustered:
            await self._connection.batch([_RELEASE.call([name], [self._name]) for name in names], [_RELEASE])
        else:
            await self._connection.run(_RELEASE, names, [self._name])
        for tag in tags:
            self._streams.pop(tag, None)

    async def backlog(self) -> int:
        return sum(await self._connection.batch([("XLEN", keys.stream_key(tag)) for tag in range(keys.TAGS)]))

    async def shown(self, match_id: str, address: Address) -> BoardMessage | None:
        stored = await self._connection.command("HGET", keys.shown_key(match_id), keys.whose_words(address))
        return _shown(match_id, address, stored)

    async def set_shown(self, match_id: str, address: Address, shown: BoardMessage | None) -> None:
        key, field = keys.shown_key(match_id), keys.whose_words(address)
        if shown is None:
            await self._connection.command("HDEL", key, field)
        else:
            await self._connection.command("HSET", key, field, write_shown(match_id, field, shown))

    async def known(self, match_id: str, address: Address) -> tuple[datetime | None, BoardMessage | None]:
        field = keys.whose_words(address)
        since, stored = await self._connection.batch(
            [("HGET", keys.DEAD, field), ("HGET", keys.shown_key(match_id), field)]
        )
        return _dead(since), _shown(match_id, address, stored)

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


def _sent(tag: int, entry: str, said: Any) -> Sent | None:
    """Return an entry of a stream; None for one that cannot be read, which stays where it is."""
    try:
        fields = dict(zip(map(bytes, said[::2]), map(bytes, said[1::2]), strict=True))
        match = codec.decode(fields[b"m"].decode(), fields[b"r"])
        return Sent(f"{tag}/{entry}", unpack_fact(fields[b"f"], match))
    except (Damaged, LookupError, ValueError, TypeError) as error:
        _log.error("a fact to be sent cannot be read (stream %d, entry %s): %s", tag, entry, error)
        return None
