"""The one way in which matches and events are changed on Redis: a script in one round trip."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, cast

from play.events.facts import AnyFact, subject_of
from play.people import Account
from play.ports import Operation, Timer
from storage import keys
from storage.client import Connection, Script, Word
from storage.faults import fault
from storage.listing import OVER_KEPT, S
from storage.records import codec
from storage.records.results import fact_of, pack_result
from storage.redis.lists import RedisLists
from storage.redis.times import member_of
from storage.subjects import F, L, Subject
from storage.timestamps import to_score
from storage.wakeup import Wakeup

OPERATION_SECONDS: Final = 7 * 24 * 3600
"""How long the result of an operation is kept: longer than any platform repeats a request."""

RECEIPT_SECONDS: Final = 60  # far longer than a commit without an operation is retried

_COMMIT: Final = Script("commit")
_ANNOUNCED: Final = 5  # which of its values says whether the fact is to be sent


@dataclass(frozen=True, slots=True)
class _Committed:
    """What became of a commit.

    Attributes:
        key: Of the operation's result.
        stored: Whether it was stored now, or before (then without an operation).
        done: What the operation did before; None: it had not been done.
        record: What is stored instead; None: nothing.
    """

    key: str
    stored: bool = False
    done: bytes | None = None
    record: bytes | None = None


class RedisSubjects(Generic[S, F, L]):
    """What the stores of matches and of events share: each is one key, changed by one script in one round trip."""

    def __init__(
        self, connection: Connection, wakeup: Wakeup, subject: Subject[S, F, L], lists: RedisLists[S]
    ) -> None:
        self.lists = lists
        self._connection = connection
        self._wakeup = wakeup
        self._subject = subject

    async def load(self, subject_id: str, operation: Operation | None = None) -> L:
        """See `MatchStore.load`.

        Raises:
            Damaged: what is stored cannot be read.
        """
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
        """See `MatchStore.commit`.

        Raises:
            PlayError: a revision is expected, and nothing at all is stored.
            Damaged: another change came first, and what is stored cannot be read.
            ValueError: the match or event cannot be stored as it is.
        """
        committed = self._subject.revised(fact, expected + 1)
        new = cast("S", subject_of(committed))
        found, changed = await _commit(
            self._connection, committed, expected, operation=operation, timers=timers, announce=announce
        )
        if changed:
            if self._connection.clustered:
                await self.lists.add(new, changed)
            if announce:
                self._wakeup.wake()
        if found.stored:
            return committed
        stored = await self._read(new.id, found.record)
        if operation is not None and found.done is not None:
            return cast("F", fact_of(found.key, operation, found.done, stored))
        if self._connection.meter is not None:
            self._connection.meter.overtaken()
        raise self._subject.stale(stored)

    async def of(self, account: Account) -> Sequence[S]:
        """See `MatchStore.of`. What cannot be read is left out, and logged."""
        return await self.lists.read(account, OVER_KEPT)

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


async def _commit(
    connection: Connection,
    fact: AnyFact,
    expected: int,
    *,
    operation: Operation | None,
    timers: Sequence[Timer],
    announce: bool,
) -> tuple[_Committed, int]:
    """Store a fact, whose subject has its new revision, if the stored one is at revision `expected`; see `commit.lua`.

    The script may be sent again when a reply was lost: if it was carried out, it finds the operation's result and
    writes nothing, even if others have committed since. Where there is no operation, each commit leaves a receipt
    under a random name in its place.

    Returns:
        What became of it, and when it was stored, in microseconds; 0 if not now.

    Raises:
        ValueError: it cannot be stored as it is.
    """
    subject = subject_of(fact)
    name = keys.check_operation(operation).id if operation else f" {secrets.token_hex(8)}"
    key, timers_key, timers_of_key, stream_key = keys.keys_of(subject.id)
    names = [key, keys.operation_key(subject.id, name), timers_key, timers_of_key, stream_key]
    if not connection.clustered:
        names += keys.lists_of(subject)
    due = [(to_score(timer.at), member_of(subject.id, timer)) for timer in timers]
    values: list[Word] = [
        codec.pack_revision(expected),
        codec.encode(subject),
        subject.id,
        pack_result(names[1], operation, fact),
        OPERATION_SECONDS if operation else RECEIPT_SECONDS,
        int(announce),
        int(subject.live),
        OVER_KEPT,
        " ".join([member for _, member in due]),
    ]
    for score_and_member in due:
        values += score_and_member
    fault("before-commit")
    found = await connection.run(_COMMIT, names, values)
    fault("after-commit")
    if isinstance(found, int):
        return _Committed(names[1], stored=True), found
    if isinstance(found, list):
        done, record = found
        return _Committed(names[1], operation is None, None if operation is None else done, record), 0
    return _Committed(names[1], record=found), 0
