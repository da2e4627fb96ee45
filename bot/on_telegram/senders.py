"""Who wrote a message, whom it shows, and for whom a question is."""

from __future__ import annotations

from typing import Final

from telegram import Message, MessageEntity, User
from telegram.constants import ChatType

from bot.on_telegram.rendering import ASKED

_MENTIONS: Final = (MessageEntity.TEXT_MENTION, MessageEntity.MENTION)


def person(user: User | None) -> User | None:
    """Return a user who is no bot."""
    return None if user is None or user.is_bot else user


def speaker(message: Message) -> User | None:
    """Return the person who wrote a message; None for bots, channels and groups that speak as such."""
    if message.sender_chat or message.chat.type == ChatType.CHANNEL:
        return None
    return person(message.from_user)


def anonymous(message: Message) -> bool:
    """Whether an administrator writes in the name of the group, so that the bot cannot know who it is."""
    return message.sender_chat is not None and message.sender_chat.id == message.chat.id


def replied_to(message: Message) -> Message | None:
    """Return the message that was replied to. In a topic everything replies to its beginning, which means nothing."""
    reply = message.reply_to_message
    return None if reply is None or reply.forum_topic_created else reply


def people_of(message: Message, replied: Message | None) -> list[User]:
    """Return all users that a message shows: who wrote it, was replied to, joined, is mentioned."""
    met = (message.from_user, replied and replied.from_user, *message.new_chat_members)
    mentioned = (each.user for each in message.entities if each.type in _MENTIONS)
    return [user for user in (*met, *mentioned) if user]


def asked(message: Message) -> User | None:
    """Return the one person whom a question in a group is for: it replies to them, or names them at its end."""
    if message.photo or message.chat.type == ChatType.PRIVATE:
        return None
    if (reply := replied_to(message)) and (asker := person(reply.from_user)):
        return asker
    named = [each.user for each in message.entities if each.type == MessageEntity.TEXT_MENTION and each.user]
    return named[-1] if named and ASKED in (message.text or "")[-3:] else None
