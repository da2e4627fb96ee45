"""What the table needs from outside. Small, so that a fake passes the same tests as the real thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from play.match import Match
from play.people import Account, Address


class Store(Protocol):
    """Where matches sleep. Every method may raise `Unavailable`."""

    async def load(self, match_id: str) -> Match:
        """The match as last committed.

        Raises:
            NoSuchMatch: nothing is stored under that id.
        """
        ...

    async def commit(self, match: Match, expected: int) -> Match:
        """Store a match in one step, if its stored revision is still `expected` (0: not stored yet).

        Returns:
            The match with its new revision, `expected` + 1.

        Raises:
            Stale: another change came first; the error holds the match as it is now. Nothing was written.
        """
        ...

    async def at(self, address: Address) -> Sequence[Match]:
        """The live matches shown at an address, and the last few that are over; the latest change first."""
        ...

    async def of(self, account: Account) -> Sequence[Match]:
        """The live matches of a person, and the last few that are over, wherever they are; latest change first."""
        ...

    async def language(self, whose: Account | Address) -> str | None:
        """The language a person or a place has chosen: `uk`, `ru`, `en`, or None for no choice."""
        ...

    async def set_language(self, whose: Account | Address, language: str) -> None:
        """Remember a choice of language."""
        ...


class Chance(Protocol):
    """Luck, injected, so that a test can fix it."""

    def code(self) -> str:
        """A new match id: six characters of a to z and 2 to 9 without the look-alikes i, l, o."""
        ...

    def shuffled(self, count: int) -> Sequence[int]:
        """0 to count - 1 in a random order."""
        ...
