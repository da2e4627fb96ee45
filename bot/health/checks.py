"""Checks: does the event loop turn, does the store answer, are the platforms heard, does anything wait too long."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.metrics import LOOP_LAG
from bot.platform import Platform
from bot.sender.backoff import Sleep
from play.errors import Unavailable
from storage.redis.figures import Figures, RedisFigures

TURNED: Final = 5.0  # seconds within which the event loop has to turn
ANSWERED: Final = 2.0  # seconds in which the store has to answer
HEARD: Final = 90.0
"""Seconds within which a platform has to be heard: Discord acknowledges a heartbeat every 41, a poll ends after 50."""
TOLD: Final = 60.0  # seconds within which a fact has to be announced

_EVERY: Final = 1.0  # seconds between two looks at the loop


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, in a line for an operator, and whether it is well."""

    well: bool
    line: str


class Pulse:
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
        return Check(still < TURNED + _EVERY, f"event loop: turned {still:.1f} s ago")


class Checks:
    """What makes a process ready.

    Args:
        figures: Reads from the store.
        platforms: Those that the process serves.
        announces: Whether it announces facts; if none of the store's processes does for long, it is not ready.
    """

    def __init__(
        self, figures: RedisFigures, platforms: Sequence[Platform] = (), *, announces: bool = False
    ) -> None:
        self._figures = figures
        self._platforms = platforms
        self._announces = announces
        self._oldest: tuple[datetime | None, float] = (
            None,
            0.0,
        )  # the oldest fact, and since when it is, by the loop's clock

    async def ready(self) -> Sequence[Check]:
        """Look at the store and the platforms."""
        figures, trouble = None, ""
        try:
            async with asyncio.timeout(ANSWERED):
                figures = await self._figures.read()
                await self._figures.connection.probe()
        except TimeoutError:
            trouble = "no reply in time"
        except Unavailable as away:
            trouble = self._figures.connection.words_of(away)
        can = "takes no writes" if figures else "does not answer"
        found = [Check(not trouble, f"store: {can}: {trouble}" if trouble else "store: answers")]
        found += self._heard()
        if figures is not None and self._announces:
            now = asyncio.get_running_loop().time()
            if figures.oldest_untold != self._oldest[0]:
                self._oldest = figures.oldest_untold, now
            seen = now - self._oldest[1] if figures.oldest_untold else 0.0
            waits = max(untold_for(figures), seen)  # its date may be later than now: the clock was set back
            found.append(Check(waits < TOLD, f"announcements: the oldest waits {waits:.0f} s"))
        return found

    async def look(self) -> Figures | None:
        """Return what waits in the store; None if it does not answer in time."""
        try:
            async with asyncio.timeout(ANSWERED):
                return await self._figures.read()
        except (TimeoutError, Unavailable):
            return None

    def silences(self) -> Iterator[tuple[str, str, float]]:
        """Yield each platform's name, its connections, and for how many seconds they were not heard."""
        for platform in self._platforms:
            for connection, seconds in platform.silence().items():
                yield platform.name, connection, seconds

    def _heard(self) -> Iterator[Check]:
        for name, connection, seconds in self.silences():
            when = "not yet" if math.isinf(seconds) else f"{seconds:.0f} s ago"
            yield Check(seconds < HEARD, f"{name} {connection}: heard {when}")


def untold_for(figures: Figures) -> float:
    """Return for how many seconds the oldest fact has waited to be announced."""
    oldest = figures.oldest_untold
    return 0.0 if oldest is None else max(0.0, (figures.at - oldest).total_seconds())
