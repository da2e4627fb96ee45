"""Matches on Redis: each is one key, changed by one script in one round trip."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Final

import msgspec

from play.errors import NoSuchMatch, Refused, ReusedOperation, Stale
from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ports import Loaded, Operation, Timer
from storage import keys
from storage.client import Connection, Script, Word
from storage.faults import fault
from storage.listing import OVER_KEPT
from storage.records import codec
from storage.records.results import fact_of, pack_result
from storage.redis.lists import RedisLists, decode
from storage.redis.times import member_of
from storage.timestamps import to_score
from storage.wakeup import Wakeup

OPERATION_SECONDS: Final = 7 * 24 * 3600
"""How long the result of an operation is kept: longer than any platform repeats a request."""

RECEIPT_SECONDS: Final = 60  # far longer than a commit without an operation is retried

_COMMIT: Final = Script("commit")
_ANNOUNCE: Final = Script("announce")


class RedisMatches:
    """A `MatchStore` on Redis."""

    def __init__(self, connection: Connection, wakeup: Wakeup) -> None:
        self.lists = RedisLists(connection)
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
        return Loaded(match, None if done is None else fact_of(key, operation, done, match))

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

        The script may be sent again when a reply was lost: if it was carried out, it finds the operation's result and
        writes nothing, even if others have committed since. Where there is no operation, each commit leaves a receipt
        under a random name in its place.

        Raises:
            NoSuchMatch: a revision is expected, and nothing at all is stored.
            Damaged: another change came first, and what is stored cannot be read.
            ValueError: the match cannot be stored as it is.
        """
        match = _revised(fact.match, expected + 1)
        committed = replace(fact, match=match)
        name = keys.check_operation(operation).id if operation else f" {secrets.token_hex(8)}"
        key, timers_key, timers_of_key, stream_key = keys.keys_of(match.id)
        names = [key, keys.operation_key(match.id, name), timers_key, timers_of_key, stream_key]
        if not self._connection.clustered:
            names += keys.lists_of(match)
        due = [(to_score(timer.at), member_of(match.id, timer)) for timer in timers]
        values: list[Word] = [
            codec.pack_revision(expected),
            codec.encode(match),
            match.id,
            pack_result(names[1], operation, committed),
            OPERATION_SECONDS if operation else RECEIPT_SECONDS,
            int(announce),
            int(match.live),
            OVER_KEPT,
            " ".join([member for _, member in due]),
        ]
        for score_and_member in due:
            values += score_and_member
        fault("before-commit")
        found = await self._connection.run(_COMMIT, names, values)
        fault("after-commit")
        if isinstance(found, int):
            if self._connection.clustered:
                await self.lists.add(match, found)
            if announce:
                self._wakeup.wake()
            return committed
        if isinstance(found, list):
            if operation is None:
                return committed
            done, record = found
            return fact_of(names[1], operation, done, _read(match.id, record))
        raise Stale(_read(match.id, found))

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
