"""The bot's membership in chats: greet a new group once, and send nothing where it was removed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final

from telegram import (
    Bot,
    ChatMember,
    ChatMemberRestricted,
    ChatMemberUpdated,
    InlineKeyboardButton,
    Message,
    User,
)
from telegram.constants import ChatMemberStatus, ChatType

from bot.desk.visitor import Visitor
from bot.i18n import pick
from bot.i18n import words as words_for
from bot.on_telegram.known_users import KnownUsers
from bot.on_telegram.links import group_link
from bot.on_telegram.migrations import ChatMigrations
from bot.on_telegram.places import PLATFORM, Chat, account, address
from bot.on_telegram.rendering import Extras
from bot.on_telegram.replies import Asked, Replies
from bot.on_telegram.turn_calls import TurnCalls
from bot.platform import Services
from bot.presenter.greeting import against_computer, greeting
from bot.receiver import Rest
from bot.sender.ports import Recipient
from bot.sender.revival import reopen
from bot.sender.routing import state_address
from bot.sender.unreached import come_back, leave
from play.errors import PlayError, Unavailable
from play.people import Account

_INSIDE: Final = (ChatMemberStatus.MEMBER, ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)


class Membership:
    """Follows the bot's membership in chats."""

    def __init__(
        self,
        services: Services,
        bot: Bot,
        replies: Replies,
        known_users: KnownUsers,
        migrations: ChatMigrations,
    ) -> None:
        self._services = services
        self._bot = bot
        self._replies = replies
        self._known_users = known_users
        self._migrations = migrations
        self._turn_calls = TurnCalls(services, replies.messenger)

    async def changed(self, change: ChatMemberUpdated) -> Rest:
        """Note that the bot was added, removed, promoted or blocked; return the greeting that is still to be sent.

        Raises:
            Unavailable: the store does not answer, and nothing or a part of it is noted.
        """
        where = Chat(await self._migrations.original(change.chat.id))
        await self._known_users.met(where.id, [change.from_user])
        before, now = _writes(change.old_chat_member), _writes(change.new_chat_member)
        matches, outgoing = self._services.store.matches, self._services.store.outgoing()
        recipients = (address(where), account(where.id)) if where.private else (address(where),)
        for to in recipients:
            if now:
                await self._catch_up(to)
                await reopen(matches, outgoing, to)
            else:
                await outgoing.set_dead(state_address(to), self._services.now())
        if now and not before and change.chat.type in (ChatType.GROUP, ChatType.SUPERGROUP):
            return await self._welcome(where, change.from_user.language_code)
        return None

    async def told_by(self, message: Message, where: Chat) -> None:
        """Note who joined or left a group, as it says so itself.

        Raises:
            Unavailable: the store does not answer.
        """
        for user in message.new_chat_members:
            await self._moved(Chat(where.id), user, inside=True)
        if message.left_chat_member:
            await self._moved(Chat(where.id), message.left_chat_member, inside=False)

    async def person_changed(self, change: ChatMemberUpdated) -> None:
        """Note that a person joined or left a group; Telegram says so to bots that are administrators.

        Raises:
            Unavailable: the store does not answer.
        """
        where = Chat(await self._migrations.original(change.chat.id))
        await self._moved(where, change.new_chat_member.user, inside=is_inside(change.new_chat_member))

    async def _moved(self, where: Chat, user: User, *, inside: bool) -> None:
        """Note that a person is in a group, or not any more: they are called where they read.

        Raises:
            Unavailable: the store does not answer.
        """
        if where.private or user.is_bot:
            return
        change = come_back if inside else leave
        await change(self._services.table, address(where), account(user.id))

    async def greet(self, where: Chat, visitor: Visitor) -> None:
        """Greet a person who opened the private chat: with keys to play the computer, a friend, or in a group."""
        words, me = await self._replies.words(visitor), self._bot.bot
        view = greeting(words)
        if self._services.thinker is not None:
            view = replace(view, buttons=(against_computer(words), *view.buttons[1:]))
        keys = []
        if me.supports_inline_queries:
            keys.append(InlineKeyboardButton(words("bot.telegram.challenge-friend"), switch_inline_query=""))
        if me.can_join_groups:
            keys.append(
                InlineKeyboardButton(words("bot.telegram.add-to-group"), url=group_link(self._bot.username))
            )
        await self._replies.send(where, view, Asked(visitor), Extras(keys=keys))

    async def sync_private_chat(self, visitor: Visitor) -> None:
        """Set a private chat's language to its person's, and let the sender write to them again."""
        store, place = self._services.store, visitor.place
        try:
            mine, there = await store.settings.get(visitor.account), await store.settings.get(place)
            spoken = pick(mine.language, visitor.locale, there.language, self._services.language)
            if there.language != spoken:
                await store.settings.change(place, lambda now: replace(now, language=spoken))
        except Unavailable:
            return
        with suppress(PlayError):
            await self._catch_up(visitor.account)
            await reopen(store.matches, store.outgoing(), visitor.account)

    async def _catch_up(self, to: Recipient) -> None:
        """Call a person to the cards that wait for them, if they could not be written to.

        That comes before the mark of it is cleared: a process that ends in between calls them twice at most.
        """
        if isinstance(to, Account) and await self._services.store.outgoing().dead(state_address(to)):
            await self._turn_calls.catch_up(to)

    async def _welcome(self, where: Chat, locale: str | None) -> Rest:
        """Return what greets a group once, in its language; until one is chosen, that of the person who added the bot."""
        store = self._services.store
        try:
            if not await store.notes.write_once(f"{PLATFORM}:greeted:{where.id}", ""):
                return None
            place = address(where)
            spoken = pick((await store.settings.get(place)).language, locale, self._services.language)
            await store.settings.change(place, lambda now: replace(now, language=spoken))
        except Unavailable:
            return None

        async def greet() -> None:
            await self._replies.send(where, greeting(words_for(spoken)), None)

        return greet()


def is_inside(member: ChatMember) -> bool:
    """Whether a user is in a group, and reads it."""
    return member.is_member if isinstance(member, ChatMemberRestricted) else member.status in _INSIDE


def _writes(member: ChatMember) -> bool:
    """Whether the bot is a member, and may write."""
    if isinstance(member, ChatMemberRestricted):
        return member.is_member and member.can_send_messages
    return member.status in _INSIDE
