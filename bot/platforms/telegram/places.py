"""Telegram's chats, messages and users, the addresses and accounts that stand for them, and links to them.

A match keeps the number that its chat was first known by; requests to Telegram use that of the supergroup it became. A press on
an inline card names no chat, but its `chat_instance`: https://core.telegram.org/bots/api#callbackquery.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

from telegram import MaybeInaccessibleMessage, Message

from bot.chat.fair_queue import Recent
from play.errors import Unavailable
from play.people import Account, Address, clean
from play.ports import NoteStore

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


def place_name(message: MaybeInaccessibleMessage) -> str | None:
    """Return what people call the chat of a message, with its topic if the message tells that; None for a conversation."""
    above = message.reply_to_message if isinstance(message, Message) else None
    topic = above.forum_topic_created if above else None
    return clean(" · ".join(filter(None, (message.chat.title, topic.name if topic else None)))) or None


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
    return Address(
        PLATFORM, where.ref if isinstance(where, InlineMessage) else place_key(where.id, where.topic)
    )


def destination(to: Address | Account) -> Destination:
    """Return the chat or inline message of an address, or the private chat of an account; raises `ValueError`."""
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


_WENT: Final = f"{PLATFORM}:went:"
_CAME: Final = f"{PLATFORM}:came:"
KNOWN: Final = 5_000  # groups that are remembered without a look into the store


class ChatMigrations:
    """The old and the new numbers of chats, stored as notes."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes
        self._current = Recent[int, int](KNOWN)

    async def moved(self, old: int, new: int) -> None:
        """Note that a group has become a supergroup; again changes nothing."""
        await self._notes.write(f"{_WENT}{old}", str(new))
        await self._notes.write(f"{_CAME}{new}", str(old))
        self._current[old] = new

    async def current(self, chat: int) -> int:
        """Return the present number of a chat; perhaps an old one, for which Telegram names the new one.

        That is so if the store does not answer, or if another process has seen the chat move since this one looked.
        """
        if not SUPERGROUP < chat < 0:
            return chat
        with suppress(Unavailable):
            if chat not in self._current:
                self._current[chat] = await self._noted(f"{_WENT}{chat}", chat)
            return self._current[chat]
        return chat

    async def original(self, chat: int) -> int:
        """Return the number that a chat was first known by."""
        return await self._noted(f"{_CAME}{chat}", chat) if chat <= SUPERGROUP else chat

    async def _noted(self, note: str, chat: int) -> int:
        (found,) = await self._notes.read(note)
        return int(found) if found else chat


class ChatInstances:
    """Learns the `chat_instance` of groups, and finds the group of one."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes
        self._known = Recent[str, int](KNOWN)

    async def learn(self, instance: str, chat: int) -> None:
        """Note a group's."""
        if chat < 0 and instance and self._known.get(instance) != chat:
            with suppress(Unavailable):
                await self._notes.write(_note(instance), str(chat))
                self._known[instance] = chat

    async def chat(self, instance: str) -> int | None:
        """Return the group of one; None where no key of the bot's own messages was pressed there."""
        if instance not in self._known:
            with suppress(Unavailable):
                (found,) = await self._notes.read(_note(instance))
                if found:
                    self._known[instance] = int(found)
        return self._known.get(instance)


def _note(instance: str) -> str:
    return f"{PLATFORM}:instance:{instance[:64]}"


_CARRIED: Final = re.compile(r"(?:(join|board|puzzle)[-_]([a-z0-9]{6})|learn[-_]([a-z]{1,32}))\Z", re.ASCII)
HELLO: Final = "hello"  # the parameter of links that only open the private chat


def start_link(bot: str, command: str = "", code: str | None = None) -> str:
    """Return a link that opens the private chat, and says a command there with a code, unless that is None."""
    return f"https://t.me/{bot}?start={f'{command}-{code}' if code else HELLO}"


def group_link(bot: str) -> str:
    """Return a link to add the bot to a group; the group gets the command /start with `HELLO`."""
    return f"https://t.me/{bot}?startgroup={HELLO}"


def message_link(message: ChatMessage, topic: int | None) -> str | None:
    """Return the URL of a message in a supergroup, for its members; None for any other chat."""
    if message.chat > SUPERGROUP:
        return None
    parts = [SUPERGROUP - message.chat, *([topic] if topic else []), message.message]
    return "https://t.me/c/" + "/".join(map(str, parts))


def command_of(carried: str) -> str | None:
    """Return the command that a link stands for; None if it only opens the private chat."""
    found = _CARRIED.match(carried)
    if found and found[3]:
        return f"/learn {found[3]}"
    return f"/{found[1]} #{found[2]}" if found else None
