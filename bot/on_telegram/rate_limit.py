"""Rate limits of Telegram, in token buckets that all processes share."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from bot.on_telegram.places import PLATFORM
from bot.sender.ports import Rate
from bot.sender.turns import Turns, Urgency
from play.errors import Unavailable
from play.people import Account

OVERALL: Final = Rate(each_second=20, burst=5)
"""Requests in all: never more than 30 in a second. Beyond that Telegram refuses all for a while."""

CHAT: Final = Rate(each_second=1, burst=2)
"""Requests about a chat: one a second, and one more now and then, which Telegram allows."""

GROUP: Final = Rate(each_second=0.2, burst=8)
"""New messages in a group: never more than 20 in a minute. Edits do not count."""

PATIENCE: Final = 10.0
"""Seconds that an answer waits for its turn; the sender's messages wait as long as it takes."""


class RateLimiter:
    """Waits until Telegram takes another request; the more urgent of a chat come first."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    async def chat(
        self, chat: int | str, urgency: Urgency, *, new: bool, whose: Account | None = None
    ) -> None:
        """Wait until Telegram takes a request for a new message in a chat, or else to change a message of a chat or inline.

        It is the turn of a person, or else of the chat.

        Raises:
            Unavailable: the store does not answer; the sender tries again.
        """
        group = {f"{PLATFORM}:{chat}:group": GROUP} if new and isinstance(chat, int) and chat < 0 else {}
        # Of all chats last: what waits for its chat is not counted before it is sent.
        await self._turns.take(group | {f"{PLATFORM}:{chat}": CHAT, PLATFORM: OVERALL}, urgency, whose)

    async def question(self) -> None:
        """Wait until Telegram takes a request that writes nothing.

        Raises:
            Unavailable: the store does not answer.
        """
        await self._turns.take({PLATFORM: OVERALL}, Urgency.ANSWER)

    async def answer(
        self, chat: int | str, urgency: Urgency, *, new: bool, whose: Account | None = None
    ) -> bool:
        """Wait for a turn to answer; whether it came soon enough."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.chat(chat, urgency, new=new, whose=whose)
        except Unavailable:
            return True  # an answer that says so matters more than the pace
        except TimeoutError:
            return False
        return True

    async def hold(self, chat: int | str, seconds: float) -> None:
        """Send nothing to a chat for so many seconds, which Telegram demands."""
        with suppress(Unavailable):
            await self._turns.hold(f"{PLATFORM}:{chat}", CHAT, seconds)
