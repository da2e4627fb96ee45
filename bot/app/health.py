"""Health: checks of the loop, the store and the platforms, figures, `/healthz`, `/readyz`, `/metrics`, and notices to systemd."""

from __future__ import annotations

import asyncio
import math
import os
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Final, TypeAlias

from aiohttp import web

from bot.chat import metrics
from bot.chat.metrics import LOOP_LAG
from bot.chat.periodic import Sleep
from bot.chat.thinking import Thinker
from bot.config import ListenAddress
from bot.platforms.listening import Bounds, listen
from bot.platforms.platform import Platform
from play.errors import Unavailable
from rules import GAMES
from storage import RedisStore
from storage.maintenance.backup import damaged, last_backup
from storage.redis.upkeep import Figures, RedisFigures

LOOP_WITHIN: Final = 5.0  # seconds within which the event loop has to turn
STORE_WITHIN: Final = 2.0  # seconds in which the store has to answer
PLATFORM_WITHIN: Final = 90.0
"""Seconds within which a platform has to be heard: Discord acknowledges a heartbeat every 41, a poll ends after 50."""
ANNOUNCED_WITHIN: Final = 60.0  # seconds within which a fact has to be announced

_EVERY: Final = 1.0  # seconds between two looks at the loop


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, in a line for an operator, and whether it is well."""

    well: bool
    line: str


class LoopMonitor:
    """Measures how late the event loop comes to what is due."""

    def __init__(self, sleep: Sleep = asyncio.sleep) -> None:
        self._sleep = sleep
        self._last = asyncio.get_running_loop().time()

    async def run(self) -> None:
        """Measure until cancelled."""
        clock = asyncio.get_running_loop().time
        while True:
            began = self._last = clock()
            await self._sleep(_EVERY)
            LOOP_LAG.observe(max(0.0, clock() - began - _EVERY))

    def check(self) -> Check:
        """Whether the loop has turned of late."""
        still = asyncio.get_running_loop().time() - self._last
        return Check(still < LOOP_WITHIN + _EVERY, f"event loop: turned {still:.1f} s ago")


class Checks:
    """What makes a process ready: if it `announces` facts and none of the store's processes does for long, it is not."""

    def __init__(
        self, figures: RedisFigures, platforms: Sequence[Platform] = (), *, announces: bool = False
    ) -> None:
        self._figures = figures
        self._platforms = platforms
        self._announces = announces
        # The oldest fact, and since when it is, by the loop's clock.
        self._oldest: tuple[datetime | None, float] = None, 0.0

    async def ready(self) -> Sequence[Check]:
        """Look at the store and the platforms."""
        figures, trouble = None, ""
        try:
            async with asyncio.timeout(STORE_WITHIN):
                figures = await self._figures.read()
                await self._figures.connection.probe()
        except TimeoutError:
            trouble = "no reply in time"
        except Unavailable as away:
            trouble = self._figures.connection.words_of(away)
        can = "takes no writes" if figures else "does not answer"
        found = [Check(not trouble, f"store: {can}: {trouble}" if trouble else "store: answers")]
        for name, connection, seconds in self.silences():
            when = "not yet" if math.isinf(seconds) else f"{seconds:.0f} s ago"
            found.append(Check(seconds < PLATFORM_WITHIN, f"{name} {connection}: heard {when}"))
        if figures is not None and self._announces:
            now = asyncio.get_running_loop().time()
            if figures.oldest_waiting != self._oldest[0]:
                self._oldest = figures.oldest_waiting, now
            seen = now - self._oldest[1] if figures.oldest_waiting else 0.0
            waits = max(untold_for(figures), seen)  # its date may be later than now: the clock was set back
            found.append(Check(waits < ANNOUNCED_WITHIN, f"announcements: the oldest waits {waits:.0f} s"))
        return found

    async def look(self) -> Figures | None:
        """Return what waits in the store; None if it does not answer in time."""
        try:
            async with asyncio.timeout(STORE_WITHIN):
                return await self._figures.read()
        except (TimeoutError, Unavailable):
            return None

    def silences(self) -> Iterator[tuple[str, str, float]]:
        """Yield each platform's name, its connections, and for how many seconds they were not heard."""
        for platform in self._platforms:
            for connection, seconds in platform.silence().items():
                yield platform.name, connection, seconds


def untold_for(figures: Figures) -> float:
    """Return for how many seconds the oldest fact has waited to be announced."""
    oldest = figures.oldest_waiting
    return 0.0 if oldest is None else max(0.0, (figures.at - oldest).total_seconds())


_ELSEWHERE: Final = "elsewhere"  # the class of searches for workers on other machines
_STATES: Final = ("open", "playing", "paused")  # of matches that are not over


