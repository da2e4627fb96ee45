"""The store on Redis, one server or a cluster: a match is one key, changed by one script in one trip."""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress
from dataclasses import fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, cast

from play.errors import NoSuchMatch, Refused, Stale, Unavailable
from play.match import Match
from play.ports import Due, Loaded, Timer
from storage import codec, keys
from storage.bell import Bell
from storage.errors import Damaged
from storage.faults import fault
from storage.jobs import RedisJobs
from storage.listing import OVER_KEPT, Hint, Sifted, sift
from storage.moments import from_micros, to_micros, to_score
from storage.redis_outgoing import RedisBucket, RedisOutgoing
from storage.redis_upkeep import RedisUpkeep
from storage.results import fact_of, pack_result
from storage.trips import PATIENCE, Line, Script

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from redis.asyncio import Redis, RedisCluster

    from play.facts import Fact
    from play.people import Account, Address
    from play.ports import Operation
    from storage.trips import Word

OPERATION_SECONDS: Final = 7 * 24 * 3600
"""How long the result of an operation is kept: longer than any platform repeats a request."""

RECEIPT_SECONDS: Final = 60
"""Far longer than anybody waits for the answer to a commit without an operation."""

_COMMIT: Final = Script("commit")
_MEND: Final = Script("mend")
_CLAIM: Final = Script("claim")
_SETTLE: Final = Script("settle")
_log = logging.getLogger(__name__)


REMEMBERED: Final = 512
"""Records whose matches are kept in memory: a room's finished ones are listed again and again, and never change."""

_decode: Final = lru_cache(maxsize=REMEMBERED)(codec.decode)


