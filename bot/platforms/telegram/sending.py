"""Send, edit and delete messages within Telegram's limits, also after the chat became a supergroup or lost its topic."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from telegram import (
    Bot,
    ChatMember,
    ForceReply,
    InlineKeyboardButton,
    InputFile,
    InputMediaPhoto,
    LinkPreviewOptions,
    Message,
    ReplyParameters,
)
from telegram.constants import ChatAction, ParseMode
from telegram.error import BadRequest, ChatMigrated, TelegramError, TimedOut

from bot.chat.fair_queue import Recent
from bot.chat.sending.ports import Blocked, Gone, NoMessage, Rate, RetryAfter
from bot.chat.sending.posted import LatestEdits, NewestMessages
from bot.chat.sending.queue import Turns, Urgency
from bot.chat.sending.routing import state_address
from bot.chat.view import View, ViewKind
from bot.platforms.telegram.places import (
    PLATFORM,
    BotMessage,
    Chat,
    ChatMessage,
    ChatMigrations,
    InlineMessage,
    place_key,
    start_link,
)
from bot.platforms.telegram.rendering import PLAIN, Extras, Renderer, TelegramMessage, keyboard
from bot.platforms.telegram.request import NO_PHOTO, NO_TOPIC, SAME, has_words, meaning
from play.errors import Unavailable
from play.people import Account, Player
from play.settings import OldBoards
from storage.ports import FullStore

OVERALL: Final = Rate(each_second=20, burst=5)
"""Requests in all: never more than 30 in a second. Beyond that Telegram refuses all for a while."""

CHAT: Final = Rate(each_second=1, burst=2)
"""Requests about a chat: one a second, and one more now and then, which Telegram allows."""

GROUP: Final = Rate(each_second=17 / 60, burst=3)
"""New messages and edits in a group: never more than 20 in a minute. What waits meanwhile of a match is one edit."""

PATIENCE: Final = 10.0
"""Seconds that an answer waits for its turn; the sender's messages wait as long as it takes."""


class RateLimiter:
    """Waits until Telegram takes another request; the more urgent of a chat come first."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    async def chat(
        self, chat: int | str, urgency: Urgency, *, shows: bool = True, whose: Account | None = None
    ) -> None:
        """Wait until Telegram takes a request that shows something in a chat or inline, or else one that only deletes.

        It is the turn of a person, or else of the chat.
        """
        group = {f"{PLATFORM}:{chat}:group": GROUP} if shows and isinstance(chat, int) and chat < 0 else {}
        # Of all chats last: what waits for its chat is not counted before it is sent.
        await self._turns.take(group | {f"{PLATFORM}:{chat}": CHAT, PLATFORM: OVERALL}, urgency, whose)

    async def question(self) -> None:
        """Wait until Telegram takes a request that writes nothing."""
        await self._turns.take({PLATFORM: OVERALL}, Urgency.ANSWER)

    async def answer(
        self, chat: int | str, urgency: Urgency, *, shows: bool = True, whose: Account | None = None
    ) -> bool:
        """Wait for a turn to answer; whether it came soon enough."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.chat(chat, urgency, shows=shows, whose=whose)
        except Unavailable:
            return True  # an answer that says so matters more than the pace
        except TimeoutError:
            return False
        return True

    async def hold(self, chat: int | str, seconds: float) -> None:
        """Send nothing to a chat for so many seconds, which Telegram demands."""
        with suppress(Unavailable):
            await self._turns.hold(f"{PLATFORM}:{chat}", CHAT, seconds)


_log: Final = logging.getLogger(__name__)

HTML: Final = ParseMode.HTML
_NO_PREVIEW: Final = LinkPreviewOptions(is_disabled=True)
_BOARD: Final = "board.png"
_MEMBER_WITHIN: Final = 2.0  # seconds that Telegram may take to say what a user is in a group
_REMEMBERED: Final = 10_000  # private chats that are known to be open


LASTS: Final = 60.0  # seconds without a press until the keys of all come back


@dataclass(frozen=True, slots=True)
class _Held:
    by: Player
    lapse: asyncio.Task[None]


