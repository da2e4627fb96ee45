"""Protocols of what `play` needs from outside, one a subject. `storage` implements them, and tests with fakes.

Luck from the operating system, and codes that are derived instead of drawn.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeVar

from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.ratings.model import Rating, RatingChange
from play.settings import Settings

NOTE_KEPT: Final = timedelta(days=365)  # how long a note is kept after it was last written


@dataclass(frozen=True, slots=True)
class Operation:
    """One request as its platform names it, so that a request delivered twice is done once.

    Attributes:
        id: The platform's identifier (of an update, an interaction, a timer); at most 100 characters of ASCII.
        payload: What was asked, in one line; the same id with another payload is refused.
    """

    id: str
    payload: str


@dataclass(frozen=True, slots=True)
class Timer:
    """A name, unique in its match, and when it fires. Firing it is an ordinary request."""

    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Loaded:
    """A match as last committed; and the fact of an operation that was done already."""

    match: Match
    done: Fact | None = None


S_co = TypeVar("S_co", covariant=True)
F = TypeVar("F")
L_co = TypeVar("L_co", covariant=True)


class SubjectStore(Protocol[S_co, F, L_co]):
    """Matches, or events, which are stored alike. Every method may raise `Unavailable`."""

    async def load(self, subject_id: str, operation: Operation | None = None) -> L_co:
        """Return the match as last committed, and the fact that the operation led to, if it was done within 7 days.

        Raises:
            NoSuchMatch, NoSuchEvent: nothing is stored under that id.
            ReusedOperation: the operation's id was used with another payload.
        """

    async def commit(
        self,
        fact: F,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> F:
        """Store a fact and its match in one step, if the stored revision is still `expected` (0: not stored yet).

        One script checks the operation and the revision, and then writes the match, the operation's result (kept 7
        days), the match's timers (these and no others), and the fact into the outgoing stream (unless not `announce`).

        Returns:
            The fact, its match with the new revision, `expected` + 1; or, where the operation was done before, the
            fact of that time, with the match as it is now.

        Raises:
            Stale, StaleEvent: another change came first; the error holds the match as it is now. Nothing was written.
            ReusedOperation: the operation's id was used with another payload. Nothing was written.
        """

    async def of(self, account: Account) -> Sequence[S_co]:
        """Return a person's live ones and the last few that are over, wherever shown; the latest change first."""

    async def live_of(self, accounts: Sequence[Account]) -> Sequence[S_co]:
        """Return the live ones of any of some people, in one or two round trips."""

    async def marks(self, accounts: Sequence[Account]) -> Sequence[int]:
        """Return a number for each person, another one after each change of one of theirs; 0 where they have none.

        It costs less than to load them, and one round trip for all.
        """

    def ids(self) -> AsyncIterator[str]:
        """Yield all ids; one that is made meanwhile may be left out."""


class MatchStore(SubjectStore[Match, Fact, Loaded], Protocol):
    """Matches."""

    async def revisions(self, match_ids: Sequence[str]) -> Sequence[int]:
        """Return the revisions of matches, 0 where none is stored; it costs less than to load them."""

    async def announce(self, fact: Fact) -> None:
        """Put a fact about a match as it is into the outgoing stream; nothing else changes.

        Raises:
            NoSuchMatch: nothing is stored under that id.
            Stale: the match is at another revision than the fact's; the error holds it as it is now.
        """

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        """Return the live matches shown at an address, and the last few finished ones; the latest change first.

        Without the finished ones (`over`) it costs less. `most`: of the live ones only so many, those that changed last.
        """

    async def live_at(self, address: Address) -> int:
        """Return how many live matches are shown at an address. None of them is loaded, so one more or less is possible."""

    def with_people(self, accounts: Collection[Account]) -> AsyncIterator[Match]:
        """Yield every match with one of these accounts, however long it has been over."""

    async def bind(self, operation: Operation, match_id: str) -> str:
        """Fix the match that a request is about which names none; return the one that was fixed first.

        A request that means "the match here where I am on turn" means another match when it is delivered again, after
        the turn has passed. Its first delivery binds it; later ones get the same id. Kept for 7 days.

        Raises:
            ReusedOperation: the operation's id was bound with another payload.
        """


