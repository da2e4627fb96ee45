"""Turn Telegram updates into requests. Telegram may deliver an update twice."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, Final, TypeVar

from telegram import CallbackQuery, Document, Message, MessageEntity, Update, User
from telegram.constants import ChatMemberStatus, ChatType
from telegram.error import TelegramError

from bot.chat import taps
from bot.chat.arguments import names_of
from bot.chat.callback_data import BadCallbackData, CallbackData, Verb
from bot.chat.desk import Deciding, decided
from bot.chat.grammar import COMMAND_NAME, YES, like_a_move
from bot.chat.i18n import words_of
from bot.chat.people import nearest
from bot.chat.presenting.boards import CONFIRMED
from bot.chat.receiving import Rest, too_many
from bot.chat.receiving.lanes import is_ballot
from bot.chat.sending.delivery import board_of
from bot.chat.visitor import Visitor
from bot.features.commands import REGISTRY
from bot.platforms.platform import PlatformServices
from bot.platforms.telegram.courier import Membership
from bot.platforms.telegram.inline import InlineCards
from bot.platforms.telegram.integration import TelegramSettings
from bot.platforms.telegram.known_users import (
    Find,
    KnownUsers,
    anonymous,
    asked,
    bots_in,
    people_of,
    person,
    player,
    replied_to,
    speaker,
    spelled,
    unmet,
)
from bot.platforms.telegram.places import (
    HELLO,
    PLATFORM,
    Chat,
    ChatInstances,
    ChatMessage,
    Destination,
    InlineMessage,
    account,
    account_of_name,
    address,
    command_of,
    destination,
    is_known,
    message_link,
    parse_ref,
    place_key,
    place_name,
)
from bot.platforms.telegram.presses import IncomingPress, PressReplies
from bot.platforms.telegram.rendering import NOTHING, app_link, named_square
from bot.platforms.telegram.replies import IncomingMessage, ProgressMessage
from play.errors import Unavailable
from play.files.matchreader import MAX_FILE
from play.match import Phase
from play.people import Account, Address, Player
from play.ports import NoteStore
from storage.ports import BoardMessage
from storage.ports import Update as StoredUpdate

_log: Final = logging.getLogger(__name__)

T = TypeVar("T")

_COMMAND: Final = re.compile(rf"/({COMMAND_NAME})(?:@(\w{{1,64}}))?(?=\s|\Z)")
_CODE: Final = re.compile(r"#([a-z0-9]{6})\b", re.ASCII)
_TELL: Final = re.compile(r"/tell #[a-z0-9]{6} (?:[0-9]{1,2}|team)(?= …)", re.ASCII)

_FILES: Final = (".txt", ".klop", ".pgn")
_ADMINS: Final = (ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)


@dataclass(frozen=True, slots=True)
class _Delivery:
    number: int
    last: bool


CORRECTED_WITHIN: Final = timedelta(days=2)
"""How long a refused message can be corrected; Telegram lets people edit for two days."""


class Edits:
    """Remembers refused messages, so that each takes effect once at most, also after a restart.

    The note of a message is empty while the message is refused, and else the number of the edit that counts.
    """

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes

    async def refused(self, chat: Chat, message: int) -> None:
        """Note that a message, or its last edit, was refused."""
        with suppress(Unavailable):
            await self._notes.write(_edit_note(chat, message), "", keep=CORRECTED_WITHIN)

    async def counts(self, chat: Chat, message: int, update: int) -> bool:
        """Whether an edit counts: the message is refused until now, or this very edit was delivered before."""
        name = _edit_note(chat, message)
        try:
            (held,) = await self._notes.read(name)
            if held == "":
                await self._notes.write(name, str(update), keep=CORRECTED_WITHIN)
        except Unavailable:
            return False
        return held in ("", str(update))


def _edit_note(chat: Chat, message: int) -> str:
    return f"{PLATFORM}:refused:{chat.id}:{message}"


class UpdateHandler:
    """Handles updates, each by its kind."""

    def __init__(self, services: PlatformServices, presses: PressReplies, known_users: KnownUsers) -> None:
        self._services = services
        self._replies = replies = presses.replies
        self._presses = presses
        self._known_users = known_users
        self._bot = replies.messenger.bot
        self._migrations = replies.messenger.migrations
        self._newest = replies.messenger.newest
        self._instances = ChatInstances(services.store.notes)
        config = services.config.of(TelegramSettings)
        self._app = config.telegram_app if config.page_url else None
        self._edits = Edits(services.store.notes)
        self._membership = Membership(services, replies, known_users)
        self._cards = InlineCards(services, presses, known_users)

    async def handle(self, stored: StoredUpdate, last: bool) -> Rest:
        """Do what an update asks for; return what of the answer is still to be shown. See `bot.chat.receiving.receiver.Handle`."""
        update = Update.de_json(json.loads(stored.body), self._bot)
        delivery = _Delivery(update.update_id, last)
        if update.message:
            return await self._on_message(delivery, update.message)
        if update.edited_message:
            return await self._on_edit(delivery, update.edited_message)
        if update.callback_query:
            return await self._pressed(delivery, update.callback_query)
        if update.my_chat_member:
            return await self._membership.changed(update.my_chat_member)
        if update.chat_member:
            await _of_store(delivery, self._membership.person_changed(update.chat_member), None)
        if update.chosen_inline_result:
            await self._cards.chosen(self._request(delivery), update.chosen_inline_result)
        return self._cards.offer(update.inline_query) if update.inline_query else None

    def waits(self, stored: StoredUpdate) -> Rest:
        """Return what acknowledges a vote that is not counted yet, for many vote at once; nothing for what is no vote."""
        if b'"callback_query"' not in stored.body:
            return None
        query = json.loads(stored.body)["callback_query"]
        if not is_ballot(query.get("data")):
            return None
        words = words_of(query["from"].get("language_code"), self._services.config.language)
        return self._presses.confirm(str(query["id"]), words("bot.telegram.waits"), alert=False)

    async def refuse(self, stored: StoredUpdate) -> Rest:
        """Tell the person of an update that they send too many; nothing where it was not meant for the bot."""
        update = Update.de_json(json.loads(stored.body), self._bot)
        delivery = _Delivery(update.update_id, last=True)
        if query := update.callback_query:
            pressed = await self._press(delivery, query)
            words = await self._replies.words(pressed.visitor) if pressed else None
            return self._presses.confirm(query.id, too_many(words)) if words else None
        message = update.message or update.edited_message
        if message is None or (sender := speaker(message)) is None:
            return None
        where = await self._chat(delivery, message)
        if await self._line(message, None) is None:
            return None
        said = IncomingMessage(self._visitor(delivery, sender, where), where, message.message_id)
        return self._replies.aside(said, too_many)

    def _request(self, update: _Delivery) -> str:
        return f"{self._bot.id}:{update.number}"

    # --- messages

    async def _on_message(self, update: _Delivery, message: Message) -> Rest:
        if await self._migrated(message):
            return None
        where, replied = await self._chat(update, message), replied_to(message)
        self._newest.came(place_key(message.chat.id, where.topic), message.message_id)
        await _of_store(update, self._known_users.met(where.id, people_of(message, replied)), None)
        await _of_store(update, self._membership.note_members(message, where), None)
        sender = speaker(message)
        await _of_store(
            update, self._saw(where, [each for each in (sender, *message.new_chat_members) if each]), None
        )
        line = await self._line(message, replied) if sender or anonymous(message) else None
        if line is None:
            return None
        text, mentioned = line
        if sender is None:
            if message.from_user and text.startswith("/"):
                visitor = self._visitor(update, message.from_user, where)
                said = IncomingMessage(visitor, where, message.message_id)
                return self._replies.aside(said, lambda words: words("bot.telegram.anonymous"))
            return None
        finds = text.startswith("/")
        find: Find = _find_none
        if finds:
            find = await _of_store(update, self._known_users.finder(where.id, text, mentioned), _find_none)
        visitor = self._visitor(update, sender, where, find)
        visitor = replace(visitor, bot=bots_in(mentioned, self._bot.bot), place_name=place_name(message))
        if where.private:
            await self._membership.sync_private_chat(visitor)
        if replied and (other := person(replied.from_user)):
            visitor = replace(visitor, replied=player(other))
        said = IncomingMessage(visitor, where, message.message_id)
        if message.document is not None and _is_import(message):
            return self._import(said, sender, message.document)
        return await self._answer(said, sender, text)

    async def _saw(self, where: Chat, users: Sequence[User]) -> None:
        chat, at, seen = address(where).chat, self._services.now(), self._services.seen
        for who in [account(each.id) for each in users if not (where.private or each.is_bot)]:
            if (chat, who, at.date()) not in seen:
                await seen.note(chat, who, at)

    async def _on_edit(self, update: _Delivery, message: Message) -> Rest:
        where = await self._chat(update, message)
        if (message.text or message.caption) and await self._edits.counts(
            where, message.message_id, update.number
        ):
            return await self._on_message(update, message)
        return None

    async def _answer(self, said: IncomingMessage, sender: User, text: str) -> Rest:
        where, visitor = said.chat, said.visitor
        command = _COMMAND.match(text)
        spec = REGISTRY.find(command[1].lower()) if command else None
        name = spec.name if spec else ""
        if name == "start" and not where.private and text.endswith(f" {HELLO}"):
            return None  # the link that added the bot says so; the group is greeted for being joined
        if name == "start" and where.private:
            if (arrived := await self._started(visitor, text)) is None:
                return self._membership.greet(where, visitor)
            text = arrived
        progress = ProgressMessage(self._replies)
        waiting = replace(visitor, progress=progress.show)
        deciding = await decided(waiting, lambda visitor: self._services.desk.answer(visitor, text))
        forgets = name == "forgetme" and text.split()[-1].casefold() in YES
        said = replace(said, visitor=visitor, command=name)
        if deciding.done() and isinstance(error := deciding.exception(), Unavailable):
            raise error  # the message is handled again
        return progress.until(self._answered(said, deciding, sender if forgets else None))

    async def _answered(self, said: IncomingMessage, deciding: Deciding, forgotten: User | None) -> None:
        try:
            messages = await deciding
        except Exception:  # noqa: BLE001 - the last barrier: each command is answered
            _log.exception("a command failed")
            await self._edits.refused(said.chat, said.message)
            await self._replies.aside(said, lambda words: words("bot.command.failed"))
            return
        if any(message.refused for message in messages):
            await self._edits.refused(said.chat, said.message)
        await self._replies.to_message(said, messages)
        if forgotten is not None:
            await self._known_users.forget(forgotten)
        if said.chat.private and said.command == "language":
            await self._membership.sync_private_chat(said.visitor)

    async def _migrated(self, message: Message) -> bool:
        if message.migrate_to_chat_id:
            await self._migrations.moved(message.chat.id, message.migrate_to_chat_id)
        elif message.migrate_from_chat_id:
            await self._migrations.moved(message.migrate_from_chat_id, message.chat.id)
        else:
            return False
        return True

    async def _line(self, message: Message, replied: Message | None) -> tuple[str, Mapping[str, User]] | None:
        if message.document is not None and _is_import(message):
            return "/import", {}
        mentions = [
            (each.offset, each.length, each.user)
            for each in message.entities or message.caption_entities
            if each.type == MessageEntity.TEXT_MENTION and each.user
        ]
        text, people = spelled(message.text or message.caption or "", mentions)
        command = _COMMAND.match(text)
        if command is None:  # under a picture other words are talk
            return (self._plain(text, message, replied), people) if message.text else None
        to = command[2]
        if to is not None and to.lower() != self._bot.username.lower():
            return None
        unknown = to is None and REGISTRY.find(command[1]) is None and message.chat.type != ChatType.PRIVATE
        if unknown and not nearest(command[1], names_of(tuple(REGISTRY.specs.values()))):
            return None  # it may be another bot's
        return text, people

    def _plain(self, text: str, message: Message, replied: Message | None) -> str:
        ours = replied if replied and replied.from_user and replied.from_user.id == self._bot.id else None
        if ours and message.chat.type == ChatType.PRIVATE and (begun := _begun(ours)):
            return f"{begun} {text}"
        if not like_a_move(text):
            return text
        if ours:
            code = _CODE.search(ours.caption or ours.text or "")
            return f"/move #{code[1]} {text}" if code else f"/move {text}"
        return f"/move {text}" if message.chat.type == ChatType.PRIVATE else text

    async def _import(self, said: IncomingMessage, sender: User, document: Document) -> None:
        """The chat does not wait for the file, so a store that does not answer is the answer."""
        said = replace(said, visitor=replace(said.visitor, retried=False))
        rest = await self._answer(said, sender, await self._line_of(document))
        if rest is not None:
            await rest

    async def _line_of(self, document: Document) -> str:
        if (document.file_size or 0) > MAX_FILE:
            return "/import " + "." * (MAX_FILE + 1)  # which is refused for that
        try:
            held = await (await document.get_file()).download_as_bytearray()
        except TelegramError as error:
            _log.warning("a file could not be fetched: %s", error)
            return "/import"
        return f"/import {bytes(held).decode(errors='replace')}"

    async def _started(self, visitor: Visitor, text: str) -> str | None:
        carried = text.partition(" ")[2].strip()
        if line := command_of(carried):
            return line
        if carried.startswith("#") or (not carried and await self._has_lobby(visitor)):
            return text
        return None

    async def _has_lobby(self, visitor: Visitor) -> bool:
        try:
            live = await self._services.store.matches.at(visitor.place, over=False)
        except Unavailable:
            return False
        return any(
            each.phase is Phase.OPEN and each.lobby and each.host.account == visitor.account for each in live
        )

    # --- pressed keys

    async def _pressed(self, update: _Delivery, query: CallbackQuery) -> Rest:
        """A press that fails is confirmed all the same, else the client shows it as pending."""
        try:
            return await self._on_press(update, query)
        except Exception as error:  # the last barrier: each press is answered
            if isinstance(error, Unavailable) and not update.last:
                raise  # it is handled again
            _log.exception("a press failed")
            user = query.from_user
            words = await self._services.words(account(user.id), user.language_code)
            return self._presses.confirm(query.id, words("bot.command.failed"))

    async def _on_press(self, update: _Delivery, query: CallbackQuery) -> Rest:
        pressed, data = await self._press(update, query), query.data
        if pressed is not None and data is not None and data.startswith(NOTHING):
            square, notes = named_square(data), self._services.store.notes
            touch = await taps.touching(notes, pressed.visitor, square) if square else None
            data = touch.pack() if touch else None  # of a key that could not be pressed when it was drawn
        if pressed is None or data is None:
            return self._presses.confirm(query.id, named_square(query.data or ""), alert=False)
        if self._cards.is_join(data):
            return await self._cards.join(pressed, data)
        return await self._act(pressed, query.from_user, data)

    async def _press(self, update: _Delivery, query: CallbackQuery) -> IncomingPress | None:
        if query.inline_message_id:
            card = InlineMessage(query.inline_message_id)
            visitor = self._visitor(update, query.from_user, card)
            visitor = replace(visitor, message=card.ref, keys=card.ref)
            group = await self._instances.chat(query.chat_instance)
            if group is not None:
                visitor = replace(visitor, around=address(Chat(group)))
            return IncomingPress(visitor, card, query.id, card)
        message = query.message
        if message is None:
            return None
        where = await self._chat(update, message)
        await _of_store(update, self._known_users.met(where.id, [query.from_user]), None)
        await self._instances.learn(query.chat_instance, where.id)
        self._newest.pressed(place_key(message.chat.id, where.topic), message.message_id)
        # Of a message that is too old only its number comes.
        whole = message if isinstance(message, Message) else None
        ours = ChatMessage(message.chat.id, message.message_id, bool(whole and whole.photo))
        visitor = replace(self._visitor(update, query.from_user, where), keys=f"{ours.chat}:{ours.message}")
        visitor = replace(visitor, pressed=whole.text or "") if whole else visitor
        if not where.private:
            visitor = replace(visitor, message=ours.ref, place_name=place_name(message))
        return IncomingPress(visitor, where, query.id, ours, asked(whole) if whole else None)

    async def _act(self, pressed: IncomingPress, user: User, data: str) -> Rest:
        visitor = pressed.visitor
        try:
            callback = CallbackData.unpack(data)
        except BadCallbackData:
            return self._presses.refuse(pressed, "bot.telegram.old-key")
        if pressed.asked is not None and pressed.asked.id != user.id:
            return self._presses.refuse(pressed, "bot.telegram.not-yours")
        holder = self._presses.menus.holder(pressed.ours.ref)
        if holder is not None and holder.account != visitor.account:
            return self._presses.give_way(pressed, callback, holder)
        sure = callback.argument == CONFIRMED
        brief = sure and callback.verb is Verb.RESIGN
        desk = self._services.desk
        progress = ProgressMessage(self._replies)
        # A move is picked on the board that all see, so all have to be able to read it.
        on_show = not (pressed.asked or pressed.private)
        waiting = replace(visitor, progress=progress.show, picks_in_public=on_show)
        deciding = await decided(waiting, lambda visitor: desk.press(visitor, callback, brief=brief))
        if not deciding.done():
            return progress.until(self._presses.afterwards(pressed, callback, deciding))
        messages = deciding.result()
        if sure and callback.verb is Verb.FORGET:
            await self._known_users.forget(user)
        if pressed.private and callback.verb is Verb.LANGUAGE:
            await self._membership.sync_private_chat(visitor)
        return self._presses.answer(pressed, callback, messages)

    # --- who, and where

    def _visitor(
        self,
        update: _Delivery,
        user: User,
        where: Destination,
        find: Callable[[str], Player | None] | None = None,
    ) -> Visitor:
        chat = where if isinstance(where, Chat) else None
        private = chat is not None and chat.private
        return Visitor(
            player=player(user),
            place=address(where),
            find=find or _find_none,
            locale=user.language_code,
            request=self._request(update),
            retried=not update.last,
            buttons=True,
            square_keys=True,
            admin=private,
            asked_admin=partial(self._is_admin, chat, user) if chat and not private else None,
            link=_link,
            overheard=chat is not None and not private,
            home=_home if private else None,
            unmet=unmet,
            page=partial(app_link, self._bot.username, self._app) if self._app else None,
            alias=account_of_name(user.username) if user.username else None,
        )

    async def _chat(self, update: _Delivery, message: Any) -> Chat:
        topic = message.message_thread_id if getattr(message, "is_topic_message", None) else None
        number = message.chat.id
        return Chat(await _of_store(update, self._migrations.original(number), number), topic)

    async def _is_admin(self, where: Chat, user: User) -> bool:
        try:
            member = await self._replies.messenger.member(where, user.id)
        except TelegramError as error:
            _log.info("the administrators of %s are not known: %s", where.id, error)
            return False
        return member.status in _ADMINS


async def _home(whose: Account) -> Address | None:
    return address(Chat(int(whose.uid))) if whose.platform == PLATFORM and is_known(whose) else None


def _link(where: Address, shown: BoardMessage) -> str | None:
    ours, at = parse_ref(board_of(shown) or ""), destination(where)
    if not isinstance(ours, ChatMessage):
        return None
    return message_link(ours, at.topic if isinstance(at, Chat) else None)


def _begun(replied: Message) -> str | None:
    """Return the line that a reply ends: of a player's message, or of the question what to write to whom."""
    if replied.reply_markup:  # only that of a player's message is stored
        reply = CallbackData.unpack(str(replied.reply_markup.inline_keyboard[0][0].callback_data))
        return f"/tell #{reply.match} {reply.argument}"
    found = _TELL.search(replied.text or "")
    return found and found[0]


def _is_import(message: Message) -> bool:
    document, words = message.document, (message.caption or "").split()
    asked = bool(words) and words[0].partition("@")[0] == "/import"
    named = (document.file_name or "").lower().endswith(_FILES) if document else False
    return asked or (named and message.chat.type == ChatType.PRIVATE)


async def _of_store(update: _Delivery, asked: Awaitable[T], otherwise: T) -> T:
    """If the store does not answer when an update is handled for the last time, return something else."""
    try:
        return await asked
    except Unavailable:
        if not update.last:
            raise
        return otherwise


def _find_none(_name: str) -> None:
    """Find no player by any name."""
