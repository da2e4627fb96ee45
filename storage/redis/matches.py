"""Matches on Redis: each is one key, changed by one script in one round trip."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Final, cast

import msgspec

from play.errors import NoSuchMatch, Refused, ReusedOperation, Stale
from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ports import Loaded, Operation, Timer
from storage import keys
from storage.client import Connection, Script
from storage.listing import OVER_KEPT
from storage.records import codec
from storage.records.results import fact_of, pack_result
from storage.redis.committing import OPERATION_SECONDS, RECEIPT_SECONDS, commit_fact
from storage.redis.lists import RedisLists, decode
from storage.wakeup import Wakeup

_ANNOUNCE: Final = Script("announce")


class RedisMatches:
    """A `MatchStore` on Redis."""

    def __init__(self, connection: Connection, wakeup: Wakeup) -> None:
        self.lists = RedisLists(connection, keys.list_keys, decode)
        self._connection = connection
        self._wakeup = wakeup

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        """See `MatchStore.load`.

        Raises:
            Damaged: what is stored cannot be read.
        """
        if not keys.is_match_id(match_id):
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id)
        if operation is None:
            return Loaded(_read(match_id, await self._connection.command("GET", keys.match_key(match_id))))
        key = keys.operation_key(match_id, keys.check_operation(operation).id)
        record, done = await self._connection.command("MGET", keys.match_key(match_id), key)
        match = _read(match_id, record)
        if done is None:
            return Loaded(match)
        return Loaded(match, cast("Fact", fact_of(key, operation, done, match)))

    async def revisions(self, match_ids: Sequence[str]) -> Sequence[int]:
        first, last = codec.REVISION_BYTES
        calls = [("GETRANGE", keys.match_key(match_id), first, last) for match_id in match_ids]
        return [int.from_bytes(stored) for stored in await self._connection.batch(calls)]

    async def commit(
        self,
        fact: Fact,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> Fact:
        """See `MatchStore.commit`.

        Raises:
            NoSuchMatch: a revision is expected, and nothing at all is stored.
            Damaged: another change came first, and what is stored cannot be read.
            ValueError: the match cannot be stored as it is.
        """
        match = _revised(fact.match, expected + 1)
        committed = replace(fact, match=match)
        found, changed = await commit_fact(
            self._connection, committed, expected, operation=operation, timers=timers, announce=announce
        )
        if changed:
            if self._connection.clustered:
                await self.lists.add(match, changed)
            if announce:
                self._wakeup.wake()
        if found.stored:
            return committed
        stored = _read(match.id, found.record)
        if operation is not None and found.done is not None:
            return cast("Fact", fact_of(found.key, operation, found.done, stored))
        raise Stale(stored)

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
            raise Stale(_read(match.id, found))
        self._wakeup.wake()

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        """See `MatchStore.at`. A match that cannot be read is left out, and logged."""
        return await self.lists.read(address, OVER_KEPT if over else 0, most)

    async def live_at(self, address: Address) -> int:
        """See `MatchStore.live_at`."""
        return await self.lists.live(address)

    async def of(self, account: Account) -> Sequence[Match]:
        """See `MatchStore.of`. A match that cannot be read is left out, and logged."""
        return await self.lists.read(account, OVER_KEPT)

    async def ids(self) -> AsyncIterator[str]:
        async for found in self._connection.scan(keys.MATCHES):
            for key in found:
                match_id = key.rpartition(":")[2]
                if keys.is_match_id(match_id):
                    yield match_id

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


_values: Final = attrgetter(*[field.name for field in fields(Match)])
_REVISION: Final = [field.name for field in fields(Match)].index("revision")


def _revised(match: Match, revision: int) -> Match:
    """Return the match with another revision. `dataclasses.replace` would take twice as long, in every commit."""
    values = list(_values(match))
    values[_REVISION] = revision
    return Match(*values)


def _read(match_id: str, record: bytes | None) -> Match:
    if record is None:
        raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id)
    return decode(match_id, record)
