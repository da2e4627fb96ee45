"""What an operator does with a whole store: looks it over, and puts its lists right. Both while bots run on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from play.errors import PlayError
from storage import keys
from storage.errors import Damaged
from storage.maintenance.auditing import Auditor
from storage.records import codec
from storage.timestamps import to_score

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from datetime import datetime

    from play.match import Match
    from play.people import Account, Address
    from storage.client import Word
    from storage.redis.store import RedisStore

MATCHES: Final = keys.MATCHES
_PIECE: Final = 500  # commands at once
_LISTS: Final = (f"{keys.PREFIX}:at:*", f"{keys.PREFIX}:of:*")


@dataclass(frozen=True, slots=True)
class Looked:
    """One match that was looked over.

    Attributes:
        match_id: Its id; the whole key where that is no match's.
        match: As stored; None if it cannot be read.
        fault: What is wrong with it: `Damaged`, or what `check` raised. None if nothing is.
    """

    match_id: str
    match: Match | None
    fault: PlayError | None


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What became of the lists.

    Attributes:
        matches: How many matches were read.
        unreadable: How many could not be.
        added: How often a live match was missing from a list.
    """

    matches: int
    unreadable: int
    added: int


async def verify(store: RedisStore, check: Callable[[Match], object] | None = None) -> AsyncIterator[Looked]:
    """Every match of a store, looked over one after another: its bytes, its head, its place, and what `check` says.

    Then what belongs to the matches beside their records; of that only what is wrong is reported.

    Args:
        store: Which one.
        check: Replays a match; raises a `PlayError` about what is wrong with it.
    """
    revisions: dict[str, int | None] = {}
    async for match_id, record in records(store):
        try:
            match = codec.decode(match_id, record)
        except Damaged as damaged:
            revisions[match_id] = None
            yield Looked(match_id, None, damaged)
            continue
        revisions[match_id] = match.revision
        fault: PlayError | None = None
        try:
            if check is not None:
                check(match)
        except PlayError as error:
            fault = error
        yield Looked(match_id, match, fault)
    async for wrong in Auditor(store, revisions).damage():
        yield Looked(wrong.match_id, None, wrong)


async def reindex(store: RedisStore) -> Reindexed:
    """Put every match on the lists of its people and places, and take off them what does not belong there.

    Entries that are there keep their place in the order; those that are added are ordered by the match's last activity.
    """
    seen = unreadable = added = 0
    calls: list[Sequence[Word]] = []
    lively: list[bool] = []

    async def carry_out() -> int:
        answers = await store.connection.batch(calls)
        count = sum(int(answer) for answer, live in zip(answers, lively, strict=True) if live)
        calls.clear()
        lively.clear()
        return count

    async for match_id, record in records(store):
        try:
            match = codec.decode(match_id, record)
        except Damaged:
            unreadable += 1
            continue
        seen += 1
        score = to_score(_last(match))
        for key in list(keys.lists_of(match))[not match.live :: 2]:
            calls.append(("ZADD", key, "NX", score, match.id))
            lively.append(match.live)
        if len(calls) >= _PIECE:
            added += await carry_out()
    added += await carry_out()
    whose: set[Account | Address] = set()
    for pattern in _LISTS:
        async for found in store.connection.scan(pattern):
            whose.update(filter(None, map(keys.whose_list, found)))
    for each in whose:
        await store.matches.lists.sift(each)
    return Reindexed(seen, unreadable, added)


async def records(store: RedisStore) -> AsyncIterator[tuple[str, bytes]]:
    """The record of every match that is there from beginning to end. A key that no match can have has none."""
    async for found in store.connection.scan(MATCHES):
        stored = await store.connection.batch([("GET", key) for key in found])
        for key, record in zip(found, stored, strict=True):
            match_id = key.rpartition(":")[2]
            if record is None:
                continue  # gone meanwhile
            if not keys.is_match_id(match_id) or keys.match_key(match_id) != key:
                yield key, b""
            else:
                yield match_id, record


def _last(match: Match) -> datetime:
    return max(
        [match.opened, *([match.touched] if match.touched else []), *[entry.at for entry in match.log[-1:]]]
    )
