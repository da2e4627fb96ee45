"""Streams on Redis, one for each hash tag, each read by one process at a time: the inbox and the outbox; see `storage.ports`.

A key beside the stream says which reader has it, and a set of all readers until when: a script renews the lease of all streams of
a reader at once. A reader that comes too late is deleted from the set before another one takes a stream of it. Streams have no
consumer groups: two readers would share the entries of one match, or of one chat, and lose their order. An entry is deleted when
it is done, so a reader that takes over a stream begins with all that the last one has not done.

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
from storage.client.wakeups import POLLED
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
_READ: Final = Script("read")
_RELEASE: Final = Script("release")
_TIMERS: Final = ":timers"  # the end of the keys of timers

_RENEWED: Final = 0.3
"""The fraction of a lease after which a reader renews it; in time for one that reads every second or two."""
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
        streams: Streams,
        decode: Decode[E],
        lease: float = LEASE,
    ) -> None:
        self._connection = connection
        self._waiter = connection.wakeups.waiter(streams.name)
        self._keys = streams
        self._names = _names(streams)
        self._decode = decode
        self._name = f"{connection.process.name}.{secrets.token_hex(4)}"
        self._lease = int(lease * 1000)
        self._streams: dict[int, _Stream[E]] = {}
        self._aside = RedisAside(connection)
        self._unreadable: list[tuple[int, str, Any, str]] = []  # tags, entries, fields, reasons
        self._readers, self._before = 1, 0
        self._contended = False  # another reader had one of the wanted streams
        self._turn = 0
        self._renewed = -math.inf  # when, by the loop's clock

    async def read(self, limit: int, done: Sequence[E] = ()) -> Sequence[E]:
        self._waiter.clear()
        missing = max(0, limit - sum(len(stream.ready) for stream in self._streams.values()))
        now = asyncio.get_running_loop().time()
        renew = now - self._renewed >= self._lease / 1000 * _RENEWED
        groups = self._groups(self._wanted(), renew=renew)
        each = math.ceil(missing / min(8, len(groups) or 1))  # what is more than `missing` stays ready
        # Else what processes left that have ended would wait until their leases end.
        ended = [] if self._streams else [f"{name}." for name in sorted(self._connection.process.ended)]
        values: list[Word] = [
            self._name,
            self._lease,
            each,
            int(renew),
            int(self._connection.replicated),
            len(ended),
            *ended,
        ]
        calls = [
            _READ.call(
                [readers, *(key for tag in tags for key in self._names[tag])],
                [*values, *(self._streams[tag].after if tag in self._streams else "" for tag in tags)],
            )
            for readers, tags in groups
        ]
        replies = await self._acknowledge(done, calls)
        if renew:
            self._renewed = now
        if groups and groups[0][0] == self._keys.readers:
            self._readers, self._before = replies[0][:2]
        self._contended = False
        for (_, tags), (_, _, *answers) in zip(groups, replies, strict=True):
            for number, state, entries in answers:
                if (stream := self._held(tags[number - 1], state)) is not None:
                    for entry, said in entries:
                        self._add(stream, tags[number - 1], bytes(entry).decode(), said)
        self._forget(done)  # not before: what is read again may still hold it
        await self._set_unreadable_aside()
        found = tuple(self._give(limit))
        await self._release(
            [tag for tag, each in self._streams.items() if not (self._is_share(tag) or each.in_hand)]
        )
        return found

    def _held(self, tag: int, state: int) -> _Stream[E] | None:
        """Return a stream that this reader has; None if another one has it."""
        if state == _TAKEN:
            self._contended = True
            if self._streams.pop(tag, None):
                _log.warning("another process has taken over %s", self._keys.stream(tag))
            return None
        stream = self._streams.setdefault(tag, _Stream())
        if state == _ACQUIRED:
            stream.begin()
        return stream

    def _groups(self, tags: Sequence[int], *, renew: bool) -> Sequence[tuple[str, Sequence[int]]]:
        """Return the keys of readers, each with the tags of the streams that are read with it; all readers come first, where they are counted."""
        if not self._connection.clustered:
            return [(self._keys.readers, tags)]
        # On a cluster one script names the keys of one tag only.
        counted: list[tuple[str, Sequence[int]]] = [(self._keys.readers, ())] if renew else []
        return [*counted, *((self._keys.readers_of(tag), [tag]) for tag in tags)]

    def _is_share(self, tag: int) -> bool:
        return tag % self._readers == self._before

    def _wanted(self) -> list[int]:
        tags = sorted({*filter(self._is_share, range(TAGS)), *self._streams})
        self._turn += 1
        start = self._turn % len(tags) if tags else 0
        return tags[start:] + tags[:start]

    async def _set_unreadable_aside(self) -> None:
        while self._unreadable:
            tag, entry, said, reason = self._unreadable[-1]
            if said:  # else it has been deleted
                await self._aside.add(self._keys.stream(tag), entry, said, reason)
            await self._connection.command("XDEL", self._keys.stream(tag), entry)
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
        first = [*first, *(("XDEL", self._keys.stream(tag), *each) for tag, each in _by_tag(done).items())]
        return (await self._connection.batch([*first, *calls], [_READ] if calls else ()))[len(first) :]

    def _forget(self, done: Sequence[E]) -> None:
        for tag, each in _by_tag(done).items():
            if tag in self._streams:
                self._streams[tag].in_hand.difference_update(each)

    async def wait(self, seconds: float) -> None:
        soon = POLLED if self._contended else seconds
        await self._waiter.wait_for(min(soon, self._connection.wakeups.bounded(seconds)))

    def wake(self) -> None:
        self._waiter.set()

    async def close(self) -> None:
        tags = list(self._streams)
        await self._release(tags)
        groups = self._groups(tags, renew=True)
        await self._connection.batch([("ZREM", readers, self._name) for readers, _ in groups])

    async def _release(self, tags: Sequence[int]) -> None:
        held = [self._keys.reader(tag) for tag in tags]
        names = [[name] for name in held] if self._connection.clustered else [held] if held else []
        await self._connection.batch([_RELEASE.call(each, [self._name]) for each in names], [_RELEASE])
        for tag in tags:
            self._streams.pop(tag, None)

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

    def __init__(self, connection: Connection, platform: str, lease: float = LEASE) -> None:
        super().__init__(connection, keys.inbox(platform), _received, lease)

    async def accept(self, updates: Sequence[Update]) -> None:
        words: dict[int, list[Word]] = {}
        message = self._connection.wakeups.message(self._keys.name)
        for update in updates:
            tag = keys.tag_of_chat(update.chat)
            words.setdefault(tag, [IDS_KEPT, message]).extend(
                (update.id, update.chat, update.person, update.body)
            )
        calls = [
            _ACCEPT.call([self._keys.stream(tag), self._keys.ids(tag)], each) for tag, each in words.items()
        ]
        await self._connection.batch(calls, [_ACCEPT])
        self._connection.wakeups.wake(self._keys.name)


def _received(entry: str, fields: Mapping[bytes, bytes]) -> Received:
    update = Update(fields[b"i"].decode(), fields[b"c"].decode(), fields[b"p"].decode(), fields[b"b"])
    return Received(entry, update)


class RedisOutgoing(LeasedStreams[Sent]):
    """An `Outgoing` on Redis."""

    def __init__(self, connection: Connection, lease: float = LEASE) -> None:
        super().__init__(connection, keys.OUT, _sent, lease)
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
