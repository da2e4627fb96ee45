"""Turns of a rate limit: requests that wait for one, the more urgent first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from datetime import datetime
from enum import IntEnum
from typing import Final, TypeAlias

from bot.sender.backoff import Sleep
from bot.sender.ports import Rate
from play.errors import Unavailable
from storage.outgoing import Bucket, Limit

MOST_PASSING: Final = 4  # requests that go before one that waits longer
REMEMBERED: Final = 2048  # last turns that are known

Clock: TypeAlias = Callable[[], Awaitable[datetime]]

_Whose: TypeAlias = tuple[str, Hashable]
"""A bucket, and who takes turns of it."""


class Urgency(IntEnum):
    """What waits for a turn, the most urgent first."""

    PRESS = 0  # the answer to a press
    BOARD = 1  # of a match, and all else that its players wait for
    CARD = 2  # of an invitation
    ANSWER = 3  # to a command, such as a list; and older messages that are folded
    FILM = 4  # an animation; and short replies that are deleted


class Turns:
    """Gives out the turns of token buckets that all processes share.

    Of those who wait for one bucket the more urgent come first; of the equally urgent those of the person or chat whose last
    turn was the longest ago, so that many requests of some people hold up those of others by one turn. After four of them one
    that waits longer has its turn.
    """

    def __init__(self, bucket: Bucket, now: Clock | None = None, sleep: Sleep = asyncio.sleep) -> None:
        """Take turns of `bucket` by some time; None: the store's."""
        self._bucket = bucket
        self._now = now
        self._sleep = sleep
        self._queues: dict[str, _Queue] = {}
        self._served: dict[_Whose, int] = {}  # the numbers of the last turns
        self._number = 0

    async def take(self, rates: Mapping[str, Rate], urgency: Urgency, whose: Hashable = None) -> None:
        """Wait for a turn of each bucket, one after the other; where all have one it takes one trip.

        It is a turn of `whose`, or else of what the first bucket is named for.

        Raises:
            Unavailable: the store does not answer.
        """
        limits = [Limit(key, rate.each_second, rate.burst) for key, rate in rates.items()]
        whose = next(iter(rates), None) if whose is None else whose
        alone = len(limits) > 1 and not self._queues.keys() & rates.keys()
        if alone and await self._bucket.take_all(limits, await self._time()):
            for key in rates:
                self._note(key, whose)
            return
        for limit in limits:
            await self._take(limit, urgency, whose)
            self._note(limit.key, whose)

    def _note(self, key: str, whose: Hashable) -> None:
        self._number += 1
        self._served.pop((key, whose), None)
        self._served[key, whose] = self._number
        while len(self._served) > REMEMBERED:
            del self._served[next(iter(self._served))]

    async def _time(self) -> datetime | None:
        return None if self._now is None else await self._now()

    async def _take(self, limit: Limit, urgency: Urgency, whose: Hashable) -> None:
        key = limit.key
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = _Queue()
            queue.serving = asyncio.create_task(self._serve(limit, queue), name=f"turns of {key}")
        self._served.setdefault((key, whose), self._number)  # a newcomer is behind those who came before
        turn = queue.put(urgency, (key, whose))
        try:
            await turn
        except asyncio.CancelledError:
            queue.drop(turn)
            if not queue and queue.serving is not None and self._queues.get(key) is queue:
                del self._queues[key]
                queue.serving.cancel()
            raise

    async def hold(self, key: str, rate: Rate, seconds: float) -> None:
        """Give out no turn of a bucket for so many seconds.

        Raises:
            Unavailable: the store does not answer.
        """
        await self._bucket.hold(Limit(key, rate.each_second, rate.burst), seconds, await self._time())

    async def _serve(self, limit: Limit, queue: _Queue) -> None:
        """Give out turns as long as they are waited for."""
        failed: Exception | None = None
        try:
            while queue:
                if wait := await self._bucket.take(limit, await self._time()):
                    await self._sleep(wait)
                else:
                    queue.next(self._served)
        except Exception as error:  # noqa: BLE001 - each of those who wait gets it
            failed = error
        finally:
            if self._queues.get(limit.key) is queue:
                del self._queues[limit.key]
            queue.fail(failed or Unavailable())


class _Queue:
    """Those who wait for turns of one bucket."""

    def __init__(self) -> None:
        self.serving: asyncio.Task[None] | None = None
        self._waiting: dict[Urgency, _UrgencyLine] = {each: _UrgencyLine() for each in Urgency}
        self._passed = 0  # turns in a row before one that is less urgent

    def __bool__(self) -> bool:
        return any(self._waiting.values())

    def put(self, urgency: Urgency, whose: _Whose) -> asyncio.Future[None]:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[urgency].turns[turn] = whose
        return turn

    def drop(self, turn: asyncio.Future[None]) -> None:
        for waiting in self._waiting.values():
            waiting.turns.pop(turn, None)

    def next(self, served: Mapping[_Whose, int]) -> None:
        """Give the next one its turn, by the last turns of those who wait."""
        while some := [waiting for waiting in self._waiting.values() if waiting]:
            chosen = some[0]
            if len(some) == 1:
                self._passed = 0
            elif self._passed < MOST_PASSING:
                self._passed += 1
            else:
                self._passed = 0
                chosen = some[1]
            turn = chosen.pop(served)
            if not turn.done():
                turn.set_result(None)
                return

    def fail(self, error: Exception) -> None:
        """Pass an error on to all that wait."""
        for waiting in self._waiting.values():
            for turn in waiting.turns:
                if not turn.done():
                    turn.set_exception(error)
            waiting.turns.clear()


class _UrgencyLine:
    """The equally urgent: their turns in the order they came, and whose they are."""

    def __init__(self) -> None:
        self.turns: dict[asyncio.Future[None], _Whose] = {}
        self._passed = 0  # turns in a row before one that waits longer

    def __bool__(self) -> bool:
        return bool(self.turns)

    def pop(self, served: Mapping[_Whose, int]) -> asyncio.Future[None]:
        """Remove and return the next turn."""
        longest = next(iter(self.turns))
        turn = min(self.turns, key=lambda each: served.get(self.turns[each], 0))
        self._passed = 0 if turn is longest else self._passed + 1
        if self._passed > MOST_PASSING:
            turn, self._passed = longest, 0
        del self.turns[turn]
        return turn
