"""Streams on Redis, one for each hash tag, each read by one process at a time: the inbox and the outbox; see `storage.ports`.

Each stream has one consumer group with one consumer. A key beside the stream, which expires after seconds and is renewed by
`read`, holds which process may read as that consumer: two consumers would share the entries of one match, or of one chat,
between them, and lose their order. So XAUTOCLAIM is not needed: a process that takes over a stream begins with all that the
last one has not done.

An entry of the outbox holds the record of its match, and not only its id. It costs a second copy until the fact is sent (the
copy is made inside Redis, from what the commit sends anyway); in return every fact comes with the match of its time, in one
read.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial
from hashlib import blake2b
from typing import Any, Final, Generic, TypeAlias

import msgspec

from play.people import Account, Address
from storage import keys
from storage.client.connection import Connection, Script, Word, pairs
from storage.errors import Damaged
from storage.keys import TAGS, Streams
from storage.ports import (
    ASIDE_KEPT,
    ASIDE_MOST,
    IDS_KEPT,
    LEASE,
    AddressState,
    BoardMessage,
    E,
    Received,
    Sent,
    SetAside,
    Update,
    Waiter,
    Wakeup,
    is_failure,
    reason_of,
)
from storage.records import codec
from storage.records.codec import unpack_fact
from storage.records.schema import from_micros, to_micros
from storage.redis import RedisPart

_NOTHING: Final = "0"
_TAKEN: Final = 0  # states of a stream, in read.lua
_ACQUIRED: Final = 2
_REGISTER: Final = Script("register_reader")
_READ: Final = Script("read")
_DONE: Final = Script("done")
_RELEASE: Final = Script("release")
_TIMERS: Final = ":timers"  # the end of the keys of timers

_REGISTERED: Final = 0.1
_RENEWED: Final = 0.3
"""Fractions of a lease after which a reader registers again, and renews its streams; in time for one that reads every second
or two."""
_log = logging.getLogger(__name__)

Decode: TypeAlias = Callable[[str, Mapping[bytes, bytes]], E]
"""Returns what an entry says, by its id and its fields; raises Damaged, ValueError or LookupError if it cannot be read."""


class _Stream(Generic[E]):
    def __init__(self) -> None:
        self.after = _NOTHING  # the last entry read; those after it are read again if a reply was lost
        self.ready: deque[tuple[str, E]] = deque()  # read, and not returned yet
        self.in_hand: set[str] = set()  # read, and not done

    def begin(self) -> None:
        """Read again from the oldest entry that is not done; what was returned before stays in hand."""
        self.in_hand.difference_update(entry for entry, _ in self.ready)
        self.ready.clear()
        self.after = _NOTHING


class RedisAside(RedisPart):
    """An `Aside` on Redis: a sorted set of entries with the keys that they come from, scored by when they were set aside."""

    async def add(self, key: str, entry: str, fields: Sequence[Word], reason: str) -> None:
        """Keep an entry of the stream or the timers at a key aside. It is deleted there after this: done twice, this is done once."""
        _log.error("%s of %s is set aside: %s; see `klop doctor`", entry, key, reason)
        at = await self._connection.time()
        member = msgspec.msgpack.encode([key, entry, reason, *fields])
        too_old = at - ASIDE_KEPT // timedelta(microseconds=1)
        await self._connection.batch(
            [
                ("ZADD", keys.ASIDE, at, member),
                ("ZREMRANGEBYRANK", keys.ASIDE, 0, -ASIDE_MOST - 1),
                ("ZREMRANGEBYSCORE", keys.ASIDE, "-inf", too_old),
            ]
        )

    async def all(self) -> Sequence[SetAside]:
        found = await self._connection.command("ZRANGE", keys.ASIDE, 0, -1, "WITHSCORES")
        return [_described(bytes(member), float(score)) for member, score in pairs(found)]

    async def replay(self, aside_id: str) -> bool:
        member = await self._named(aside_id)
        if member is None:
            return False
        key, entry, _, *fields = msgspec.msgpack.decode(member, type=list[Any])
        if key.endswith(_TIMERS):
            await self._connection.command("ZADD", key, "NX", entry.rpartition(":")[2], entry)
        else:
            await self._connection.command("XADD", key, "*", *fields)
        await self._connection.command("ZREM", keys.ASIDE, member)
        return True

    async def drop(self, aside_id: str) -> bool:
        member = await self._named(aside_id)
        return bool(member and await self._connection.command("ZREM", keys.ASIDE, member))

    async def _named(self, aside_id: str) -> bytes | None:
        found = await self._connection.command("ZRANGE", keys.ASIDE, 0, -1)
        return next((bytes(member) for member in found if _id(bytes(member)) == aside_id), None)


def _id(member: bytes) -> str:
    return blake2b(member, digest_size=4).hexdigest()


def _described(member: bytes, score: float) -> SetAside:
    key, entry, reason, *fields = msgspec.msgpack.decode(member, type=list[Any])
    said = dict(zip(map(_text, fields[::2]), map(_text, fields[1::2]), strict=False))
    about = next((said[name] for name in ("m", "c", "id") if name in said), entry)
    return SetAside(
        _id(member),
        key.removeprefix(f"{keys.PREFIX}:").rpartition("}:")[2],
        about,
        reason,
        from_micros(int(score)),
    )


def _text(word: Word) -> str:
    return word.decode(errors="replace") if isinstance(word, bytes) else str(word)


class LeasedStreams(Generic[E]):
    """One process's view of the streams of one direction. It loses them if it does not read for the seconds of the lease."""

    def __init__(
        self,
        connection: Connection,
        waiter: Waiter,
        streams: Streams,
        decode: Decode[E],
        lease: float = LEASE,
    ) -> None:
        self._connection = connection
        self._waiter = waiter
        self._keys = streams
        self._names = _names(streams)
        self._decode = decode
        self._name = f"{connection.process.name}.{secrets.token_hex(4)}"
        self._lease = int(lease * 1000)
        self._streams: dict[int, _Stream[E]] = {}
        self._aside = RedisAside(connection)
        self._unreadable: list[tuple[int, str, Any, str]] = []  # tags, entries, fields, reasons
        self._readers, self._before = 1, 0
        self._turn = 0
        self._registered = self._renewed = -math.inf  # when, by the loop's clock

    async def read(self, limit: int, done: Sequence[E] = ()) -> Sequence[E]:
        self._waiter.clear()
        await self._share()
        missing = max(0, limit - sum(len(stream.ready) for stream in self._streams.values()))
        tags = self._wanted()
        after = {tag: self._streams[tag].after if tag in self._streams else _NOTHING for tag in tags}
        now = asyncio.get_running_loop().time()
        renew = int(now - self._renewed >= self._lease / 1000 * _RENEWED)
        groups = self._groups(tags)
        each = math.ceil(missing / min(8, len(groups) or 1))  # what is more than `missing` stays ready
        values: list[Word] = [self._name, self._lease, each, renew]
        calls = [
            _READ.call(
                [key for tag in group for key in self._names[tag]], [*values, *(after[tag] for tag in group)]
            )
            for group in groups
        ]
        replies = zip(groups, await self._acknowledge(done, calls), strict=True)
        answers = [(group[said[0] - 1], *said[1:]) for group, reply in replies for said in reply]
        if renew:
            self._renewed = now
        taken = {tag for tag, state, _ in answers if state == _TAKEN}
        for tag in tags:
            if tag not in self._streams and tag not in taken:
                self._streams[tag] = _Stream()
        for tag, state, entries in answers:
            if state == _TAKEN:
                if self._streams.pop(tag, None):
                    _log.warning("another process has taken over %s", self._keys.stream(tag))
                continue
            stream = self._streams[tag]
            if state == _ACQUIRED:
                stream.begin()
            for entry, said in entries:
                self._add(stream, tag, bytes(entry).decode(), said)
        self._forget(done)  # not before: what is read again may still hold it
        await self._set_unreadable_aside()
        return tuple(self._give(limit))

    def _groups(self, tags: Sequence[int]) -> Sequence[Sequence[int]]:
        # On a cluster one script names the keys of one tag only.
        whole = [tags] if tags else []
        return [[tag] for tag in tags] if self._connection.clustered else whole

    def _wanted(self) -> list[int]:
        share = {tag for tag in range(TAGS) if tag % self._readers == self._before}
        tags = sorted(share | self._streams.keys())
        self._turn += 1
        start = self._turn % len(tags) if tags else 0
        return tags[start:] + tags[:start]

    async def _share(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._registered < self._lease / 1000 * _REGISTERED:
            return
        ended: list[str] = []
        if math.isinf(self._registered):
            # Else what they left would wait until their leases end.
            ended = [f"{name}." for name in sorted(self._connection.process.ended)]
            for name in ended:
                await self._unlock(range(TAGS), name)
        self._readers, self._before = await self._connection.run(
            _REGISTER, [self._keys.readers], [self._name, self._lease, *ended]
        )
        given = [
            tag
            for tag, stream in self._streams.items()
            if tag % self._readers != self._before and not stream.in_hand
        ]
        await self._release(given)
        self._registered = now

    async def _set_unreadable_aside(self) -> None:
        while self._unreadable:
            tag, entry, said, reason = self._unreadable[-1]
            if said:  # else it has been deleted
                await self._aside.add(self._keys.stream(tag), entry, said, reason)
            await self._connection.run(_DONE, [self._keys.stream(tag)], [entry])
            self._unreadable.pop()

    def _add(self, stream: _Stream[E], tag: int, entry: str, said: Any) -> None:
        """Add an entry that was read. One that cannot be decoded is set aside, unless a newer program can; then it stays where it is."""
        stream.after = entry
        if entry in stream.in_hand:
            return
        try:
            fields = dict(zip(map(bytes, said[::2]), map(bytes, said[1::2]), strict=True))
            item = self._decode(f"{tag}/{entry}", fields)
        except (Damaged, LookupError, ValueError, TypeError) as error:
            if is_failure(error):
                self._unreadable.append((tag, entry, said, reason_of(error)))
            else:
                _log.error("entry %s of %s cannot be read: %s", entry, self._keys.stream(tag), error)
            return
        stream.in_hand.add(entry)
        stream.ready.append((entry, item))

    def _give(self, limit: int) -> Iterable[E]:
        left = limit
        for stream in self._streams.values():
            while left and stream.ready:
                left -= 1
                yield stream.ready.popleft()[1]

    async def done(self, entries: Sequence[E]) -> None:
        await self._acknowledge(entries)
        self._forget(entries)

    async def set_aside(self, entry: E, reason: str) -> None:
        ((tag, (name,)),) = _by_tag([entry]).items()
        for _, fields in await self._connection.command("XRANGE", self._keys.stream(tag), name, name):
            await self._aside.add(self._keys.stream(tag), name, fields, reason)
        await self.done([entry])

    async def _acknowledge(
        self, done: Sequence[E], calls: Sequence[Sequence[Word]] = (), first: Sequence[Sequence[Word]] = ()
    ) -> list[Any]:
        first = [*first, *(_DONE.call([self._keys.stream(tag)], each) for tag, each in _by_tag(done).items())]
        return (await self._connection.batch([*first, *calls], [_DONE, _READ]))[len(first) :]

    def _forget(self, done: Sequence[E]) -> None:
        for tag, each in _by_tag(done).items():
            if tag in self._streams:
                self._streams[tag].in_hand.difference_update(each)

    async def wait(self, seconds: float) -> None:
        await self._waiter.wait_for(seconds)

    def wake(self) -> None:
        self._waiter.set()

    async def close(self) -> None:
        await self._release(list(self._streams))
        await self._connection.run(_REGISTER, [self._keys.readers], [self._name, 0])

    async def _release(self, tags: Sequence[int]) -> None:
        if not tags:
            return
        await self._unlock(tags, self._name)
        for tag in tags:
            self._streams.pop(tag, None)

    async def _unlock(self, tags: Sequence[int], reader: str) -> None:
        groups = [[self._keys.reader(tag) for tag in group] for group in self._groups(tags)]
        await self._connection.batch([_RELEASE.call(names, [reader]) for names in groups], [_RELEASE])

    async def backlog(self) -> int:
        return sum(await self._connection.batch([("XLEN", self._keys.stream(tag)) for tag in range(TAGS)]))


@cache
def _names(streams: Streams) -> list[tuple[str, str]]:
    """Return the keys of the stream and the reader of each tag. Views of streams are made with every request."""
    return [(streams.stream(tag), streams.reader(tag)) for tag in range(TAGS)]


def _by_tag(entries: Iterable[Received | Sent]) -> dict[int, list[str]]:
    names: dict[int, list[str]] = {}
    for each in entries:
        tag, _, entry = each.entry.partition("/")
        names.setdefault(int(tag), []).append(entry)
    return names


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
        if not self._later:
            return await super()._acknowledge(done, calls, first)
        async with self._storing:
            self._going, self._later = self._later, {}
            sets = [_set_shown(*key, shown) for key, shown in self._going.items()]
            try:
                replies = await super()._acknowledge(done, calls, [*first, *sets])
                self._going = {}
                return replies
            finally:  # what is still there was not stored
                self._later, self._going = self._going | self._later, {}

    async def known(
        self, address: Address, *whose: Account | Address, match_id: str | None = None
    ) -> AddressState:
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
        decode = partial(codec.read_shown, match_id, keys.whose_words(address))
        return codec.readable(decode, stored, f"the message that shows match {match_id} at {address}")

    async def dead(self, address: Address) -> datetime | None:
        return _dead(await self._connection.command("HGET", keys.DEAD, keys.whose_words(address)))

    async def set_dead(self, address: Address, at: datetime | None) -> None:
        field = keys.whose_words(address)
        if at is None:
            await self._connection.command("HDEL", keys.DEAD, field)
        else:
            await self._connection.command("HSET", keys.DEAD, field, to_micros(at))


def ask_known(address: Address, *whose: Account | Address) -> list[tuple[str, ...]]:
    """Return the commands whose replies `read_known` takes."""
    return [
        ("HGET", keys.DEAD, keys.whose_words(address)),
        *(("GET", keys.settings_key(each)) for each in dict.fromkeys(whose)),
    ]


def read_known(replies: Sequence[bytes | None], *whose: Account | Address) -> AddressState:
    """Return what is known of an address, and what some have chosen."""
    since, *found = replies
    each = dict.fromkeys(whose)
    chosen = {one: codec.settings_in(one, stored) for one, stored in zip(each, found, strict=True)}
    return AddressState(_dead(since), None, chosen)


def _dead(since: bytes | None) -> datetime | None:
    return None if since is None else from_micros(int(since))


def _set_shown(match_id: str, address: Address, shown: BoardMessage) -> tuple[Word, ...]:
    field = keys.whose_words(address)
    return "HSET", keys.shown_key(match_id), field, codec.pack_shown(match_id, field, shown)


def _sent(entry: str, fields: Mapping[bytes, bytes]) -> Sent:
    match = codec.decode_any(fields[b"m"].decode(), fields[b"r"])
    return Sent(entry, unpack_fact(fields[b"f"], match))
