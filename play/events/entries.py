"""The entries of an event's log: what all forms share. A form's own extend `EventEntry`, too.

Folds: states replayed from a log entry by entry, and from there on when the log grows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Generic, Self, TypeVar

from play.people import Account, Player


class GameEnd(StrEnum):
    """How a game of an event ended."""

    PLAYED = "played"  # by its match, in any way but the next one
    ABSENT = "absent"  # by its match: a player lost on time, or resigned before their second move
    FORFEIT = "forfeit"  # a player left the event
    ADJUDICATED = "adjudicated"  # its time was up, and it was decided without being played out
    VOID = "void"  # it counts for nothing


class ExitReason(StrEnum):
    """Why an entrant is out of an event."""

    LEFT = "left"
    ABSENT = "absent"  # lost on time too often
    REMOVED = "removed"  # by a person who runs the place
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventEntry:
    """Something that happened in an event, and when."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Entered(EventEntry):
    """A person entered.

    Attributes:
        player: The account that entered.
        person: The first account of that person, by which they enter only once.
    """

    player: Player
    person: Account


@dataclass(frozen=True, slots=True)
class Queued(EventEntry):
    """A person waits for a free seat of an event that runs; see `Entered`."""

    player: Player
    person: Account


@dataclass(frozen=True, slots=True)
class Withdrawn(EventEntry):
    """A person who waited for a free seat does not wait any more."""

    person: Account


@dataclass(frozen=True, slots=True)
class Left(EventEntry):
    """An entrant is out; before the start, their number goes to the one behind them, and so on."""

    entrant: int
    why: ExitReason


@dataclass(frozen=True, slots=True)
class Returned(EventEntry):
    """An entrant who was out plays again."""

    entrant: int


@dataclass(frozen=True, slots=True)
class OnProbation(EventEntry):
    """A player whose account is young takes no one's place until a moment."""

    entrant: int
    until: datetime


@dataclass(frozen=True, slots=True)
class Substituted(EventEntry):
    """The first of those who wait took the seat of an entrant who was out."""

    entrant: int


@dataclass(frozen=True, slots=True)
class Began(EventEntry):
    """The event began.

    Attributes:
        seeds: All entrants, the strongest by rating first, as it was then.
    """

    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Paired(EventEntry):
    """Games were made, for a round (from 1; several rounds may be paired at once).

    Attributes:
        round: Which.
        games: The entrants of each, in the order of play.
        byes: Entrants who rest in that round.
    """

    round: int
    games: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound(EventEntry):
    """A game got the code of its match; another one where the first was taken."""

    game: int
    match: str


@dataclass(frozen=True, slots=True)
class Ended(EventEntry):
    """A game ended.

    Attributes:
        game: Which.
        places: The place of each of its entrants, 0 for the best; equal ones are shared.
        end: How.
        absent: Entrants who were absent.
    """

    game: int
    places: tuple[int, ...]
    end: GameEnd
    absent: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Voided(EventEntry):
    """Games count for nothing, whether they had ended or not."""

    games: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RoundDue(EventEntry):
    """The date of a round has come; what is open counts as a draw for pairing, until it ends."""

    round: int


@dataclass(frozen=True, slots=True)
class EventClosed(EventEntry):
    """The event is over.

    Attributes:
        stopped: Whether a person stopped it, or it could not begin.
    """

    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Archived(EventEntry):
    """What older entries said, as far as all forms share it; who entered stands before it, in entries as ever.

    Attributes:
        dropped: How many entries fewer the log has for it, and for what the form says of them, in all.
        games: How many games there had been; those that had ended are not known any more.
        open: The number, round, entrants, date and match of each of the others.
        out: Who was out, and why.
        flags: In how many games each was absent, by number, where there were any.
        round: The last one that had been paired.
        paired: When.
    """

    dropped: int
    games: int
    open: tuple[tuple[int, int, tuple[int, ...], datetime, str | None], ...]
    out: tuple[tuple[int, ExitReason], ...]
    flags: tuple[tuple[int, int], ...]
    round: int
    paired: datetime | None


COMMON: Final[tuple[type[EventEntry], ...]] = (
    *(Entered, Queued, Withdrawn, Left, Returned, OnProbation, Substituted),
    *(Began, Paired, Bound, Ended, Voided, RoundDue, EventClosed, Archived),
)
"""The kinds of entries that all forms share."""


S = TypeVar("S")


class Fold(ABC, Generic[S]):
    """A state under way; mutable, so that a log is replayed in linear time.

    A fold defines `add`, a `singledispatchmethod` with a case for each kind of entry that changes something. Its attributes
    are lists, dicts and sets of values that never change, or such values.
    """

    @abstractmethod
    def add(self, entry: EventEntry) -> None:
        """Add an entry to the state.

        Raises:
            ValueError: it cannot stand there.
        """

    @abstractmethod
    def state(self) -> S:
        """Return the state as it is now; the fold is not changed after that, only copied (`after`)."""

    def after(self, entries: Iterable[EventEntry]) -> Self:
        """Return another fold that has more entries than this one.

        Raises:
            ValueError: an entry that cannot stand there.
        """
        made = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | dict | set):
                setattr(made, name, value.copy())
        # A singledispatchmethod is bound anew at each call, which takes longer than most cases of it.
        case = vars(type(self))["add"].dispatcher.dispatch
        for entry in entries:
            case(type(entry))(made, entry)
        return made
