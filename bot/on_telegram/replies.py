"""Answer messages: in the chat, by a short reply beside the message, or privately."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from telegram import InlineKeyboardButton
from telegram.constants import ReactionEmoji
from telegram.error import TelegramError

from bot.callback_data import Verb
from bot.desk.visitor import Visitor
from bot.i18n import Words
from bot.on_telegram.links import look_link, start_link
from bot.on_telegram.pending import PendingAnswers, Turn
from bot.on_telegram.places import Chat, ChatMessage, destination
from bot.on_telegram.rendering import PLAIN, Extras
from bot.on_telegram.sending import Messenger
from bot.on_telegram.short_replies import ShortReplies
from bot.platform import Services
from bot.sender.ports import CourierError, Gone, RetryAfter
from bot.sender.turns import Urgency
from bot.view import Message, View
from play.people import Address

_log: Final = logging.getLogger(__name__)

DONE: Final = ReactionEmoji.THUMBS_UP
REFUSED: Final = ReactionEmoji.THINKING_FACE
"""Reactions to messages in a group: the move is played, or the challenge withdrawn; see the reply."""

PANELS: Final = (Verb.CONFIG, Verb.SETTINGS, Verb.LANGUAGE, Verb.VACATION)  # keys of cards of settings

_SILENT: Final = ("move", "withdraw")
"""Commands that are answered by a message of the match alone: the board, or the card that changes."""

OF_PLACE: Final = (
    Verb.CONFIG,
    Verb.END,
    Verb.EXCLUDE,
    Verb.ADMIT,
)  # keys that act on the chat they are pressed in

_TRIES: Final = 3  # of an answer for which Telegram demands to wait

_ORDERING: Final = ("challenge", "new", "seek")
"""Commands that are answered with questions about a match in the chat, which have to stay there."""


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message of a person, by its number in the chat, and the command in it, if any."""

    visitor: Visitor
    chat: Chat
    message: int
    command: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """For whom an answer is, and whether they pressed a key for it."""

    visitor: Visitor
    pressed: bool = False


