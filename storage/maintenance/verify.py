"""Check a whole store, and rebuild its lists; bots may run on it meanwhile.

A single changed byte is found everywhere. Results of operations, facts to be sent and references of messages have digests;
the first two also hold a revision, by which a record that fell back is found. Timers are stored twice, and both must agree.
A key whose name was changed is one character from a known name. Settings, ratings, notes and other small values have no
digest: those are found that cannot be read.

Not checked is what can be wrong without harm to a match: lists (hints, which mend themselves), leases and rate limits.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, digits
from typing import Final

from play.errors import PlayError
from play.events.event import Event
from play.match import Match
from play.people import Account, Address
from storage import keys
from storage.client.connection import Script, Word, pairs
from storage.errors import Damage, Damaged
from storage.maintenance.frames import check_fact, decode, is_checked, read, sift, subjects
from storage.records.codec import check_result
from storage.records.schema import to_micros, to_score
from storage.redis.lists import last_activity
from storage.redis.store import RedisStore

LONGEST_LEASE: Final = 3600 * 1_000_000  # microseconds: no timer is leased for longer

_CLOCKS: Final = Script("clocks")
_UNTOLD: Final = Script("untold")
_TAGGED: Final = re.compile(
    keys.PREFIX
    + r":\{([0-9]{1,2})\}:(match|event|op|shown|timers-of|timers-leased|timers|out|in|reader)(?::(e?[a-z0-9]{6}))?(:.*)?",
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
        calls = [_UNTOLD.call([key], ()) for key in streams]
        for key, (entries, last, pending) in zip(
            streams, await self._connection.batch(calls, [_UNTOLD]), strict=True
        ):
            for entry, said in entries:
                try:
                    match_id, revision = check_fact(key, said)
                except Damaged as found:
                    wrong.append(found)
                    continue
                if last and _place(entry) <= _place(last) and entry not in pending:
                    wrong.append(Damaged(match_id, Damage.ANNOUNCED))
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
        head = await self._connection.command("GETRANGE", keys.match_key(match_id), 1, 8)
        self._revisions[match_id] = known = int.from_bytes(bytes(head), "big")
        return [] if known >= (revision or 1) else [Damaged(match_id, Damage.BEHIND)]


def known(key: str) -> bool:
    """Return whether a key has a name of the bot's."""
    named = _TAGGED.fullmatch(key)
    return _placed(named) if named is not None else _OTHER.fullmatch(key) is not None


def _place(entry: bytes) -> tuple[int, int]:
    moment, _, number = entry.partition(b"-")
    return int(moment), int(number)


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
    of_streams = named[2] in ("in", "reader")  # which a direction follows
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


_BATCH: Final = 500  # commands
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

    async for frame in subjects(store):
        try:
            match = decode(frame)
        except Damaged:
            unreadable += 1
            continue
        seen += 1
        score = to_score(last_activity(match))
        for live, over in keys.lists_of(match):
            calls.append(("ZADD", live if match.live else over, "NX", score, match.id))
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
