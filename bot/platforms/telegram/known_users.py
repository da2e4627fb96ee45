"""The users who were seen, found by their names, as Telegram cannot be asked for one; and who writes and is meant in a message."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from telegram import Message, MessageEntity, User
from telegram.constants import ChatType

from bot.chat.fair_queue import Recent
from bot.chat.grammar import like_a_move
from bot.chat.visitor import NamedBot
from bot.platforms.telegram.places import PLATFORM, account, account_of_name
from bot.platforms.telegram.rendering import ASKED
from play.errors import Unavailable
from play.people import Player, clean
from play.ports import NoteStore

KNOWN: Final = 20_000
"""Users, counted in each chat, whose notes are remembered as written; older ones are written again."""

MOST: Final = 16  # most words of a message that are looked up, and most names by which a user is found

_SEVERAL: Final = "?"  # the note of a name that several people in a chat have
_USER_NAME: Final = re.compile(r"@[a-z][a-z0-9_]{0,31}\Z", re.ASCII | re.IGNORECASE)
_WORD: Final = re.compile(r"@?[^\s@:=\"«»]{1,64}\Z")

CHATS: Final = 64  # most chats of a user that are remembered

Find: TypeAlias = Callable[[str], Player | None]


def player(user: User) -> Player:
    """Return a user as a player."""
    return Player(account(user.id), clean(user.full_name) or str(user.id))


def _named_in(note: str | None) -> Player | None:
    """Return the user of the note of a name: their number, a blank, their name."""
    user, _, name = (note or "").partition(" ")
    return Player(account(int(user)), name) if user.isdigit() and name else None


class _UserNote(NamedTuple):
    name: str = ""
    names: tuple[str, ...] = ()
    chats: tuple[int, ...] = ()

    @classmethod
    def read(cls, note: str | None) -> _UserNote:
        try:
            name, names, chats = json.loads(note or "")
        except ValueError:
            return cls()
        return cls(str(name), tuple(map(str, names)), tuple(map(int, chats)))


class KnownUsers:
    """Remembers users who were seen, and finds them by the names that others type.

    A user is found by their user name in all chats, and by their full or first name in chats they were seen in, unless
    several have it.
    """

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes
        self._written = Recent[tuple[int, int], str](KNOWN)
        self._seen = Recent[str, str](KNOWN)  # by number: the names of users who were seen by this process

    async def met(self, chat: int, users: Iterable[User]) -> None:
        """Remember users who were seen in a chat."""
        for user in users:
            if user.is_bot:
                continue
            who = player(user)
            self._seen[who.account.uid] = who.name
            seen = f"{user.username} {who.name}"
            if self._written.get((chat, user.id)) == seen:
                continue
            await self._write(chat, user, who)
            self._written[chat, user.id] = seen

    async def _write(self, chat: int, user: User, who: Player) -> None:
        uid, noted = who.account.uid, f"{who.account.uid} {who.name}"
        before = await self._note(uid)
        names = _names(who.name, user.username)
        card = _UserNote(
            who.name,
            tuple(dict.fromkeys([*names, *before.names]))[:MOST],
            tuple(dict.fromkeys([chat, *before.chats]))[:CHATS],
        )
        # First the note that leads to the others, so that `forget` finds them all.
        await self._notes.write(_named(uid), json.dumps(card, ensure_ascii=False))
        await self._release(uid, user.username or "", card)
        if user.username:
            await self._take(user.username, uid, noted)
        for name in names:
            key = _called(name, chat)
            (held,) = await self._notes.read(key)
            known = _named_in(held)
            free = held is None or (known is not None and known.account == who.account)
            if name == user.username or free:
                await self._notes.write(key, noted)
            elif known is not None and name not in known.name:
                continue  # it is the user name of that user alone
            else:
                await self._notes.write(key, _SEVERAL)

    async def _take(self, user_name: str, uid: str, noted: str) -> None:
        """A user who had the name before is noted anew once they are seen with it again."""
        (held,) = await self._notes.read(_called(user_name))
        if (known := _named_in(held)) is not None and known.account.uid != uid:
            self._forget_written(known.account.uid)
        await self._notes.write(_called(user_name), noted)

    async def _release(self, uid: str, user_name: str, card: _UserNote) -> None:
        """Delete the notes of earlier user names: they may be another user's by now."""
        now = {name.casefold() for name in _names(card.name, None)}
        old = [name for name in card.names if name.casefold() != user_name.casefold()]
        notes = await self._notes.read(*map(_called, old)) if old else ()
        for name, held in zip(old, notes, strict=True):
            if (known := _named_in(held)) is None or known.account.uid != uid:
                continue
            for key in [] if name.casefold() in now else [_called(name, chat) for chat in card.chats]:
                await self._delete(key, uid)
            # Last: it says that the others are still to be deleted.
            await self._notes.write(_called(name), None)
            self._forget_written(uid)

    async def _delete(self, key: str, uid: str) -> None:
        """Delete the note of a name if it is of that user."""
        (held,) = await self._notes.read(key)
        if (known := _named_in(held)) and known.account.uid == uid:
            await self._notes.write(key, None)

    def _forget_written(self, uid: str) -> None:
        self._seen.pop(uid, None)
        for seen in [seen for seen in self._written if seen[1] == int(uid)]:
            del self._written[seen]

    async def _note(self, uid: str) -> _UserNote:
        (found,) = await self._notes.read(_named(uid))
        return _UserNote.read(found)

    async def name(self, uid: str) -> str | None:
        """Return the name of a user; None if they were never seen."""
        if uid in self._seen:
            return self._seen[uid]
        try:
            return (await self._note(uid)).name or None
        except Unavailable:
            return None

    async def forget(self, user: User) -> None:
        """Delete all notes of a user."""
        uid = str(user.id)
        card = await self._note(uid)
        for name in dict.fromkeys([*card.names, *_names(player(user).name, user.username)]):
            for key in (_called(name), *(_called(name, chat) for chat in card.chats)):
                await self._delete(key, uid)
        await self._notes.write(_named(uid), None)
        self._forget_written(uid)

    async def finder(self, chat: int, text: str, mentioned: Mapping[str, User]) -> Find:
        """Return a function that finds players by the words of a command said in a chat; all are looked up at once.

        People who were picked from a list are found by the word that stands for them. A typed move names no one.
        """
        command, *typed = text.split()
        moves = command == "/move"
        words = [word for word in typed if _WORD.match(word) and not (moves and like_a_move(word))][:MOST]
        found = {word.removeprefix("@"): player(user) for word, user in mentioned.items()}
        keys = [_called(word[1:]) if word.startswith("@") else _called(word, chat) for word in words]
        for word, note in zip(words, await self._notes.read(*keys), strict=True):
            if known := _named_in(note):
                found.setdefault(word.removeprefix("@"), known)
        return found.get


