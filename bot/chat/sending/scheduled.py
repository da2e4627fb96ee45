"""What comes to places by itself at set times: each post once, also with several bots, and after one was killed or down."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from bot.chat.periodic import Barrier
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier, CourierError, Gone, RetryAfter
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import label
from play.errors import Unavailable
from play.people import Address
from storage.ports import FullStore

AT_WORK: Final = timedelta(minutes=3)  # how long one bot of several may take to make one post
_POSTING: Final = AT_WORK.total_seconds() / 2  # seconds of one posting, well before another bot may claim it
_DONE_KEPT: Final = timedelta(days=3)
_AT_ONCE: Final = 8  # places that are served at once
_log: Final = logging.getLogger(__name__)


class Schedule:
    """Places by the time of their next post of one kind: when to look; their settings decide. And which posts are made.

    A post is named by its place and a day. `ahead` is longer than any next post is away.
    """

    def __init__(self, store: FullStore, name: str, ahead: timedelta) -> None:
        self._store, self._name, self._ahead = store, name, ahead

    async def plan(self, place: Address, at: datetime | None) -> None:
        """Store when a place gets its next post, if any."""
        if at is None:
            await self._store.timelines.remove(self._planned(place.platform), place.place)
        else:
            await self._store.timelines.add(self._planned(place.platform), place.place, at)

    async def due(self, platforms: Iterable[str], at: datetime) -> Sequence[Address]:
        """Return the places whose time has come, or is later than that of any next post: the clock was set back."""
        found = []
        for platform in platforms:
            name = self._planned(platform)
            due = [*await self._store.timelines.read(name, until=at)]
            due += await self._store.timelines.read(name, since=at + self._ahead)
            found += [Address(platform, place) for place in due]
        return found

    async def begin(self, place: Address, day: date) -> bool:
        """Claim a post for a while; return whether it is due and no other bot has it."""
        if await self.is_done(place, day):
            return False
        mine = await self._store.notes.hold(f"{self._done(place, day)}:at-work", keep=AT_WORK)
        return mine is not None and not await self.is_done(place, day)

    async def done(self, place: Address, day: date) -> None:
        """Remember that a post has been made."""
        await self._store.notes.write(self._done(place, day), "", keep=_DONE_KEPT)

    async def is_done(self, place: Address, day: date) -> bool:
        """Whether a post has been made."""
        return (await self._store.notes.read(self._done(place, day)))[0] is not None

    async def once(self, place: Address, day: date, post: Callable[[], Awaitable[bool]]) -> bool:
        """Make a post that has not been made; return False where it failed, or another bot is at it."""
        if await self.is_done(place, day):
            return True
        if not (await self.begin(place, day) and await post()):
            return False
        await self.done(place, day)
        return True

    def nonce(self, place: Address, day: date) -> str:
        """Return the id of a post, the same at each try; at most 25 characters."""
        digest = hashlib.blake2b(label(place).encode(), digest_size=5).hexdigest()
        return f"{self._name}:{day:%y%m%d}:{digest}"

    def _planned(self, platform: str) -> str:
        return f"{self._name}:{platform}"

    def _done(self, place: Address, day: date) -> str:
        return f"{self._name}:{place}:{day}"


@dataclass(frozen=True, slots=True)
class ScheduledPosts:
    """Sends what comes by itself to the places of some platforms; `what` it is called in the log."""

    delivery: Delivery
    couriers: Mapping[str, Courier]  # by platform
    what: str

    async def each(self, work: Iterable[tuple[Address, Awaitable[None]]]) -> None:
        """Do what is to be done for places, for several at once; what is wrong with one must not stop the others."""
        places = asyncio.Semaphore(_AT_ONCE)

        async def one(place: Address, work: Awaitable[None]) -> None:
            async with places:
                with Barrier() as barrier:
                    await work
            if isinstance(barrier.error, Unavailable):
                _log.info("no %s for %s yet: the store does not answer", self.what, label(place))
            elif barrier.error is not None:
                _log.error("the %s cannot be shown at %s", self.what, label(place), exc_info=barrier.error)

        await asyncio.gather(*(one(place, each) for place, each in work))

    async def send(self, place: Address, send: Callable[[Courier], Awaitable[None]]) -> bool:
        """Send something to a place in its turn; return whether no further try is needed."""
        courier = self.couriers[place.platform]
        try:
            async with asyncio.timeout(_POSTING):
                await self.delivery.turn(courier, place, Urgency.CARD)
                await send(courier)
        except Gone:
            await self.delivery.give_up(place)
        except RetryAfter as late:
            await self.delivery.hold(courier, place, late)
            return False
        except (CourierError, TimeoutError) as failed:
            _log.info("the %s has to wait at %s: %r", self.what, label(place), failed)
            return False
        return True