class KeyMenus:
    """Who uses the keys under which message. This is in memory only: after a restart the next press gives the keys back."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep
        self._held: dict[str, _Held] = {}

    def holder(self, ref: str) -> Player | None:
        """Return the person who uses the keys under a message."""
        held = self._held.get(ref)
        return held.by if held is not None else None

    def hold(self, ref: str, by: Player, restore: Callable[[], Awaitable[None]]) -> None:
        """Let a person use the keys under a message; `restore` is called if they press none for a while."""
        self.release(ref)

        async def lapse() -> None:
            await self._sleep(LASTS)
            del self._held[ref]
            await restore()

        self._held[ref] = _Held(by, asyncio.create_task(lapse(), name=f"keys of {ref}"))

    def release(self, ref: str) -> None:
        """The keys under a message are those of all again."""
        if held := self._held.pop(ref, None):
            held.lapse.cancel()

    def close(self) -> None:
        """Let no keys lapse any more."""
        for ref in list(self._held):
            self.release(ref)


class Messenger:
    """Writes to chats. Every method may raise a `bot.chat.sending.ports.CourierError`."""

    def __init__(self, bot: Bot, renderer: Renderer, rate_limiter: RateLimiter, store: FullStore) -> None:
        self.bot = bot
        self.rate_limiter = rate_limiter
        self._renderer = renderer
        self.migrations = ChatMigrations(store.notes)
        self._store = store
        self._open = Recent[str, None](_REMEMBERED)  # private chats that took something
        self.newest = NewestMessages()
        self.edits = LatestEdits()
        self.menus = KeyMenus()

    async def send(self, chat: Chat, view: View, extras: Extras = PLAIN) -> ChatMessage:
        """Send a view; return its message, or of several the one with the keys."""
        as_text = False
        extras = self._with_keys(view, extras, chat)
        if view.kind is ViewKind.INVITE and view.code is not None:
            view = replace(view, lines=(*view.lines, start_link(self.bot.username, "join", view.code)))
        while True:
            message = await self._renderer.render(view, extras, as_text=as_text)
            if view.asks and chat.private and message.keys is None:
                message = replace(message, keys=ForceReply())
            try:
                return await self._sent(chat, message, extras)
            except ChatMigrated as moved:
                await self.migrations.moved(chat.id, moved.new_chat_id)
            except TelegramError as error:
                if has_words(error, NO_PHOTO) and message.photo is not None:
                    as_text = True
                elif has_words(error, NO_TOPIC) and chat.topic is not None:
                    chat = Chat(chat.id)
                else:
                    raise await self._meaning(error, chat.id) from error

    async def _sent(self, chat: Chat, message: TelegramMessage, extras: Extras) -> ChatMessage:
        to = await self.migrations.current(chat.id)
        common: dict[str, Any] = {
            "chat_id": to,
            "message_thread_id": chat.topic,
            "disable_notification": extras.silent or None,
        }
        number = extras.reply_to
        reply = ReplyParameters(number, allow_sending_without_reply=True) if number else None
        as_reply = {"parse_mode": HTML, "reply_parameters": reply, **common}
        for text in message.before:
            await self.bot.send_message(text=text, link_preview_options=_NO_PREVIEW, **as_reply)
            await self.rate_limiter.chat(to, Urgency.ANSWER)
        sent: Message
        if message.film is not None:
            film = InputFile(message.film[1], message.film[0])
            sent = await self.bot.send_animation(
                animation=film, caption=message.text, reply_markup=message.keys, **as_reply
            )
        elif message.photo is not None:
            photo = InputFile(message.photo, _BOARD)
            sent = await self.bot.send_photo(
                photo=photo, caption=message.text, reply_markup=message.keys, **as_reply
            )
        else:
            sent = await self.bot.send_message(
                text=message.text, link_preview_options=_NO_PREVIEW, reply_markup=message.keys, **as_reply
            )
        self.newest.came(place_key(to, chat.topic), sent.message_id)
        for name, held in message.files:
            await self.rate_limiter.chat(to, Urgency.ANSWER)
            await self.bot.send_document(document=InputFile(held, name), **common)
        return ChatMessage(to, sent.message_id, message.photo is not None)

    async def change(self, ours: BotMessage, view: View, extras: Extras = PLAIN) -> None:
        """Change a message in place. One that shows the same already is left as it is."""
        as_text = isinstance(ours, InlineMessage) or not ours.photo
        message = await self._renderer.render(view, self._with_keys(view, extras, ours), as_text=as_text)
        common = {"reply_markup": message.keys, **_ids(ours)}
        if as_text:
            edit = self.bot.edit_message_text
            await self._done(
                ours,
                lambda: edit(message.text, parse_mode=HTML, link_preview_options=_NO_PREVIEW, **common),
            )
            return
        if message.photo is not None:
            photo = InputFile(message.photo, _BOARD, attach=True)
            media = InputMediaPhoto(photo, message.text, parse_mode=HTML)
            try:
                await self._done(ours, lambda: self.bot.edit_message_media(media, **common))
            except (Gone, BadRequest) as error:
                if not isinstance(refused := error.__cause__, TelegramError) or not has_words(
                    refused, NO_PHOTO
                ):
                    raise
            else:
                return
        await self._done(
            ours, lambda: self.bot.edit_message_caption(caption=message.text, parse_mode=HTML, **common)
        )

    async def offer(self, ours: BotMessage, view: View, extras: Extras = PLAIN) -> None:
        """Change the keys under a message to those of a view, and leave the rest of it as it is."""
        extras = self._with_keys(view, extras, ours)
        keys = keyboard(view, extras.keys, special=extras.special)
        await self._done(ours, lambda: self.bot.edit_message_reply_markup(reply_markup=keys, **_ids(ours)))

    @asynccontextmanager
    async def dropped(self, ours: BotMessage, revision: int) -> AsyncIterator[None]:
        """Edit a message for the sender, at a revision of its match: what presses asked for until then is not shown."""
        async with self.edits.dropped(ours.ref, revision):
            self.menus.release(ours.ref)
            yield

    def close(self) -> None:
        """Change nothing for presses any more."""
        self.menus.close()
        self.edits.close()

    async def close_message(self, ours: BotMessage, view: View | None) -> None:
        """Take a message's keys away, and show the view if there is one."""
        if view is None:
            await self._done(ours, lambda: self.bot.edit_message_reply_markup(**_ids(ours)))
            return
        if view.folded is OldBoards.DELETE and isinstance(ours, ChatMessage):
            try:
                await self.withdraw(ours)
            except BadRequest as error:  # after 48 hours
                _log.info("an old board stays: %s", error)
            else:
                return
        await self.change(ours, view)

    async def reaches(self, account: Account) -> bool:
        """Whether the bot may write to a person, as far as is known.

        One with whom that was never tried sees the bot begin to write. One who turns out to be out of reach is marked so until
        they open the private chat.
        """
        if account.platform != PLATFORM:
            return False
        state, outgoing = state_address(account), self._store.outgoing()
        with suppress(Unavailable):
            if await outgoing.dead(state) is not None:
                return False
        if account.uid in self._open:
            return True
        try:
            await self.bot.send_chat_action(int(account.uid), ChatAction.TYPING)
        except TelegramError as error:
            if not isinstance(meaning(error), Gone):
                return True
            with suppress(Unavailable):
                await outgoing.set_dead(state, await self._store.now())
            return False
        self._open[account.uid] = None
        return True

    async def member(self, chat: Chat, user: int) -> ChatMember:
        """Return what a user is in a group; raises `TelegramError`."""
        number = await self.migrations.current(chat.id)
        try:
            async with asyncio.timeout(_MEMBER_WITHIN):  # the chat's next requests wait
                return await self.bot.get_chat_member(number, user)
        except TimeoutError:
            raise TimedOut from None

    async def withdraw(self, ours: ChatMessage) -> None:
        """Delete a message."""
        await self._done(ours, lambda: self.bot.delete_message(ours.chat, ours.message))

    async def react(self, chat: Chat, message: int, emoji: str) -> None:
        """Put a reaction on a message; an earlier one of the bot is replaced."""
        to = await self.migrations.current(chat.id)
        ours = ChatMessage(to, message, photo=False)
        await self._done(ours, lambda: self.bot.set_message_reaction(to, message, emoji))

    async def _done(self, ours: BotMessage, request: Callable[[], Awaitable[object]]) -> None:
        try:
            await request()
        except ChatMigrated as moved:
            if isinstance(ours, ChatMessage):
                await self.migrations.moved(ours.chat, moved.new_chat_id)
            raise NoMessage("it stayed in the chat that was") from moved
        except TelegramError as error:
            if not has_words(error, SAME):
                raise await self._meaning(error, ours.pace_key) from error

    async def _meaning(self, error: TelegramError, chat: int | str) -> Exception:
        meant = meaning(error)
        if isinstance(meant, RetryAfter):
            await self.rate_limiter.hold(chat, meant.seconds)
        if isinstance(meant, Gone) and isinstance(chat, int) and Chat(chat).private:
            self._open.pop(str(chat), None)
            return Blocked(str(chat))
        return meant

    def _with_keys(self, view: View, extras: Extras, where: Chat | BotMessage) -> Extras:
        page, bot = self._renderer.page, self.bot
        if page is not None:
            chat = Chat(where.chat) if isinstance(where, ChatMessage) else where
            private = isinstance(chat, Chat) and chat.private
            special = partial(page.key, bot=bot.username, private=private)
            extras = replace(extras, special=special)
        if view.people is None or not view.people.setup or not bot.bot.supports_inline_queries:
            return extras
        key = InlineKeyboardButton(view.people.prompt, switch_inline_query=view.people.setup)
        return replace(extras, keys=(*extras.keys, key))


def _ids(ours: BotMessage) -> dict[str, Any]:
    if isinstance(ours, InlineMessage):
        return {"inline_message_id": ours.message}
    return {"chat_id": ours.chat, "message_id": ours.message}