class RedisStore(RedisUpkeep):
    """A `storage.upkeep.FullStore` on Redis or Valkey, 6.2 or newer.

    Args:
        client: From `storage.client`: it must never repeat a command by itself.
        patience: Seconds before a person is told that the store does not answer.
    """

    def __init__(self, client: Redis | RedisCluster, patience: float = PATIENCE) -> None:
        super().__init__(Line(client, patience))
        self._bell = Bell()

    @property
    def line(self) -> Line:
        """The line to the server, for those who tend the store."""
        return self._line

    def outgoing(self) -> RedisOutgoing:
        """See `FullStore.outgoing`."""
        return RedisOutgoing(self._line, self._bell)

    def bucket(self) -> RedisBucket:
        """See `FullStore.bucket`."""
        return RedisBucket(self._line)

    def jobs(self) -> RedisJobs:
        """Searches for workers on any machine."""
        return RedisJobs(self._line)

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        """See `Store.load`.

        Raises:
            Damaged: what is stored cannot be read.
        """
        if not keys.is_match_id(match_id):
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id)
        if operation is None:
            return Loaded(_read(match_id, await self._line.command("GET", keys.match_key(match_id))))
        key = keys.operation_key(match_id, keys.check_operation(operation).id)
        record, done = await self._line.command("MGET", keys.match_key(match_id), key)
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
        """See `Store.commit`.

        The script may be sent again when an answer was lost: if it was carried out, it finds the operation's result and
        writes nothing, even if others have committed since. Where there is no operation, each commit leaves a receipt
        under a name of its own in its place.

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
        if not self._line.clustered:
            names += keys.lists_of(match)
        due = [(to_score(timer.at), _member(match.id, timer)) for timer in timers]
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
        found = await self._line.run(_COMMIT, names, values)
        fault("after-commit")
        if isinstance(found, int):
            if self._line.clustered:
                await self._put_on_lists(match, found)
            if announce:
                self._bell.ring()
            return committed
        if isinstance(found, list):
            if operation is None:
                return committed
            done, record = found
            return fact_of(names[1], operation, done, _read(match.id, record))
        raise Stale(_read(match.id, found))

    async def _put_on_lists(self, match: Match, changed: int) -> None:
        """On a cluster lists are elsewhere. They are hints: what fails here is mended by the match's next commit."""
        names = list(keys.lists_of(match))
        calls: list[Sequence[Word]] = []
        for live, over in zip(names[::2], names[1::2], strict=True):
            on, off = (live, over) if match.live else (over, live)
            calls += [("ZREM", off, match.id), ("ZADD", on, "GT", changed, match.id)]
            if not match.live:
                calls.append(("ZREMRANGEBYRANK", over, 0, -OVER_KEPT - 1))
        try:
            await self._line.batch(calls)
        except Unavailable as error:
            _log.warning("match %s is not on its lists yet: %s", match.id, error.__cause__)

    async def at(self, address: Address, *, over: bool = True) -> Sequence[Match]:
        """See `Store.at`. A match that cannot be read is left out, and logged."""
        return await self._list(address, OVER_KEPT if over else 0)

    async def of(self, account: Account) -> Sequence[Match]:
        """See `Store.of`. A match that cannot be read is left out, and logged."""
        return await self._list(account, OVER_KEPT)

    async def now(self) -> datetime:
        """See `Store.now`. On a cluster it is always the same node that is asked, as long as it is there."""
        seconds, micros = await self._line.time()
        return from_micros(seconds * 1_000_000 + micros)

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[Due]:
        """See `Store.due`. One trip to look; one more to take them, if there are any."""
        now, until = to_score(at), to_score(lease)
        looks = [
            ("ZRANGEBYSCORE", keys.timers_key(tag), "-inf", now, "LIMIT", 0, limit)
            for tag in range(keys.TAGS)
        ]
        found = [
            (*_from_member(bytes(member).decode()), tag, bytes(member))
            for tag, members in enumerate(await self._line.batch(looks))
            for member in members
        ]
        found.sort(key=lambda each: (each[1].at, each[0], each[1].name))
        wanted: dict[int, list[bytes]] = {}
        for _, _, tag, member in found[:limit]:
            wanted.setdefault(tag, []).append(member)
        calls = [
            _CLAIM.call([keys.timers_key(tag)], [now, until, *members]) for tag, members in wanted.items()
        ]
        lent = {bytes(each) for answer in await self._line.batch(calls, [_CLAIM]) for each in answer}
        return tuple([Due(match_id, timer, lease) for match_id, timer, _, member in found if member in lent])

    async def settle(self, due: Due) -> None:
        """See `Store.settle`."""
        tag = keys.tag_of(due.match_id)
        names = (keys.timers_key(tag), keys.timers_of_key(tag))
        values = (due.match_id, _member(due.match_id, due.timer), to_score(due.lease))
        await self._line.run(_SETTLE, names, values)

    async def sift(self, whose: Account | Address) -> None:
        """Put somebody's lists right: what does not belong there goes, and no more of what is over stays than is shown."""
        _, over = keys.list_keys(whose)
        await self._list(whose, None)
        await self._line.command("ZREMRANGEBYRANK", over, 0, -OVER_KEPT - 1)

    async def _list(self, whose: Account | Address, kept: int | None) -> Sequence[Match]:
        """A person's or a place's matches: one trip for the hints, one for the records, more only to mend.

        Args:
            whose: Whose they are.
            kept: How many of those that are over; None for all.
        """
        live, over = keys.list_keys(whose)
        hints = await self._hints(live, over, kept)
        if not hints:
            return ()
        sifted = sift(hints, await self._found({hint.match_id for hint in hints}), whose, live, over)
        if sifted.wrong or sifted.missing:
            with suppress(Unavailable):  # what is shown is right all the same
                await self._repair(sifted)
        return [match for match in sifted.shown if match.live] if kept == 0 else sifted.shown

    async def _found(self, hinted: set[str]) -> dict[str, Match | None]:
        found: dict[str, Match | None] = dict.fromkeys(hinted)
        names = [name for name in hinted if keys.is_match_id(name)]
        records = await self._line.batch([("GET", keys.match_key(name)) for name in names])
        for name, record in zip(names, cast("list[bytes | None]", records), strict=True):
            try:
                found[name] = None if record is None else _decode(name, record)
            except Damaged as damaged:
                _log.error("a stored match cannot be read: %s", damaged)
                del found[name]
        return found

    async def _hints(self, live: str, over: str, kept: int | None) -> list[Hint]:
        last = {live: -1} if kept == 0 else {live: -1, over: -1 if kept is None else kept - 1}
        looks = [("ZREVRANGE", key, 0, end, "WITHSCORES") for key, end in last.items()]
        return [
            Hint(int(score), bytes(name).decode(errors="replace"), key)
            for key, found in zip(last, await self._line.batch(looks), strict=True)
            for name, score in _pairs(found)
        ]

    async def _repair(self, sifted: Sifted) -> None:
        calls: list[Sequence[Word]] = []
        for key in {hint.key for hint in sifted.wrong}:
            wrong = [hint for hint in sifted.wrong if hint.key == key]
            words = [word for hint in wrong for word in (hint.match_id, hint.changed)]
            calls.append(_MEND.call([key], words))
        calls += [("ZADD", hint.key, "NX", hint.changed, hint.match_id) for hint in sifted.missing]
        await self._line.batch(calls, [_MEND])


_values: Final = attrgetter(*[field.name for field in fields(Match)])
_REVISION: Final = [field.name for field in fields(Match)].index("revision")


def _revised(match: Match, revision: int) -> Match:
    """The match with another revision. `dataclasses.replace` would take twice as long, in every commit."""
    values = list(_values(match))
    values[_REVISION] = revision
    return Match(*values)


def _read(match_id: str, record: bytes | None) -> Match:
    if record is None:
        raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id)
    return _decode(match_id, record)


def _member(match_id: str, timer: Timer) -> str:
    """A timer in its set. Its exact time is part of its name, for its score is the end of a lease while it is lent."""
    return f"{match_id}:{keys.check_timer(timer).name}:{to_micros(timer.at)}"


def _from_member(member: str) -> tuple[str, Timer]:
    match_id, name, at = member.split(":")
    return match_id, Timer(name, from_micros(int(at)))


def _pairs(found: Any) -> list[tuple[bytes, float]]:
    """Names and scores, which the client may have put in pairs, or may not."""
    if found and isinstance(found[0], (tuple, list)):
        return [(name, float(score)) for name, score in found]
    return [(name, float(score)) for name, score in zip(found[::2], found[1::2], strict=True)]
