"""Fire the timers of all matches and events, and note the bot's outages, which no clock counts.

The bot is down while no process writes its heartbeat: all have ended, or the store is out of reach. The first process
that beats after that stores the outage before it looks at any timer, and has every board show its new deadline: those of
thousands of matches by turns, so that they hold up no move.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from datetime import datetime, timedelta
from typing import Final

from bot.chat.metrics import TIMERS_LATE
from bot.chat.periodic import StoreClock
from play.errors import Stale, Unavailable
from play.events.event import StaleEvent
from play.events.events import TIMER as EVENT
from play.events.events import Events
from play.ports import Timer
from play.table import Table
from play.time.clock import Outage
from play.time.firing import fire
from play.time.timers import FLAG
from storage.ports import TRIES, DueTimer, FullStore, is_failure, reason_of

BEAT: Final = timedelta(seconds=10)  # time between heartbeats
DOWN: Final = timedelta(seconds=60)  # time without a heartbeat that counts as an outage
LEASE: Final = timedelta(seconds=30)  # for how long a timer is leased to the process that fires it
AT_ONCE: Final = 32  # most timers fired at the same time
LOOK: Final = 1.0  # seconds between checks for due timers, at least
APART: Final = timedelta(milliseconds=100)  # between boards that are shown with the deadline after an outage
REMEMBERED: Final = timedelta(days=800)  # how far back outages are read: longer than any turn can last

_log: Final = logging.getLogger(__name__)


class Clockwork:
    """Fires timers when they are due, and corrects the clock at each heartbeat. Several may share one store."""

    def __init__(
        self,
        table: Table,
        store: FullStore,
        *,
        look: float = LOOK,
        clock: StoreClock | None = None,
    ) -> None:
        self._table = table
        self._events = Events(table, store)
        self._store = store
        self._look = look
        self._clock = clock
        self._beaten: datetime | None = None
        self._looked: datetime  # at the last tick
        self._failed: Counter[tuple[str, Timer]] = Counter()

    async def run(self) -> None:
        """Fire timers until cancelled."""
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            try:
                fired = await self.tick()
            except Unavailable:
                self._beaten = None  # it may have been an outage, to be stored before any timer is fired
                fired = 0
            if fired < AT_ONCE:
                await asyncio.sleep(self._look)
            if self._beaten is not None:
                passed = timedelta(seconds=clock() - began)
                await self._store.timers.until_due(self._looked + passed, (BEAT - passed).total_seconds())

    async def tick(self) -> int:
        """Fire the due timers; return their number.

        Raises:
            Unavailable: the store does not answer. The leased timers come again.
        """
        self._looked = at = await self._present()
        if self._beaten is None or not timedelta() <= at - self._beaten < BEAT:
            await self.beat(at)
        due = await self._store.timers.due(at, at + LEASE, AT_ONCE)
        # Each by itself: one that cannot be fired does not stop the others.
        outcomes = await asyncio.gather(*(self._fire(one, at) for one in due))
        if not all(outcomes):
            self._beaten = None
        return len(due)

    async def look(self) -> None:
        """Read the time and the outages, in a process that fires no timers."""
        self._table.outages = await self._store.uptime.outages(await self._present() - REMEMBERED)

    async def beat(self, at: datetime | None = None) -> Outage | None:
        """Store an outage if there was one, then write the heartbeat; return the outage.

        Call it before the first request is answered, so that no deadline counts an outage.
        """
        at = at or await self._present()
        last = await self._store.uptime.last_beat()
        outage = None
        if last is not None and last - at > BEAT:
            by = timedelta(seconds=round((last - at).total_seconds()))
            _log.warning(
                "the store's clock was set back by %s: what was stored meanwhile counts from now", by
            )
            await self._store.timers.bound(at + LEASE)
            await self._store.timers.hasten(FLAG, at, APART)  # those of turns that began later than now, too
            await self._store.uptime.bound(at)
        elif last is not None and at - last > DOWN:
            outage = Outage(last, at)
            await self._store.uptime.add_outage(outage)
            await self._store.timers.hasten(FLAG, at, APART)
            _log.info("nothing ran from %s to %s: no clock counts that", last, at)
        await self._store.uptime.beat(at)
        self._table.outages = await self._store.uptime.outages(at - REMEMBERED)
        self._beaten = at
        return outage

    async def _present(self) -> datetime:
        at = await self._store.now()
        if self._clock:
            self._clock.set(at)
        return at

    async def _fire(self, due: DueTimer, at: datetime) -> bool:
        try:
            hastened, now = due.timer.at > at, self._table.now(at)
            TIMERS_LATE.observe(max(0.0, (at - due.timer.at).total_seconds()))
            if due.timer.name == EVENT:
                await self._events.fire(due.match_id, now)
            else:
                await fire(self._table, due.match_id, due.timer.name, now, hastened=hastened)
            await self._store.timers.settle(due)
        except Unavailable:
            return False
        except (Stale, StaleEvent):
            _log.info("match %s changes too fast for its timer %s", due.match_id, due.timer.name)
        except Exception as error:  # noqa: BLE001 - one broken match must not stop the clocks of all others
            _log.exception("the timer %s of match %s cannot be fired", due.timer.name, due.match_id)
            return await self._again(due, error)
        self._failed.pop((due.match_id, due.timer), None)
        return True

    async def _again(self, due: DueTimer, error: Exception) -> bool:
        # Leave it until its lease ends, or set it aside if it failed too often; whether the store answered.
        timer = (due.match_id, due.timer)
        self._failed[timer] += is_failure(error)
        if self._failed[timer] < TRIES:
            return True
        try:
            await self._store.timers.set_aside(due, reason_of(error))
        except Unavailable:
            return False
        del self._failed[timer]
        return True
