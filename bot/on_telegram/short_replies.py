"""Short replies in groups, which the bot deletes after a while. They are stored, so that a restart deletes them too."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from telegram.error import TelegramError

from bot.on_telegram.places import PLATFORM, ChatMessage, parse_ref
from bot.on_telegram.sending import Messenger
from bot.periodic import periodically
from bot.sender.ports import CourierError, RetryAfter
from bot.sender.turns import Urgency
from play.errors import Unavailable
from storage.ports import TimelineStore

_log: Final = logging.getLogger(__name__)

KEPT: Final = timedelta(minutes=2)
"""How long a short reply stays."""

MOST: Final = 10_000  # replies that wait to be deleted; of more, the earliest stay for ever
LOOK: Final = 5.0  # seconds between looks for replies to delete

_NAME: Final = f"{PLATFORM}:short-replies"


class ShortReplies:
    """Remembers short replies, and deletes them when their time is over."""

    def __init__(
        self,
        timelines: TimelineStore,
        messenger: Messenger,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._timelines = timelines
        self._messenger = messenger
        self._now = now
        self._sleep = sleep

    async def add(self, reply: ChatMessage) -> None:
        """Have a reply deleted later."""
        with suppress(Unavailable):
            await self._timelines.add(_NAME, reply.ref, self._now() + KEPT, most=MOST)

    async def run(self) -> None:
        """Delete replies until cancelled."""
        await periodically(self.sweep, LOOK, self._sleep, "short replies")

    async def sweep(self) -> None:
        """Delete the replies whose time is over; of a chat that must wait, at a later call.

        Raises:
            Unavailable: the store does not answer.
        """
        at = self._now()
        due = await self._timelines.read(_NAME, until=at)
        # Later than any can be: the clock was set back.
        for ref in [*due, *await self._timelines.read(_NAME, since=at + 2 * KEPT)]:
            reply = parse_ref(ref)
            if isinstance(reply, ChatMessage):
                if not await self._messenger.rate_limiter.answer(reply.pace_key, Urgency.FILM, new=False):
                    continue
                try:
                    await self._messenger.withdraw(reply)
                except RetryAfter:
                    continue
                except (CourierError, TelegramError) as error:
                    _log.info("a short reply stays: %r", error)
            await self._timelines.remove(_NAME, ref)
