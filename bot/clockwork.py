"""The clockwork: looks after the timers of all matches, and after what is nobody's fault because the bot was down.

The bot is down when nothing of it beats: its processes have ended, or the store is out of reach, and then nobody can
play either. Whoever beats first after such a time writes it down, before any timer is looked at.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from play.clock import Outage
from play.errors import Stale, Unavailable
from play.table import Table
from storage.faults import fault
from storage.ports import DueTimer, FullStore

BEAT: Final = timedelta(seconds=10)
"""How often the bot says that it runs."""

DOWN: Final = timedelta(seconds=60)
"""How long nothing may beat before that was an outage."""

LEASE: Final = timedelta(seconds=30)
"""For how long a timer is lent to whoever fires it."""

AT_ONCE: Final = 32
"""Timers taken, and fired side by side."""

LOOK: Final = 1.0
"""Seconds between looks for timers that have come."""

REMEMBERED: Final = timedelta(days=800)
"""How far back outages are asked for: longer than any turn can last."""

_log: Final = logging.getLogger(__name__)


class StoreClock:
    """The store's time, without asking it each time: this machine's, put right at each beat."""

    def __init__(self, own: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._own = own
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        """What time it is."""
        return self._own() + self._ahead

    def set(self, at: datetime) -> None:
        """It is this time at the store now."""
        self._ahead = at - self._own()


class Clockwork:
    """Fires timers when they are due. Any number of these may share one store.

    Args:
        table: Where timers are fired; what it knows of outages is kept current here.
        store: Of the table. Its time is the one that counts.
        sleep: Waits for some seconds.
        look: Seconds between looks.
        clock: Is put right at each beat.
        lease: For how long a timer is lent.
    """

    def __init__(
        self,
        table: Table,
        store: FullStore,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        look: float = LOOK,
        clock: StoreClock | None = None,
        lease: timedelta = LEASE,
    ) -> None:
        self._table = table
        self._store = store
        self._sleep = sleep
        self._look = look
        self._clock = clock
        self._lease = lease
        self._beaten: datetime | None = None

    async def run(self) -> None:
        """Look after the timers until cancelled."""
        while True:
            try:
                fired = await self.tick()
            except Unavailable:
                self._beaten = None  # was that an outage? To be looked at before any timer is
                fired = 0
            if fired < AT_ONCE:
                await self._sleep(self._look)

    async def tick(self) -> int:
        """Fire what is due now; how many timers that was.

        Raises:
            Unavailable: the store does not answer. What was taken comes again.
        """
        at = await self._store.now()
        if self._beaten is None or at - self._beaten >= BEAT:
            await self.beat(at)
        due = await self._store.timers.due(at, at + self._lease, AT_ONCE)
        # Each by itself: one that cannot be fired is in no other's way.
        outcomes = await asyncio.gather(*(self._fire(one, at) for one in due))
        if not all(outcomes):
            self._beaten = None
        return len(due)

    async def beat(self, at: datetime | None = None) -> Outage | None:
        """Say that the bot runs, and before that write down if it did not; the outage, if there was one.

        To be called once before the first request is answered, so that no deadline is taken for passed that is not.
        """
        at = at or await self._store.now()
        if self._clock:
            self._clock.set(at)
        last = await self._store.uptime.last_beat()
        outage = None
        if last is not None and at - last > DOWN:
            outage = Outage(last, at)
            await self._store.uptime.add_outage(outage)
            _log.warning("nothing ran from %s to %s: no clock counts that", last, at)
        fault("before-beat")
        await self._store.uptime.beat(at)
        self._table.outages = await self._store.uptime.outages(at - REMEMBERED)
        self._beaten = at
        return outage

    async def _fire(self, due: DueTimer, at: datetime) -> bool:
        """Fire one timer and put it away; whether the store answered. One that cannot be fired comes again later."""
        try:
            fault("before-fire")
            await self._table.fire(due.match_id, due.timer.name, at=max(at, due.timer.at))
            fault("after-fire")
            await self._store.timers.settle(due)
            fault("after-settle")
        except Unavailable:
            return False
        except Stale:
            _log.info("match %s changes too fast for its timer %s", due.match_id, due.timer.name)
        except Exception:  # noqa: BLE001 - one broken match must not stop the clocks of all others
            _log.exception("the timer %s of match %s cannot be fired", due.timer.name, due.match_id)
        return True
