"""The store on Redis or Valkey, one server or a cluster: its parts, which share a connection, and those of small values."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from redis.asyncio import Redis, RedisCluster

from play.errors import Unavailable
from play.match import Match
from play.people import Account, Address
from play.ports import NOTE_KEPT, Timer
from play.settings import Settings
from play.time.clock import Outage, merged
from storage import keys
from storage.archive import Archive
from storage.client.absence import PATIENCE
from storage.client.connecting import connect
from storage.client.connection import Connection, Script, Word, pairs
from storage.client.wakeups import Waiter
from storage.embedded.directory import Process
from storage.ports import AddressState, DueTimer, Limit, Trace
from storage.records import codec
from storage.records.schema import from_micros, to_micros, to_score
from storage.redis import RedisPart
from storage.redis.jobs import RedisJobs
from storage.redis.matches import RedisEvents, RedisMatches
from storage.redis.ratings import RedisRatings
from storage.redis.streams import RedisAside, RedisInbox, RedisOutgoing, ask_known, read_known
from storage.redis.upkeep import RedisJournal, RedisTraces

_TAKEN_KEPT: Final = 60  # seconds: far longer than a call is retried
_SWAP: Final = Script("swap")
_TRIES: Final = 100
"""How often a value is read again because another task changed it meanwhile; each time one of the tasks succeeds."""

_log: Final = logging.getLogger(__name__)
_TAKE_NOTE: Final = Script("take_note")
_ADD: Final = Script("add")


class RedisNotes(RedisPart):
    """A `NoteStore` on Redis. A note that cannot be read is logged, and counts as none."""

    async def read(self, *names: str) -> Sequence[str | None]:
        found = await self._connection.batch([("GET", keys.note_key(name)) for name in names])
        return [_text(stored) for stored in found]

    async def write(self, name: str, text: str | None, *, keep: timedelta = NOTE_KEPT) -> None:
        key = keys.note_key(name)
        if text is None:
            await self._connection.command("DEL", key)
        else:
            await self._connection.command("SET", key, codec.pack_note(text), "PX", _milliseconds(keep))

    async def write_once(self, name: str, text: str, *, keep: timedelta = NOTE_KEPT) -> bool:
        mine = codec.pack_note(text)
        there = await self._write_once(keys.note_key(name), mine, _milliseconds(keep))
        return bool(there == mine)  # also if the first of two tries wrote it and its reply was lost

    async def _write_once(self, key: str, stamped: bytes, kept: int) -> bytes | None:
        """Write a note if there is none; return the one that is there.

        It is kept no longer than so many milliseconds from now: a later end is from before the clock was set back.
        """
        calls = [("SET", key, stamped, "NX", "PX", kept), ("GET", key), ("PTTL", key)]
        _, there, left = await self._connection.batch(calls)
        if int(left) > kept:
            await self._connection.command("PEXPIRE", key, kept)
        return there if there is None else bytes(there)

    async def change(self, name: str, change: Callable[[str | None], str]) -> str:
        key = keys.note_key(name)
        for _ in range(_TRIES):
            stored = await self._connection.command("GET", key)
            text = change(_text(stored))
            values = [stored or b"", codec.pack_note(text), _milliseconds(NOTE_KEPT)]
            if await self._connection.run(_SWAP, [key], values):
                return text
        raise Unavailable

    async def hold(self, name: str, *, keep: timedelta) -> str | None:
        key, process = keys.note_key(name), self._connection.process
        mine = f"{process.name}.{secrets.token_hex(codec.STAMP)}"
        stamped, kept = codec.pack_note(mine), _milliseconds(keep)
        there = await self._write_once(key, stamped, kept)
        if there and there != stamped and (_text(there) or "").partition(".")[0] in process.ended:
            return mine if await self._connection.run(_SWAP, [key], [there, stamped, kept]) else None
        return mine if there == stamped else None

    async def take(self, name: str) -> str | None:
        names = (keys.note_key(name), keys.taken_key(name, secrets.token_hex(codec.STAMP)))
        return _text(await self._connection.run(_TAKE_NOTE, names, (_TAKEN_KEPT,)))


class RedisTimelines(RedisPart):
    """A `TimelineStore` on Redis."""

    async def add(self, name: str, text: str, at: datetime, *, most: int | None = None) -> None:
        key, wakeups, due = keys.timeline_key(name), self._connection.wakeups, to_score(at)
        values: list[Word] = [due, text, -1 if most is None else most, wakeups.message(key, due)]
        await self._connection.run(_ADD, [key], values)
        wakeups.wake(key, due)

    async def read(
        self, name: str, *, until: datetime | None = None, since: datetime | None = None
    ) -> Sequence[str]:
        earliest: Word = "-inf" if since is None else to_score(since)
        latest: Word = "+inf" if until is None else to_score(until)
        key, wakeups = keys.timeline_key(name), self._connection.wakeups
        due = wakeups.due(key)
        if due == math.inf or (until is not None and to_score(until) < due):
            return ()
        wakeups.look(key)
        found, first = await self._connection.batch(
            [("ZRANGEBYSCORE", key, earliest, latest), ("ZRANGE", key, 0, 0, "WITHSCORES")]
        )
        wakeups.looked(key, *(int(float(score)) for _, score in pairs(first)))
        return [bytes(member).decode() for member in found]

    async def remove(self, name: str, text: str) -> None:
        await self._connection.command("ZREM", keys.timeline_key(name), text)

    async def cut(self, name: str, *, until: datetime) -> None:
        await self._connection.command("ZREMRANGEBYSCORE", keys.timeline_key(name), "-inf", to_score(until))


def _text(stored: bytes | None) -> str | None:
    return codec.readable(codec.decode_note, stored, "a note")


def _milliseconds(time: timedelta) -> int:
    return max(1, round(time.total_seconds() * 1000))


class RedisSettings(RedisPart):
    """A `SettingsStore` on Redis. Settings that cannot be read are logged, and read as the defaults."""

    async def get(self, whose: Account | Address) -> Settings:
        return codec.settings_in(whose, await self._connection.command("GET", keys.settings_key(whose)))

    async def get_many(self, *whose: Account | Address) -> Sequence[Settings]:
        found = await self._connection.batch([("GET", keys.settings_key(each)) for each in whose])
        return [codec.settings_in(each, stored) for each, stored in zip(whose, found, strict=True)]

    async def change(self, whose: Account | Address, change: Callable[[Settings], Settings]) -> Settings:
        key = keys.settings_key(whose)
        for _ in range(_TRIES):
            stored = await self._connection.command("GET", key)
            settings = codec.settings_in(whose, stored)
            changed = change(settings)
            values = [stored or b"", codec.encode_settings(changed)]
            if changed == settings or await self._connection.run(_SWAP, [key], values):
                return changed
        raise Unavailable


_TAKE: Final = Script("take")
_MICROS: Final = 1_000_000


class RedisBucket(RedisPart):
    """A `Bucket` on Redis."""

    async def take(self, limit: Limit, at: datetime | None = None) -> float:
        return await self._take([limit], at) / _MICROS

    async def take_all(self, limits: Sequence[Limit], at: datetime | None = None) -> bool:
        return not self._connection.clustered and not await self._take(limits, at)

    async def hold(self, limit: Limit, seconds: float, at: datetime | None = None) -> None:
        await self._take([limit], at, round(seconds * _MICROS))

    async def _take(self, limits: Sequence[Limit], at: datetime | None, held: Word = "") -> int:
        values = [word for limit in limits for word in (round(_MICROS / limit.rate), limit.burst)]
        names = [keys.bucket_key(limit.key) for limit in limits]
        return int(
            await self._connection.run(_TAKE, names, ["" if at is None else to_micros(at), held, *values])
        )


_CLAIM: Final = Script("claim")
_RECLAIM: Final = Script("reclaim")
_SETTLE: Final = Script("settle")


class RedisTimers:
    """A `TimerStore` on Redis: a sorted set for each hash tag, scored by when a timer is due or its lease ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._aside = RedisAside(connection)
        self._left = sorted(connection.process.ended)  # processes whose leases are still to be ended
        self._changed = connection.wakeups.waiter(keys.TIMERS)

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[DueTimer]:
        """See `TimerStore.due`. No round trip while none is known to be due; else one to look, two more if there are any."""
        now, until = to_score(at), to_score(lease)
        wakeups = self._connection.wakeups
        if now < wakeups.due(keys.TIMERS):
            return ()
        await self._reclaim(now)
        wakeups.look(keys.TIMERS)
        heads = await self._connection.batch(
            [("ZRANGE", keys.timers_key(tag), 0, 0, "WITHSCORES") for tag in range(keys.TAGS)]
        )
        scores = {tag: int(float(head[1])) for tag, head in enumerate(heads) if head}
        wakeups.looked(keys.TIMERS, until, *scores.values())
        filled = [tag for tag, score in scores.items() if score <= now]
        found = await self._found(filled, "BYSCORE", "-inf", now, "LIMIT", 0, limit)
        wanted: dict[int, list[bytes]] = {}
        for _, _, tag, member in found[:limit]:
            wanted.setdefault(tag, []).append(member)
        calls = [
            _CLAIM.call(
                [keys.timers_key(tag), keys.timers_leased_key(tag)],
                [now, until, self._connection.process.name, *members],
            )
            for tag, members in wanted.items()
        ]
        leased = {bytes(each) for reply in await self._connection.batch(calls, [_CLAIM]) for each in reply}
        return tuple(
            [DueTimer(match_id, timer, lease) for match_id, timer, _, member in found if member in leased]
        )

    async def until_due(self, at: datetime, seconds: float) -> None:
        wakeups, clock = self._connection.wakeups, asyncio.get_running_loop().time
        began = clock() - to_score(at) / _MICROS
        end = clock() + seconds
        while (left := min(end, began + wakeups.due(keys.TIMERS) / _MICROS) - clock()) > 0:
            self._changed.clear()
            await self._changed.wait_for(left)

    async def _found(self, tags: Sequence[int], by: str, *words: Word) -> list[tuple[str, Timer, int, bytes]]:
        looks = [(f"ZRANGE{by}", keys.timers_key(tag), *words) for tag in tags]
        found = [
            (*codec.unpack_timer(member.decode()), tag, member)
            for tag, members in zip(tags, await self._connection.batch(looks), strict=True)
            for member in members
        ]
        return sorted(found, key=lambda each: (each[1].at, each[0], each[1].name))

    async def settle(self, due: DueTimer) -> None:
        tag = keys.tag_of(due.match_id)
        names = (keys.timers_key(tag), keys.timers_of_key(tag), keys.timers_leased_key(tag))
        values = (due.match_id, codec.pack_timer(due.match_id, due.timer), to_score(due.lease))
        await self._connection.run(_SETTLE, names, values)

    async def set_aside(self, due: DueTimer, reason: str) -> None:
        member, key = codec.pack_timer(due.match_id, due.timer), keys.timers_key(keys.tag_of(due.match_id))
        await self._aside.add(key, member, ("m", f"{due.match_id} {due.timer.name}"), reason)
        await self.settle(due)

    async def _reclaim(self, now: int) -> None:
        """End the leases of processes that have ended, once; else their timers would wait until they run out."""
        if not self._left:
            return
        calls = [
            _RECLAIM.call([keys.timers_key(tag), keys.timers_leased_key(tag)], [now, *self._left])
            for tag in range(keys.TAGS)
        ]
        await self._connection.batch(calls, [_RECLAIM])
        self._left = []

    async def hasten(self, name: str, at: datetime, every: timedelta) -> None:
        """See `TimerStore.hasten`. Two round trips."""
        found = await self._found(range(keys.TAGS), "", 0, -1)
        wanted = [each for each in found if each[1].name == name]
        # A timer that was set anew since it was looked at is another member: XX leaves it alone.
        calls: dict[int, list[Word]] = {}
        for number, (_, _, tag, member) in enumerate(wanted):
            calls.setdefault(tag, []).extend((to_score(at + number * every), member))
        await self._connection.batch(
            [("ZADD", keys.timers_key(tag), "XX", "LT", *words) for tag, words in calls.items()]
        )
        self._connection.wakeups.look(keys.TIMERS)

    async def bound(self, lease: datetime) -> None:
        """See `TimerStore.bound`. Two round trips."""
        leased = await self._connection.batch(
            [("HKEYS", keys.timers_leased_key(tag)) for tag in range(keys.TAGS)]
        )
        await self._connection.batch(
            [
                ("ZADD", keys.timers_key(tag), "XX", "LT", to_score(lease), member)
                for tag, members in enumerate(leased)
                for member in members
            ]
        )
        self._connection.wakeups.look(keys.TIMERS)


