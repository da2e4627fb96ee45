"""How fast Telegram lets us write, in buckets that all processes share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from bot.on_telegram.places import PLATFORM
from bot.sender.ports import Rate
from play.errors import Unavailable
from storage.outgoing import Bucket

OVERALL: Final = Rate(each_second=30, burst=30)
"""Messages in all. Beyond them the platform refuses everything for a while."""

CHAT: Final = Rate(each_second=1, burst=3)
"""Messages in a chat: one a second, which may be a few at once now and then."""

GROUP: Final = Rate(each_second=1 / 3, burst=20)
"""Messages in a group: twenty a minute."""

PATIENCE: Final = 10.0
"""Seconds that an answer to somebody waits for its turn; what everybody is told waits as long as it takes."""

Sleep = Callable[[float], Awaitable[None]]


class Turns:
    """Hands out turns to write.

    Args:
        bucket: Shared with the other processes.
        now: The time that rates are measured by.
        sleep: Waits for some seconds.
    """

    def __init__(
        self, bucket: Bucket, now: Callable[[], Awaitable[datetime]], sleep: Sleep = asyncio.sleep
    ) -> None:
        self._bucket = bucket
        self._now = now
        self._sleep = sleep

    async def chat(self, chat: int | str) -> None:
        """Wait until a chat can bear one more message.

        Raises:
            Unavailable: nobody knows; the sender tries again.
        """
        for key, rate in _rates(chat):
            await self._take(key, rate)

    async def answer(self, chat: int | str) -> bool:
        """Wait for a turn to answer somebody, in a chat and in all; whether it came soon enough to be of use."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.chat(chat)
                await self._take(PLATFORM, OVERALL)
        except Unavailable:
            return True  # an answer that says so is worth more than the pace
        except TimeoutError:
            return False
        return True

    async def hold(self, chat: int | str, seconds: float) -> None:
        """Be silent in a chat for as long as Telegram asks."""
        (key, rate), *_ = _rates(chat)
        with suppress(Unavailable):
            at = await self._now()
            await self._bucket.hold(key, rate.each_second, rate.burst, at, at + timedelta(seconds=seconds))

    async def _take(self, key: str, rate: Rate) -> None:
        while wait := await self._bucket.take(key, rate.each_second, rate.burst, await self._now()):
            await self._sleep(wait)


def _rates(chat: int | str) -> tuple[tuple[str, Rate], ...]:
    """The buckets of a chat, by number, or of an inline message, by name."""
    each = (f"{PLATFORM}:{chat}", CHAT)
    return (each, (f"{PLATFORM}:{chat}:group", GROUP)) if isinstance(chat, int) and chat < 0 else (each,)
