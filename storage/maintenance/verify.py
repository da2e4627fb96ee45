"""Check a whole store, and rebuild its lists; bots may run on it meanwhile.

A single changed byte is found everywhere. Results of operations, facts to be sent and references of messages have digests;
the first two also hold a revision, by which a record that fell back is found. Timers are stored twice, and both must agree.
A key whose name was changed is one character from a known name. Settings, ratings, notes and other small values have no
digest: those are found that cannot be read.

Not checked is what can be wrong without harm to a match: lists (hints, which mend themselves), leases and rate limits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from string import ascii_lowercase, digits
from typing import Final, TypeAlias

from play.errors import PlayError
from play.events.event import Event
from play.match import Match
from storage import keys
from storage.client.connection import Script, pairs
from storage.errors import Damage, Damaged
from storage.maintenance.frames import check_fact, decode, is_checked, read, sift, subjects
from storage.records.codec import REVISION_BYTES, check_result
from storage.records.schema import to_micros, to_score
from storage.redis.lists import OVER_KEPT, last_activity
from storage.redis.store import RedisStore

LONGEST_LEASE: Final = 3600 * 1_000_000  # microseconds: no timer is leased for longer

_CLOCKS: Final = Script("clocks")
_TAGGED: Final = re.compile(
    keys.PREFIX
    + r":\{([0-9]{1,2})\}:(match|event|op|shown|timers-of|timers-leased|timers|out|in|readers?)(?::(e?[a-z0-9]{6}))?(:.*)?",
    re.DOTALL,
)
_OTHER: Final = re.compile(keys.PREFIX + rf":(?:{'|'.join(keys.UNTAGGED)})(?::.*)?", re.DOTALL)
_LETTERS: Final = ascii_lowercase + digits + ":{}-"
_HEAD: Final = 24  # characters: the common parts of all keys of a kind end before


class Auditor:
    """Checks what belongs to matches, given the revision of each that was read; None for one that could not be."""

    def __init__(self, store: RedisStore, revisions: dict[str, int | None]) -> None:
        self._store = store
        self._connection = store.connection
        self._revisions = revisions

    async def damage(self) -> AsyncIterator[Damaged]:
        """Yield what is wrong. What a bot changes meanwhile is read twice before it is reported."""
        async for found in self._connection.scan("*"):
            ours: list[str] = []
            streams: list[str] = []
            for key in found:
                named = _TAGGED.fullmatch(key)
                if not known(key):
                    if named is not None or _nearly(key):
                        yield Damaged(key, Damage.STRAY)
                elif named is not None and named[2] in ("match", "event"):
                    self._revisions.setdefault(named[3], 0)
                else:
                    (streams if named is not None and named[2] == "out" else ours).append(key)
            for damaged in [*await self._values(ours), *await self._facts(streams)]:
                yield damaged
        for tag in range(keys.TAGS):
            for damaged in await self._timers(tag):
                yield damaged

    async def _values(self, found: Sequence[str]) -> list[Damaged]:
        wrong = []
        for frame in await read(self._store, [key for key in found if is_checked(key)]):
            word, match_id = keys.kind_of(frame.key)
            if (damage := sift(frame).damage) is not None:
                wrong.append(damage)
            elif isinstance(frame.held, bytes) and word == "op":
                wrong += await self._behind(match_id, check_result(frame.key, match_id, frame.held))
            elif word == "shown":
                wrong += await self._behind(match_id, None)
        return wrong

    async def _facts(self, streams: Sequence[str]) -> list[Damaged]:
        wrong = []
        held = await self._connection.batch([("XRANGE", key, "-", "+") for key in streams])
        for key, entries in zip(streams, held, strict=True):
            for _, said in entries:
                try:
                    match_id, revision = check_fact(key, said)
                except Damaged as found:
                    wrong.append(found)
                    continue
                wrong += await self._behind(match_id, revision)
        return wrong

    async def _timers(self, tag: int) -> list[Damaged]:
        scores, noted = await self._connection.run(_CLOCKS, [keys.timers_key(tag), keys.timers_of_key(tag)])
        there = {member: float(score) for member, score in pairs(scores)}
        now = to_micros(await self._store.now())
        wrong: set[str] = set()
        for name, text in pairs(noted):
            match_id, members = name.decode(errors="replace"), bytes(text).split()
            if (
                not all(_right(match_id, member, there.pop(member, None), now) for member in members)
                or await self._behind(match_id, None)
                or keys.tag_of(match_id) != tag
            ):
                wrong.add(match_id)
        wrong |= {member.decode(errors="replace").partition(":")[0] for member in there}
        return [Damaged(match_id, Damage.TIMERS) for match_id in sorted(wrong)]

    async def _behind(self, match_id: str, revision: int | None) -> list[Damaged]:
        known = self._revisions.get(match_id, 0)
        if known is None or known >= (revision or 1):
            return []
        if not keys.is_id(match_id):
            return [Damaged(match_id, Damage.STRAY)]
        head = await self._connection.command("GETRANGE", keys.match_key(match_id), *REVISION_BYTES)
        self._revisions[match_id] = known = int.from_bytes(bytes(head), "big")
        return [] if known >= (revision or 1) else [Damaged(match_id, Damage.BEHIND)]


def known(key: str) -> bool:
    """Return whether a key has a name of the bot's."""
    named = _TAGGED.fullmatch(key)
    return _placed(named) if named is not None else _OTHER.fullmatch(key) is not None