class SettingsStore(Protocol):
    """What people and places have chosen. Every method may raise `Unavailable`."""

    async def get(self, whose: Account | Address) -> Settings:
        """Return the settings of a person or a place; the defaults for what was not chosen."""

    async def get_many(self, *whose: Account | Address) -> Sequence[Settings]:
        """Return the settings of several, in one round trip."""

    async def change(self, whose: Account | Address, change: Callable[[Settings], Settings]) -> Settings:
        """Change settings, without losing changes that are made at the same time; return them as they are now.

        `change` may be called again, and what it raises comes through.
        """


class RatingStore(Protocol):
    """Ratings, by game and person. Every method may raise `Unavailable`."""

    async def get(self, game: str, *whose: Account) -> Sequence[Rating | None]:
        """Return the ratings of people in a game, in their order; None for a person without a rated match of it."""

    async def counted(self, game: str, match_id: str) -> Sequence[RatingChange | None] | None:
        """Return what a match of a game did to ratings, by seat; None if it has not been counted.

        It does not hold whose they were; None stands for a seat without a rating.
        """

    async def count(
        self,
        game: str,
        match_id: str,
        whose: Sequence[Account | None],
        change: Callable[[Sequence[Rating | None]], Sequence[RatingChange]],
    ) -> Sequence[RatingChange | None]:
        """Count a match for ratings, once, however often and by how many processes it is asked; return what `counted` does.

        `whose` names the person in each seat, each once, and None for a seat whose rating is not kept. `change` says
        what the match does to the present ratings, by seat; it may be called again.
        """

    async def merge(self, old: Account, new: Account) -> None:
        """Of two accounts that become one person's, `new` gets in each game the rating from more matches.

        What each had before is kept for `part`.
        """

    async def part(self, old: Account, new: Account) -> None:
        """Undo `merge`: `old` has the ratings from before; so has `new`, where it got `old`'s and none was counted since."""


class NoteStore(Protocol):
    """Notes: small texts under names, kept for some time. Every method may raise `Unavailable`.

    They hold what must survive a restart and belongs to no match: a code that can be used once, a puzzle under way.
    """

    async def read(self, *names: str) -> Sequence[str | None]:
        """Return the notes of these names, in their order; None where there is none, or not any more."""

    async def write(self, name: str, text: str | None, *, keep: timedelta = NOTE_KEPT) -> None:
        """Write a note, to be kept for so long; with None, delete it."""

    async def write_once(self, name: str, text: str, *, keep: timedelta = NOTE_KEPT) -> bool:
        """Write a note if there is none of that name; return whether there was none."""

    async def change(self, name: str, change: Callable[[str | None], str]) -> str:
        """Replace a note by what `change` makes of it, and return that. It is called again if another task wrote the note meanwhile."""

    async def hold(self, name: str, *, keep: timedelta) -> str | None:
        """Lease something to this process: write a note of that name, unless there is one of a process that still runs.

        Returns:
            The text of the note, which renews the lease when it is written again; None if the lease is another's.
        """

    async def take(self, name: str) -> str | None:
        """Return a note and delete it: of several callers at once, at most one gets it."""


class Store(Protocol):
    """The parts of a store that `play` uses."""

    @property
    def matches(self) -> MatchStore: ...
    @property
    def settings(self) -> SettingsStore: ...
    @property
    def ratings(self) -> RatingStore: ...
    @property
    def notes(self) -> NoteStore: ...


class Chance(Protocol):
    """Luck, injected, so that a test can fix it."""

    def code(self) -> str:
        """A new match id: six characters of a to z and 2 to 9 without the look-alikes i, l, o."""

    def shuffled(self, count: int) -> Sequence[int]:
        """0 to count - 1 in a random order."""


ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""What a code is made of: nothing that is mistaken for something else (i, l, 1, o, 0)."""

CODE_LENGTH: Final = 6
"""Characters in a code: 31 ** 6 is 887 million codes, and a code that is taken is drawn again."""


class SystemChance:
    """The `Chance` of real play: the operating system's."""

    def code(self) -> str:
        return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))

    def shuffled(self, count: int) -> Sequence[int]:
        return random.SystemRandom().sample(range(count), count)


def derived(match_id: str, attempt: int) -> str:
    """Return a code that follows from a match's id, or from an operation's: the same for every caller."""
    number = int.from_bytes(hashlib.blake2b(f"{match_id}/{attempt}".encode(), digest_size=16).digest(), "big")
    letters = []
    for _ in range(CODE_LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return "".join(letters)
