"""What comes to places by itself at set times: each post once, also with several bots, and after one was killed or down."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, TypeAlias

from bot.chat.periodic import Barrier
from bot.chat.sending.delivery import SENDING, Delivery
from bot.chat.sending.ports import Courier
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import label
from play.errors import Unavailable
from play.people import Address
from play.settings import Settings
from play.time.week import zone_of
from storage.ports import FullStore

AT_WORK: Final = timedelta(seconds=2 * SENDING)  # how long one bot of several may take to post one
_DONE_KEPT: Final = timedelta(days=3)  # longer than any post can be late
_AT_ONCE: Final = 8  # places that are served at once
_log: Final = logging.getLogger(__name__)

Send: TypeAlias = Callable[[Courier], Awaitable[object]]
"""Sends one post."""

Making: TypeAlias = Callable[[Address, Settings, date], Awaitable[Send | None]]
"""Returns what sends a place the post of a day; None: there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Posts of one kind, each named by its place and the day on which it is due; and the places that get them.

    Attributes:
        hour: Returns at what time, in which zone, a place with these settings gets them; None: never.
        every: How many days apart they are: 1, or 7, on Mondays.
        late: How many days after its day a post is still made.
    """

    store: FullStore
    name: str
    hour: Callable[[Settings], tuple[time, str] | None]
    every: int = 1
    late: int = 0

    def day(self, zone: str, at: datetime) -> date:
        """Return the day of the post of the day or week of a moment."""
        day = at.astimezone(zone_of(zone)).date()
        return day - timedelta(days=day.weekday() % self.every)

    def after(self, chosen: Settings, at: datetime) -> datetime | None:
        """Return when a place gets its next post after a moment, in UTC."""
        if (hour := self.hour(chosen)) is None:
            return None
        day = self.day(hour[1], at)
        due = moment_of(*hour, day)
        return due if due > at else moment_of(*hour, day + timedelta(days=self.every))

    def due_day(self, chosen: Settings, at: datetime) -> date | None:
        """Return the day whose post a place is to have at a moment, if any."""
        if (hour := self.hour(chosen)) is None:
            return None
        day = self.day(hour[1], at)
        # A day on which no bot ran is over; and the hour may have been changed meanwhile.
        late = at.astimezone(zone_of(hour[1])).date() - day
        return day if moment_of(*hour, day) <= at and late.days <= self.late else None

    async def plan(self, place: Address, chosen: Settings, at: datetime) -> None:
        """Store when a place gets its next post, if any: when to look; its settings decide then."""
        if (due := self.after(chosen, at)) is None:
            await self.store.timelines.remove(f"{self.name}:{place.platform}", place.place)
        else:
            await self.store.timelines.add(f"{self.name}:{place.platform}", place.place, due)

    async def due(self, platforms: Iterable[str], at: datetime) -> list[Address]:
        """Return the places whose time has come, or is later than that of any next post: the clock was set back."""
        found = []
        for platform in platforms:
            name, ahead = f"{self.name}:{platform}", timedelta(days=self.every + 1)
            due = [*await self.store.timelines.read(name, until=at)]
            due += await self.store.timelines.read(name, since=at + ahead)
            found += [Address(platform, place) for place in due]
        return found

    async def begin(self, place: Address, day: date) -> bool:
        """Claim a post for a while; return whether it is due and no other bot has it."""
        if await self.is_done(place, day):
            return False
        mine = await self.store.notes.hold(f"{self._done(place, day)}:at-work", keep=AT_WORK)
        return mine is not None and not await self.is_done(place, day)

    async def done(self, place: Address, day: date) -> None:
        """Remember that a post has been made."""
        await self.store.notes.write(self._done(place, day), "", keep=_DONE_KEPT)

    async def is_done(self, place: Address, day: date) -> bool:
        """Whether a post has been made."""
        return (await self.store.notes.read(self._done(place, day)))[0] is not None

    def nonce(self, place: Address, day: date) -> str:
        """Return the id of a post, the same at each try; at most 25 characters."""
        digest = hashlib.blake2b(label(place).encode(), digest_size=5).hexdigest()
        return f"{self.name}:{day:%y%m%d}:{digest}"

    def _done(self, place: Address, day: date) -> str:
        return f"{self.name}:{place}:{day}"


def moment_of(hour: time, zone: str, day: date) -> datetime:
    """Return an hour of a day in a time zone, in UTC."""
    return datetime.combine(day, hour, tzinfo=zone_of(zone)).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class ScheduledPosts:
    """Sends the posts of a schedule to the places of some platforms. Any number of processes may share one store."""

    schedule: Schedule
    delivery: Delivery
    couriers: Mapping[str, Courier]  # by platform

    async def tick(self, make: Making) -> None:
        """Serve every place whose time has come."""
        at = await self.schedule.store.now()
        due = await self.schedule.due(self.couriers, at)
        await self.each((place, self._serve(place, at, make)) for place in due)

    async def _serve(self, place: Address, at: datetime, make: Making) -> None:
        chosen = await self.schedule.store.settings.get(place)
        day = self.schedule.due_day(chosen, at)
        if day is not None and not await self.schedule.is_done(place, day):
            if not await self.schedule.begin(place, day):
                return
            send = None if await self.delivery.is_dead(place) else await make(place, chosen, day)
            if send is not None and not await self.send(place, send):
                return
            await self.schedule.done(place, day)
        await self.schedule.plan(place, await self.schedule.store.settings.get(place), at)

    async def each(self, work: Iterable[tuple[Address, Awaitable[None]]]) -> None:
        """Do what is to be done for places, for several at once; what is wrong with one must not stop the others."""
        places, what = asyncio.Semaphore(_AT_ONCE), self.schedule.name

        async def one(place: Address, work: Awaitable[None]) -> None:
            async with places:
                with Barrier() as barrier:
                    await work
            if isinstance(barrier.error, Unavailable):
                _log.info("no %s post for %s yet: the store does not answer", what, label(place))
            elif barrier.error is not None:
                _log.error("no %s post at %s", what, label(place), exc_info=barrier.error)

        await asyncio.gather(*(one(place, each) for place, each in work))

    async def send(self, place: Address, send: Send) -> bool:
        """Send something to a place in its turn; return whether no further try is needed."""
        courier = self.couriers[place.platform]
        return await self.delivery.sent(courier, place, Urgency.CARD, lambda: send(courier))
