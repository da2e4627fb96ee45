"""Timers and uptime on Redis."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from play.ports import Timer
from play.time.clock import Outage
from storage import keys
from storage.client import Connection, Script, Word
from storage.ports import DueTimer
from storage.records.columns import from_micros, merged, to_micros, to_score
from storage.redis.streams import RedisAside

_CLAIM: Final = Script("claim")
_RECLAIM: Final = Script("reclaim")
_SETTLE: Final = Script("settle")


class RedisTimers:
    """A `TimerStore` on Redis: a sorted set for each hash tag, scored by when a timer is due or its lease ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._aside = RedisAside(connection)
        self._left = sorted(connection.process.ended)  # processes whose leases are still to be ended

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[DueTimer]:
        """See `TimerStore.due`. One round trip to look; one more to lease them, if there are any."""
        now, until = to_score(at), to_score(lease)
        await self._reclaim(now)
        looks = [
            ("ZRANGEBYSCORE", keys.timers_key(tag), "-inf", now, "LIMIT", 0, limit)
            for tag in range(keys.TAGS)
        ]
        found = [
            (*_from_member(bytes(member).decode()), tag, bytes(member))
            for tag, members in enumerate(await self._connection.batch(looks))
            for member in members
        ]
        found.sort(key=lambda each: (each[1].at, each[0], each[1].name))
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

    async def settle(self, due: DueTimer) -> None:
        tag = keys.tag_of(due.match_id)
        names = (keys.timers_key(tag), keys.timers_of_key(tag), keys.timers_leased_key(tag))
        values = (due.match_id, member_of(due.match_id, due.timer), to_score(due.lease))
        await self._connection.run(_SETTLE, names, values)

    async def set_aside(self, due: DueTimer, reason: str) -> None:
        member, key = member_of(due.match_id, due.timer), keys.timers_key(keys.tag_of(due.match_id))
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
        looks = [("ZRANGE", keys.timers_key(tag), 0, -1) for tag in range(keys.TAGS)]
        found = [
            (*_from_member(bytes(member).decode()), tag, bytes(member))
            for tag, members in enumerate(await self._connection.batch(looks))
            for member in members
        ]
        wanted = sorted(
            (each for each in found if each[1].name == name), key=lambda each: (each[1].at, each[0])
        )
        # A timer that was set anew since it was looked at is another member: XX leaves it alone.
        calls: dict[int, list[Word]] = {}
        for number, (_, _, tag, member) in enumerate(wanted):
            calls.setdefault(tag, []).extend((to_score(at + number * every), member))
        await self._connection.batch(
            [("ZADD", keys.timers_key(tag), "XX", "LT", *words) for tag, words in calls.items()]
        )

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


class RedisUptime:
    """An `UptimeStore` on Redis."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

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
        return [outage for outage in merged(map(_outage, found)) if outage.end > since]


def _add_outage(outage: Outage) -> Sequence[Word]:
    member = f"{to_micros(outage.start)}:{to_micros(outage.end)}"
    return "ZADD", keys.OUTAGES, to_score(outage.end), member


def _outage(member: Any) -> Outage:
    start, end = bytes(member).decode().split(":")
    return Outage(from_micros(int(start)), from_micros(int(end)))


def member_of(match_id: str, timer: Timer) -> str:
    """Return a timer as a member of its set. It holds the exact time, for the score is the end of a lease meanwhile."""
    return f"{match_id}:{keys.check_timer(timer).name}:{to_micros(timer.at)}"


def _from_member(member: str) -> tuple[str, Timer]:
    match_id, name, at = member.split(":")
    return match_id, Timer(name, from_micros(int(at)))
