"""What an event's log says, as far as all forms share it: its entrants, games and results."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property, singledispatchmethod

from play.events.entries import (
    Archived,
    Began,
    Bound,
    Ended,
    Entered,
    EventClosed,
    EventEntry,
    ExitReason,
    Fold,
    GameEnd,
    Left,
    Paired,
    Queued,
    Returned,
    RoundDue,
    Substituted,
    Voided,
    Withdrawn,
)
from play.people import Account, Player


class Stage(StrEnum):
    """How far an event has come."""

    OPEN = "open"  # people enter
    RUNNING = "running"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Entrant:
    """A seat of an event, and who has it.

    Attributes:
        number: From 0.
        player: Who has it now.
        person: The first account of that person.
        out: Why they play no more; None: they play.
        flags: In how many games they were absent, since they have had the seat.
    """

    number: int
    player: Player
    person: Account
    out: ExitReason | None = None
    flags: int = 0


@dataclass(frozen=True, slots=True)
class EventGame:
    """A game of an event.

    Attributes:
        number: From 0, over all rounds.
        round: From 1.
        entrants: In the order of play.
        paired: When it was made.
        match: Code of its match, once it has one.
        end: How it ended; None: it is open.
        places: Of each of its entrants, 0 for the best; empty while it is open, or where it is void.
    """

    number: int
    round: int
    entrants: tuple[int, ...]
    paired: datetime
    match: str | None = None
    end: GameEnd | None = None
    places: tuple[int, ...] = ()

    @property
    def open(self) -> bool:
        """Whether it has not ended."""
        return self.end is None

    @property
    def counts(self) -> bool:
        """Whether it has a result that counts."""
        return bool(self.places)

    def place(self, entrant: int) -> int:
        """Return the place of one of its entrants, 0 for the best; for a game that counts."""
        return self.places[self.entrants.index(entrant)]


@dataclass(frozen=True)
class EventState:
    """What a log says, as far as all forms share it.

    Attributes:
        stage: How far it has come.
        entrants: By number.
        waiting: Who waits for a free seat, in order.
        seeds: The entrants, the strongest first, as at the start.
        games: In the order of their numbers, those that are not archived.
        count: How many games there have been.
        byes: Entrants who rested, by round.
        round: The last one that was paired; 0: none.
        due: Rounds whose date came.
        paired: When the last round was paired.
        stopped: Whether it is over without having been played to its end.
    """

    stage: Stage = Stage.OPEN
    entrants: tuple[Entrant, ...] = ()
    waiting: tuple[Queued, ...] = ()
    seeds: tuple[int, ...] = ()
    games: tuple[EventGame, ...] = ()
    count: int = 0
    byes: tuple[tuple[int, int], ...] = ()
    round: int = 0
    due: frozenset[int] = frozenset()
    paired: datetime | None = None
    stopped: bool = False

    @cached_property
    def playing(self) -> tuple[Entrant, ...]:
        """Those who are not out."""
        return tuple(one for one in self.entrants if one.out is None)

    @cached_property
    def open_games(self) -> tuple[EventGame, ...]:
        """The games that have not ended."""
        return tuple(game for game in self.games if game.open)

    def game(self, number: int) -> EventGame | None:
        """Return a game by its number; None: there is none, or it ended long ago and is archived."""
        at = bisect_left(self.games, number, key=lambda game: game.number)
        return self.games[at] if at < len(self.games) and self.games[at].number == number else None

    def games_of(self, entrant: int) -> tuple[EventGame, ...]:
        """Return the games of an entrant, in order."""
        return tuple(game for game in self.games if entrant in game.entrants)

    def entrant_of(self, *people: Account) -> Entrant | None:
        """Return who plays, or last did, under one of some accounts; None: no one."""
        found = [one for one in self.entrants if one.player.account in people or one.person in people]
        return next((one for one in found if one.out is None), found[-1] if found else None)


class StateFold(Fold[EventState]):
    """What all forms share, under way; entries of forms are passed over."""

    def __init__(self) -> None:
        self.stage = Stage.OPEN
        self.entrants: list[Entrant] = []
        self.waiting: list[Queued] = []
        self.seeds: tuple[int, ...] = ()
        self.games: dict[int, EventGame] = {}
        self.count = 0
        self.byes: list[tuple[int, int]] = []
        self.round = 0
        self.due: set[int] = set()
        self.paired: datetime | None = None
        self.stopped = False

    def state(self) -> EventState:
        """See `Fold.state`."""
        return EventState(
            stage=self.stage,
            entrants=tuple(self.entrants),
            waiting=tuple(self.waiting),
            seeds=self.seeds,
            games=tuple(self.games.values()),
            count=self.count,
            byes=tuple(self.byes),
            round=self.round,
            due=frozenset(self.due),
            paired=self.paired,
            stopped=self.stopped,
        )

    @singledispatchmethod
    def add(self, entry: EventEntry) -> None:
        """Pass over what is a form's own."""

    @add.register
    def _(self, entry: Entered) -> None:
        self.entrants.append(Entrant(len(self.entrants), entry.player, entry.person))

    @add.register
    def _(self, entry: Queued) -> None:
        self.waiting.append(entry)

    @add.register
    def _(self, entry: Withdrawn) -> None:
        self.waiting = [one for one in self.waiting if one.person != entry.person]

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
        taker = self.waiting.pop(0)
        self.entrants[entry.entrant] = Entrant(entry.entrant, taker.player, taker.person)

    @add.register
    def _(self, entry: Began) -> None:
        self.stage, self.seeds = Stage.RUNNING, entry.seeds

    @add.register
    def _(self, entry: Paired) -> None:
        for entrants in entry.games:
            if len(set(entrants)) < len(entrants) or max(entrants) >= len(self.entrants):
                raise ValueError(f"no game: {entrants}")
            self.games[self.count] = EventGame(self.count, entry.round, entrants, entry.at)
            self.count += 1
        self.byes += [(entry.round, entrant) for entrant in entry.byes]
        self.round, self.paired = max(self.round, entry.round), entry.at

    @add.register
    def _(self, entry: Bound) -> None:
        self.games[entry.game] = replace(self.open(entry.game), match=entry.match)

    @add.register
    def _(self, entry: Ended) -> None:
        game = self.open(entry.game)
        if len(entry.places) != len(game.entrants):
            raise ValueError(f"not the places of game {entry.game}")
        self.games[entry.game] = replace(game, end=entry.end, places=entry.places)
        for entrant in entry.absent:
            self.entrants[entrant] = replace(self.entrants[entrant], flags=self.entrants[entrant].flags + 1)

    @add.register
    def _(self, entry: Voided) -> None:
        for number in entry.games:
            self.games[number] = replace(self.games[number], end=GameEnd.VOID, places=())

    @add.register
    def _(self, entry: RoundDue) -> None:
        self.due.add(entry.round)

    @add.register
    def _(self, entry: Archived) -> None:
        for number, why in entry.out:
            self.entrants[number] = replace(self.entrants[number], out=why)
        for number, flags in entry.flags:
            self.entrants[number] = replace(self.entrants[number], flags=flags)
        self.games = {game[0]: EventGame(*game) for game in entry.open}
        self.count, self.round, self.paired = entry.games, entry.round, entry.paired

    @add.register
    def _(self, entry: EventClosed) -> None:
        self.stage, self.stopped = Stage.OVER, entry.stopped

    def open(self, number: int) -> EventGame:
        """Return a game that has not ended."""
        if not self.games[number].open:
            raise ValueError(f"game {number} has ended")
        return self.games[number]
