"""Updates in, requests out: who asks for what, and where."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from telegram import Bot, CallbackQuery, Message, MessageEntity, Update, User
from telegram.constants import ChatMemberStatus, ChatType
from telegram.error import TelegramError

from bot.callback_data import BadCallbackData, CallbackData, Verb
from bot.desk import Visitor
from bot.desk.commands import runs
from bot.desk.desk import ALIASES, COMMANDS
from bot.desk.grammar import like_a_move
from bot.on_telegram.chat_queues import Raw
from bot.on_telegram.inline import InlineCards
from bot.on_telegram.keyboard import NOTHING
from bot.on_telegram.known_users import KnownUsers, player, spelled
from bot.on_telegram.links import meant, message_link
from bot.on_telegram.membership import Membership
from bot.on_telegram.migrations import ChatMigrations
from bot.on_telegram.places import PLATFORM, Chat, ChatMessage, InlineMessage, Spot, address, spot, unpacked
from bot.on_telegram.rendering import ASKED
from bot.on_telegram.replies import IncomingMessage, IncomingPress, Replies, leads_on
from bot.platform import Services
from bot.presenter.asking import SURE
from bot.sender.message_state import board_of
from play.errors import Unavailable
from play.match import Phase
from play.matchreader import MAX_FILE
from play.people import Account, Address
from storage.outgoing import Shown

_log: Final = logging.getLogger(__name__)

_COMMAND: Final = re.compile(r"/([^\W\d_]{1,32})(?:@(\w{1,64}))?(?=\s|\Z)")
_CODE: Final = re.compile(r"#([a-z0-9]{6})\b", re.ASCII)
_NAMES: Final = (MessageEntity.TEXT_MENTION, MessageEntity.MENTION)
_BY_ADMINS: Final = (Verb.CONFIG, Verb.END)
_OF_PRESSED: Final = (
    "message_id", "date", "chat", "from", "message_thread_id", "is_topic_message", "photo", "text", "entities",
    "reply_to_message",
)  # fmt: skip
"""What is read of a message with a key that was pressed."""

_FILES: Final = (".txt", ".klop")
_ADMINS: Final = (ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)


def lean(raw: Raw) -> Raw:
    """An update without what nobody reads: with every press Telegram sends the whole message back, keyboard and all."""
    query = raw.get("callback_query")
    if isinstance(query, dict) and isinstance(message := query.get("message"), dict):
        kept = {key: message[key] for key in _OF_PRESSED if key in message}
        if isinstance(photo := kept.get("photo"), list):
            kept["photo"] = photo[:1]  # in one size, to know that it is one
        return {**raw, "callback_query": {**query, "message": _without_keys(kept)}}
    message = raw.get("message")
    return {**raw, "message": _without_keys(message)} if isinstance(message, dict) else raw


def _without_keys(message: Raw) -> Raw:
    found = {key: held for key, held in message.items() if key != "reply_markup"}
    if isinstance(reply := found.get("reply_to_message"), dict):
        found["reply_to_message"] = _without_keys(reply)
    return found


class UpdateHandler:
    """Hears updates. Each may come twice.

    Args:
        services: The shared services.
        bot: The library's.
        answers: Gives answers.
        people: Remember who was heard of.
        moves: Where chats have gone.
        members: Greets, and sees the bot come and go.
        cards: What is sent by way of the bot into chats that it is not in.
    """

    def __init__(
        self,
        services: Services,
        bot: Bot,
        *,
        answers: Replies,
        people: KnownUsers,
        moves: ChatMigrations,
        members: Membership,
        cards: InlineCards,
    ) -> None:
        self._services = services
        self._bot = bot
        self._replies = answers
        self._known_users = people
        self._migrations = moves
        self._members = members
        self._cards = cards

    async def hear(self, raw: Raw) -> None:
        """Do what an update asks for."""
        update = Update.de_json(lean(raw), self._bot)
        if update.message:
            await self._message(update.update_id, update.message)
        elif update.callback_query:
            try:
                await self._pressed(update.update_id, update.callback_query)
            except Exception:
                await self._replies.confirm(update.callback_query.id)  # else it seems to hang
                raise
        elif update.inline_query:
            await self._cards.offer(update.inline_query)
        elif update.chosen_inline_result:
            await self._cards.chosen(self._request(update.update_id), update.chosen_inline_result)
        elif update.my_chat_member:
            await self._members.changed(update.my_chat_member)

    def _request(self, update: int) -> str:
        return f"{self._bot.id}:{update}"

    async def _message(self, update: int, message: Message) -> None:
        if await self._migrated(message):
            return
        where = await self._chat(message)
        sender, replied = message.from_user, _replied(message)
        met = [who for who in (sender, replied and replied.from_user, *message.new_chat_members) if who]
        await self._known_users.met(where.id, [*met, *_mentioned(message)])
        # Whoever speaks for a whole group or channel is nobody in particular.
        if sender is None or sender.is_bot or message.sender_chat or message.chat.type == ChatType.CHANNEL:
            return
        line = await self._line(message, replied)
        if line is None:
            return
        text, people = line
        visitor = await self._visitor(update, sender, where, text, people)
        if where.private:
            await self._members.at_home(visitor)
        if replied and replied.from_user and not replied.from_user.is_bot:
            visitor = replace(visitor, replied=player(replied.from_user))
        command = _COMMAND.match(text)
        if command and command[1].lower() == "start" and where.private:
            if (arrived := await self._started(visitor, where, text)) is None:
                return
            text = arrived
        elif command and runs(command[1].lower(), text[command.end() :]):  # Telegram is asked only then
            visitor = replace(visitor, admin=await self._runs(where, sender))
        said = IncomingMessage(visitor, where, message.message_id, command[1].lower() if command else "")
        await self._replies.to_said(said, await self._services.desk.hear(visitor, text))
        if where.private and command and command[1].lower() == "language":
            await self._members.at_home(visitor)

    async def _migrated(self, message: Message) -> bool:
        """Whether a message only says that a group has become a supergroup; both sides say so."""
        if message.migrate_to_chat_id:
            await self._migrations.moved(message.chat.id, message.migrate_to_chat_id)
        elif message.migrate_from_chat_id:
            await self._migrations.moved(message.migrate_from_chat_id, message.chat.id)
        else:
            return False
        return True

    async def _line(self, message: Message, replied: Message | None) -> tuple[str, dict[str, User]] | None:
        """What was said, as the desk takes it, and who the words in it stand for; None for talk that is not for us."""
        if message.document is not None:
            return await self._file(message)
        if not message.text:
            return None
        mentions = [
            (each.offset, each.length, each.user)
            for each in message.entities
            if each.type == MessageEntity.TEXT_MENTION and each.user
        ]
        text, people = spelled(message.text, mentions)
        command = _COMMAND.match(text)
        if command is None:
            return (self._plain(text, message, replied), people)
        to = command[2]
        if to is not None and to.lower() != self._bot.username.lower():
            return None
        known = command[1].lower() in COMMANDS or command[1].lower() in ALIASES
        if not known and to is None and message.chat.type != ChatType.PRIVATE:
            return None  # another bot's, for all we know
        return text, people

    def _plain(self, text: str, message: Message, replied: Message | None) -> str:
        """A line without a command: a move, if it is said to a board of ours, or to us alone."""
        if not like_a_move(text):
            return text
        if replied and replied.from_user and replied.from_user.id == self._bot.id:
            code = _CODE.search(replied.caption or replied.text or "")
            return f"/move #{code[1]} {text}" if code else f"/move {text}"
        return f"/move {text}" if message.chat.type == ChatType.PRIVATE else text

    async def _file(self, message: Message) -> tuple[str, dict[str, User]] | None:
        """A file that came with /import, or that was sent to us alone."""
        document, words = message.document, (message.caption or "").split()
        asked = bool(words) and words[0].partition("@")[0] == "/import"
        named = (document.file_name or "").lower().endswith(_FILES) if document else False
        if document is None or not (asked or (named and message.chat.type == ChatType.PRIVATE)):
            return None
        if (document.file_size or 0) > MAX_FILE:
            return "/import " + "." * (MAX_FILE + 1), {}  # which is refused for that
        try:
            held = await (await document.get_file()).download_as_bytearray()
        except TelegramError as error:
            _log.warning("a file did not come: %s", error)
            return "/import", {}
        return f"/import {bytes(held).decode(errors='replace')}", {}

    async def _started(self, visitor: Visitor, where: Chat, text: str) -> str | None:
        """What somebody came for who opened the conversation; None if only to say hello."""
        carried = text.partition(" ")[2].strip()
        if line := meant(carried):
            return line
        if carried.startswith("#") or (not carried and await self._gathers(visitor)):
            return text
        await self._members.greet(where, visitor)
        return None

    async def _gathers(self, visitor: Visitor) -> bool:
        """Whether somebody has a lobby of their own in this conversation, which they may want to start."""
        try:
            live = await self._services.store.at(visitor.place, over=False)
        except Unavailable:
            return False
        return any(
            each.phase is Phase.OPEN and each.lobby and each.host.account == visitor.account for each in live
        )

    async def _pressed(self, update: int, query: CallbackQuery) -> None:
        message = query.message
        where: Spot
        ours: ChatMessage | InlineMessage
        if query.inline_message_id:
            where = ours = InlineMessage(query.inline_message_id)
        elif message is not None:
            where = await self._chat(message)
            # Of a message that is too old nothing but its number is told.
            photo = bool(message.photo) if isinstance(message, Message) else False
            ours = ChatMessage(message.chat.id, message.message_id, photo)
            await self._known_users.met(where.id, [query.from_user])
        else:
            await self._replies.confirm(query.id)
            return
        if query.data in (None, NOTHING):
            await self._replies.confirm(query.id)
            return
        visitor = await self._visitor(update, query.from_user, where, "", {})
        asked = _asked(message) if isinstance(message, Message) else None
        pressed = IncomingPress(visitor, where, query.id, ours, asked=asked is not None)
        if self._cards.is_join(query.data or ""):
            await self._cards.join(pressed, query.data or "")
            return
        try:
            callback = CallbackData.unpack(query.data or "")
        except BadCallbackData:
            words = await self._replies.words(visitor)
            await self._replies.confirm(query.id, words("bot.telegram.old-key"))
            return
        if asked is not None and asked.id != query.from_user.id:
            words = await self._replies.words(visitor)
            await self._replies.confirm(query.id, words("bot.telegram.not-yours"))
            return
        if callback.verb in _BY_ADMINS and isinstance(where, Chat):
            visitor = replace(visitor, admin=await self._runs(where, query.from_user))
        sure = callback.verb is Verb.RESIGN and callback.argument == SURE
        messages = await self._services.desk.press(visitor, callback, brief=sure)
        if callback.verb is Verb.FORGET and callback.argument == SURE:
            await self._known_users.forget(query.from_user)
        if leads_on(messages) and not (asked or (isinstance(where, Chat) and where.private)):
            # A move is picked on everybody's board, so everybody has to be able to read it.
            messages = await self._services.desk.press(replace(visitor, aloud=True), callback)
        await self._replies.to_pressed(pressed, callback, messages)

    async def _visitor(
        self, update: int, user: User, where: Spot, text: str, people: dict[str, User]
    ) -> Visitor:
        find: Callable[[str], Any] = _nobody
        if text.startswith("/") and isinstance(where, Chat):
            find = await self._known_users.finder(where.id, text, people)
        return Visitor(
            player=player(user),
            place=address(where),
            find=find,
            locale=user.language_code,
            request=self._request(update),
            confirms=True,
            dialogues=True,
            admin=isinstance(where, Chat) and where.private,
            link=_link,
            overheard=isinstance(where, Chat) and not where.private,
            home=_home if isinstance(where, Chat) and where.private else None,
        )

    async def _chat(self, message: Any) -> Chat:
        """Where a message is, by the number that the chat was first known by."""
        topic = message.message_thread_id if getattr(message, "is_topic_message", None) else None
        return Chat(await self._migrations.first(message.chat.id), topic)

    async def _runs(self, where: Chat, user: User) -> bool:
        """Whether somebody runs a group; in private everybody is at home."""
        if where.private:
            return True
        try:
            member = await self._bot.get_chat_member(await self._migrations.now(where.id), user.id)
        except TelegramError as error:
            _log.info("nobody says who runs %s: %s", where.id, error)
            return False
        return member.status in _ADMINS


async def _home(whose: Account) -> Address | None:
    """The conversation with somebody, which has their own number."""
    return address(Chat(int(whose.uid))) if whose.platform == PLATFORM else None


def _link(where: Address, shown: Shown) -> str | None:
    """The board of a match, for those who are in its chat."""
    ours, at = unpacked(board_of(shown) or ""), spot(where)
    if not isinstance(ours, ChatMessage):
        return None
    return message_link(ours, at.topic if isinstance(at, Chat) else None)


def _nobody(_name: str) -> None:
    """Nobody is called anything."""


def _replied(message: Message) -> Message | None:
    """The message that was replied to. In a topic everything is a reply to its beginning, which means nothing."""
    reply = message.reply_to_message
    return None if reply is None or reply.forum_topic_created else reply


def _mentioned(message: Message) -> list[User]:
    return [each.user for each in message.entities if each.type in _NAMES and each.user]


def _asked(message: Message) -> User | None:
    """Whom alone a question of ours in a group is for: it answers what they wrote, or names them at its end."""
    if message.photo or message.chat.type == ChatType.PRIVATE:
        return None
    if (reply := _replied(message)) and reply.from_user and not reply.from_user.is_bot:
        return reply.from_user
    named = [each.user for each in message.entities if each.type == MessageEntity.TEXT_MENTION and each.user]
    return named[-1] if named and ASKED in (message.text or "")[-3:] else None
