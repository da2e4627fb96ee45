"""Matches on Redis."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final

import msgspec

from play.errors import ReusedOperation, Stale
from play.facts import Fact
from play.match import Match
from play.people import Address
from play.ports import Loaded, Operation
from storage import keys
from storage.client import Connection, Script
from storage.listing import OVER_KEPT
from storage.records import codec
from storage.records.results import pack_result
from storage.redis.committing import OPERATION_SECONDS, RECEIPT_SECONDS, RedisSubjects
from storage.redis.lists import RedisLists, decode
from storage.subjects import MATCHES
from storage.wakeup import Wakeup

_ANNOUNCE: Final = Script("announce")


class RedisMatches(RedisSubjects[Match, Fact, Loaded]):
    """A `MatchStore` on Redis."""

    def __init__(self, connection: Connection, wakeup: Wakeup) -> None:
        super().__init__(connection, wakeup, MATCHES, RedisLists(connection, keys.list_keys, decode))

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
        values = (
            codec.pack_revision(match.revision),
            match.id,
            pack_result(receipt, None, fact),
            RECEIPT_SECONDS,
        )
        found = await self._connection.run(_ANNOUNCE, (key, receipt, stream_key), values)
        if not isinstance(found, int):
            raise Stale(self._read(match.id, found))
        self._wakeup.wake()

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        """See `MatchStore.at`. A match that cannot be read is left out, and logged."""
        return await self.lists.read(address, OVER_KEPT if over else 0, most)

    async def live_at(self, address: Address) -> int:
        """See `MatchStore.live_at`."""
        return await self.lists.live(address)

    async def bind(self, operation: Operation, match_id: str) -> str:
        key = keys.bound_key(operation)
        mine = msgspec.msgpack.encode((match_id, operation.payload))
        _, first = await self._connection.batch(
            [("SET", key, mine, "NX", "EX", OPERATION_SECONDS), ("GET", key)]
        )
        bound, payload = msgspec.msgpack.decode(first or mine, type=tuple[str, str])
        if payload != operation.payload:
            raise ReusedOperation
        return bound
