"""Answers to whoever asked: as a message, as an alert, in place of what was pressed, or privately."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from telegram import Bot, InlineKeyboardButton
from telegram.error import TelegramError

from bot.callback_data import CallbackData, Verb
from bot.desk import Visitor
from bot.i18n import Words
from bot.on_telegram.errors import late
from bot.on_telegram.links import look_link, puzzle_link, start_link
from bot.on_telegram.places import PLATFORM, BotMessage, Chat, ChatMessage, InlineMessage, Spot, spot
from bot.on_telegram.rate_limit import RateLimiter
from bot.on_telegram.rendering import ALERT, ASKED, TEXT, Call, plain
from bot.on_telegram.sending import Messenger
from bot.platform import Services
from bot.presenter.asking import SURE
from bot.presenter.match_setup import Order
from bot.puzzles.cards import NEXT, SOLVE
from bot.sender.ports import CourierError, Gone, NoMessage
from bot.view import Message, Person, View
from play.errors import Unavailable
from play.people import Address

_log: Final = logging.getLogger(__name__)

HINT_EVERY: Final = timedelta(days=1)
"""How often somebody is told in a group that the bot cannot write to them."""

SOLVE_EVERY: Final = timedelta(seconds=20)
"""How often the board of a puzzle is sent to whoever presses its key."""

_PICKING: Final = (Verb.STEP,)
_SOLVING: Final = (Verb.PUZZLE, Verb.PICK, Verb.TRY)
"""Keys of puzzles, which everybody solves by themselves: on a board in their own conversation."""

_STAYING: Final = (Verb.ORDER, Verb.CONFIG, Verb.END)
"""Keys that mean the place where they are pressed."""

_LEADING: Final = (Verb.ORDER, Verb.CONFIG)
"""Keys that lead from question to question."""

_SHOWING: Final = (
    Verb.BOARD, Verb.TEXT, Verb.FLIP, Verb.EXPORT, Verb.RESIGN, Verb.RULES, Verb.HELP, Verb.FORGET, Verb.HINT,
)  # fmt: skip
"""What is answered with more than a few words."""

_FIRST: Final = Order("c").data
"""Asks the first question; what it was pressed under is no question itself."""

_ASKING: Final = ("challenge", "new", "config", "end")
"""Commands that are answered with questions about the place, which have to stay there."""


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """Somebody wrote something.

    Attributes:
        visitor: They.
        spot: Where.
        message: Its number there.
        command: Which command it was, if it was one.
    """

    visitor: Visitor
    spot: Chat
    message: int
    command: str = ""


@dataclass(frozen=True, slots=True)
class IncomingPress:
    """Somebody pressed a key.

    Attributes:
        visitor: They.
        spot: Where.
        query: What Telegram calls the press.
        ours: The message with the key.
        asked: Whether the message is a question of ours to them alone, and no board or card for all.
    """

    visitor: Visitor
    spot: Spot
    query: str
    ours: BotMessage
    asked: bool = False


class Replies:
    """Gives answers. What cannot be delivered is in the log, and nobody waits for it.

    Args:
        services: The shared services.
        bot: The library's.
        post: Writes.
        turns: When it may write.
    """

    def __init__(self, services: Services, bot: Bot, post: Messenger, turns: RateLimiter) -> None:
        self._services = services
        self._bot = bot
        self._messenger = post
        self._rate_limiter = turns

    async def to_said(self, said: IncomingMessage, messages: Sequence[Message]) -> None:
        """Answer what somebody wrote."""
        for message in messages:
            if isinstance(message.to, Address):
                await self._send(_chat(message.to, said.spot), message.view)
            elif said.spot.private or (said.command in _ASKING and _has(message.view, _STAYING)):
                reply = None if said.spot.private else said.message
                await self._send(said.spot, message.view, reply_to=reply)
            elif not await self._privately(message.to, message.view):
                await self._hint(said)

    async def to_pressed(
        self, pressed: IncomingPress, data: CallbackData, messages: Sequence[Message]
    ) -> None:
        """Answer whoever pressed a key. The press itself is answered whatever happens, else it seems to hang."""
        alert: str | None = None
        url: str | None = None
        for message in messages:
            view = message.view
            if isinstance(message.to, Address):
                await self._publicly(message.to, view)
            elif data.verb in _SOLVING and _is_much(view):
                if not await self._solving(pressed, data, view):
                    url = puzzle_link(self._bot.username, data.match)
            elif _has(view, _PICKING) or (data.verb in _LEADING and _has(view, _LEADING)):
                if not await self._led_on(pressed, data, view):
                    alert = (await self.words(pressed.visitor))("bot.telegram.too-fast")
            elif _takes_room(data, view):
                if not await self._shown(pressed, view):
                    url = look_link(self._bot.username, view.code)
            else:
                alert = plain(view)
        done = data.verb is Verb.ORDER and not messages
        if done or (data.verb is Verb.RESIGN and data.argument == SURE):
            await self._tidy(pressed)
        await self.confirm(pressed.query, alert, url=url)

    async def confirm(self, query: str, text: str | None = None, *, url: str | None = None) -> None:
        """Answer a press; with words, they have to be seen and closed."""
        try:
            if url is not None:
                await self._bot.answer_callback_query(query, url=url)
            else:
                shown = text[:ALERT] if text else None
                await self._bot.answer_callback_query(query, text=shown, show_alert=True if shown else None)
        except TelegramError as error:
            if not late(error):
                _log.info("a press was not answered: %s", error)

    async def say(
        self,
        chat: Chat,
        view: View,
        *,
        reply_to: int | None = None,
        extra: Sequence[InlineKeyboardButton] = (),
    ) -> bool:
        """Say something in a chat; whether it was said."""
        return await self._send(chat, view, reply_to=reply_to, extra=extra)

    async def _publicly(self, to: Address, view: View) -> None:
        where = spot(to)
        if isinstance(where, Chat):
            await self._send(where, view)

    async def _led_on(self, pressed: IncomingPress, data: CallbackData, view: View) -> bool:
        """Show the next question, in place of the last one; whether there was time for it."""
        where = pressed.spot
        if data.verb in _LEADING and isinstance(where, Chat):
            if where.private and data == _FIRST:
                return await self._send(where, view)
            if not (where.private or pressed.asked):
                # What was pressed is there for all; this is for one person, named so that others let it be.
                return await self._send(where, view, calls=[Call(pressed.visitor.account.uid, None, ASKED)])
        return await self._in_place(pressed, view)

    async def _solving(self, pressed: IncomingPress, data: CallbackData, view: View) -> bool:
        """Show a puzzle's board to whoever solves it, in place of the one they pressed; whether it was shown."""
        private = isinstance(pressed.spot, Chat) and pressed.spot.private
        if not private or data.argument.startswith((SOLVE, NEXT)):
            if data.argument == SOLVE:
                return await self._shown_once(pressed, data.match, view)
            return await self._shown(pressed, view)
        return await self._in_place(pressed, view)

    async def _shown_once(self, pressed: IncomingPress, puzzle: str, view: View) -> bool:
        """The same of a puzzle, unless they were shown it a moment ago: a key is easily pressed twice."""
        name = f"{PLATFORM}:solve:{pressed.visitor.account.uid}:{puzzle}"
        with suppress(Unavailable):
            if not await self._services.store.note_once(name, "", keep=SOLVE_EVERY):
                return True
        if await self._shown(pressed, view):
            return True
        with suppress(Unavailable):
            await self._services.store.set_note(name, None)
        return False

    async def _shown(self, pressed: IncomingPress, view: View) -> bool:
        """Show something privately, wherever that is; whether it was shown."""
        if isinstance(pressed.spot, Chat) and pressed.spot.private:
            return await self._send(pressed.spot, view)
        return await self._privately(Person(pressed.visitor.account, pressed.visitor.place), view)

    async def _privately(self, to: Person, view: View) -> bool:
        return await self._send(Chat(int(to.account.uid)), view)

    async def _in_place(self, pressed: IncomingPress, view: View) -> bool:
        """Change the message that was pressed; whether there was time for it."""
        ours = pressed.ours
        if not await self._rate_limiter.answer(
            ours.message if isinstance(ours, InlineMessage) else ours.chat, new=False
        ):
            return False
        try:
            await self._messenger.change(ours, view)
        except NoMessage:
            if isinstance(pressed.spot, Chat):
                return await self._send(pressed.spot, view)
        except CourierError as error:
            _log.info("nothing was changed: %r", error)
            return False
        return True

    async def _tidy(self, pressed: IncomingPress) -> None:
        """Take a question away that has been answered."""
        where, ours = pressed.spot, pressed.ours
        if (
            not isinstance(ours, ChatMessage)
            or not isinstance(where, Chat)
            or not (where.private or pressed.asked)
        ):
            return
        try:
            await self._messenger.withdraw(ours)
        except (CourierError, TelegramError) as error:
            _log.info("a question stays: %r", error)

    async def _send(
        self,
        chat: Chat,
        view: View,
        *,
        calls: Sequence[Call] = (),
        reply_to: int | None = None,
        extra: Sequence[InlineKeyboardButton] = (),
    ) -> bool:
        """Send an answer; whether they can be written to at all."""
        if not await self._rate_limiter.answer(chat.id, new=True):
            _log.info("no time to answer in %s", chat.id)
            return True  # they can be written to, only not now
        try:
            await self._messenger.send(
                chat, view, calls=calls, silent=not chat.private, reply_to=reply_to, extra=extra
            )
        except Gone:
            return False
        except (CourierError, TelegramError) as error:
            _log.warning("an answer did not get through: %r", error)
        return True

    async def _hint(self, said: IncomingMessage) -> None:
        """Say in the group, once in a while, that a person has to write to the bot before it can write to them."""
        uid = said.visitor.account.uid
        try:
            name = f"{PLATFORM}:hinted:{said.spot.id}:{uid}"
            if not await self._services.store.note_once(name, "", keep=HINT_EVERY):
                return
        except Unavailable:
            return
        words = await self.words(said.visitor)
        view = View(lines=(words("bot.telegram.start-first", name=said.visitor.player.name),))
        key = InlineKeyboardButton(words("bot.telegram.start"), url=start_link(self._bot.username))
        await self._send(said.spot, view, reply_to=said.message, extra=(key,))

    async def words(self, visitor: Visitor) -> Words:
        """The language that somebody is spoken to in."""
        return await self._services.words(visitor.account, visitor.locale, visitor.place)


def leads_on(messages: Sequence[Message]) -> bool:
    """Whether an answer is the next step of a move that is being picked."""
    return any(_has(message.view, _PICKING) for message in messages)


def _has(view: View, verbs: Sequence[Verb]) -> bool:
    return any(button.data.verb in verbs for button in view.buttons)


def _takes_room(data: CallbackData, view: View) -> bool:
    """Whether an answer is more than a few words. Of a hint that is refused they are enough: the board is in sight."""
    if data.verb is Verb.HINT and not data.argument and not view.buttons:
        return False
    return data.verb in _SHOWING and (_is_much(view) or len(plain(view, TEXT)) > ALERT)


def _is_much(view: View) -> bool:
    return view.diagram is not None or bool(view.files or view.buttons)


def _chat(to: Address, otherwise: Chat) -> Chat:
    where = spot(to)
    return where if isinstance(where, Chat) else otherwise
