"""Answer messages and presses: by a message, an alert, in place of the pressed message, or privately."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from telegram import InlineKeyboardButton, User
from telegram.error import TelegramError

from bot.callback_data import CallbackData, PuzzleStep, Verb
from bot.desk.visitor import Visitor
from bot.i18n import Words
from bot.on_telegram.errors import late
from bot.on_telegram.links import look_link, puzzle_link, start_link
from bot.on_telegram.places import PLATFORM, BotMessage, Chat, ChatMessage, Destination, destination
from bot.on_telegram.rendering import ALERT, ASKED, PLAIN, TEXT, Call, Extras, plain
from bot.on_telegram.sending import Messenger
from bot.platform import Services
from bot.presenter.controls import CONFIRMED
from bot.presenter.match_setup import MatchSetup
from bot.sender.ports import CourierError, Gone, NoMessage
from bot.view import Message, View
from play.errors import Unavailable
from play.people import Account, Address

_log: Final = logging.getLogger(__name__)

HINT_EVERY: Final = timedelta(days=1)  # how often a group shows that the bot cannot write to a person

SOLVE_EVERY: Final = timedelta(seconds=20)
"""How often the board of a puzzle is sent to a person who presses its key."""

_PICKING: Final = (Verb.STEP,)
_SOLVING: Final = (Verb.PUZZLE, Verb.PICK, Verb.TRY)
"""Keys of puzzles: each person solves them on a board in their private chat."""

_STAYING: Final = (Verb.ORDER, Verb.CONFIG, Verb.END)  # keys about the chat they are pressed in
_LEADING: Final = (Verb.ORDER, Verb.CONFIG)  # keys that lead from question to question

_SHOWING: Final = (
    Verb.BOARD, Verb.TEXT, Verb.FLIP, Verb.EXPORT, Verb.RESIGN, Verb.RULES, Verb.HELP, Verb.FORGET, Verb.HINT,
)  # fmt: skip
"""Keys whose answer is long."""

_FIRST: Final = MatchSetup("c").data
"""Asks the first question; the message that it was pressed under is no question itself."""

_ASKING: Final = ("challenge", "new", "config", "end")
"""Commands that are answered with questions about the chat, which have to stay there."""


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message of a person, by its number in the chat, and the command in it, if any."""

    visitor: Visitor
    chat: Chat
    message: int
    command: str = ""


@dataclass(frozen=True, slots=True)
class IncomingPress:
    """A press of a key under a message of `ours`, which may be a question to the one person who is `asked`."""

    visitor: Visitor
    where: Destination
    query: str
    ours: BotMessage
    asked: User | None = None

    @property
    def private(self) -> bool:
        """Whether it was in a private chat."""
        return isinstance(self.where, Chat) and self.where.private


