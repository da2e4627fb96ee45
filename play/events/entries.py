"""The log of an event, as far as all forms share it: its kinds of entries, and what they say of entrants, games and results.

A form's own kinds extend `EventEntry`, and its own state `Fold`. When a log grows, only what is new is replayed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property, singledispatchmethod
from typing import Self

from play.events.standings import GameScore, ScoredGame
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
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventEntry:
    """Something that happened in an event, and when."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Entered(EventEntry):
    """A person entered."""

    player: Player  # the account that entered
    person: Account  # the first account of that person, by which they enter only once


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
    """The event began."""

    seeds: tuple[int, ...]  # all entrants, the strongest by rating first, as it was then


@dataclass(frozen=True, slots=True)
class Paired(EventEntry):
    """Games were made, for a round (from 1; several rounds may be paired at once)."""

    round: int
    games: tuple[tuple[int, ...], ...]  # the entrants of each, in the order of play
    byes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound(EventEntry):
    """A game got the code of its match; another one where the first was taken."""

    game: int
    match: str


@dataclass(frozen=True, slots=True)
class Ended(EventEntry):
    """A game ended."""

    game: int
    places: tuple[int, ...]  # the place of each of its entrants, 0 for the best; equal ones are shared
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
    """The event is over."""

    stopped: bool = False  # whether a person stopped it, or it could not begin


@dataclass(frozen=True, slots=True)
class Archived(EventEntry):
    """What older entries said, as far as all forms share it; who entered stands before it, in entries as ever.

    Attributes:
        dropped: How many entries fewer the log has for it, and for what the form says of them, in all.
        games: How many games there had been; those that had ended are not known any more.
        open: The number, round, entrants, date and match of each of the others.
        flags: In how many games each was absent, by number, where there were any.
    """

    dropped: int
    games: int
    open: tuple[tuple[int, int, tuple[int, ...], datetime, str | None], ...]
    out: tuple[tuple[int, ExitReason], ...]
    flags: tuple[tuple[int, int], ...]
    round: int
    paired: datetime | None


@dataclass
class Fold(ABC):
    """A state that a log is replayed into. It changes while it is made by `after`, and never again.

    A kind defines `add`, a `singledispatchmethod` with a case for each kind of entry that changes something. Its fields are
    lists, dicts and sets of values that never change, or such values.
    """

    @abstractmethod
    def add(self, entry: EventEntry) -> None:
        """Add an entry to the state.

        Raises:
            ValueError: it cannot stand there.
        """

    def after(self, entries: Iterable[EventEntry]) -> Self:
        """Return the state after more entries."""
        made = type(self)(**{field.name: copy(getattr(self, field.name)) for field in fields(self)})
        # A singledispatchmethod is bound anew at each call, which takes longer than most cases of it.
        case = vars(type(self))["add"].dispatcher.dispatch
        for entry in entries:
            case(type(entry))(made, entry)
        return made


class Stage(StrEnum):
    """How far an event has come."""

    OPEN = "open"  # people enter
    RUNNING = "running"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Entrant:
    """A seat of an event, and who has it."""

    number: int  # from 0
    player: Player
    person: Account
    out: ExitReason | None = None  # why they play no more; None: they play
    flags: int = 0  # in how many games they were absent, since they have had the seat


@dataclass(frozen=True, slots=True)
class EventGame:
    """A game of an event."""

    number: int  # from 0, over all rounds
    round: int  # from 1
    entrants: tuple[int, ...]  # in the order of play
    paired: datetime
    match: str | None = None
    end: GameEnd | None = None  # how it ended; None: it is open
    places: tuple[int, ...] = ()  # of each entrant, 0 for the best; empty while it is open, or void

    @property
    def open(self) -> bool:
        return self.end is None

    @property
    def counts(self) -> bool:
        return bool(self.places)

    @property
    def scored(self) -> ScoredGame[int]:
        """It as pairing and tables see it; of a game for two."""
        first, second = self.entrants
        score = GameScore.OPEN if self.open else GameScore.VOID
        if self.counts:
            one, other = self.places
            score = GameScore.DRAW if one == other else GameScore.FIRST if one < other else GameScore.SECOND
        return ScoredGame(first, second, score, self.end in (None, GameEnd.PLAYED, GameEnd.ABSENT))

    def forfeited(self, gone: Collection[int], at: datetime) -> Ended:
        """Return its end, lost by those who are gone."""
        places = tuple(int(entrant in gone) for entrant in self.entrants)
        return Ended(self.number, places, GameEnd.FORFEIT, at=at)

    def drawn(self, at: datetime) -> Ended:
        """Return its end as a draw of all; of a pod those who are still open share what is left of its points."""
        return Ended(self.number, (0,) * len(self.entrants), GameEnd.ADJUDICATED, at=at)

    def place(self, entrant: int) -> int:
        """Return the place of one of its entrants, 0 for the best; for a game that counts."""
        return self.places[self.entrants.index(entrant)]


