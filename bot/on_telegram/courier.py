"""Deliver the sender's messages to Telegram."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from telegram import InlineKeyboardButton

from bot.callback_data import Verb
from bot.i18n import Words
from bot.on_telegram.known_users import KnownUsers
from bot.on_telegram.links import join_link
from bot.on_telegram.places import PLATFORM, BotMessage, Chat, InlineMessage, address, destination, parse_ref
from bot.on_telegram.rate_limit import OVERALL
from bot.on_telegram.rendering import Call, Extras
from bot.on_telegram.sending import Messenger
from bot.platform import Services
from bot.presenter.boards import show
from bot.presenter.presentation import Presentation
from bot.sender.ports import NoMessage, Pace, Recipient
from bot.view import View
from play.match import Phase
from play.people import Account, Address

_ENTER: Final = (Verb.JOIN, Verb.ACCEPT)


class TelegramCourier:
    """The courier of Telegram; `ready` is set once the bot is connected, and its name known."""

    platform = PLATFORM
    pace = Pace(overall=OVERALL)  # the rate limiter paces each chat: the topics of a forum are one chat

    def __init__(
        self, services: Services, messenger: Messenger, known_users: KnownUsers, ready: asyncio.Event
    ) -> None:
        self._services = services
        self._messenger = messenger
        self._rate_limiter = messenger.rate_limiter
        self._known_users = known_users
        self._ready = ready

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:  # noqa: ARG002
        """See `Courier.post`. Telegram has no nonces."""
        await self._ready.wait()
        where = destination(to)
        if isinstance(where, InlineMessage):
            await self._edit(where, view)
            return where.ref
        await self._rate_limiter.chat(where.id, new=True)
        called = () if where.private else ping
        calls = [Call(one.uid, await self._known_users.name(one.uid)) for one in called]
        # In a group only messages that call a person come with a sound.
        silent = not where.private and not ping
        extras = Extras(calls, await self._keys(to, view), silent=silent)
        return (await self._messenger.send(where, view, extras)).ref

    async def edit(self, ref: str, view: View) -> None:
        """See `Courier.edit`."""
        await self._ready.wait()
        ours = parse_ref(ref)
        if ours is None:
            raise NoMessage(ref)
        await self._edit(ours, view)

    async def _edit(self, ours: BotMessage, view: View) -> None:
        await self._rate_limiter.chat(ours.pace_key, new=False)
        if isinstance(ours, InlineMessage):
            await self._messenger.change(ours, await self._whole(ours, view))
        else:
            keys = await self._keys(address(Chat(ours.chat)), view)
            await self._messenger.change(ours, view, Extras(keys=keys))

    async def retire(self, ref: str, view: View | None) -> None:
        """See `Courier.retire`. A half-made move stays on the board until the message says otherwise. An inline message is the only one of its match: it stays open."""
        await self._ready.wait()
        ours = parse_ref(ref)
        if ours is not None and not isinstance(ours, InlineMessage):
            await self._rate_limiter.chat(ours.chat, new=False)
            await self._messenger.retire(ours, view)

    async def _keys(self, to: Recipient, view: View) -> tuple[InlineKeyboardButton, ...]:
        """Return a link to join an open invitation from any chat."""
        if view.code is None or view.diagram or not any(b.data.verb in _ENTER for b in view.buttons):
            return ()
        words = await self._words(to)
        url = join_link(self._messenger.bot.username, view.code)
        return (InlineKeyboardButton(words("bot.telegram.join-link"), url=url),)

    async def _whole(self, where: InlineMessage, view: View) -> View:
        """Return a view with its board: an inline card is one message, so its words stand above the board."""
        if view.diagram is not None:
            return view
        place = address(where)
        found = next(iter(await self._services.store.matches.at(place)), None)
        if found is None or found.phase is not Phase.PLAYING:
            return view
        table, words = self._services.table, await self._words(place)
        game, course = table.games[found.game], table.course(found)
        board = show(Presentation(game, found, course, words, table.as_of(found)))
        lines = (*view.lines, *(line for line in board.lines if line not in view.lines))
        return replace(board, lines=lines, buttons=view.buttons or board.buttons, ping=())

    async def _words(self, to: Recipient) -> Words:
        return await self._services.words_at(to if isinstance(to, Address) else Address(PLATFORM, to.uid))