class Replies:
    """Answers people. An answer that cannot be delivered is logged, and not tried again."""

    def __init__(self, services: Services, messenger: Messenger) -> None:
        self._services = services
        self._bot = messenger.bot
        self._messenger = messenger
        self._rate_limiter = messenger.rate_limiter

    async def to_message(self, said: IncomingMessage, messages: Sequence[Message]) -> None:
        """Answer a message."""
        for message in messages:
            if isinstance(message.to, Address):
                await self.send(_chat(message.to, said.chat), message.view)
            elif said.chat.private or (said.command in _ASKING and _has(message.view, _STAYING)):
                reply = None if said.chat.private else said.message
                await self.send(said.chat, message.view, Extras(reply_to=reply))
            elif not await self._privately(message.to.account, message.view):
                await self._hint(said)

    async def to_press(
        self, pressed: IncomingPress, callback: CallbackData, messages: Sequence[Message]
    ) -> None:
        """Answer a press. It is confirmed in any case, else the client shows it as pending."""
        alert: str | None = None
        url: str | None = None
        for message in messages:
            view = message.view
            if isinstance(message.to, Address):
                await self._publicly(message.to, view)
            elif callback.verb in _SOLVING and _is_much(view):
                if not await self._solving(pressed, callback, view):
                    url = puzzle_link(self._bot.username, callback.match)
            elif _has(view, _PICKING) or (callback.verb in _LEADING and _has(view, _LEADING)):
                if not await self._led_on(pressed, callback, view):
                    alert = (await self.words(pressed.visitor))("bot.telegram.too-fast")
            elif _takes_room(callback, view):
                if not await self._shown(pressed, view):
                    url = look_link(self._bot.username, view.code)
            else:
                alert = plain(view)
        done = callback.verb is Verb.ORDER and not messages
        if done or (callback.verb is Verb.RESIGN and callback.argument == CONFIRMED):
            await self._tidy(pressed)
        await self.confirm(pressed.query, alert, url=url)

    async def refuse(self, pressed: IncomingPress, key: str) -> None:
        """Answer a press with an alert."""
        await self.confirm(pressed.query, (await self.words(pressed.visitor))(key))

    async def confirm(self, query: str, text: str | None = None, *, url: str | None = None) -> None:
        """Confirm a press: silently, with an alert, or by opening a link."""
        try:
            if url is not None:
                await self._bot.answer_callback_query(query, url=url)
            else:
                shown = text[:ALERT] if text else None
                await self._bot.answer_callback_query(query, text=shown, show_alert=True if shown else None)
        except TelegramError as error:
            if not late(error):
                _log.info("a press was not answered: %s", error)

    async def _publicly(self, to: Address, view: View) -> None:
        where = destination(to)
        if isinstance(where, Chat):
            await self.send(where, view)

    async def _led_on(self, pressed: IncomingPress, callback: CallbackData, view: View) -> bool:
        """Show the next question, in place of the last one; whether there was time for it."""
        where = pressed.where
        if callback.verb in _LEADING and isinstance(where, Chat):
            if where.private and callback == _FIRST:
                return await self.send(where, view)
            if not (where.private or pressed.asked):
                # The pressed message is for all; this is for one person, named so that the others let it be.
                return await self.send(
                    where, view, Extras(calls=[Call(pressed.visitor.account.uid, None, ASKED)])
                )
        return await self._in_place(pressed, view)

    async def _solving(self, pressed: IncomingPress, callback: CallbackData, view: View) -> bool:
        """Show a puzzle's board to the person who solves it, in place of the one they pressed; whether it was shown."""
        if pressed.private and not callback.argument.startswith((PuzzleStep.SOLVE, PuzzleStep.NEXT)):
            return await self._in_place(pressed, view)
        if callback.argument == PuzzleStep.SOLVE:
            return await self._shown_once(pressed, callback.match, view)
        return await self._shown(pressed, view)

    async def _shown_once(self, pressed: IncomingPress, puzzle: str, view: View) -> bool:
        """Show a puzzle privately, unless it was shown a moment ago: a key is easily pressed twice."""
        name = f"{PLATFORM}:solve:{pressed.visitor.account.uid}:{puzzle}"
        with suppress(Unavailable):
            if not await self._services.store.notes.write_once(name, "", keep=SOLVE_EVERY):
                return True
        if await self._shown(pressed, view):
            return True
        with suppress(Unavailable):
            await self._services.store.notes.write(name, None)
        return False

    async def _shown(self, pressed: IncomingPress, view: View) -> bool:
        """Show a view in the private chat; whether the bot may write there."""
        if pressed.private and isinstance(pressed.where, Chat):
            return await self.send(pressed.where, view)
        return await self._privately(pressed.visitor.account, view)

    async def _privately(self, to: Account, view: View) -> bool:
        return await self.send(Chat(int(to.uid)), view)

    async def _in_place(self, pressed: IncomingPress, view: View) -> bool:
        """Change the pressed message; whether there was time for it."""
        ours = pressed.ours
        if not await self._rate_limiter.answer(ours.pace_key, new=False):
            return False
        try:
            await self._messenger.change(ours, view)
        except NoMessage:
            if isinstance(pressed.where, Chat):
                return await self.send(pressed.where, view)
        except CourierError as error:
            _log.info("nothing was changed: %r", error)
            return False
        return True

    async def _tidy(self, pressed: IncomingPress) -> None:
        """Delete a question that has been answered."""
        ours = pressed.ours
        if not isinstance(ours, ChatMessage) or not (pressed.private or pressed.asked):
            return
        try:
            await self._messenger.withdraw(ours)
        except (CourierError, TelegramError) as error:
            _log.info("a question stays: %r", error)

    async def send(self, chat: Chat, view: View, extras: Extras = PLAIN) -> bool:
        """Send an answer; whether the bot may write to the chat at all."""
        if not await self._rate_limiter.answer(chat.id, new=True):
            _log.info("no time to answer in %s", chat.id)
            return True  # it may, only not now
        try:
            await self._messenger.send(chat, view, replace(extras, silent=not chat.private))
        except Gone:
            return False
        except (CourierError, TelegramError) as error:
            _log.warning("an answer could not be delivered: %r", error)
        return True

    async def _hint(self, said: IncomingMessage) -> None:
        """Say in the group, once in a while, that a person has to write to the bot before it can write to them."""
        uid = said.visitor.account.uid
        try:
            name = f"{PLATFORM}:hinted:{said.chat.id}:{uid}"
            if not await self._services.store.notes.write_once(name, "", keep=HINT_EVERY):
                return
        except Unavailable:
            return
        words = await self.words(said.visitor)
        view = View(lines=(words("bot.telegram.start-first", name=said.visitor.player.name),))
        key = InlineKeyboardButton(words("bot.telegram.start"), url=start_link(self._bot.username))
        await self.send(said.chat, view, Extras(keys=(key,), reply_to=said.message))

    async def words(self, visitor: Visitor) -> Words:
        """Return the words in the language of a visitor."""
        return await self._services.words(visitor.account, visitor.locale, visitor.place)


def leads_on(messages: Sequence[Message]) -> bool:
    """Whether an answer is the next step of a move that is being picked."""
    return any(_has(message.view, _PICKING) for message in messages)


def _has(view: View, verbs: Sequence[Verb]) -> bool:
    return any(button.data.verb in verbs for button in view.buttons)


def _takes_room(callback: CallbackData, view: View) -> bool:
    """Whether an answer is too long for an alert. A refused hint is short: the board is in sight."""
    if callback.verb is Verb.HINT and not callback.argument and not view.buttons:
        return False
    return callback.verb in _SHOWING and (_is_much(view) or len(plain(view, TEXT)) > ALERT)


def _is_much(view: View) -> bool:
    return view.diagram is not None or bool(view.files or view.buttons)


def _chat(to: Address, otherwise: Chat) -> Chat:
    where = destination(to)
    return where if isinstance(where, Chat) else otherwise
