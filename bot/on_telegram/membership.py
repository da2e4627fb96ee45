"""The bot's own coming and going: a greeting once, and silence where it was thrown out."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

from telegram import ChatMember, ChatMemberRestricted, ChatMemberUpdated
from telegram.constants import ChatMemberStatus, ChatType

from bot.desk import Visitor
from bot.i18n import pick
from bot.i18n import words as words_for
from bot.on_telegram.known_users import KnownUsers
from bot.on_telegram.migrations import ChatMigrations
from bot.on_telegram.places import PLATFORM, Chat, account, address
from bot.on_telegram.replies import Replies
from bot.platform import Services
from bot.presenter.greeting import greeting
from bot.sender.routing import state_address
from play.errors import Unavailable

_log: Final = logging.getLogger(__name__)

_INSIDE: Final = (ChatMemberStatus.MEMBER, ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)


class Membership:
    """Sees the bot come and go.

    Args:
        services: The shared services.
        answers: Gives answers.
        people: Remember who was heard of.
        moves: Where chats have gone.
    """

    def __init__(
        self, services: Services, answers: Replies, people: KnownUsers, moves: ChatMigrations
    ) -> None:
        self._services = services
        self._replies = answers
        self._known_users = people
        self._migrations = moves

    async def changed(self, change: ChatMemberUpdated) -> None:
        """The bot was added, thrown out, promoted, blocked."""
        where = Chat(await self._migrations.first(change.chat.id))
        await self._known_users.met(where.id, [change.from_user])
        before, now = _writes(change.old_chat_member), _writes(change.new_chat_member)
        at = None if now else self._services.now()
        outgoing = self._services.store.outgoing()
        try:
            await outgoing.set_dead(address(where), at)
            if where.private:
                await outgoing.set_dead(state_address(account(where.id)), at)
        except Unavailable:
            _log.warning("nobody knows that the bot came to or left %s", where.id)
        if now and not before and change.chat.type in (ChatType.GROUP, ChatType.SUPERGROUP):
            await self._welcome(where, change.from_user.language_code)

    async def greet(self, where: Chat, visitor: Visitor) -> None:
        """Say hello to somebody who opened the conversation."""
        words = await self._replies.words(visitor)
        await self._replies.say(where, greeting(words))

    async def at_home(self, visitor: Visitor) -> None:
        """See to it that in a private conversation everything is said, and in the language of whoever is there."""
        store, place = self._services.store, visitor.place
        try:
            mine, there = await store.settings(visitor.account), await store.settings(place)
            spoken = pick(mine.language, visitor.locale, there.language, self._services.language)
            if there.language != spoken:
                await store.change_settings(place, lambda now: replace(now, language=spoken))
            outgoing, conversation = store.outgoing(), state_address(visitor.account)
            if await outgoing.dead(conversation):  # who had blocked the bot, or never begun
                await outgoing.set_dead(conversation, None)
        except Unavailable:
            return

    async def _welcome(self, where: Chat, locale: str | None) -> None:
        """Greet a group, once; in its language, which until somebody chooses one is that of whoever added the bot."""
        store = self._services.store
        try:
            if not await store.note_once(f"{PLATFORM}:greeted:{where.id}", ""):
                return
            place = address(where)
            spoken = pick((await store.settings(place)).language, locale, self._services.language)
            await store.change_settings(place, lambda now: replace(now, language=spoken))
        except Unavailable:
            return
        await self._replies.say(where, greeting(words_for(spoken)))


def _writes(member: ChatMember) -> bool:
    """Whether the bot is there, and may write."""
    if isinstance(member, ChatMemberRestricted):
        return member.is_member and member.can_send_messages
    return member.status in _INSIDE
