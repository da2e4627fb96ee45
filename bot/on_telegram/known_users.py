"""Who goes by which name: Telegram says it only of people who have been heard of, so it is noted down."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

from telegram import User

from bot.on_telegram.places import PLATFORM, account
from play.errors import Unavailable
from play.people import Player, clean
from storage.upkeep import Upkeep

KNOWN: Final = 20_000
"""People, each in each chat, whose notes need not be written again; those of longer ago are written once more."""

MOST: Final = 16
"""Words of one message that are looked up."""

_NOBODY: Final = "?"  # what is noted of a name that several people in a chat go by
_WORD: Final = re.compile(r"@?[^\s@:=\"«»]{1,64}\Z")

CHATS: Final = 64
"""Chats that somebody was seen in, of which it is known that there are notes; they are a year old at most."""

Find: TypeAlias = Callable[[str], Player | None]


def player(user: User) -> Player:
    """Somebody as the table knows them."""
    return Player(account(user.id), clean(user.full_name) or str(user.id))


@dataclass(frozen=True, slots=True)
class _NameNote:
    """A person as a note holds them: the number, a blank, the name."""

    user: str
    name: str

    @property
    def player(self) -> Player:
        return Player(account(int(self.user)), self.name)

    def __str__(self) -> str:
        return f"{self.user} {self.name}"

    @classmethod
    def read(cls, note: str | None) -> _NameNote | None:
        user, _, name = (note or "").partition(" ")
        return cls(user, name) if user.isdigit() and name else None


@dataclass(frozen=True, slots=True)
class _UserNote:
    """All that is noted of a person, so that it can be found again.

    Attributes:
        name: What they are called.
        names: By which they are found: of the last ones, the newest first.
        chats: Where they were seen, likewise.
    """

    name: str = ""
    names: tuple[str, ...] = ()
    chats: tuple[int, ...] = ()

    def pack(self) -> str:
        return json.dumps([self.name, self.names, self.chats], ensure_ascii=False)

    @classmethod
    def read(cls, note: str | None) -> _UserNote:
        try:
            name, names, chats = json.loads(note or "")
        except ValueError:
            return cls()
        return cls(str(name), tuple(map(str, names)), tuple(map(int, chats)))


class KnownUsers:
    """Remembers the people who were heard of, and finds them again by what others type.

    Somebody is found by a user name anywhere, and by the name they are shown under, or its first word, in chats they
    were seen in; not where several go by it.
    """

    def __init__(self, notes: Upkeep) -> None:
        self._notes = notes
        self._written: OrderedDict[tuple[int, int], str] = OrderedDict()

    async def met(self, chat: int, users: Iterable[User]) -> None:
        """Remember people who were seen in a chat."""
        for user in users:
            if user.is_bot:
                continue
            who = player(user)
            seen = f"{user.username} {who.name}"
            if self._written.get((chat, user.id)) == seen:
                continue
            with suppress(Unavailable):
                await self._write(chat, user, who)
                self._written[chat, user.id] = seen
                if len(self._written) > KNOWN:
                    self._written.popitem(last=False)

    async def _write(self, chat: int, user: User, who: Player) -> None:
        noted = _NameNote(who.account.uid, who.name)
        card = await self._card(who.account.uid)
        names = _names(who.name, user.username)
        card = _UserNote(
            who.name,
            tuple(dict.fromkeys([*names, *card.names]))[:MOST],
            tuple(dict.fromkeys([chat, *card.chats]))[:CHATS],
        )
        # First of all what the others are found by, so that none is left behind when somebody wants to be forgotten.
        await self._notes.set_note(_named(who.account.uid), card.pack())
        if user.username:
            await self._notes.set_note(_called(user.username), str(noted))
        for name in names:
            key = _called(name, chat)
            (before,) = await self._notes.notes(key)
            known = _NameNote.read(before)
            free = before is None or (known is not None and known.user == noted.user)
            if name == user.username or free:
                await self._notes.set_note(key, str(noted))
            elif known is not None and name not in known.name:
                continue  # it is their user name, and nobody else's
            else:
                await self._notes.set_note(key, _NOBODY)

    async def _card(self, uid: str) -> _UserNote:
        (found,) = await self._notes.notes(_named(uid))
        return _UserNote.read(found)

    async def name(self, uid: str) -> str | None:
        """What somebody is called who was seen anywhere."""
        try:
            return (await self._card(uid)).name or None
        except Unavailable:
            return None

    async def forget(self, user: User) -> None:
        """Throw away whatever is noted of somebody, and what was chosen for the conversation with them.

        Raises:
            Unavailable: it could not be done, or not all of it; asked again, the rest is.
        """
        uid = str(user.id)
        card = await self._card(uid)
        for name in dict.fromkeys([*card.names, *_names(player(user).name, user.username)]):
            for key in (_called(name), *(_called(name, chat) for chat in card.chats)):
                (held,) = await self._notes.notes(key)
                if (known := _NameNote.read(held)) and known.user == uid:
                    await self._notes.set_note(key, None)
        await self._notes.set_note(_named(uid), None)
        for seen in [seen for seen in self._written if seen[1] == user.id]:
            del self._written[seen]

    async def finder(self, chat: int, text: str, mentioned: Mapping[str, User]) -> Find:
        """Finds whoever the words of a text mean, all looked up at once.

        Args:
            chat: Where it was said.
            text: What was said.
            mentioned: People who were chosen from a list as it was typed, by the word that stands for them.
        """
        words = [word for word in text.split() if _WORD.match(word)][:MOST]
        found = {word.removeprefix("@"): player(user) for word, user in mentioned.items()}
        keys = [_called(word[1:]) if word.startswith("@") else _called(word, chat) for word in words]
        try:
            noted = await self._notes.notes(*keys)
        except Unavailable:
            noted = ()
        for word, note in zip(words, noted, strict=False):
            if known := _NameNote.read(note):
                found.setdefault(word.removeprefix("@"), known.player)
        return found.get


def spelled(text: str, mentions: Sequence[tuple[int, int, User]]) -> tuple[str, dict[str, User]]:
    """A text with a word for each person who was chosen from a list: their name may have blanks, and means nothing.

    Args:
        text: What was said.
        mentions: Where in it people are named, in UTF-16 units, and who they are.

    Returns:
        The text, and who each of the words stands for.
    """
    units = text.encode("utf-16-le")
    people = {}
    for offset, length, user in sorted(mentions, key=lambda each: -each[0]):
        word = f"@{user.id}"
        people[word] = user
        units = units[: 2 * offset] + f" {word} ".encode("utf-16-le") + units[2 * (offset + length) :]
    return units.decode("utf-16-le", errors="replace"), people


def _names(name: str, user_name: str | None) -> tuple[str, ...]:
    """What somebody is found by in a chat."""
    return tuple(dict.fromkeys(filter(None, (name, name.partition(" ")[0], user_name))))


def _named(uid: str) -> str:
    return f"{PLATFORM}:name:{uid}"


def _called(name: str, chat: int | None = None) -> str:
    """The note of a name: of a user name anywhere, or of any name in a chat."""
    name = name.casefold()
    return f"{PLATFORM}:user:{name}" if chat is None else f"{PLATFORM}:in:{chat}:{name}"