class Replies:
    """Answers people. An answer that cannot be delivered is logged, and tried again only where it came too early."""

    def __init__(self, services: Services, messenger: Messenger, short_replies: ShortReplies) -> None:
        self._services = services
        self.short_replies = short_replies
        self._bot = messenger.bot
        self.messenger = messenger
        self._rate_limiter = messenger.rate_limiter
        self._pending = PendingAnswers()

    async def to_message(self, said: IncomingMessage, messages: Sequence[Message]) -> None:
        """Answer a message."""
        asked = Asked(said.visitor)
        for message in messages:
            if isinstance(message.to, Address):
                await self.send(_chat(message.to, said.chat), message.view, asked)
            elif said.chat.private or _stays(said.command, message.view):
                reply = None if said.chat.private else said.message
                await self.send(said.chat, message.view, asked, Extras(reply_to=reply))
            elif message.refused and not message.secret:
                # The board is in sight, so the words are enough.
                await self._beside(said, replace(message.view, diagram=None, strip=None))
            elif await self.send(Chat(int(message.to.account.uid)), message.view, asked):
                continue
            elif has(message.view, PANELS):
                await self._beside(said, message.view)
            else:
                await self._hint(said, message.view)
        if not said.chat.private:
            if any(message.refused for message in messages):
                await self._react(said, REFUSED)
            elif said.command in _SILENT and not messages:
                await self._react(said, DONE)

    async def aside(self, said: IncomingMessage, text: str) -> None:
        """Answer a message with a text; in a group with a short reply."""
        view = View(lines=(text,))
        if said.chat.private:
            await self.send(said.chat, view, Asked(said.visitor))
        else:
            await self._beside(said, view)

    async def send(self, chat: Chat, view: View, asked: Asked | None, extras: Extras = PLAIN) -> bool:
        """Send an answer; whether the bot may write to the chat at all."""
        try:
            await self._delivered(chat, view, asked, extras)
        except Gone:
            return False
        return True

    async def _delivered(
        self, chat: Chat, view: View, asked: Asked | None, extras: Extras
    ) -> ChatMessage | None:
        """Send an answer, or a notice in place of the first of many; return its message, or None if it was not delivered.

        Raises:
            Gone: the bot may not write to the chat.
        """
        for _ in range(_TRIES):
            turn = await self._turn(chat, view, asked)
            if turn is Turn.FIRST_LEFT_OUT and asked is not None:
                notice = View(lines=((await self.words(asked.visitor))("bot.telegram.left-out"),))
                return await self._delivered(chat, notice, None, Extras(reply_to=extras.reply_to))
            if turn is not Turn.CAME:
                _log.info("no time to answer in %s", chat.id)
                return None
            try:
                return await self.messenger.send(chat, view, replace(extras, silent=not chat.private))
            except Gone:
                raise
            except RetryAfter as early:
                _log.info("an answer in %s has to wait %s s", chat.id, early.seconds)
            except (CourierError, TelegramError) as error:
                _log.warning("an answer could not be delivered: %r", error)
                return None
        return None

    async def _turn(self, chat: Chat, view: View, asked: Asked | None) -> Turn:
        """Wait for a turn to send an answer."""
        urgency = Urgency.PRESS if asked is not None and asked.pressed else Urgency.ANSWER
        wait = self._rate_limiter.answer(
            chat.id,
            Urgency.FILM if view.film else urgency,
            new=True,
            whose=asked.visitor.account if asked else None,
        )
        if asked is None:
            return Turn.CAME if await wait else Turn.LATE
        return await self._pending.wait((asked.visitor.account, chat.id), wait)

    async def _beside(self, said: IncomingMessage, view: View, *keys: InlineKeyboardButton) -> None:
        """Show a view in the group for a while, as a silent reply."""
        with suppress(Gone):
            sent = await self._delivered(
                said.chat, view, Asked(said.visitor), Extras(keys=keys, reply_to=said.message)
            )
            if sent is not None:
                await self.short_replies.add(sent)

    async def _hint(self, said: IncomingMessage, view: View) -> None:
        """Say that a person has to write to the bot before it can write to them, with a key to begin."""
        words, bot = await self.words(said.visitor), self._bot.username
        url = look_link(bot, view.code) if view.diagram else start_link(bot)
        key = InlineKeyboardButton(words("bot.telegram.start"), url=url)
        await self._beside(said, View(lines=(words("bot.telegram.start-first"),)), key)

    async def _react(self, said: IncomingMessage, emoji: str) -> None:
        """Put a reaction on a message. Where reactions are not allowed, the message stays as it is."""
        key = f"{said.chat.id}:reaction"
        wait = self._rate_limiter.answer(key, Urgency.ANSWER, new=False)
        if await self._pending.wait((said.visitor.account, key), wait) is not Turn.CAME:
            return
        try:
            await self.messenger.react(said.chat, said.message, emoji)
        except (CourierError, TelegramError) as error:
            _log.info("no reaction: %r", error)

    async def words(self, visitor: Visitor) -> Words:
        """Return the words in the language of a visitor."""
        return await self._services.words(visitor.account, visitor.locale, visitor.place)


def has(view: View, verbs: Sequence[Verb]) -> bool:
    """Whether a view has a button with one of some verbs."""
    return any(button.data.verb in verbs for button in view.buttons)


def about_place(view: View) -> bool:
    """Whether a view has keys that act on the chat they are pressed in."""
    pressed = [button.data for button in view.buttons]
    return any(
        each.verb in OF_PLACE or (each.verb in PANELS and "here" in each.argument.split()) for each in pressed
    )


def _stays(command: str, view: View) -> bool:
    """Whether the answer to a command has to stay in the chat."""
    return about_place(view) or (command in _ORDERING and has(view, (Verb.ORDER, Verb.SAY, Verb.SEEK)))


def _chat(to: Address, otherwise: Chat) -> Chat:
    where = destination(to)
    return where if isinstance(where, Chat) else otherwise
