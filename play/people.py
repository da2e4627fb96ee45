"""Who plays, and where it is shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

MAX_NAME: Final = 64  # characters of a name that are kept

GONE: Final = "gone"
"""The platform of players who were forgotten. It has no places, and nothing is sent there."""

FILED: Final = "file"  # the platform of players who are known by name only, from a match file

CHANNEL: Final = "channel"
"""The platform of places that play: a channel or a group takes a seat. No courier serves it; the place reads what it plays."""

_JOINERS: Final = "\u200c\u200d"  # part of how emoji and some scripts are written, and harmless
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, direction marks, surrogates, line ends


@dataclass(frozen=True, slots=True, order=True)
class Account:
    """A person on one platform."""

    platform: str
    uid: str

    def __str__(self) -> str:
        return f"{self.platform}:{self.uid}"


@dataclass(frozen=True, slots=True)
class Player:
    """A player at the table: the account, and the name it was shown under when it sat down."""

    account: Account
    name: str


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """Where a match is shown: a channel, a group, a room. What `place` means only its platform's adapter knows.

    A part of a chat, such as a topic, has the place `chat/part`.
    """

    platform: str
    place: str

    @property
    def chat(self) -> Address:
        """The chat that it is a part of, or itself."""
        whole, part, _ = self.place.partition("/")
        return Address(self.platform, whole) if part else self

    def __str__(self) -> str:
        return f"{self.platform}:{self.place}"


def each_once(players: Iterable[Player]) -> Iterator[Player]:
    """The players, each account once, as it is named first."""
    seen: set[Account] = set()
    for player in players:
        if player.account not in seen:
            seen.add(player.account)
            yield player


def private_place(account: Account) -> Address:
    """Return the chat that is called as an account is: on some platforms a person's conversation with the bot."""
    return Address(account.platform, account.uid)


def channel(place: Address) -> Account:
    """Return the account that a place plays with."""
    return Account(CHANNEL, str(place))


def channel_place(account: Account) -> Address | None:
    """Return the place whose account it is; None for any other account."""
    platform, colon, place = account.uid.partition(":")
    return Address(platform, place) if account.platform == CHANNEL and colon else None


def is_channel(account: Account) -> bool:
    """Whether a place plays with it, and no person."""
    return account.platform == CHANNEL


def harmless(character: str) -> bool:
    """Whether a character can be shown as it is: no control, no direction mark, no line end, no surrogate."""
    return unicodedata.category(character) not in _UNSAFE


def visible(text: str, also: str = "") -> str:
    """Text without what could upset a screen: blanks of any kind are plain ones, the rest is left out but for `also`."""
    if text.isprintable():  # most texts; what may not be shown is never printable
        return text
    return "".join(
        c if c in also or c in _JOINERS or harmless(c) else " " if c.isspace() else "" for c in text
    )


def clean(text: str, limit: int = MAX_NAME) -> str:
    """Text from outside on one line: what could upset a screen left out, blanks single, cut to a length."""
    return " ".join(visible(text[: 8 * limit]).split())[:limit].rstrip()


def entering(player: Player) -> Player:
    """A player with the name as the table keeps it: clean, bounded and not empty."""
    return Player(player.account, clean(player.name) or clean(player.account.uid) or "?")


def forgotten(seat: int) -> Player:
    """Return the player that a match has in the place of one who was forgotten."""
    return Player(Account(GONE, str(seat + 1)), "—")


def filed(match: str, index: int) -> Account:
    """Return the alias that stands for an account in the file of a match; like `GONE`, it has no places."""
    return Account(FILED, f"{match}-{index}")


def is_forgotten(account: Account) -> bool:
    """Whether it stands for a player who was forgotten."""
    return account.platform == GONE
