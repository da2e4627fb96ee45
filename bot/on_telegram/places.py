"""Telegram's chats, messages and users, and the addresses and accounts that stand for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from play.people import Account, Address

PLATFORM: Final = "telegram"

SUPERGROUP: Final = -1_000_000_000_000
"""Numbers from here down are of supergroups, which keep theirs; those up to -1 are of plain groups."""

_CHAT: Final = re.compile(r"(-?[0-9]{1,20})(?:/([0-9]{1,20}))?\Z", re.ASCII)
_INLINE: Final = "inline:"
_REF: Final = re.compile(r"(-?[0-9]{1,20}):([0-9]{1,20}):([pt])\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat, or a topic of a forum. A private chat has the id of its person."""

    id: int
    topic: int | None = None

    @property
    def private(self) -> bool:
        """Whether it is a conversation of one person with the bot."""
        return self.id > 0


@dataclass(frozen=True, slots=True)
class InlineMessage:
    """A message sent by way of the bot into a chat that the bot may not be in."""

    message: str

    @property
    def ref(self) -> str:
        """The message as the sender stores it."""
        return _INLINE + self.message

    @property
    def pace_key(self) -> str:
        """What its edits are paced by."""
        return self.message


Destination: TypeAlias = Chat | InlineMessage
"""Where a view is shown: a chat, or the one message of an inline card."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of the bot: a photo with a caption, or text."""

    chat: int
    message: int
    photo: bool

    @property
    def ref(self) -> str:
        """The message as the sender stores it."""
        return f"{self.chat}:{self.message}:{'p' if self.photo else 't'}"

    @property
    def pace_key(self) -> int:
        """What its edits are paced by."""
        return self.chat

    def is_named(self, ref: str) -> bool:
        """Whether a `ref` names it; of an old message it is not known whether it has a photo."""
        known = parse_ref(ref)
        return isinstance(known, ChatMessage) and (known.chat, known.message) == (self.chat, self.message)


BotMessage: TypeAlias = ChatMessage | InlineMessage


def place_key(chat: int, topic: int | None) -> str:
    """Return what tells a chat, by its number of today, or a topic of it from all others."""
    return str(chat) if topic is None else f"{chat}/{topic}"


def account(user: int) -> Account:
    """Return the account of a user."""
    return Account(PLATFORM, str(user))


def account_of_name(name: str) -> Account:
    """Return the account that stands for a user name, which ignores case, while its user is not known."""
    return Account(PLATFORM, f"@{name.removeprefix('@').casefold()}")


def is_known(account: Account) -> bool:
    """Whether an account is of a user, and not of a user name."""
    return not account.uid.startswith("@")


def address(where: Destination) -> Address:
    """Return the address of a chat or an inline message."""
    if isinstance(where, InlineMessage):
        return Address(PLATFORM, where.ref)
    return Address(PLATFORM, str(where.id) if where.topic is None else f"{where.id}/{where.topic}")


def destination(to: Address | Account) -> Destination:
    """Return the chat or inline message of an address, or the private chat of an account.

    Raises:
        ValueError: the address is not one of Telegram's.
    """
    text = to.place if isinstance(to, Address) else to.uid
    if text.startswith(_INLINE):
        return InlineMessage(text.removeprefix(_INLINE))
    found = _CHAT.match(text)
    if not found:
        raise ValueError(text)
    return Chat(int(found[1]), int(found[2]) if found[2] else None)


def parse_ref(ref: str) -> BotMessage | None:
    """Return the message that a `ref` names; None for any other text."""
    if ref.startswith(_INLINE):
        return InlineMessage(ref.removeprefix(_INLINE))
    found = _REF.match(ref)
    return ChatMessage(int(found[1]), int(found[2]), found[3] == "p") if found else None
