"""Deliver the sender's messages to Telegram."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from telegram import InlineKeyboardButton
from telegram.error import TelegramError

from bot.chat.i18n import Words
from bot.chat.presenting.boards import show, waits_for
from bot.chat.sending.delivery import urgency
from bot.chat.sending.ports import Gone, NoMessage, Pace, Recipient
from bot.chat.sending.posted import FOREVER
from bot.chat.sending.queue import Urgency
from bot.chat.services import Services
from bot.chat.view import View
from bot.platforms.telegram.integration import TelegramSettings
from bot.platforms.telegram.known_users import KnownUsers, is_inside
from bot.platforms.telegram.places import (
    PLATFORM,
    BotMessage,
    Chat,
    ChatMessage,
    InlineMessage,
    address,
    destination,
    is_known,
    join_link,
    parse_ref,
    place_key,
    start_link,
)
from bot.platforms.telegram.rendering import Call, Extras
from bot.platforms.telegram.sending import Messenger
from bot.platforms.telegram.turn_calls import TurnCalls
from play.match import Match, Phase
from play.people import Account, Address

_log: Final = logging.getLogger(__name__)


class TelegramCourier:
    """The courier of Telegram; `ready` is set once the bot is connected, and its name known."""

    platform = PLATFORM
    pace = Pace()  # the rate limiter paces all requests, and each chat: the topics of a forum are one chat

    def __init__(
        self,
        services: Services,
        messenger: Messenger,
        known_users: KnownUsers,
        ready: asyncio.Event,
    ) -> None:
        self._services = services
        self._messenger = messenger
        self._rate_limiter = messenger.rate_limiter
        self._known_users = known_users
        self._turn_calls = TurnCalls(services, messenger)
        self._ready = ready

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:  # noqa: ARG002
        """See `Courier.post`. Telegram has no nonces."""
        await self._ready.wait()
        if isinstance(to, Account) and not is_known(to):
            raise Gone(to.uid)
        where = destination(to)
        if isinstance(where, InlineMessage):
            if (match := await self._match_on(where)) is not None:
                await self._turn_calls.call(where, match, ping)
            try:
                await self._edit(where, view)
            except NoMessage:  # it was deleted, or invented: a place is its message
                raise Gone(where.ref) from None
            return where.ref
        await self._rate_limiter.chat(where.id, urgency(view), new=True)
        # A user name calls its user as it stands in the text.
        called = () if where.private else filter(is_known, ping)
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
        await self._rate_limiter.chat(ours.pace_key, urgency(view), new=False)
        async with self._messenger.dropped(ours, view.revision):
            if isinstance(ours, InlineMessage):
                await self._change_card(ours, view)
            else:
                keys = await self._keys(address(Chat(ours.chat)), view)
                await self._messenger.change(ours, view, Extras(keys=keys))

    def buried(self, to: Recipient, ref: str) -> bool:
        """See `Courier.buried`. An inline message is the only one of its match; a process that only sends does not see the chats."""
        ours, where = parse_ref(ref), destination(to)
        if not isinstance(ours, ChatMessage) or not isinstance(where, Chat):
            return False
        takes = self._services.config.of(TelegramSettings).takes_telegram
        return not takes or self._messenger.newest.buried(place_key(ours.chat, where.topic), ours.message)

    async def reads(self, where: Address, who: Account) -> bool:
        """See `Courier.reads`. Telegram answers for users that it has shown to the bot, and for all where it is an administrator."""
        chat = destination(where)
        if not isinstance(chat, Chat) or chat.private or not is_known(who) or not self._ready.is_set():
            return True
        await self._rate_limiter.question()
        try:
            return is_inside(await self._messenger.member(chat, int(who.uid)))
        except TelegramError as error:
            _log.info("it is not known whether %s is in %s: %s", who, where, error)
            return True

    async def close(self, ref: str, view: View | None) -> None:
        """See `Courier.close`. A half-made move stays on the board until the message says otherwise. An inline message is the only one of its match: it stays open."""
        await self._ready.wait()
        ours = parse_ref(ref)
        if ours is not None and not isinstance(ours, InlineMessage):
            await self._rate_limiter.chat(ours.chat, Urgency.ANSWER, new=False)
            async with self._messenger.dropped(ours, FOREVER):
                await self._messenger.close_message(ours, view)

    async def _keys(self, to: Recipient, view: View) -> tuple[InlineKeyboardButton, ...]:
        if view.code is None or not view.joinable:
            return ()
        words = await self._words(to)
        url = join_link(self._messenger.bot.username, view.code)
        return (InlineKeyboardButton(words("bot.telegram.join-link"), url=url),)

    async def _match_on(self, card: InlineMessage) -> Match | None:
        return next(iter(await self._services.store.matches.at(address(card))), None)

    async def _change_card(self, card: InlineMessage, view: View) -> None:
        """Change an inline card: one message, so its words stand above the board."""
        match = await self._match_on(card)
        if match is None or match.phase is not Phase.PLAYING:
            await self._messenger.change(card, view)
            return
        words = await self._words(address(card))
        shown = self._services.present(match, words)
        if view.diagram is None:
            board = show(shown)
            own = (line for line in view.lines if line not in board.after)
            lines = (*own, *(line for line in board.lines if line not in view.lines))
            view = replace(board, lines=lines, buttons=view.buttons or board.buttons, ping=())
        keys: tuple[InlineKeyboardButton, ...] = ()
        for who in waits_for(match, shown.course):
            if who.platform == PLATFORM and not await self._messenger.reaches(who):
                name = shown.names.seat(shown.course.position.to_move)
                view = replace(view, after=(*view.after, words("bot.telegram.inline.not-called", name=name)))
                url = start_link(self._messenger.bot.username)
                keys = (InlineKeyboardButton(words("bot.telegram.start"), url=url),)
        await self._messenger.change(card, view, Extras(keys=keys))

    async def _words(self, to: Recipient) -> Words:
        return await self._services.words_at(to if isinstance(to, Address) else Address(PLATFORM, to.uid))