class RedisUptime(RedisPart):
    """An `UptimeStore` on Redis."""

    async def beat(self, at: datetime) -> None:
        await self._connection.command("ZADD", keys.BEAT, "GT", to_score(at), keys.FORMAT)

    async def last_beat(self) -> datetime | None:
        score = await self._connection.command("ZSCORE", keys.BEAT, keys.FORMAT)
        return None if score is None else from_micros(int(float(score)))

    async def add_outage(self, outage: Outage) -> None:
        await self._connection.command(*_add_outage(outage))

    async def bound(self, at: datetime) -> None:
        """See `UptimeStore.bound`. What is cut is added before the whole is deleted."""
        calls: list[Sequence[Word]] = [("ZADD", keys.BEAT, "XX", "LT", to_score(at), keys.FORMAT)]
        late = f"({to_score(at)}"
        found: list[Any] = await self._connection.command("ZRANGEBYSCORE", keys.OUTAGES, late, "+inf")
        begun = [outage.start for outage in map(_outage, found) if outage.start < at]
        calls += [_add_outage(Outage(start, at)) for start in begun]
        await self._connection.batch([*calls, ("ZREMRANGEBYSCORE", keys.OUTAGES, late, "+inf")])

    async def outages(self, since: datetime) -> Sequence[Outage]:
        found: list[Any] = await self._connection.command("ZRANGEBYSCORE", keys.OUTAGES, "-inf", "+inf")
        spans = merged(sorted([(outage.start, outage.end) for outage in map(_outage, found)]))
        return [Outage(start, end) for start, end in spans if end > since]