@dataclass
class EventState(Fold):
    """What a log says, as far as all forms share it; entries of forms are passed over."""

    stage: Stage = Stage.OPEN
    entrants: list[Entrant] = field(default_factory=list)  # by number
    waiting: tuple[Queued, ...] = ()  # who waits for a free seat, in order
    seeds: tuple[int, ...] = ()
    by_number: dict[int, EventGame] = field(default_factory=dict)  # those that are not archived
    count: int = 0  # how many games there have been
    byes: list[tuple[int, int]] = field(default_factory=list)  # the round and the entrant of each
    round: int = 0  # the last one that was paired; 0: none
    due: set[int] = field(default_factory=set)  # the rounds whose date has come
    paired: datetime | None = None  # when the last round was
    stopped: bool = False  # whether it is over without having been played to its end

    @cached_property
    def games(self) -> tuple[EventGame, ...]:
        """The games that are not archived, in the order of their numbers."""
        return tuple(self.by_number.values())

    @cached_property
    def playing(self) -> tuple[Entrant, ...]:
        return tuple(one for one in self.entrants if one.out is None)

    @cached_property
    def open_games(self) -> tuple[EventGame, ...]:
        return tuple(game for game in self.games if game.open)

    def game(self, number: int) -> EventGame | None:
        """Return a game by its number; None: there is none, or it ended long ago and is archived."""
        return self.by_number.get(number)

    def games_of(self, entrant: int) -> tuple[EventGame, ...]:
        return tuple(game for game in self.games if entrant in game.entrants)

    def entrant_of(self, *people: Account) -> Entrant | None:
        """Return who plays, or last did, under one of some accounts; None: no one."""
        found = [one for one in self.entrants if one.player.account in people or one.person in people]
        return next((one for one in found if one.out is None), found[-1] if found else None)

    def queued(self, *people: Account) -> Queued | None:
        """Return who waits for a seat under one of some accounts; None: no one."""
        found = (one for one in self.waiting if one.player.account in people or one.person in people)
        return next(found, None)

    @singledispatchmethod
    def add(self, entry: EventEntry) -> None:
        """Pass over what is a form's own."""

    @add.register
    def _(self, entry: Entered) -> None:
        self.entrants.append(Entrant(len(self.entrants), entry.player, entry.person))

    @add.register
    def _(self, entry: Queued) -> None:
        self.waiting += (entry,)

    @add.register
    def _(self, entry: Withdrawn) -> None:
        self.waiting = tuple(one for one in self.waiting if one.person != entry.person)

    @add.register
    def _(self, entry: Left) -> None:
        if self.stage is Stage.OPEN:
            del self.entrants[entry.entrant]
            self.entrants = [replace(one, number=number) for number, one in enumerate(self.entrants)]
        else:
            self.entrants[entry.entrant] = replace(self.entrants[entry.entrant], out=entry.why)

    @add.register
    def _(self, entry: Returned) -> None:
        self.entrants[entry.entrant] = replace(self.entrants[entry.entrant], out=None, flags=0)

    @add.register
    def _(self, entry: Substituted) -> None:
        if not self.waiting or self.entrants[entry.entrant].out is None:
            raise ValueError(f"no one can take the seat {entry.entrant}")
        taker, *waiting = self.waiting
        self.waiting = tuple(waiting)
        self.entrants[entry.entrant] = Entrant(entry.entrant, taker.player, taker.person)

    @add.register
    def _(self, entry: Began) -> None:
        self.stage, self.seeds = Stage.RUNNING, entry.seeds

    @add.register
    def _(self, entry: Paired) -> None:
        for entrants in entry.games:
            if len(set(entrants)) < len(entrants) or max(entrants) >= len(self.entrants):
                raise ValueError(f"no game: {entrants}")
            self.by_number[self.count] = EventGame(self.count, entry.round, entrants, entry.at)
            self.count += 1
        self.byes += [(entry.round, entrant) for entrant in entry.byes]
        self.round, self.paired = max(self.round, entry.round), entry.at

    @add.register
    def _(self, entry: Bound) -> None:
        self.by_number[entry.game] = replace(self.opened(entry.game), match=entry.match)

    @add.register
    def _(self, entry: Ended) -> None:
        game = self.opened(entry.game)
        if len(entry.places) != len(game.entrants):
            raise ValueError(f"not the places of game {entry.game}")
        self.by_number[entry.game] = replace(game, end=entry.end, places=entry.places)
        for entrant in entry.absent:
            self.entrants[entrant] = replace(self.entrants[entrant], flags=self.entrants[entrant].flags + 1)

    @add.register
    def _(self, entry: Voided) -> None:
        for number in entry.games:
            self.by_number[number] = replace(self.by_number[number], end=GameEnd.VOID, places=())

    @add.register
    def _(self, entry: RoundDue) -> None:
        self.due.add(entry.round)

    @add.register
    def _(self, entry: Archived) -> None:
        for number, why in entry.out:
            self.entrants[number] = replace(self.entrants[number], out=why)
        for number, flags in entry.flags:
            self.entrants[number] = replace(self.entrants[number], flags=flags)
        self.by_number = {game[0]: EventGame(*game) for game in entry.open}
        self.count, self.round, self.paired = entry.games, entry.round, entry.paired

    @add.register
    def _(self, entry: EventClosed) -> None:
        self.stage, self.stopped = Stage.OVER, entry.stopped

    def opened(self, number: int) -> EventGame:
        if not self.by_number[number].open:
            raise ValueError(f"game {number} has ended")
        return self.by_number[number]