class Sampler:
    """Sets the gauges."""

    def __init__(self, store: RedisStore, checks: Checks, thinker: Thinker | None) -> None:
        self._store = store
        self._checks = checks
        self._thinker = thinker

    async def sample(self) -> None:
        """Set all gauges; where the store does not answer, its own keep what they were."""
        for platform, connection, seconds in self._checks.silences():
            metrics.GATEWAY.set(seconds, platform, connection)
        for kind, jobs in self._thinker.queued().items() if self._thinker else ():
            metrics.JOBS_WAITING.set(jobs.queued, kind)
            metrics.JOBS_TAKEN.set(jobs.taken, kind)
            metrics.JOBS_OLDEST.set(jobs.oldest, kind)
        if (figures := await self._checks.look()) is None:
            return
        metrics.UNTOLD.set(figures.facts)
        metrics.UNTOLD_OLDEST.set(untold_for(figures))
        metrics.JOBS_WAITING.set(figures.jobs.queued, _ELSEWHERE)
        metrics.JOBS_TAKEN.set(figures.jobs.acquired, _ELSEWHERE)
        metrics.JOBS_OLDEST.set(figures.jobs.oldest, _ELSEWHERE)
        with suppress(Unavailable):
            made = await last_backup(self._store)
            metrics.BACKUP_AGE.set((figures.at - made).total_seconds() if made else math.nan)
            metrics.FINDINGS.set(await damaged(self._store))
            live = await RedisFigures(self._store.connection).live()
            for game in GAMES:
                for state in _STATES:
                    metrics.MATCHES.set(live.get((game, state), 0), game, state)


_BOUNDS: Final = Bounds(most_open=20, headers_within=10.0)
_NO_METRICS: Final = "prometheus-client is not installed: pip install 'klop[metrics]'\n"

Written: TypeAlias = Callable[[str], tuple[bytes, str]]  # writes the figures; see `bot.chat.metrics.collect`


class HealthServer:
    """Serves probes and Prometheus. Without `written` there are no figures."""

    def __init__(self, loop: LoopMonitor, checks: Checks, sampler: Sampler, written: Written | None) -> None:
        self._loop = loop
        self._checks = checks
        self._sampler = sampler
        self._written = written

    async def run(self, address: ListenAddress) -> None:
        """Listen until cancelled; raises `CannotListen`."""
        app = web.Application()
        app.router.add_get("/healthz", self._alive)
        app.router.add_get("/readyz", self._ready)
        app.router.add_get("/metrics", self._metrics)
        await listen(app, address, _BOUNDS)

    async def _alive(self, _request: web.Request) -> web.Response:
        return _said([self._loop.check()])

    async def _ready(self, _request: web.Request) -> web.Response:
        return _said([self._loop.check(), *await self._checks.ready()])

    async def _metrics(self, request: web.Request) -> web.Response:
        if self._written is None:
            return web.Response(status=HTTPStatus.NOT_IMPLEMENTED, text=_NO_METRICS)
        await self._sampler.sample()
        body, kind = self._written(request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": kind})


def _said(checks: Sequence[Check]) -> web.Response:
    well = all(check.well for check in checks)
    lines = [f"{'ok' if check.well else '!!'} {check.line}\n" for check in checks]
    return web.Response(status=HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE, text="".join(lines))


_LOOK: Final = 1.0  # seconds between looks whether all is ready


class Notifier:
    """Tells systemd that the process is ready, then that its event loop turns, at half the time of the unit's `WatchdogSec`."""

    def __init__(self, path: str, every: float | None, sleep: Sleep = asyncio.sleep) -> None:
        self._path = f"\0{path[1:]}" if path.startswith("@") else path
        self._every = every
        self._sleep = sleep

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Notifier | None:
        """Return what notifies the systemd that started this process; None if none did."""
        path, microseconds = environment.get("NOTIFY_SOCKET"), environment.get("WATCHDOG_USEC")
        if not path:
            return None
        return cls(path, int(microseconds) / 2e6 if microseconds else None)

    async def run(self, ready: Callable[[], Awaitable[bool]]) -> None:
        """Notify until cancelled; `ready` says whether the process is."""
        told, waited = False, 0.0
        try:
            while True:
                if not told and await ready():
                    self._tell("READY=1")
                    told = True
                if self._every is not None and waited >= self._every:
                    self._tell("WATCHDOG=1")
                    waited = 0.0
                pause = _LOOK if self._every is None else min(_LOOK, self._every)
                await self._sleep(pause)
                waited += pause
        finally:
            self._tell("STOPPING=1")

    def _tell(self, state: str) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as to:
            to.connect(self._path)
            to.sendall(state.encode())
