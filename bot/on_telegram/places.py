"""Telegram's names for people, chats and messages, and ours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from play.people import Account, Address

PLATFORM: Final = "telegram"

SUPERGROUP: Final = -1_000_000_000_000
"""Numbers from here down are of supergroups, which stay what they are; those up to -1 are of plain groups."""

_CHAT: Final = re.compile(r"(-?[0-9]{1,20})(?:/([0-9]{1,20}))?\Z", re.ASCII)
_INLINE: Final = "inline:"
_REF: Final = re.compile(r"(-?[0-9]{1,20}):([0-9]{1,20}):([pt])\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat, or a topic of a forum. A private chat has the id of the person in it."""

    id: int
    topic: int | None = None

    @property
    def private(self) -> bool:
        """Whether it is a conversation of one person and the bot."""
        return self.id > 0


@dataclass(frozen=True, slots=True)
class InlineMessage:
    """A message that somebody sent by way of the bot into a chat that the bot may not even know."""

    message: str


Spot: TypeAlias = Chat | InlineMessage


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of ours.

    Attributes:
        chat: The id of its chat.
        message: Its number there.
        photo: Whether it is a photo with a caption, and not text.
    """

    chat: int
    message: int
    photo: bool

    def pack(self) -> str:
        """As the sender keeps it."""
        return f"{self.chat}:{self.message}:{'p' if self.photo else 't'}"


BotMessage: TypeAlias = ChatMessage | InlineMessage


def account(user: int) -> Account:
    """A person by their number."""
    return Account(PLATFORM, str(user))


def address(spot: Spot) -> Address:
    """A place as everybody above knows it."""
    if isinstance(spot, InlineMessage):
        return Address(PLATFORM, _INLINE + spot.message)
    return Address(PLATFORM, str(spot.id) if spot.topic is None else f"{spot.id}/{spot.topic}")


def spot(to: Address | Account) -> Spot:
    """Where somebody is told, or what is shown there.

    Raises:
        ValueError: an address that is not of this platform's making.
    """
    text = to.place if isinstance(to, Address) else to.uid
    if text.startswith(_INLINE):
        return InlineMessage(text.removeprefix(_INLINE))
    found = _CHAT.match(text)
    if not found:
        raise ValueError(text)
    return Chat(int(found[1]), int(found[2]) if found[2] else None)


def packed(ours: BotMessage) -> str:
    """A message as the sender keeps it."""
    return ours.pack() if isinstance(ours, ChatMessage) else _INLINE + ours.message


def unpacked(ref: str) -> BotMessage | None:
    """A message from what `packed` made; None for anything else."""
    if ref.startswith(_INLINE):
        return InlineMessage(ref.removeprefix(_INLINE))
    found = _REF.match(ref)
    return ChatMessage(int(found[1]), int(found[2]), found[3] == "p") if found else None