def _right(match_id: str, member: bytes, score: float | None, now: int) -> bool:
    owner, _, at = member.decode(errors="replace").rpartition(":")
    if score is None or owner.partition(":")[0] != match_id or not at.lstrip("-").isdigit():
        return False
    return score == int(at) or (int(at) <= now and int(at) < score <= now + LONGEST_LEASE)


def _placed(named: re.Match[str]) -> bool:
    if named[2] in ("match", "event", "op", "shown"):
        if named[3] is None:
            return False
        if named[2] in ("match", "event") and keys.is_event_id(named[3]) is not (named[2] == "event"):
            return False
        return keys.tag_of(named[3]) == int(named[1])
    of_streams = named[2] in ("in", "reader", "readers")  # which a direction follows
    return of_streams is bool(named[4]) and named[3] is None and int(named[1]) < keys.TAGS


def _nearly(key: str) -> bool:
    # Whether an unknown key would be known with another character in one place.
    if sum(one == other for one, other in zip(key, f"{keys.PREFIX}:", strict=False)) < len(keys.PREFIX):
        return False
    return any(
        _TAGGED.fullmatch(nearly) or _OTHER.fullmatch(nearly)
        for place in range(min(len(key), _HEAD))
        for letter in _LETTERS
        if (nearly := key[:place] + letter + key[place + 1 :])
    )


_BATCH: Final = 500  # lists
_Entry: TypeAlias = tuple[int, str, int]  # of a list: when the match changed, its id and its revision
_LISTS: Final = (f"{keys.PREFIX}:at:*", f"{keys.PREFIX}:of:*")


@dataclass(frozen=True, slots=True)
class Checked:
    """A match, or an event, that was checked."""

    match_id: str  # the whole key where that is not one
    match: Match | Event | None  # as stored; None if it cannot be read
    fault: PlayError | None  # `Damaged`, or what `check` raised; None if it is sound


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
    async for frame in subjects(store):
        try:
            match = decode(frame)
        except Damaged as damaged:
            revisions[damaged.match_id] = None
            yield Checked(damaged.match_id, None, damaged)
            continue
        revisions[match.id] = match.revision
        fault: PlayError | None = None
        try:
            if check is not None and isinstance(match, Match):
                check(match)
        except PlayError as error:
            fault = error
        yield Checked(match.id, match, fault)
    async for wrong in Auditor(store, revisions).damage():
        yield Checked(wrong.match_id, None, wrong)


async def reindex(store: RedisStore) -> Reindexed:
    """Add every match to the lists of its people and places, and delete entries that are wrong.

    Entries that are there keep their order; new ones are ordered by the match's last activity. Only lists that differ from what
    the records say are compared with them anew, for these may have changed meanwhile.
    """
    seen = unreadable = added = 0
    wanted: defaultdict[str, list[_Entry]] = defaultdict(list)
    async for frame in subjects(store):
        try:
            match = decode(frame)
        except Damaged:
            unreadable += 1
            continue
        seen += 1
        entry = to_score(last_activity(match)), match.id, match.revision
        for live, over in keys.lists_of(match):
            entries = wanted[live if match.live else over]
            heappush(entries, entry)
            if not match.live and len(entries) > OVER_KEPT:
                heappop(entries)
    doubtful = await _compare(store, wanted)
    missing = [(key, entries) for key, entries in wanted.items() if entries]
    for start in range(0, len(missing), _BATCH):
        added += await _add(store, missing[start : start + _BATCH], doubtful)
    for whose in {whose for key in doubtful if (whose := keys.whose_list(key))}:
        await store.matches.lists.sift(whose)
        await store.events.lists.sift(whose)
    return Reindexed(seen, unreadable, added)


async def _compare(store: RedisStore, wanted: defaultdict[str, list[_Entry]]) -> set[str]:
    """Leave of the entries that are wanted those that are missing; return the lists that have others."""
    doubtful: set[str] = set()
    for pattern in _LISTS:
        async for found in store.connection.scan(pattern):
            replies = await store.connection.batch([("ZRANGE", key, 0, -1) for key in found])
            for key, members in zip(found, replies, strict=True):
                there = {bytes(name).decode(errors="replace") for name in members}
                if not there.issubset([name for _, name, _ in wanted[key]]):
                    doubtful.add(key)
                wanted[key] = [entry for entry in wanted[key] if entry[1] not in there]
    return doubtful


async def _add(store: RedisStore, missing: Sequence[tuple[str, Sequence[_Entry]]], doubtful: set[str]) -> int:
    """Add entries to lists; return the number of live ones added. Lists of matches that have changed meanwhile are doubtful."""
    counts = await store.connection.batch(
        [
            ("ZADD", key, "NX", *[word for score, name, _ in entries for word in (score, name)])
            for key, entries in missing
        ]
    )
    live = [(key, entry) for key, entries in missing if key.endswith("live") for entry in entries]
    heads = await store.connection.batch(
        [("GETRANGE", keys.match_key(name), *REVISION_BYTES) for _, (_, name, _) in live]
    )
    for (key, (_, _, revision)), head in zip(live, heads, strict=True):
        if int.from_bytes(bytes(head), "big") != revision:
            doubtful.add(key)
    return sum(int(count) for (key, _), count in zip(missing, counts, strict=True) if key.endswith("live"))
