"""The people whom a command names, lists of people in settings, and the known words most like a typed one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any, Final

from bot.chat.context import Context
from bot.chat.errors import CommandError
from play.people import Account, Address, Player
from play.settings import Settings
from rules.core import Reason
from storage.ports import FullStore


async def first_account(context: Context, account: Account) -> Account:
    """Return the first of the linked accounts of which this is one."""
    return (await context.store.settings.get(account)).person or account


def how_to_name(context: Context, key: str) -> str:
    """Return what says how a command names a person; where the others' messages stand, a reply to one does it too."""
    said, command = context.words(key), f"/{context.command.name}"
    if not context.visitor.overheard:
        return said
    return f"{said} {context.words('bot.command.or-reply', command=command)}"


def person_key(account: Account) -> str:
    """Return an account as a short word, for a button."""
    return hashlib.blake2b(str(account).encode(), digest_size=6).hexdigest()


@dataclass(frozen=True, slots=True)
class PersonList:
    """A list of people in the settings of people, whom they block, or of chats, whom the admins keep out."""

    field: str  # of `Settings`
    timeline: str  # where it is noted who lists an account
    most: int  # people in one list
    too_many: Reason  # why no more are added, with `most`

    def of(self, settings: Settings) -> tuple[Player, ...]:
        """Return the people of the list."""
        people: tuple[Player, ...] = getattr(settings, self.field)
        return people

    async def add(self, store: FullStore, whose: Account | Address, who: Player, at: datetime) -> Settings:
        """Add a person, last, and return the settings as they are now."""
        # First: a person who is forgotten is taken out of the settings of all these.
        await store.timelines.add(self._named(who.account), _pack(whose), at)

        def added(now: Settings) -> Settings:
            new = self._without(now, who.account, who)
            if len(self.of(new)) > self.most:
                raise CommandError(self.too_many, most=self.most)
            return new

        return await store.settings.change(whose, added)

    async def remove(self, store: FullStore, whose: Account | Address, account: Account) -> Settings:
        """Remove a person, and return the settings as they are now."""
        new = await store.settings.change(whose, lambda now: self._without(now, account))
        await store.timelines.remove(self._named(account), _pack(whose))
        return new

    async def forget(self, store: FullStore, account: Account, listing: type[Account | Address]) -> None:
        """Remove a person from the lists of all people, or of all chats: `listing` says of which."""
        for text in await store.timelines.read(self._named(account)):
            await self.remove(store, listing(*json.loads(text)), account)

    async def forget_own(self, store: FullStore, account: Account) -> None:
        """Delete the notes that a person lists others."""
        for player in self.of(await store.settings.get(account)):
            await store.timelines.remove(self._named(player.account), _pack(account))

    def _without(self, settings: Settings, account: Account, *also: Player) -> Settings:
        kept = tuple(each for each in self.of(settings) if each.account != account)
        changes: dict[str, Any] = {self.field: (*kept, *also)}
        return replace(settings, **changes)

    def _named(self, account: Account) -> str:
        return f"{self.timeline}:{account}"


def _pack(whose: Account | Address) -> str:
    return json.dumps([whose.platform, whose.uid if isinstance(whose, Account) else whose.place])


_ALIKE: Final = 0.75  # how much alike two words have to be, as `difflib` measures it
_TWINS: Final = 0.85  # how much alike words have to be that do not begin alike

_WRONG_LAYOUT: Final = str.maketrans(
    "йцукенгшщзхъфывапролджэячсмитьбюії", "qwertyuiop[]asdfghjkl;'zxcvbnm,.s]"
)
"""What was typed on a Cyrillic keyboard in place of a Latin one."""


def nearest(typed: str, known: Iterable[str], count: int = 1) -> list[str]:
    """Return the known words most like a typed one, the best first; none where none is much like it."""
    folded = {word.casefold(): word for word in known}
    word = typed.casefold()
    if (latin := word.translate(_WRONG_LAYOUT)) in folded:
        return [folded[latin]]
    found = sorted(((_alike(word, other), other) for other in folded), key=lambda each: -each[0])
    return [folded[other] for alike, other in found[:count] if alike >= _ALIKE]


def _alike(typed: str, known: str) -> float:
    """Return from 0 to 1 how much alike two words are; 0 where they differ from the beginning on."""
    alike = SequenceMatcher(None, typed, known).ratio()
    begins = typed[:1] in known[:2] and known[:1] in typed[:2]
    return alike if begins or alike >= _TWINS else 0
