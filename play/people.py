"""Who plays, and where it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Account:
    """A person on one platform. Two accounts are the same person only if they are equal."""

    platform: str
    uid: str

    def __str__(self) -> str:
        return f"{self.platform}:{self.uid}"


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody at the table: the account, and the name it was shown under when it sat down."""

    account: Account
    name: str


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """Where a match is shown: a channel, a group, a room. What `place` means only its platform's adapter knows."""

    platform: str
    place: str

    def __str__(self) -> str:
        return f"{self.platform}:{self.place}"
