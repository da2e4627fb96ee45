"""Answer presses: each is acknowledged as soon as it is decided, and what it leads to is shown afterwards.

An acknowledgement is an alert, a link, or a few words that need no confirmation; it waits for no search, picture or rate.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum, auto
from functools import partial
from typing import Any, Final

from telegram import InlineKeyboardButton, User
from telegram.error import TelegramError

from bot.chat.callback_data import CallbackData, PuzzleStep, Verb
from bot.chat.desk import Deciding
from bot.chat.fair_queue import Recent
from bot.chat.presenting.boards import CONFIRMED, waits_for
from bot.chat.presenting.cards import AGAINST_ENGINE, NEW_MATCH
from bot.chat.presenting.selection import begins, is_first
from bot.chat.sending.delivery import board_of, unowned
from bot.chat.sending.ports import CourierError, NoMessage
from bot.chat.sending.posted import FOREVER, Edit
from bot.chat.sending.queue import Urgency
from bot.chat.view import Message, View, ViewKind
from bot.chat.visitor import Visitor
from bot.platforms.platform import PlatformServices
from bot.platforms.telegram.places import (
    PLATFORM,
    BotMessage,
    Chat,
    ChatMessage,
    Destination,
    destination,
    start_link,
)
from bot.platforms.telegram.rendering import ALERT, ASKED, PLAIN, TEXT, Call, Extras, named_square, plain
from bot.platforms.telegram.replies import Replies
from bot.platforms.telegram.request import LATE, has_words
from play.errors import PlayError, Unavailable
from play.people import Account, Address, Player

_log: Final = logging.getLogger(__name__)

SOLVE_EVERY: Final = timedelta(seconds=20)
"""How often the board of a puzzle is sent to a person who presses its key."""

_SOLVING: Final = {
    **dict.fromkeys((Verb.PUZZLE, Verb.PICK, Verb.TRY), "puzzle"),
    **dict.fromkeys((Verb.LEARN, Verb.LESSON_PICK, Verb.LESSON_TRY), "learn"),
}
"""Keys of puzzles and lessons, by their command: each person solves them on a board in their private chat."""


class Way(Enum):
    """How the answer to a press is shown."""

    ALERT = auto()
    KEYS = auto()  # in place of the keys of the pressed message
    EDIT = auto()  # in place of the pressed message
    ASK = auto()  # likewise, unless that is for others too
    NEW = auto()  # a new message in the private chat, where the press was
    PRIVATE = auto()  # likewise, of a press elsewhere
    LINK = auto()  # by way of a private chat that was never opened


_WAYS: Final[Mapping[ViewKind, tuple[Way, Way]]] = {
    ViewKind.NOTE: (Way.ALERT, Way.ALERT),
    ViewKind.INVITE: (Way.ALERT, Way.ALERT),
    ViewKind.CARD: (Way.NEW, Way.PRIVATE),
    ViewKind.PAGE: (Way.EDIT, Way.PRIVATE),
    ViewKind.BOARD: (Way.EDIT, Way.EDIT),
    ViewKind.PICK: (Way.EDIT, Way.EDIT),
    ViewKind.MENU: (Way.KEYS, Way.KEYS),
    ViewKind.QUESTION: (Way.NEW, Way.KEYS),
    ViewKind.CHOICE: (Way.EDIT, Way.ASK),
    ViewKind.FORM: (Way.EDIT, Way.ASK),
    ViewKind.PANEL: (Way.EDIT, Way.ASK),
}
"""How each kind of answer is shown in a private chat, and elsewhere."""

_BESIDE: Final = (Verb.FLIP, Verb.TEXT, Verb.BOARD)
"""Keys of a menu whose answer stands elsewhere: the board gets its own keys back."""

_OF_ONE: Final = (
    *_BESIDE, Verb.STEP, Verb.MOVES, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.PAUSE, Verb.VOTE, Verb.RESIGN,
    Verb.HINT, Verb.MORETIME,
)  # fmt: skip
"""Keys that stand under a public board only for one person and for a while; so does a move that is written out."""

_PRESSED: Final = Extras(urgency=Urgency.PRESS)

_CONFIRMED: Final = 4096  # presses that are known to be confirmed, of a burst

_FIRST: Final = (NEW_MATCH, AGAINST_ENGINE)
"""Ask the first question; the message that they were pressed under is no question itself."""


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


class PressReplies:
    """Answers presses. An edit that Telegram does not take now is made later; what cannot be delivered is logged."""

    def __init__(self, services: PlatformServices, replies: Replies) -> None:
        self._services = services
        self._messenger = replies.messenger
        self._bot = self._messenger.bot
        self.replies = replies
        self.menus = self._messenger.menus
        self._confirmed = Recent[str, None](_CONFIRMED)

    async def answer(
        self, pressed: IncomingPress, callback: CallbackData, messages: Sequence[Message]
    ) -> None:
        """Acknowledge a press that is decided, and meanwhile show what it leads to."""
        async with AsyncExitStack() as failing:  # else the client shows the press as pending
            failing.push_async_callback(self.confirm, pressed.query)
            acknowledge, shows = await self._answers(pressed, callback, messages)
            failing.pop_all()

        async def show() -> None:
            for each in shows:
                await each()

        await asyncio.gather(acknowledge, show())
        if any(message.refused for message in messages):
            await self._keyless(pressed, callback)

    async def _answers(
        self, pressed: IncomingPress, callback: CallbackData, messages: Sequence[Message]
    ) -> tuple[Coroutine[Any, Any, None], Sequence[Edit]]:
        alert = toast = url = None
        placed = False
        shows: list[Edit] = []
        for message in messages:
            view = message.view
            if isinstance(message.to, Address):
                shows.append(partial(self._publicly, message.to, view))
                continue
            match way := await self._way(pressed, callback, message):
                case Way.ALERT:
                    alert = plain(view)
                    continue
                case Way.LINK:
                    url = self._link(callback, view.code)
                    continue
                case Way.PRIVATE:
                    toast = "bot.telegram.in-private"
                case _:
                    placed = True
                    if way is Way.KEYS and message.refused:
                        alert = plain(view)
            shows.append(partial(self._shown, pressed, callback, view, way))
        done = callback.verb is Verb.ORDER or pressed.asked is not None
        if (done and not messages) or (callback.verb is Verb.RESIGN and callback.argument == CONFIRMED):
            shows.append(partial(self._tidy, pressed))
        # What was done changes the board anyway.
        if messages and not placed and await self._left(pressed, callback, beside=not alert):
            shows.append(partial(self._restore, pressed, callback))
        if alert or url:
            return self.confirm(pressed.query, alert, url=url), shows
        text = (await self.replies.words(pressed.visitor))(toast) if toast else None
        return self.confirm(pressed.query, text or named_square(callback.pack()), alert=False), shows

    async def afterwards(self, pressed: IncomingPress, callback: CallbackData, deciding: Deciding) -> None:
        """Acknowledge a press, and show its answer once it is known."""
        if not pressed.private and not await self._messenger.reaches(pressed.visitor.account):
            deciding.cancel()
            await self.confirm(pressed.query, url=self._link(callback, callback.match))
            return
        words = await self.replies.words(pressed.visitor)
        text = words("bot.telegram.thinking" if pressed.private else "bot.telegram.in-private")
        await self.confirm(pressed.query, text, alert=False)
        for message in await deciding:
            if isinstance(message.to, Address):
                await self._publicly(message.to, message.view)
                continue
            way = await self._way(pressed, callback, message)
            await self._shown(pressed, callback, message.view, way if way is Way.EDIT else Way.PRIVATE)
        if self._held(pressed) or await self._left(pressed, callback, beside=True):
            await self._restore(pressed, callback)

    async def give_way(self, pressed: IncomingPress, callback: CallbackData, holder: Player) -> None:
        """Answer a press of keys that another person uses.

        No menu keeps the player on turn waiting: where the match waits for the one who presses, and not for the `holder`, the
        keys of all come back under the board.
        """
        table, waited = self._services.table, set[Account]()
        with suppress(PlayError):
            match = await table.get(callback.match)
            waited = set(waits_for(match, table.course(match)))
        if pressed.visitor.account in waited and holder.account not in waited:
            await self.confirm(pressed.query)
            await self._restore(pressed, callback)
        else:
            await self.refuse(pressed, "bot.telegram.keys-taken", name=holder.name)

    async def refuse(self, pressed: IncomingPress, key: str, **fields: str) -> None:
        """Answer a press with an alert."""
        await self.confirm(pressed.query, (await self.replies.words(pressed.visitor))(key, **fields))

    async def confirm(
        self, query: str, text: str | None = None, *, url: str | None = None, alert: bool = True
    ) -> None:
        """Confirm a press, once: silently, with an alert or a few words, or by opening a link."""
        if query in self._confirmed:
            return
        self._confirmed[query] = None
        try:
            if url is not None:
                await self._bot.answer_callback_query(query, url=url)
            else:
                shown = text[:ALERT] if text else None
                await self._bot.answer_callback_query(
                    query, text=shown, show_alert=True if shown and alert else None
                )
        except TelegramError as error:
            if not has_words(error, LATE):
                _log.info("a press was not answered: %s", error)

    def _link(self, callback: CallbackData, code: str | None) -> str:
        if callback.verb in _SOLVING:
            carried = callback.argument.partition(" ")[0] if callback.verb is Verb.LEARN else callback.match
            return start_link(self._bot.username, _SOLVING[callback.verb], carried)
        return start_link(self._bot.username, "board", code)

    async def _way(self, pressed: IncomingPress, callback: CallbackData, message: Message) -> Way:
        view, kind = message.view, message.view.kind or ViewKind.NOTE
        if callback.verb is Verb.SAY:  # the answer to a line
            if kind in (ViewKind.QUESTION, ViewKind.PANEL, ViewKind.INVITE):
                kind = ViewKind.CARD
        elif message.refused and kind is not ViewKind.QUESTION:
            kind = ViewKind.NOTE
        much = view.diagram is not None or view.files or view.buttons or view.film or view.asks
        if kind in (ViewKind.CARD, ViewKind.PAGE) and not much and len(plain(view, TEXT)) <= ALERT:
            return Way.ALERT
        if kind is ViewKind.FORM and pressed.private and callback in _FIRST:
            return Way.NEW
        in_private, elsewhere = _WAYS[kind]
        way = in_private if pressed.private else elsewhere
        if way is not Way.PRIVATE or await self._messenger.reaches(pressed.visitor.account):
            return way
        return Way.ASK if view.kind is ViewKind.PANEL else Way.LINK

    async def _publicly(self, to: Address, view: View) -> None:
        where = destination(to)
        if isinstance(where, Chat):
            await self.replies.send(where, view, None)

    async def _shown(self, pressed: IncomingPress, callback: CallbackData, view: View, way: Way) -> None:
        where = pressed.where
        if way is Way.KEYS:
            await self._menu(pressed, callback, view)
        elif way in (Way.NEW, Way.PRIVATE):
            if not await self._shown_lately(pressed, callback):
                await self.replies.send(
                    Chat(int(pressed.visitor.account.uid)), view, pressed.visitor, _PRESSED
                )
        elif way is Way.ASK and isinstance(where, Chat) and not pressed.asked:
            # The pressed message is for all; this is for one person, named so that the others let it be.
            call = Call(pressed.visitor.account.uid, None, ASKED)
            await self.replies.send(where, view, pressed.visitor, replace(_PRESSED, calls=[call]))
        else:
            if view.kind is ViewKind.PICK and not pressed.private and not pressed.asked:
                self._hold(pressed, callback)
            elif self._held(pressed):
                self.menus.release(pressed.ours.ref)
            leads = callback.verb is Verb.HINT or begins(callback)
            await self._in_place(pressed, view, await self._back_key(pressed, callback) if leads else PLAIN)

    async def _shown_lately(self, pressed: IncomingPress, callback: CallbackData) -> bool:
        """Whether it is a puzzle that was shown a moment ago, since a key is easily pressed twice."""
        if callback.verb is not Verb.PUZZLE or callback.argument != PuzzleStep.SOLVE:
            return False
        name = f"{PLATFORM}:solve:{pressed.visitor.account.uid}:{callback.match}"
        with suppress(Unavailable):
            return not await self._services.store.notes.write_once(name, "", keep=SOLVE_EVERY)
        return False

    async def _menu(self, pressed: IncomingPress, callback: CallbackData, view: View) -> None:
        extras = PLAIN
        if pressed.asked is None:  # else the message is no board
            extras = await self._back_key(pressed, callback)
            if not pressed.private:
                self._hold(pressed, callback)

        await self._show(pressed, view.revision, partial(self._messenger.offer, pressed.ours, view, extras))

    def _held(self, pressed: IncomingPress) -> bool:
        holder = self.menus.holder(pressed.ours.ref)
        return holder is not None and holder.account == pressed.visitor.account

    async def _left(self, pressed: IncomingPress, callback: CallbackData, *, beside: bool) -> bool:
        """Keys are left by an answer that stands `beside` them, or by an earlier process, which knew who used them."""
        if self._held(pressed):
            return callback.verb in _BESIDE and beside
        written_out = callback.verb is Verb.MOVE and callback.argument
        if pressed.private or pressed.asked or is_first(callback):  # which stands under a board for all, too
            return False
        if not (callback.verb in _OF_ONE or written_out):
            return False
        try:
            shown = await self._services.store.outgoing().shown(callback.match, pressed.visitor.place)
        except Unavailable:
            return False
        return shown is not None and board_of(shown) == pressed.ours.ref

    def _hold(self, pressed: IncomingPress, callback: CallbackData) -> None:
        self.menus.hold(pressed.ours.ref, pressed.visitor.player, partial(self._restore, pressed, callback))

    async def _back_key(self, pressed: IncomingPress, callback: CallbackData) -> Extras:
        words = await self.replies.words(pressed.visitor)
        key = InlineKeyboardButton(words("bot.button.back"), callback_data=_back(callback).pack())
        return Extras(keys=(key,))

    async def _restore(self, pressed: IncomingPress, callback: CallbackData) -> None:
        self.menus.release(pressed.ours.ref)
        visitor = replace(pressed.visitor, public=not pressed.private, request=None)
        for message in await self._services.desk.press(visitor, _back(callback)):
            if message.view.diagram is not None:  # a refusal in words is for no one else
                await self._in_place(pressed, message.view)

    async def _in_place(self, pressed: IncomingPress, view: View, extras: Extras = PLAIN) -> None:
        ours, where = pressed.ours, pressed.where

        async def change() -> None:
            try:
                await self._messenger.change(ours, view, extras)
            except NoMessage:
                if isinstance(where, Chat):
                    await self.replies.send(where, view, pressed.visitor, _PRESSED)

        await self._show(pressed, view.revision, change)

    async def _show(self, pressed: IncomingPress, revision: int, change: Edit) -> None:
        async def turn() -> None:
            # In a group, which takes few edits, what is picked must not hold up the boards.
            urgency = Urgency.PRESS if pressed.private else Urgency.BOARD
            with suppress(Unavailable):  # an answer that says so matters more than the pace
                await self._messenger.rate_limiter.chat(pressed.ours.pace_key, urgency)

        try:
            await self._messenger.edits.show(pressed.ours.ref, change, turn, revision=revision)
        except CourierError as error:
            _log.info("nothing was changed: %r", error)

    async def _keyless(self, pressed: IncomingPress, callback: CallbackData) -> None:
        ours, visitor = pressed.ours, pressed.visitor
        if not isinstance(ours, ChatMessage):
            return
        where = (visitor.place, visitor.account)
        stored = self._services.store.outgoing()
        table = self._services.table if pressed.private or pressed.asked else None
        if not await unowned(stored, where, callback, ours.is_named, table):
            return
        await self._show(pressed, FOREVER, partial(self._messenger.close_message, ours, None))

    async def _tidy(self, pressed: IncomingPress) -> None:
        ours = pressed.ours
        if not isinstance(ours, ChatMessage) or not (pressed.private or pressed.asked):
            return
        try:
            await self._messenger.withdraw(ours)
        except (CourierError, TelegramError) as error:
            _log.info("a question stays: %r", error)


def _back(callback: CallbackData) -> CallbackData:
    side = callback.argument if callback.verb is Verb.MORE else ""
    return CallbackData(Verb.BACK, callback.match, callback.seen, side)
