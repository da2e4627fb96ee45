"""The progress bar of an answer that takes a while: a message in the private chat, until the answer is there."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from contextlib import suppress
from typing import Final

from telegram.error import TelegramError

from bot.on_telegram.places import Chat, ChatMessage
from bot.on_telegram.replies import Replies
from bot.sender.ports import CourierError
from bot.sender.turns import Urgency
from bot.view import Message, Person

_log: Final = logging.getLogger(__name__)


class ProgressMessage:
    """One progress bar. Of a process that ends, it is deleted as short replies are."""

    def __init__(self, replies: Replies) -> None:
        self._replies = replies
        self._messenger = replies.messenger
        self._ours: ChatMessage | None = None

    async def show(self, message: Message) -> None:
        """Send the bar, or change it; nothing where the bot may not write to the person."""
        assert isinstance(message.to, Person), "it is for one"  # noqa: S101
        if not await self._messenger.reaches(message.to.account):
            return
        chat = Chat(int(message.to.account.uid))
        if not await self._messenger.rate_limiter.answer(chat.id, Urgency.FILM, new=self._ours is None):
            return
        try:
            if self._ours is None:
                self._ours = await self._messenger.send(chat, message.view)
                await self._replies.short_replies.add(self._ours)
            else:
                await self._messenger.change(self._ours, message.view)
        except (CourierError, TelegramError) as error:
            _log.info("no progress bar: %r", error)

    async def until(self, answered: Awaitable[None]) -> None:
        """Show the answer, then delete the bar."""
        try:
            await answered
        finally:
            if self._ours is not None:
                with suppress(CourierError, TelegramError):
                    await self._messenger.withdraw(self._ours)
