"""Answer messages: in the chat, privately, or by a short reply that is deleted after a while, also after a restart."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, Final, TypeAlias

from telegram import InlineKeyboardButton
from telegram.constants import ReactionEmoji
from telegram.error import TelegramError

from bot.chat.i18n import Words
from bot.chat.periodic import periodically
from bot.chat.sending.ports import CourierError, Gone, RetryAfter
from bot.chat.sending.queue import Urgency
from bot.chat.services import Services
from bot.chat.view import Message, Person, View, ViewKind
from bot.chat.visitor import Visitor
from bot.platforms.telegram.places import PLATFORM, Chat, ChatMessage, destination, parse_ref, start_link
from bot.platforms.telegram.rendering import PLAIN, Extras
from bot.platforms.telegram.sending import Messenger
from play.errors import Unavailable
from play.people import Account, Address
from storage.ports import TimelineStore

HANDFUL: Final = 5  # answers to one person that wait in one chat

Whose: TypeAlias = tuple[Account, int | str]  # a person, and the chat that they are answered in


class WaitEnd(Enum):
    """What became of an answer that waited."""

    CAME = auto()
    LOST = auto()  # it waited for too long, or newer ones took its place
    FIRST_LOST = auto()  # to newer ones, so the person is to know of it


@dataclass(slots=True)
class _Waiting:
    turns: deque[asyncio.Task[bool]] = field(default_factory=deque)
    noticed: bool = False  # that some were left out


class PendingAnswers:
    """The answers that wait for their turn. Boards are not among them: those are the sender's."""

    def __init__(self) -> None:
        self._waiting: defaultdict[Whose, _Waiting] = defaultdict(_Waiting)

    async def wait(self, whose: Whose, turn: Coroutine[Any, Any, bool]) -> WaitEnd:
        """Wait for a turn, which may come too late, unless newer answers to the person take its place."""
        task = asyncio.create_task(turn)
        mine = self._waiting[whose]
        mine.turns.append(task)
        if len(mine.turns) > HANDFUL:
            mine.turns.popleft().cancel()
        try:
            return WaitEnd.CAME if await asyncio.shield(task) else WaitEnd.LOST
        except asyncio.CancelledError:
            if not task.cancelled():  # this very request is cancelled
                task.cancel()
                raise
            first, mine.noticed = not mine.noticed, True
            return WaitEnd.FIRST_LOST if first else WaitEnd.LOST
        finally:
            if task in mine.turns:
                mine.turns.remove(task)
            if not mine.turns and self._waiting.get(whose) is mine:
                del self._waiting[whose]


_log: Final = logging.getLogger(__name__)

KEPT: Final = timedelta(minutes=2)  # how long a short reply stays

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
        """Delete the replies whose time is over; of a chat that must wait, at a later call."""
        at = self._now()
        due = await self._timelines.read(_NAME, until=at)
        # Later than any can be: the clock was set back.
        for ref in [*due, *await self._timelines.read(_NAME, since=at + 2 * KEPT)]:
            reply = parse_ref(ref)
            if isinstance(reply, ChatMessage):
                if not await self._messenger.rate_limiter.answer(reply.pace_key, Urgency.FILM, shows=False):
                    continue
                try:
                    await self._messenger.withdraw(reply)
                except RetryAfter:
                    continue
                except (CourierError, TelegramError) as error:
                    _log.info("a short reply stays: %r", error)
            await self._timelines.remove(_NAME, ref)


DONE: Final = ReactionEmoji.THUMBS_UP
REFUSED: Final = ReactionEmoji.THINKING_FACE
"""Reactions to messages in a group: the move is played, or the challenge withdrawn; see the reply."""

_SILENT: Final = ("move", "withdraw")
"""Commands that are answered by a message of the match alone: the board, or the card that changes."""

