"""Rate limits of Telegram, in token buckets that all processes share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from weakref import WeakValueDictionary

from bot.on_telegram.places import PLATFORM
from bot.sender.ports import Rate
from play.errors import Unavailable
from storage.outgoing import Bucket

OVERALL: Final = Rate(each_second=20, burst=5)
"""Requests in all: never more than 30 in a second. Beyond that Telegram refuses all for a while."""

CHAT: Final = Rate(each_second=1, burst=2)
"""Requests about a chat: one a second, and one more now and then, which Telegram allows."""

GROUP: Final = Rate(each_second=0.2, burst=8)
"""New messages in a group: never more than 20 in a minute. Edits do not count."""

PATIENCE: Final = 10.0
"""Seconds that an answer waits for its turn; the sender's messages wait as long as it takes."""

Sleep = Callable[[float], Awaitable[None]]


class RateLimiter:
    """Waits until Telegram takes another request."""

    def __init__(
        self, bucket: Bucket, now: Callable[[], Awaitable[datetime]], sleep: Sleep = asyncio.sleep
    ) -> None:
        self._bucket = bucket
        self._now = now
        self._sleep = sleep
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def chat(self, chat: int | str, *, new: bool) -> None:
        """Wait until Telegram takes a request for a new message in a chat, or else to change a message of a chat or inline.

        Raises:
            Unavailable: the store does not answer; the sender tries again.
        """
        if new and isinstance(chat, int) and chat < 0:
            await self._take(f"{PLATFORM}:{chat}:group", GROUP)
        await self._take(f"{PLATFORM}:{chat}", CHAT)
        await self._take(PLATFORM, OVERALL)  # last: what waits for its chat is not counted before it is sent

    async def answer(self, chat: int | str, *, new: bool) -> bool:
        """Wait for a turn to answer; whether it came soon enough."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.chat(chat, new=new)
        except Unavailable:
            return True  # an answer that says so matters more than the pace
        except TimeoutError:
            return False
        return True

    async def hold(self, chat: int | str, seconds: float) -> None:
        """Send nothing to a chat for so many seconds, which Telegram demands."""
        with suppress(Unavailable):
            at = await self._now()
            until = at + timedelta(seconds=seconds)
            await self._bucket.hold(f"{PLATFORM}:{chat}", CHAT.each_second, CHAT.burst, at, until)

    async def _take(self, key: str, rate: Rate) -> None:
        async with self._turns.setdefault(key, asyncio.Lock()):  # one after the other, in the order they came
            while wait := await self._bucket.take(key, rate.each_second, rate.burst, await self._now()):
                await self._sleep(wait)