def unmet(word: str) -> Player | None:
    """Return the player for whom a chair is kept by a user name, which calls its user in any text; None for other words."""
    return Player(account_of_name(word), word) if _USER_NAME.match(word) else None


def bots_in(mentioned: Mapping[str, User], own: User) -> Callable[[str], NamedBot | None]:
    """Return a function that tells which bot a word of a text is of; only names of bots end with "bot"."""

    def bot(word: str) -> NamedBot | None:
        user, name = mentioned.get(word), word.casefold()
        if name == f"@{(own.username or '').casefold()}" or (user and user.id == own.id):
            return NamedBot.OWN
        is_bot = user.is_bot if user else name.startswith("@") and name.endswith("bot")
        return NamedBot.OTHER if is_bot else None

    return bot


def spelled(text: str, mentions: Sequence[tuple[int, int, User]]) -> tuple[str, dict[str, User]]:
    """Return a text with one word for each user who was picked from the client's list, and the user of each word.

    Names may hold blanks. A mention has an offset and a length in UTF-16 units.
    """
    units = text.encode("utf-16-le")
    people = {}
    for offset, length, user in sorted(mentions, key=lambda each: -each[0]):
        word = f"@{user.id}"
        people[word] = user
        units = units[: 2 * offset] + f" {word} ".encode("utf-16-le") + units[2 * (offset + length) :]
    return units.decode("utf-16-le", errors="replace"), people


def _names(name: str, user_name: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (name, name.partition(" ")[0], user_name))))


def _named(uid: str) -> str:
    return f"{PLATFORM}:name:{uid}"


def _called(name: str, chat: int | None = None) -> str:
    name = name.casefold()
    return f"{PLATFORM}:user:{name}" if chat is None else f"{PLATFORM}:in:{chat}:{name}"


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
