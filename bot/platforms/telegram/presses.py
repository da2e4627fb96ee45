"""Answer presses: each is acknowledged as soon as it is decided, and what it leads to is shown afterwards.

An acknowledgement is an alert, a link, or a few words that need no confirmation; it waits for no search, picture or rate.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, Final, TypeAlias

from telegram import InlineKeyboardButton, User
from telegram.error import TelegramError

from bot.chat.callback_data import CallbackData, PuzzleStep, Verb
from bot.chat.desk import Deciding
from bot.chat.presenting.boards import CONFIRMED, waits_for
from bot.chat.presenting.cards import AGAINST_ENGINE, NEW_MATCH, NUMBER
from bot.chat.presenting.selection import begins
from bot.chat.sending.delivery import board_of, unowned
from bot.chat.sending.ports import CourierError, NoMessage
from bot.chat.sending.posted import Edit
from bot.chat.view import Message, View
from bot.chat.visitor import Visitor
from bot.platforms.platform import PlatformServices
from bot.platforms.telegram.places import (
    PLATFORM,
    BotMessage,
    Chat,
    ChatMessage,
    Destination,
    destination,
    look_link,
    puzzle_link,
)
from bot.platforms.telegram.rendering import ALERT, ASKED, PLAIN, TEXT, Call, Extras, named_square, plain
from bot.platforms.telegram.replies import PANELS, Addressee, Replies, about_place, has
from bot.platforms.telegram.request import LATE, has_words
from bot.platforms.telegram.turn_calls import FOREVER, KeyMenus, Redraws
from play.errors import PlayError, Unavailable
from play.people import Address, Player

_log: Final = logging.getLogger(__name__)

Show: TypeAlias = Callable[[], Awaitable[None]]

SOLVE_EVERY: Final = timedelta(seconds=20)
"""How often the board of a puzzle is sent to a person who presses its key."""

_PICKING: Final = (Verb.STEP,)
_SOLVING: Final = (Verb.PUZZLE, Verb.PICK, Verb.TRY)
"""Keys of puzzles: each person solves them on a board in their private chat."""

_LEADING: Final = (Verb.ORDER, Verb.SEEK, *PANELS)  # keys that lead from question to question

_SHOWING: Final = (
    Verb.BOARD, Verb.TEXT, Verb.FLIP, Verb.EXPORT, Verb.RESIGN, Verb.RULES, Verb.HELP, Verb.FORGET, Verb.HINT,
    Verb.REPLAY, Verb.ANALYSE, Verb.WHY, Verb.REFUTE, Verb.SAY, Verb.MORE, Verb.TOP, Verb.SEEK,
)  # fmt: skip
"""Keys whose answer is long."""

_BESIDE: Final = (Verb.FLIP, Verb.TEXT, Verb.BOARD)
"""Keys of a menu whose answer stands elsewhere: the board gets its own keys back."""

_OF_ONE: Final = (
    *_BESIDE, Verb.STEP, Verb.MOVES, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.PAUSE, Verb.VOTE, Verb.RESIGN,
    Verb.HINT,
)  # fmt: skip
"""Keys that stand under a public board only for one person and for a while; so does a move that is written out."""

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

    @property
    def asked_by(self) -> Addressee:
        """For whom its answer is."""
        return Addressee(self.visitor, pressed=True)


class PressReplies:
    """Answers presses. An edit that Telegram does not take now is made later; what cannot be delivered is logged."""

    def __init__(
        self, services: PlatformServices, replies: Replies, redraws: Redraws, menus: KeyMenus
    ) -> None:
        self._services = services
        self._messenger = replies.messenger
        self._bot = self._messenger.bot
        self.replies = replies
        self._redraws = redraws
        self.menus = menus

    async def answer(
        self, pressed: IncomingPress, callback: CallbackData, messages: Sequence[Message]
    ) -> None:
        """Acknowledge a press that is decided, and meanwhile show what it leads to."""
        async with AsyncExitStack() as failing:  # else the client shows the press as pending
            failing.push_async_callback(self.confirm, pressed.query)
            acknowledge, shows = await self._answers(pressed, callback, messages)
            failing.pop_all()
        await asyncio.gather(acknowledge, _all(shows))
        if any(message.refused for message in messages):
            await self._keyless(pressed, callback)

    async def _answers(
        self, pressed: IncomingPress, callback: CallbackData, messages: Sequence[Message]
    ) -> tuple[Coroutine[Any, Any, None], Sequence[Show]]:
        alert = toast = url = None
        placed = False
        shows: list[Show] = []
        for message in messages:
            view = message.view
            if isinstance(message.to, Address):
                shows.append(partial(self._publicly, message.to, view))
            elif message.refused and callback.verb is not Verb.SAY and has(view, (Verb.MOVE, Verb.RESIGN)):
                # In private the question is a message, in a group it takes the place of the keys, so its words are told.
                alert, placed = None if pressed.private else plain(view), True
                ask = self._alone if pressed.private else self._menu
                shows.append(partial(ask, pressed, callback, view))
            elif _is_short(callback, message):
                alert = plain(view)
            elif (
                pressed.private
                or _stays(callback, view)
                or _is_menu(callback, view)
                # Settings are shown here too where the private chat was never opened.
                or (has(view, PANELS) and not await self._messenger.reaches(pressed.visitor.account))
            ):
                placed = True
                shows.append(partial(self._here, pressed, callback, view))
            elif await self._messenger.reaches(pressed.visitor.account):
                shows.append(partial(self._alone, pressed, callback, view))
                toast = "bot.telegram.in-private"
            else:
                url = self._link(callback, view.code)
        done = callback.verb is Verb.ORDER or pressed.asked is not None
        if (done and not messages) or (callback.verb is Verb.RESIGN and callback.argument == CONFIRMED):
            shows.append(partial(self._tidy, pressed))
        # What was done changes the board anyway.
        if messages and not placed and await self._left(pressed, callback, beside=not alert):
            shows.append(partial(self._restore, pressed, callback))
        if alert or url:
            return self.confirm(pressed.query, alert, url=url), shows
        told = (await self.replies.words(pressed.visitor))(toast) if toast else None
        return self.confirm(pressed.query, told or named_square(callback.pack()), alert=False), shows

    async def _thinking(self, pressed: IncomingPress, callback: CallbackData) -> bool:
        if not pressed.private and not await self._messenger.reaches(pressed.visitor.account):
            await self.confirm(pressed.query, url=self._link(callback, callback.match))
            return False
        words = await self.replies.words(pressed.visitor)
        text = words("bot.telegram.thinking" if pressed.private else "bot.telegram.in-private")
        await self.confirm(pressed.query, text, alert=False)
        return True

    async def afterwards(self, pressed: IncomingPress, callback: CallbackData, deciding: Deciding) -> None:
        """Acknowledge a press, and show its answer once it is known."""
        if not await self._thinking(pressed, callback):
            deciding.cancel()
            return
        for message in await deciding:
            if isinstance(message.to, Address):
                await self._publicly(message.to, message.view)
            elif pressed.private:
                await self._here(pressed, callback, message.view)
            else:
                await self._alone(pressed, callback, message.view)
        if self._held(pressed) or await self._left(pressed, callback, beside=True):
            await self._restore(pressed, callback)

    async def waits_for(self, pressed: IncomingPress, callback: CallbackData, other: Player) -> bool:
        """Whether the match waits for the person who presses, and not for the other one, who uses the keys."""
        table = self._services.table
        try:
            match = await table.get(callback.match)
            waited = waits_for(match, table.course(match))
        except PlayError:
            return False
        return pressed.visitor.account in waited and other.account not in waited

    async def give_back(self, pressed: IncomingPress, callback: CallbackData) -> None:
        """Put the keys of all back under the board: no menu keeps the player on turn waiting."""
        await self.confirm(pressed.query)
        await self._restore(pressed, callback)

    async def refuse(self, pressed: IncomingPress, key: str, **fields: str) -> None:
        """Answer a press with an alert."""
        await self.confirm(pressed.query, (await self.replies.words(pressed.visitor))(key, **fields))

    async def confirm(
        self, query: str, text: str | None = None, *, url: str | None = None, alert: bool = True
    ) -> None:
        """Confirm a press: silently, with an alert or a few words, or by opening a link."""
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
            return puzzle_link(self._bot.username, callback.match)
        return look_link(self._bot.username, code)

    async def _publicly(self, to: Address, view: View) -> None:
        where = destination(to)
        if isinstance(where, Chat):
            await self.replies.send(where, view, None)

    async def _here(self, pressed: IncomingPress, callback: CallbackData, view: View) -> None:
        where = pressed.where
        if _is_menu(callback, view):
            await self._menu(pressed, callback, view)
        elif not isinstance(where, Chat) or (
            not where.private and (pressed.asked or not has(view, _LEADING))
        ):
            if has(view, _PICKING) and not pressed.asked:
                self._hold(pressed, callback)
            elif self._held(pressed):
                self.menus.release(pressed.ours.ref)
            await self._in_place(pressed, view, await self._way_back(pressed, callback))
        elif not where.private:
            # The pressed message is for all; this is for one person, named so that the others let it be.
            call = Call(pressed.visitor.account.uid, None, ASKED)
            await self.replies.send(where, view, pressed.asked_by, Extras(calls=[call]))
        elif _follows(callback, view):
            await self._in_place(pressed, view, await self._way_back(pressed, callback))
        else:
            await self._alone(pressed, callback, view)

    async def _alone(self, pressed: IncomingPress, callback: CallbackData, view: View) -> None:
        """A puzzle is not shown twice within a moment, since a key is easily pressed twice."""
        account = pressed.visitor.account
        if callback.verb is Verb.PUZZLE and callback.argument == PuzzleStep.SOLVE:
            name = f"{PLATFORM}:solve:{account.uid}:{callback.match}"
            with suppress(Unavailable):
                if not await self._services.store.notes.write_once(name, "", keep=SOLVE_EVERY):
                    return
        await self.replies.send(Chat(int(account.uid)), view, pressed.asked_by)

    async def _menu(self, pressed: IncomingPress, callback: CallbackData, view: View) -> None:
        extras = PLAIN
        if pressed.asked is None:  # else the message is no board
            extras = await self._back_key(pressed, callback)
            if not pressed.private:
                self._hold(pressed, callback)

        await self._show(pressed, view.revision, partial(self._messenger.offer, pressed.ours, view, extras))

    def _held(self, pressed: IncomingPress) -> bool:
        return self.menus.holds(pressed.ours.ref, pressed.visitor.account)

    async def _left(self, pressed: IncomingPress, callback: CallbackData, *, beside: bool) -> bool:
        """Keys are left by an answer that stands `beside` them, or by an earlier process, which knew who used them."""
        if self._held(pressed):
            return callback.verb in _BESIDE and beside
        written_out = callback.verb is Verb.MOVE and callback.argument
        if pressed.private or pressed.asked or not (callback.verb in _OF_ONE or written_out):
            return False
        try:
            shown = await self._services.store.outgoing().shown(callback.match, pressed.visitor.place)
        except Unavailable:
            return False
        return shown is not None and board_of(shown) == pressed.ours.ref

    def _hold(self, pressed: IncomingPress, callback: CallbackData) -> None:
        self.menus.hold(pressed.ours.ref, pressed.visitor.player, partial(self._restore, pressed, callback))

    async def _way_back(self, pressed: IncomingPress, callback: CallbackData) -> Extras:
        leads = callback.verb is Verb.HINT or begins(callback)
        return await self._back_key(pressed, callback) if leads else PLAIN

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
                    await self.replies.send(where, view, pressed.asked_by)

        await self._show(pressed, view.revision, change)

    async def _show(self, pressed: IncomingPress, revision: int, change: Edit) -> None:
        try:
            await self._redraws.show(pressed.ours, revision, change)
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
        await self._show(pressed, FOREVER, partial(self._messenger.close, ours, None))

    async def _tidy(self, pressed: IncomingPress) -> None:
        ours = pressed.ours
        if not isinstance(ours, ChatMessage) or not (pressed.private or pressed.asked):
            return
        try:
            await self._messenger.withdraw(ours)
        except (CourierError, TelegramError) as error:
            _log.info("a question stays: %r", error)


async def _all(shows: Sequence[Show]) -> None:
    for show in shows:
        await show()


def _is_short(callback: CallbackData, message: Message) -> bool:
    view = message.view
    if message.refused and callback.verb is not Verb.SAY:
        return True
    if _stays(callback, view):
        return False
    much = view.diagram is not None or bool(view.files or view.buttons or view.film)
    if callback.verb in _SOLVING:
        return not much
    return callback.verb not in _SHOWING or not (much or len(plain(view, TEXT)) > ALERT)


def _is_menu(callback: CallbackData, view: View) -> bool:
    return callback.verb is Verb.MORE and has(view, (Verb.RESIGN,))


def _back(callback: CallbackData) -> CallbackData:
    side = callback.argument if callback.verb is Verb.MORE else ""
    return CallbackData(Verb.BACK, callback.match, callback.seen, side)


def _stays(callback: CallbackData, view: View) -> bool:
    return (
        callback.verb is Verb.BACK
        or has(view, _PICKING)
        or (callback.verb in _LEADING and has(view, _LEADING))
        or (callback.verb in (Verb.EXCLUDE, Verb.ADMIT) and about_place(view))
        or (callback.verb is Verb.SAY and (about_place(view) or has(view, (Verb.ORDER, Verb.SAY))))
    )


def _follows(callback: CallbackData, view: View) -> bool:
    if callback.verb in _SOLVING:
        return True
    paging = callback.verb in (Verb.ANALYSE, Verb.HELP) and bool(callback.argument)
    return (
        paging
        or callback.verb in (Verb.FLIP, Verb.HINT, Verb.TOP, Verb.WHY, Verb.REFUTE)
        or (callback.verb is Verb.RULES and NUMBER in callback.argument)
        or (_stays(callback, view) and callback not in _FIRST)
    )
