"""Timers and uptime in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from play.ports import Timer
from play.time.clock import Outage, merged
from storage.ports import DueTimer
from tests.support.memory.streams import MemoryAside


class MemoryTimers:
    """A `TimerStore` in memory."""

    def __init__(self, aside: MemoryAside | None = None) -> None:
        self.aside = aside or MemoryAside()
        self._timers: dict[str, dict[Timer, datetime]] = {}  # by match: its time, or the end of its lease

    def set(self, match_id: str, timers: Sequence[Timer]) -> None:
        """Give a match these timers and no others."""
        self._timers[match_id] = {timer: timer.at for timer in timers}

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[DueTimer]:
        found = [
            (timer.at, match_id, timer)
            for match_id, timers in self._timers.items()
            for timer, when in timers.items()
            if when <= at
        ]
        found.sort(key=lambda each: (each[0], each[1], each[2].name))
        for _, match_id, timer in found[:limit]:
            self._timers[match_id][timer] = lease
        return tuple([DueTimer(match_id, timer, lease) for _, match_id, timer in found[:limit]])

    async def settle(self, due: DueTimer) -> None:
        timers = self._timers[due.match_id]
        if timers.get(due.timer) == due.lease:
            del timers[due.timer]

    async def set_aside(self, due: DueTimer, reason: str) -> None:
        timers = self._timers[due.match_id]
        self.aside.add(
            "timers",
            f"{due.match_id} {due.timer.name}",
            reason,
            lambda: timers.__setitem__(due.timer, due.timer.at),
        )
        await self.settle(due)

    async def hasten(self, name: str, at: datetime, every: timedelta) -> None:
        found = [
            (timer.at, match_id, timer)
            for match_id, timers in self._timers.items()
            for timer in timers
            if timer.name == name
        ]
        for number, (_, match_id, timer) in enumerate(sorted(found, key=lambda each: each[:2])):
            kept = self._timers[match_id]
            kept[timer] = min(kept[timer], at + number * every)

    async def bound(self, lease: datetime) -> None:
        for timers in self._timers.values():
            timers.update({timer: lease for timer, when in timers.items() if when > max(timer.at, lease)})


class MemoryUptime:
    """An `UptimeStore` in memory."""

    def __init__(self) -> None:
        self._outages: set[Outage] = set()
        self._beat: datetime | None = None

    async def beat(self, at: datetime) -> None:
        self._beat = at if self._beat is None else max(at, self._beat)

    async def last_beat(self) -> datetime | None:
        return self._beat

    async def add_outage(self, outage: Outage) -> None:
        self._outages.add(outage)

    async def bound(self, at: datetime) -> None:
        self._beat = self._beat and min(at, self._beat)
        self._outages = {Outage(one.start, min(one.end, at)) for one in self._outages if one.start < at}

    async def outages(self, since: datetime) -> Sequence[Outage]:
        spans = merged(sorted((outage.start, outage.end) for outage in self._outages))
        return [Outage(start, end) for start, end in spans if end > since]
