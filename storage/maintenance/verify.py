"""Check a whole store, and rebuild its lists; bots may run on it meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from play.errors import PlayError, Unavailable
from play.events.event import Event
from play.match import Match
from play.people import Account, Address
from storage import keys
from storage.client import Word
from storage.errors import Damaged
from storage.listing import last_activity
from storage.maintenance.auditing import Auditor
from storage.records import codec
from storage.redis.store import RedisStore
from storage.timestamps import to_score

_BATCH: Final = 500  # commands
_LISTS: Final = (f"{keys.PREFIX}:at:*", f"{keys.PREFIX}:of:*")


@dataclass(frozen=True, slots=True)
class Checked:
    """A match, or an event, that was checked.

    Attributes:
        match_id: Its id; the whole key where that is not one.
        match: As stored; None if it cannot be read.
        fault: `Damaged`, or what `check` raised; None if the match is sound.
    """

    match_id: str
    match: Match | Event | None
    fault: PlayError | None


@dataclass(frozen=True, slots=True)
class Reindexed:
    """The result of `reindex`; `added` is how often a live match was missing from a list."""

    matches: int
    unreadable: int
    added: int


async def verify(store: RedisStore, check: Callable[[Match], object] | None = None) -> AsyncIterator[Checked]:
    """Yield every match and event of a store, checked; then what is wrong with data that belongs to matches beside their records.

    `check` replays a match, and raises a `PlayError` if it is not sound.
    """
    revisions: dict[str, int | None] = {}
    async for match_id, record in records(store):
        try:
            match = codec.decode_any(match_id, record)
        except Damaged as damaged:
            revisions[match_id] = None
            yield Checked(match_id, None, damaged)
            continue
        revisions[match_id] = match.revision
        fault: PlayError | None = None
        try:
            if check is not None and isinstance(match, Match):
                check(match)
        except PlayError as error:
            fault = error
        yield Checked(match_id, match, fault)
    async for wrong in Auditor(store, revisions).damage():
        yield Checked(wrong.match_id, None, wrong)


async def reindex(store: RedisStore) -> Reindexed:
    """Add every match to the lists of its people and places, and delete entries that are wrong.

    Entries that are there keep their order; new ones are ordered by the match's last activity.
    """
    seen = unreadable = added = 0
    calls: list[Sequence[Word]] = []
    counts: list[bool] = []

    async def carry_out() -> int:
        answers = await store.connection.batch(calls)
        count = sum(int(answer) for answer, live in zip(answers, counts, strict=True) if live)
        calls.clear()
        counts.clear()
        return count

    async for match_id, record in records(store):
        try:
            match = codec.decode_any(match_id, record)
        except Damaged:
            unreadable += 1
            continue
        seen += 1
        score = to_score(last_activity(match))
        for key in list(keys.lists_of(match))[not match.live :: 2]:
            calls.append(("ZADD", key, "NX", score, match.id))
            counts.append(match.live)
        if len(calls) >= _BATCH:
            added += await carry_out()
    added += await carry_out()
    whose: set[Account | Address] = set()
    for pattern in _LISTS:
        async for found in store.connection.scan(pattern):
            whose.update(filter(None, map(keys.whose_list, found)))
    for each in whose:
        await store.matches.lists.sift(each)
        await store.events.lists.sift(each)
    return Reindexed(seen, unreadable, added)


async def records(store: RedisStore) -> AsyncIterator[tuple[str, bytes]]:
    """Yield the id and record of every match and event, also from the archive; for a key that none can have, the key and no bytes."""
    async for found in scanned(store):
        stored = await store.connection.batch([("GET", key) for key in found])
        records = {}
        for key, record in zip(found, stored, strict=True):
            match_id = key.rpartition(":")[2]
            if record is None:
                continue  # gone meanwhile
            if not keys.is_id(match_id) or keys.match_key(match_id) != key:
                yield key, b""
            else:
                records[match_id] = record
        for match_id, record in (await whole(store, records)).items():
            yield match_id, record


async def whole(store: RedisStore, records: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Return records, with those from the archive in place of their heads; a head stays where the archive cannot be read."""
    try:
        return await store.matches.lists.whole(records)
    except Unavailable:
        return records


async def scanned(store: RedisStore) -> AsyncIterator[Sequence[str]]:
    """Yield the keys of the records of all matches and events, some at a time."""
    for pattern in (keys.MATCHES, keys.EVENTS):
        async for found in store.connection.scan(pattern):
            yield found
