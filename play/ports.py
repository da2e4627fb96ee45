"""What the table needs from outside. Small, so that a fake passes the same tests as the real thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ratings import Change, Rating
from play.settings import Settings


@dataclass(frozen=True, slots=True)
class Operation:
    """One request as its platform names it, so that a request delivered twice is done once.

    Attributes:
        id: The platform's own name for it (an update, an interaction, a timer); at most 100 characters of ASCII.
        payload: What was asked, in one line; the same id with another payload is refused.
    """

    id: str
    payload: str


@dataclass(frozen=True, slots=True)
class Timer:
    """Something to look at later: a name inside its match, and when. Firing it is an ordinary request."""

    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Due:
    """A timer whose time has come, lent to one worker until `lease` runs out; it comes again unless it is settled."""

    match_id: str
    timer: Timer
    lease: datetime


@dataclass(frozen=True, slots=True)
class Loaded:
    """A match as last committed; and what an operation did, if it has been done already."""

    match: Match
    done: Fact | None = None


class Store(Protocol):
    """Where matches sleep. Every method may raise `Unavailable`."""

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        """The match as last committed, and the fact that the operation led to, if it was done within 7 days.

        Raises:
            NoSuchMatch: nothing is stored under that id.
            ReusedOperation: the operation's id was used for something else.
        """
        ...

    async def commit(
        self,
        fact: Fact,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> Fact:
        """Store a fact and its match in one step, if the stored revision is still `expected` (0: not stored yet).

        One script checks the operation and the revision, and then writes the match, the operation's result (kept 7
        days), the match's timers (these and no others), and the fact into the outgoing stream (unless not `announce`).

        Returns:
            The fact, its match with the new revision, `expected` + 1; or, where the operation was done before, the
            fact of that time, with the match as it is now.

        Raises:
            Stale: another change came first; the error holds the match as it is now. Nothing was written.
            ReusedOperation: the operation's id was used for something else. Nothing was written.
        """
        ...

    async def at(self, address: Address, *, over: bool = True) -> Sequence[Match]:
        """The live matches shown at an address, and the last few that are over; the latest change first.

        Args:
            address: Where.
            over: Whether those that are over are wanted too; most requests are about the others, and cost less so.
        """
        ...

    async def of(self, account: Account) -> Sequence[Match]:
        """The live matches of a person, and the last few that are over, wherever they are; latest change first."""
        ...

    async def settings(self, whose: Account | Address) -> Settings:
        """What a person or a place has chosen; the defaults for what it has not."""
        ...

    async def settings_of(self, *whose: Account | Address) -> Sequence[Settings]:
        """The same of several, asked together."""
        ...

    async def set_settings(self, whose: Account | Address, settings: Settings) -> None:
        """Remember this and nothing else; for what depends on what was chosen before, see `change_settings`."""
        ...

    async def change_settings(
        self, whose: Account | Address, change: Callable[[Settings], Settings]
    ) -> Settings:
        """Change something in what was chosen, whatever somebody else changes in it at the same time.

        Args:
            whose: Of whom.
            change: Makes the new settings of the present ones; it may be asked again, and what it raises comes through.

        Returns:
            The settings as they are now.
        """
        ...

    async def ratings(self, game: str, *whose: Account) -> Sequence[Rating | None]:
        """How well some people play a game, in their order; None for who has played no rated match of it."""
        ...

    async def counted(self, game: str, match_id: str) -> Sequence[Change | None] | None:
        """What a match of a game did to ratings, by seat; None if it has not been counted.

        It does not say whose they were; None stands for a seat whose rating nobody has.
        """
        ...

    async def count(
        self,
        game: str,
        match_id: str,
        whose: Sequence[Account | None],
        change: Callable[[Sequence[Rating | None]], Sequence[Change]],
    ) -> Sequence[Change | None]:
        """Have a match count for ratings, unless it has been counted: once, however often and by how many it is asked.

        Args:
            game: Its key.
            match_id: Which.
            whose: Who has each seat, nobody twice; None: nobody whose rating is kept.
            change: What it does to the present ratings, by seat; it may be asked again.

        Returns:
            What it did, as in `counted`, when it was counted first.
        """
        ...

    async def notes(self, *names: str) -> Sequence[str | None]:
        """What stands in the notes of these names, in their order; None where nothing does, or no longer."""
        ...

    async def note_once(self, name: str, text: str, *, keep: timedelta) -> bool:
        """Write a small text under a name for so long, if nothing stands there; whether nothing did."""
        ...

    async def merge_ratings(self, old: Account, new: Account) -> None:
        """Of two accounts that are one person's, keep in each game the rating that comes from more matches, as `new`'s."""
        ...

    async def now(self) -> datetime:
        """The time that deadlines are measured by: the server's own, in UTC."""
        ...

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[Due]:
        """Timers whose time has come, earliest first, each lent to this worker alone until `lease`."""
        ...

    async def settle(self, due: Due) -> None:
        """Take a timer away that was fired, unless it has been set anew meanwhile."""
        ...


class Chance(Protocol):
    """Luck, injected, so that a test can fix it."""

    def code(self) -> str:
        """A new match id: six characters of a to z and 2 to 9 without the look-alikes i, l, o."""
        ...

    def shuffled(self, count: int) -> Sequence[int]:
        """0 to count - 1 in a random order."""
        ...