_TRIES: Final = 3  # of an answer for which Telegram demands to wait


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message of a person, by its number in the chat, and the command in it, if any."""

    visitor: Visitor
    chat: Chat
    message: int
    command: str = ""


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
        asked = said.visitor
        for message in messages:
            if isinstance(message.to, Address):
                where = destination(message.to)
                await self.send(where if isinstance(where, Chat) else said.chat, message.view, asked)
            elif said.chat.private or message.view.kind is ViewKind.FORM:
                reply = None if said.chat.private else said.message
                await self.send(said.chat, message.view, asked, Extras(reply_to=reply))
            elif message.refused and not message.secret:
                # The board is in sight, so the words are enough.
                await self._beside(said, replace(message.view, diagram=None, strip=None))
            elif await self.send(Chat(int(message.to.account.uid)), message.view, asked):
                continue
            elif message.view.kind is ViewKind.PANEL:
                await self._beside(said, message.view)
            else:
                await self._hint(said, message.view)
        if not said.chat.private:
            if any(message.refused for message in messages):
                await self._react(said, REFUSED)
            elif said.command in _SILENT and not messages:
                await self._react(said, DONE)

    async def aside(self, said: IncomingMessage, say: Callable[[Words], str]) -> None:
        """Answer a message with a text in the person's words; in a group with a short reply."""
        view = View(lines=(say(await self.words(said.visitor)),))
        if said.chat.private:
            await self.send(said.chat, view, said.visitor)
        else:
            await self._beside(said, view)

    async def send(self, chat: Chat, view: View, asked: Visitor | None, extras: Extras = PLAIN) -> bool:
        """Send an answer; whether the bot may write to the chat at all."""
        try:
            await self._delivered(chat, view, asked, extras)
        except Gone:
            return False
        return True

    async def _delivered(
        self, chat: Chat, view: View, asked: Visitor | None, extras: Extras
    ) -> ChatMessage | None:
        for _ in range(_TRIES):
            turn = await self._turn(chat, view, asked, extras.urgency)
            if turn is WaitEnd.FIRST_LOST and asked is not None:
                notice = View(lines=((await self.words(asked))("bot.telegram.left-out"),))
                return await self._delivered(chat, notice, None, Extras(reply_to=extras.reply_to))
            if turn is not WaitEnd.CAME:
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

    async def _turn(self, chat: Chat, view: View, asked: Visitor | None, urgency: Urgency) -> WaitEnd:
        wait = self._rate_limiter.answer(
            chat.id,
            Urgency.FILM if view.film else urgency,
            whose=asked.account if asked else None,
        )
        if asked is None:
            return WaitEnd.CAME if await wait else WaitEnd.LOST
        return await self._pending.wait((asked.account, chat.id), wait)

    async def _beside(self, said: IncomingMessage, view: View, *keys: InlineKeyboardButton) -> None:
        with suppress(Gone):
            sent = await self._delivered(
                said.chat, view, said.visitor, Extras(keys=keys, reply_to=said.message)
            )
            if sent is not None:
                await self.short_replies.add(sent)

    async def _hint(self, said: IncomingMessage, view: View) -> None:
        words, bot = await self.words(said.visitor), self._bot.username
        url = start_link(bot, "board", view.code if view.diagram else None)
        key = InlineKeyboardButton(words("bot.telegram.start"), url=url)
        await self._beside(said, View(lines=(words("bot.telegram.start-first"),)), key)

    async def _react(self, said: IncomingMessage, emoji: str) -> None:
        """Where reactions are not allowed, the message stays as it is."""
        key = f"{said.chat.id}:reaction"
        wait = self._rate_limiter.answer(key, Urgency.ANSWER)
        if await self._pending.wait((said.visitor.account, key), wait) is not WaitEnd.CAME:
            return
        try:
            await self.messenger.react(said.chat, said.message, emoji)
        except (CourierError, TelegramError) as error:
            _log.info("no reaction: %r", error)

    async def words(self, visitor: Visitor) -> Words:
        """Return the words in the language of a visitor."""
        return await self._services.words(visitor.account, visitor.locale, visitor.place)


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
        if not await self._messenger.rate_limiter.answer(chat.id, Urgency.FILM):
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
