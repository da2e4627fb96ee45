"""Writing to chats: messages sent, changed, folded and taken away, whatever has become of the chat meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeVar

from telegram import (
    Bot,
    InlineKeyboardButton,
    InputFile,
    InputMediaPhoto,
    LinkPreviewOptions,
    Message,
    ReplyParameters,
)
from telegram.constants import ParseMode
from telegram.error import ChatMigrated, TelegramError

from bot.on_telegram.errors import meaning, no_photo, no_topic, same
from bot.on_telegram.links import join_link
from bot.on_telegram.migrations import ChatMigrations
from bot.on_telegram.places import BotMessage, Chat, ChatMessage, InlineMessage
from bot.on_telegram.rate_limit import RateLimiter
from bot.on_telegram.rendering import Call, Renderer, TelegramMessage
from bot.sender.ports import Blocked, Gone, NoMessage, RetryAfter
from bot.view import View

T = TypeVar("T")

HTML: Final = ParseMode.HTML
PLAIN: Final = LinkPreviewOptions(is_disabled=True)
_BOARD: Final = "board.png"


class Messenger:
    """Writes. Every method may raise a `bot.sender.ports.CourierError`.

    Args:
        bot: The library's.
        papers: Makes views up.
        turns: When it may write.
        moves: Where chats have gone.
    """

    def __init__(self, bot: Bot, papers: Renderer, turns: RateLimiter, moves: ChatMigrations) -> None:
        self._bot = bot
        self._renderer = papers
        self._rate_limiter = turns
        self._migrations = moves

    async def send(
        self,
        chat: Chat,
        view: View,
        *,
        calls: Sequence[Call] = (),
        silent: bool = False,
        reply_to: int | None = None,
        extra: Sequence[InlineKeyboardButton] = (),
    ) -> ChatMessage:
        """Send a new message.

        Args:
            chat: Where.
            view: What.
            calls: Whom it calls.
            silent: Whether it comes without a sound.
            reply_to: The message that it answers.
            extra: Keys of the platform's own.

        Returns:
            The message; of several, the one with the keys.
        """
        as_text = False
        view = self._with_link(view)
        while True:
            paper = await self._renderer.render(view, calls=calls, as_text=as_text, extra=extra)
            try:
                return await self._sent(chat, paper, silent=silent, reply_to=reply_to)
            except ChatMigrated as moved:
                await self._migrations.moved(chat.id, moved.new_chat_id)
            except TelegramError as error:
                if no_photo(error) and paper.photo is not None:
                    as_text = True
                elif no_topic(error) and chat.topic is not None:
                    chat = Chat(chat.id)
                else:
                    raise await self._trouble(error, chat.id) from error

    async def _sent(
        self, chat: Chat, paper: TelegramMessage, *, silent: bool, reply_to: int | None
    ) -> ChatMessage:
        to = await self._migrations.now(chat.id)
        common: dict[str, Any] = {
            "chat_id": to,
            "message_thread_id": chat.topic,
            "disable_notification": silent or None,
        }
        reply = ReplyParameters(reply_to, allow_sending_without_reply=True) if reply_to else None
        for text in paper.before:
            await self._bot.send_message(
                text=text, parse_mode=HTML, link_preview_options=PLAIN, reply_parameters=reply, **common
            )
            await self._rate_limiter.chat(to, new=True)
        sent: Message
        if paper.photo is not None:
            sent = await self._bot.send_photo(
                photo=InputFile(paper.photo, _BOARD), caption=paper.text, parse_mode=HTML,
                reply_markup=paper.keys, reply_parameters=reply, **common,
            )  # fmt: skip
        else:
            sent = await self._bot.send_message(
                text=paper.text, parse_mode=HTML, link_preview_options=PLAIN,
                reply_markup=paper.keys, reply_parameters=reply, **common,
            )  # fmt: skip
        for name, held in paper.files:
            await self._rate_limiter.chat(to, new=True)
            await self._bot.send_document(document=InputFile(held, name), **common)
        if paper.film is not None:
            await self._rate_limiter.chat(to, new=True)
            await self._bot.send_animation(animation=InputFile(paper.film[1], paper.film[0]), **common)
        return ChatMessage(to, sent.message_id, paper.photo is not None)

    async def change(
        self,
        ours: BotMessage,
        view: View,
        *,
        calls: Sequence[Call] = (),
        extra: Sequence[InlineKeyboardButton] = (),
    ) -> None:
        """Change a message in place. One that looks like that already is left as it is."""
        as_text = isinstance(ours, InlineMessage) or not ours.photo
        paper = await self._renderer.render(view, calls=calls, as_text=as_text, extra=extra)
        which = _which(ours)
        if as_text:
            await self._done(
                ours,
                lambda: self._bot.edit_message_text(
                    paper.text, parse_mode=HTML, link_preview_options=PLAIN, reply_markup=paper.keys, **which
                ),
            )
            return
        if paper.photo is not None:
            media = InputMediaPhoto(InputFile(paper.photo, _BOARD, attach=True), paper.text, parse_mode=HTML)
            with suppress(_NoPhoto):
                await self._done(
                    ours,
                    lambda: self._bot.edit_message_media(media, reply_markup=paper.keys, **which),
                    with_photo=True,
                )
                return
        await self._done(
            ours,
            lambda: self._bot.edit_message_caption(
                caption=paper.text, parse_mode=HTML, reply_markup=paper.keys, **which
            ),
        )

    async def fold(self, ours: BotMessage, view: View | None) -> None:
        """Take a message's keys away; it says what a view says then, if there is one."""
        if view is None:
            await self._done(ours, lambda: self._bot.edit_message_reply_markup(**_which(ours)))
        else:
            await self.change(ours, view)

    async def withdraw(self, ours: ChatMessage) -> None:
        """Take a whole message away."""
        await self._done(ours, lambda: self._bot.delete_message(ours.chat, ours.message))

    async def _done(
        self, ours: BotMessage, request: Callable[[], Awaitable[T]], *, with_photo: bool = False
    ) -> None:
        chat = ours.chat if isinstance(ours, ChatMessage) else ours.message
        try:
            await request()
        except ChatMigrated as moved:
            if isinstance(ours, ChatMessage):
                await self._migrations.moved(ours.chat, moved.new_chat_id)
            raise NoMessage("it stayed in the chat that was") from moved
        except TelegramError as error:
            if with_photo and no_photo(error):
                raise _NoPhoto from error
            if not same(error):
                raise await self._trouble(error, chat) from error

    async def _trouble(self, error: TelegramError, chat: int | str) -> Exception:
        meant = meaning(error)
        if isinstance(meant, RetryAfter):
            await self._rate_limiter.hold(chat, meant.seconds)
        if isinstance(meant, Gone) and isinstance(chat, int) and Chat(chat).private:
            return Blocked(str(chat))
        return meant

    def _with_link(self, view: View) -> View:
        """What is to be passed on, with the link that others join by."""
        if not view.passed_on or view.code is None:
            return view
        return replace(view, lines=(*view.lines, join_link(self._bot.username, view.code)))


class _NoPhoto(Exception):
    """A photo is not taken there, and words would be."""


def _which(ours: BotMessage) -> dict[str, Any]:
    if isinstance(ours, InlineMessage):
        return {"inline_message_id": ours.message}
    return {"chat_id": ours.chat, "message_id": ours.message}
