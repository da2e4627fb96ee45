"""Matches and events on Redis: each is one key, changed by one script in one round trip."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Generic, TypeVar, cast

import msgspec

from play.errors import NoSuchMatch, PlayError, ReusedOperation, Stale
from play.events.event import AnyFact, Changed, Event, NoSuchEvent, StaleEvent, subject_of
from play.events.events import LoadedEvent
from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ports import Loaded, Operation, Timer
from storage import keys
from storage.archive import Archive
from storage.client.connection import Connection, Script, Word
from storage.records import codec
from storage.records.codec import fact_of, pack_result
from storage.records.schema import to_score
from storage.redis.lists import OVER_KEPT, RedisLists, S, decode, decode_event

F = TypeVar("F", bound=AnyFact)
L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Subject(Generic[S, F, L]):
    """What tells matches from events."""

    pattern: str  # of the keys of their records
    is_id: Callable[[str], bool]
    loaded: Callable[[S, F | None], L]  # makes what `load` returns
    revised: Callable[[F, int], F]  # returns a fact whose match or event has another revision
    missing: Callable[[str], PlayError]  # returns the error that nothing is stored under an id
    stale: Callable[[S], PlayError]  # returns the error that another change came first


def _revised_match(fact: Fact, revision: int) -> Fact:
    return replace(fact, match=replace(fact.match, revision=revision))


def _revised_event(fact: Changed, revision: int) -> Changed:
    return replace(fact, event=replace(fact.event, revision=revision))


MATCHES: Final = Subject(keys.MATCHES, keys.is_match_id, Loaded, _revised_match, NoSuchMatch, Stale)
EVENTS: Final = Subject(keys.EVENTS, keys.is_event_id, LoadedEvent, _revised_event, NoSuchEvent, StaleEvent)


OPERATION_SECONDS: Final = 7 * 24 * 3600
"""How long the result of an operation is kept: longer than any platform repeats a request."""

RECEIPT_SECONDS: Final = 60  # far longer than a commit without an operation is retried

_COMMIT: Final = Script("commit")


class RedisSubjects(Generic[S, F, L]):
    """What the stores of matches and of events share: each is one key, changed by one script in one round trip."""

    def __init__(self, connection: Connection, subject: Subject[S, F, L], lists: RedisLists[S]) -> None:
        self.lists = lists
        self._connection = connection
        self._subject = subject

    async def load(self, subject_id: str, operation: Operation | None = None) -> L:
        if not self._subject.is_id(subject_id):
            raise self._subject.missing(subject_id)
        if operation is None:
            record = await self._connection.command("GET", keys.match_key(subject_id))
            return self._subject.loaded(await self._read(subject_id, record), None)
        key = keys.operation_key(subject_id, keys.check_operation(operation).id)
        record, done = await self._connection.command("MGET", keys.match_key(subject_id), key)
        stored = await self._read(subject_id, record)
        return self._subject.loaded(
            stored, None if done is None else cast("F", fact_of(key, operation, done, stored))
        )

    async def commit(
        self,
        fact: F,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> F:
        """See `MatchStore.commit` and `commit.lua`.

        The script may be sent again when a reply was lost: if it was carried out, it finds the operation's result and
        writes nothing, even if others have committed since. Where there is no operation, each commit leaves a receipt
        under a random name in its place.

        Raises:
            PlayError: a revision is expected, and nothing at all is stored.
            Damaged: another change came first, and what is stored cannot be read.
            ValueError: the match or event cannot be stored as it is.
        """
        committed = self._subject.revised(fact, expected + 1)
        new = cast("S", subject_of(committed))
        name = keys.check_operation(operation).id if operation else f" {secrets.token_hex(8)}"
        key, timers_key, timers_of_key, stream_key = keys.keys_of(new.id)
        names = [key, keys.operation_key(new.id, name), timers_key, timers_of_key, stream_key]
        if not self._connection.clustered:
            names += chain.from_iterable(keys.lists_of(new))
        first = min((to_score(timer.at) for timer in timers), default=None)
        members = [codec.pack_timer(new.id, timer) for timer in timers]
        values: list[Word] = [
            codec.pack_revision(expected),
            codec.encode(new),
            new.id,
            pack_result(names[1], operation, committed),
            OPERATION_SECONDS if operation else RECEIPT_SECONDS,
            int(announce),
            int(new.live),
            OVER_KEPT,
            " ".join(members),
            self._connection.wakeups.message(keys.OUT.name, first),
        ]
        for timer, member in zip(timers, members, strict=True):
            values += [to_score(timer.at), member]
        reply = await self._connection.run(_COMMIT, names, values)
        if isinstance(reply, int):
            if self._connection.clustered:
                await self.lists.add(new, reply)
            self._connection.wakeups.wake(keys.OUT.name, first)
            return committed
        done, record = reply if isinstance(reply, list) else (None, reply)
        if done is not None and operation is None:
            return committed
        stored = await self._read(new.id, record)
        if done is not None and operation is not None:
            return cast("F", fact_of(names[1], operation, done, stored))
        if self._connection.meter is not None:
            self._connection.meter.overtaken()
        raise self._subject.stale(stored)

    async def of(self, account: Account) -> Sequence[S]:
        """See `MatchStore.of`. What cannot be read is left out, and logged."""
        return await self.lists.read(account, OVER_KEPT)

    async def live_of(self, accounts: Sequence[Account]) -> Sequence[S]:
        return await self.lists.live(accounts)

    async def marks(self, accounts: Sequence[Account]) -> Sequence[int]:
        return await self.lists.marks(accounts)

    async def ids(self) -> AsyncIterator[str]:
        async for found in self._connection.scan(self._subject.pattern):
            for key in found:
                subject_id = key.rpartition(":")[2]
                if self._subject.is_id(subject_id):
                    yield subject_id

    async def _read(self, subject_id: str, record: bytes | None) -> S:
        if record is None:
            raise self._subject.missing(subject_id)
        if codec.is_head(record):
            record = (await self.lists.whole({subject_id: record}))[subject_id]
        return self.lists.decode(subject_id, record)


_ANNOUNCE: Final = Script("announce")
_SWAP: Final = Script("swap")


class RedisMatches(RedisSubjects[Match, Fact, Loaded]):
    """A `MatchStore` on Redis."""

    def __init__(self, connection: Connection, archive: Archive | None = None) -> None:
        super().__init__(connection, MATCHES, RedisLists(connection, keys.list_keys, decode, archive))

    async def revisions(self, match_ids: Sequence[str]) -> Sequence[int]:
        first, last = codec.REVISION_BYTES
        calls = [("GETRANGE", keys.match_key(match_id), first, last) for match_id in match_ids]
        return [int.from_bytes(stored) for stored in await self._connection.batch(calls)]

    async def announce(self, fact: Fact) -> None:
        """See `MatchStore.announce`. A receipt makes it safe to run twice, as in `commit`."""
        match = fact.match
        key, _, _, stream_key = keys.keys_of(match.id)
        receipt = keys.operation_key(match.id, f" {secrets.token_hex(8)}")
        values: list[Word] = [
            codec.pack_revision(match.revision),
            match.id,
            pack_result(receipt, None, fact),
            RECEIPT_SECONDS,
            self._connection.wakeups.message(keys.OUT.name),
        ]
        found = await self._connection.run(_ANNOUNCE, (key, receipt, stream_key), values)
        if isinstance(found, int):
            self._connection.wakeups.wake(keys.OUT.name)
            return
        stored = await self._read(match.id, found)
        if stored.revision != match.revision:
            raise Stale(stored)
        # It is in the archive, and the stream needs the whole record: Redis gets it back until the next sweep.
        await self._connection.run(_SWAP, [key], [found, codec.encode(stored)])
        await self.announce(fact)

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        """See `MatchStore.at`. A match that cannot be read is left out, and logged."""
        return await self.lists.read(address, OVER_KEPT if over else 0, most)

    async def live_at(self, address: Address) -> int:
        return int(await self._connection.command("ZCARD", keys.list_keys(address)[0]))

    async def with_people(self, accounts: Collection[Account]) -> AsyncIterator[Match]:
        """See `MatchStore.with_people`.

        Raises:
            Damaged: a record cannot be read, or is in an archive that is not here.
        """
        wanted, seen = frozenset(accounts), set()
        async for found in self._connection.scan(keys.MATCHES):
            records = await self._connection.batch([("GET", key) for key in found])
            for key, record in zip(found, records, strict=True):
                if record is None or (codec.is_head(record) and self.lists.archive is not None):
                    continue
                match = codec.decode(key.rpartition(":")[2], record)
                if not wanted.isdisjoint(match.people()):
                    seen.add(match.id)
                    yield match
        archived = await self.lists.archive.of(wanted) if self.lists.archive is not None else ()
        for match_id in archived:
            if match_id not in seen:
                match = (await self.load(match_id)).match
                if not wanted.isdisjoint(match.people()):  # else it has changed since it was archived
                    yield match

    async def archive(self, matches: Mapping[str, tuple[Match, bytes]]) -> int:
        """Move matches with these records into the archive; return how many have not changed meanwhile."""
        archive = self.lists.archive
        if archive is None or not matches:
            return 0
        await archive.write(list(matches.values()))
        names = list(matches)
        swaps = [
            _SWAP.call([keys.match_key(name)], [matches[name][1], codec.head(matches[name][1])])
            for name in names
        ]
        await self._connection.batch([("DEL", keys.shown_key(name)) for name in names])
        moved = await self._connection.batch(swaps, [_SWAP])
        return sum(map(int, moved))

    async def forget_archived(self, account: Account) -> None:
        """Replace what the archive has of an account by what is in Redis now; see `FullStore.forget`."""
        if self.lists.archive is None:
            return
        names = await self.lists.archive.of([account])
        records = await self._connection.batch([("GET", keys.match_key(name)) for name in names])
        again = {
            name: (codec.decode(name, record), bytes(record))
            for name, record in zip(names, records, strict=True)
            if record is not None and not codec.is_head(record)
        }
        await self.archive(again)

    async def bind(self, operation: Operation, match_id: str) -> str:
        key = keys.bound_key(keys.check_operation(operation).id)
        mine = msgspec.msgpack.encode((match_id, operation.payload))
        _, first = await self._connection.batch(
            [("SET", key, mine, "NX", "EX", OPERATION_SECONDS), ("GET", key)]
        )
        bound, payload = codec.decode_bound(first or mine)
        if payload != operation.payload:
            raise ReusedOperation
        return bound


class RedisEvents(RedisSubjects[Event, Changed, LoadedEvent]):
    """An `EventStore` on Redis."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, EVENTS, RedisLists(connection, keys.event_list_keys, decode_event))

    async def at(self, address: Address) -> Sequence[Event]:
        return await self.lists.read(address, OVER_KEPT)
