"""Matches on Redis."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Final

import msgspec

from play.errors import ReusedOperation, Stale
from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ports import Loaded, Operation
from storage import keys
from storage.archive import Archive
from storage.client import Connection, Script, Word
from storage.faults import fault
from storage.listing import OVER_KEPT
from storage.records import codec
from storage.records.results import pack_result
from storage.redis.committing import OPERATION_SECONDS, RECEIPT_SECONDS, RedisSubjects
from storage.redis.lists import RedisLists, decode
from storage.subjects import MATCHES
from storage.wakeup import Wakeup

_ANNOUNCE: Final = Script("announce")
_SWAP: Final = Script("swap")


class RedisMatches(RedisSubjects[Match, Fact, Loaded]):
    """A `MatchStore` on Redis."""

    def __init__(self, connection: Connection, wakeup: Wakeup, archive: Archive | None = None) -> None:
        super().__init__(connection, wakeup, MATCHES, RedisLists(connection, keys.list_keys, decode, archive))

    async def revisions(self, match_ids: Sequence[str]) -> Sequence[int]:
        first, last = codec.REVISION_BYTES
        calls = [("GETRANGE", keys.match_key(match_id), first, last) for match_id in match_ids]
        return [int.from_bytes(stored) for stored in await self._connection.batch(calls)]

    async def announce(self, fact: Fact) -> None:
        """See `MatchStore.announce`. A receipt makes it safe to run twice, as in `commit`.

        Raises:
            Damaged: the match is at another revision, and what is stored cannot be read.
        """
        match = fact.match
        key, _, _, stream_key = keys.keys_of(match.id)
        receipt = keys.operation_key(match.id, f" {secrets.token_hex(8)}")
        values: list[Word] = [
            codec.pack_revision(match.revision),
            match.id,
            pack_result(receipt, None, fact),
            RECEIPT_SECONDS,
        ]
        found = await self._connection.run(_ANNOUNCE, (key, receipt, stream_key), values)
        if isinstance(found, int):
            self._wakeup.wake()
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
        """See `MatchStore.live_at`."""
        return await self.lists.live(address)

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
        fault("before-archive")
        await archive.write(list(matches.values()))
        fault("after-archive")
        names = list(matches)
        swaps = [
            _SWAP.call([keys.match_key(name)], [matches[name][1], codec.head(matches[name][1])])
            for name in names
        ]
        await self._connection.batch([("DEL", keys.shown_key(name)) for name in names])
        fault("before-head")
        moved = await self._connection.batch(swaps, [_SWAP])
        fault("after-head")
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
        key = keys.bound_key(operation)
        mine = msgspec.msgpack.encode((match_id, operation.payload))
        _, first = await self._connection.batch(
            [("SET", key, mine, "NX", "EX", OPERATION_SECONDS), ("GET", key)]
        )
        bound, payload = decode_bound(first or mine)
        if payload != operation.payload:
            raise ReusedOperation
        return bound


def decode_bound(stored: bytes) -> tuple[str, str]:
    """Return the match that an operation is about, and its payload, or raise ValueError."""
    return msgspec.msgpack.decode(stored, type=tuple[str, str])