def _add_outage(outage: Outage) -> Sequence[Word]:
    member = f"{to_micros(outage.start)}:{to_micros(outage.end)}"
    return "ZADD", keys.OUTAGES, to_score(outage.end), member


def _outage(member: Any) -> Outage:
    start, end = bytes(member).decode().split(":")
    return Outage(from_micros(int(start)), from_micros(int(end)))


class RedisStore:
    """A `storage.ports.FullStore` on Redis or Valkey, 6.2 or newer; the client is from `storage.client`."""

    def __init__(
        self,
        client: Redis | RedisCluster,
        patience: float = PATIENCE,
        process: Process | None = None,
        archive: Archive | None = None,
    ) -> None:
        self.connection = connect(client, patience, process)
        self.archive = archive
        self.matches = RedisMatches(self.connection, archive)
        self.events = RedisEvents(self.connection)
        self.settings = RedisSettings(self.connection)
        self.ratings = RedisRatings(self.connection)
        self.notes = RedisNotes(self.connection)
        self.timelines = RedisTimelines(self.connection)
        self.timers = RedisTimers(self.connection)
        self.uptime = RedisUptime(self.connection)
        self.aside = RedisAside(self.connection)
        self.journal = RedisJournal(self.connection)
        self._traces = RedisTraces(self.connection)

    def outgoing(self) -> RedisOutgoing:
        return RedisOutgoing(self.connection)

    def inbox(self, platform: str) -> RedisInbox:
        return RedisInbox(self.connection, platform)

    async def visited(
        self, place: Address, *whose: Account | Address, most: int, alias: Account | None = None
    ) -> tuple[AddressState, Sequence[Match] | None, bool]:
        """See `FullStore.visited`. One round trip, unless the matches at the place have changed since it was last visited."""
        calls, (list_calls, listed) = ask_known(place, *whose), self.matches.lists.query(place, 0, most)
        kept_calls = [("EXISTS", keys.list_keys(alias)[0])] if alias else []
        replies = await self.connection.batch([*kept_calls, *calls, *list_calls])
        kept = bool(kept_calls and replies.pop(0))
        known = read_known(replies[: len(calls)], *whose)
        with suppress(Unavailable):
            return known, await listed(replies[len(calls) :]), kept
        return known, None, kept

    def commits(self) -> Waiter:
        return self.connection.wakeups.waiter(keys.OUT.name)

    def bucket(self) -> RedisBucket:
        return RedisBucket(self.connection)

    def jobs(self) -> RedisJobs:
        """Return the queue of searches for workers on any machine."""
        return RedisJobs(self.connection)

    async def now(self) -> datetime:
        """See `FullStore.now`. On a cluster the same node is asked each time, as long as it is there."""
        return from_micros(await self.connection.time())

    async def traces(self, account: Account) -> Sequence[Trace]:
        return [trace async for trace, _ in self._traces.of(account)]

    async def forget(self, account: Account) -> None:
        await self.matches.forget_archived(account)
        await self.ratings.forget(account)
        await self._traces.forget(account)
