"""Carries what the sender says to Telegram."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from telegram import Bot, InlineKeyboardButton

from bot.callback_data import Verb
from bot.i18n import Words
from bot.on_telegram.known_users import KnownUsers
from bot.on_telegram.links import join_link
from bot.on_telegram.places import PLATFORM, Chat, InlineMessage, address, packed, spot, unpacked
from bot.on_telegram.rate_limit import OVERALL, RateLimiter
from bot.on_telegram.rendering import Call
from bot.on_telegram.sending import Messenger
from bot.platform import Services
from bot.presenter.boards import show
from bot.sender.ports import NoMessage, Pace, Recipient
from bot.view import View
from play.match import Phase
from play.people import Account, Address

_ENTER: Final = (Verb.JOIN, Verb.ACCEPT)


class TelegramCourier:
    """The courier of Telegram.

    Args:
        services: The shared services.
        bot: The library's; known by its name once `ready` is set.
        post: Writes.
        people: Know names.
        turns: When it may write.
        ready: Set once the bot is connected.
    """

    platform = PLATFORM
    pace = Pace(overall=OVERALL)  # how fast in each chat, `turns` knows: topics of a forum are one chat

    def __init__(
        self,
        services: Services,
        bot: Bot,
        *,
        post: Messenger,
        people: KnownUsers,
        turns: RateLimiter,
        ready: asyncio.Event,
    ) -> None:
        self._services = services
        self._bot = bot
        self._messenger = post
        self._known_users = people
        self._rate_limiter = turns
        self._ready = ready

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:  # noqa: ARG002
        """See `Courier.post`. Telegram has no names for what is sent twice."""
        await self._ready.wait()
        where = spot(to)
        if isinstance(where, InlineMessage):
            await self._rate_limiter.chat(where.message, new=False)
            await self._messenger.change(where, await self._whole(where, view))
            return packed(where)
        await self._rate_limiter.chat(where.id, new=True)
        called = () if where.private else ping
        calls = [Call(one.uid, await self._known_users.name(one.uid)) for one in called]
        # In private every new message is for whoever is there; in a group only those who are called want to hear it.
        silent = not where.private and not ping
        sent = await self._messenger.send(
            where, view, calls=calls, silent=silent, extra=await self._extra(to, view)
        )
        return sent.pack()

    async def edit(self, ref: str, view: View) -> None:
        """See `Courier.edit`."""
        await self._ready.wait()
        ours = unpacked(ref)
        if ours is None:
            raise NoMessage(ref)
        if isinstance(ours, InlineMessage):
            await self._rate_limiter.chat(ours.message, new=False)
            await self._messenger.change(ours, await self._whole(ours, view))
        else:
            await self._rate_limiter.chat(ours.chat, new=False)
            await self._messenger.change(ours, view, extra=await self._extra(address(Chat(ours.chat)), view))

    async def retire(self, ref: str, view: View | None) -> None:
        """See `Courier.retire`. What was picked on a board stands on it until it says something else. A message that was sent by way of the bot is the only one of its match: it stays open."""
        await self._ready.wait()
        ours = unpacked(ref)
        if ours is not None and not isinstance(ours, InlineMessage):
            await self._rate_limiter.chat(ours.chat, new=False)
            await self._messenger.fold(ours, view)

    async def _extra(self, to: Recipient, view: View) -> tuple[InlineKeyboardButton, ...]:
        """For an open invitation, the way to join it from anywhere."""
        if view.code is None or view.diagram or not any(b.data.verb in _ENTER for b in view.buttons):
            return ()
        words = await self._words(to)
        return (
            InlineKeyboardButton(
                words("bot.telegram.join-link"), url=join_link(self._bot.username, view.code)
            ),
        )

    async def _whole(self, where: InlineMessage, view: View) -> View:
        """A view with its board: there is one message only, so what would stand beside the board stands above it."""
        if view.diagram is not None:
            return view
        place = address(where)
        found = next(iter(await self._services.store.at(place)), None)
        if found is None or found.phase is not Phase.PLAYING:
            return view
        table, words = self._services.table, await self._words(place)
        board = show(table.games[found.game], found, table.course(found), words, now=table.as_of(found))
        lines = (*view.lines, *(line for line in board.lines if line not in view.lines))
        return replace(board, lines=lines, buttons=view.buttons or board.buttons, ping=())

    async def _words(self, to: Recipient) -> Words:
        return await self._services.words_at(to if isinstance(to, Address) else Address(PLATFORM, to.uid))
