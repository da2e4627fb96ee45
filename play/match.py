"""A match: seats, options, and the log that every position is replayed from.

Engines at the table: an engine is a player with an account on the platform `engine`.

Its account says how strong it is, and which of several at one table it is: `engine:5`, `engine:5.2`. An engine
that is asked for sits down at once; it acts by ordinary requests.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from play.people import Account, Address, Player, each_once, is_channel
from play.time.clock import Clock, Times
from rules.core import AnyGame, Reason, Seat

MAX_ADDRESSES: Final = 10  # places where one match is shown; each of them gets every message

COMMENT: Final = "Comment"
"""The name of a remark with the number of entries before it, and a comment on what was played."""


class Phase(StrEnum):
    """How far a match has come."""

    OPEN = "open"  # an invitation: seats are being taken
    PLAYING = "playing"
    OVER = "over"  # played to a result
    CALLED_OFF = "called-off"  # declined, withdrawn or expired before it began


class Closing(Reason):
    """How a match ends, or a seat leaves it, by something other than the game's rules."""

    RESIGNED = "match.closing.resigned"
    DRAW_AGREED = "match.closing.draw-agreed"
    REPETITION = "match.closing.repetition"
    TIME = "match.closing.time"
    SILENCE = "match.closing.silence"
    ENDED = "match.closing.ended"  # by a person who runs the place
    DESERTED = "match.closing.deserted"  # only engines are left
    PROVED = "match.closing.proved"  # open when its event had to end, and an engine proved the win
    HALVED = "match.closing.halved"  # open when its event had to end, and nothing was proved
    AGREED = "match.closing.agreed"  # ended by its players, without a winner


class Cancel(Reason):
    """Why an invitation came to nothing."""

    DECLINED = "match.cancel.declined"
    WITHDRAWN = "match.cancel.withdrawn"
    EXPIRED = "match.cancel.expired"
    EMPTY = "match.cancel.empty"  # all have left the lobby


@dataclass(frozen=True, slots=True)
class Chair:
    """One seat of a match: who sits there, or for whom it is kept (None: for anyone)."""

    player: Player | None = None
    reserved: Player | None = None

    def concerns(self, account: Account) -> bool:
        """Whether the person with an account sits there, or it is kept for them."""
        return self.kept_for(account) or (self.player is not None and self.player.account == account)

    def kept_for(self, account: Account) -> bool:
        return self.reserved is not None and self.reserved.account == account


@dataclass(frozen=True, slots=True)
class Ply:
    """One ply in canonical notation."""

    seat: Seat
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Exit:
    """A seat left while the others played on."""

    seat: Seat
    reason: Closing
    at: datetime


@dataclass(frozen=True, slots=True)
class Return:
    """A seat that was left and is taken by another person, and plays again."""

    seat: Seat
    at: datetime


Entry: TypeAlias = Ply | Exit | Return


class Ask(StrEnum):
    """What the others are asked to agree to."""

    DRAW = "draw"
    TAKEBACK = "takeback"
    PAUSE = "pause"
    RESUME = "resume"  # needs no consent: one yes is enough
    END = "end"  # to end the match without a winner
    REMOVE = "remove"  # to remove the player on turn, who does not play


class Talk(StrEnum):
    """Whether the seats of a match may write to each other, the strictest last."""

    OPEN = "open"  # and all are told who wrote to whom, and how often
    HIDDEN = "hidden"
    OFF = "off"


VOTES: Final = (Ask.END, Ask.REMOVE)  # questions that a majority can decide: `play.actions.agreeing.carried`


@dataclass(frozen=True, slots=True)
class Offer:
    """A question to the other sides, open until all have agreed, one declines, or one of them plays on.

    The asker's own side may play on meanwhile; that takes back only what asks for a ply back.

    Attributes:
        agreed: The seats that have said yes so far.
        against: Of a vote: the seats that have said no so far.
        keep: How many entries of the log stay if all agree: for a draw or a pause, as many as it had when it was asked.
    """

    ask: Ask
    by: Seat
    agreed: tuple[Seat, ...] = ()
    keep: int = 0
    against: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Put:
    """That a seat has put a question, when the log had so many entries."""

    ask: Ask
    by: Seat
    entries: int


@dataclass(frozen=True, slots=True)
class Silence:
    """How long the player on turn has done nothing in a match without a clock.

    Attributes:
        seen: How many reminders have been seen to since.
        look: Until when the next one was put off.
    """

    since: datetime
    seen: int = 0
    look: datetime | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """What to answer in one case, and what after that.

    Attributes:
        when: Plies of the others, in canonical notation, until the turn comes back; none: any of their plies, where no other
            case fits.
    """

    when: tuple[str, ...]
    then: tuple[str, ...]
    after: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A seat's conditional moves, shown to its player only.

    Attributes:
        base: How many entries the log had where the first cases begin.
    """

    seat: Seat
    base: int
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a match: the winning seats (none: a draw) and the catalogue key of how it came about."""

    winners: tuple[Seat, ...]
    reason: str


ODDS: Final = "odds"


@dataclass(frozen=True, slots=True)
class Start:
    """Where a match begins, if not where its game does.

    Attributes:
        position: In the game's notation.
        source: What it is taken from: `#k7q2mz`, a match's last position; `#k7q2mz:23`, that before the match's turn 23; odds, by
            who gives them and what they are: `odds:2:without:3`; empty for a position that was written.
    """

    position: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """All that is known of a match. A value: changing it makes another, with the next revision.

    Attributes:
        id: The short code people type, `[a-z0-9]{6}`.
        options: The game's option texts that differ from its defaults, in the schema's order.
        host: Who opened the invitation; need not be seated.
        lobby: Whether it waits for a start (a lobby) or begins as soon as every chair is taken (a challenge).
        addresses: Where it is shown; the first is where it was made.
        expires: When an invitation that has not begun is called off.
        result: Set once the phase is OVER.
        cancelled: Set once the phase is CALLED_OFF.
        revision: 1 when first stored, one more at each change.
        rematch_of: Id of the match this one follows.
        times: What each seat has left; set with a clock, once the match has begun.
        touched: When a player last did something in it.
        noticed: When it was announced that nothing had been done for long.
        position_since: Revision at which the phase, the log, or before the start the chairs, last changed.
        question_since: Revision at which the question between the sides, or the pause, last changed.
        asked: The questions that were put, the last of each kind and side, since one was agreed to.
        imported: Whether it came from a file. A file can hold any names, so what happened before it was brought in
            counts for no one.
        remarks: What that file says otherwise, for the files that are written of it (`play.files.matchreader`).
        rated: Whether its result counts for ratings: chosen before it begins, and for ever.
        event: The event that it is played for, by its id, and the number of the game there.
        shown_by: The places that were asked for since it was made, the oldest first, and a number of who asked
            (`play.actions.renaming`).
        silence: Of the player on turn, without a clock; None: since `touched`.
        talk: What was chosen for the match; the place where it was made may be stricter.
        start: Where it begins; None: where its game does. Such a match is never rated.
    """

    id: str
    game: str
    rules_version: int
    options: tuple[tuple[str, str], ...]
    chairs: tuple[Chair, ...]
    host: Player
    lobby: bool
    addresses: tuple[Address, ...]
    opened: datetime
    expires: datetime
    phase: Phase = Phase.OPEN
    log: tuple[Entry, ...] = ()
    offer: Offer | None = None
    result: Result | None = None
    cancelled: Cancel | None = None
    revision: int = 0
    rematch_of: str | None = None
    clock: Clock | None = None
    times: Times | None = None
    paused: datetime | None = None
    plans: tuple[Plan, ...] = field(default=(), repr=False)
    touched: datetime | None = None
    noticed: datetime | None = None
    position_since: int = 0
    question_since: int = 0
    asked: tuple[Put, ...] = ()
    imported: bool = False
    remarks: tuple[tuple[str, ...], ...] = ()
    rated: bool = False
    event: tuple[str, int] | None = None
    shown_by: tuple[tuple[Address, int], ...] = ()
    silence: Silence | None = None
    talk: Talk = Talk.OPEN
    start: Start | None = None

    @property
    def live(self) -> bool:
        """Whether anything can still happen in it."""
        return self.phase in (Phase.OPEN, Phase.PLAYING)

    @property
    def full(self) -> bool:
        return all(chair.player for chair in self.chairs)

    @property
    def changed_at(self) -> datetime:
        """When something was last done in it, or the time of the seat on turn began to run; of one that is over, its last ply."""
        touched = self.touched or (self.log[-1].at if self.log else self.opened)
        return max(touched, self.times.since) if self.times and self.times.since else touched

    @property
    def ended_rated(self) -> bool:
        return self.rated and self.phase is Phase.OVER

    @property
    def vacation_counts(self) -> bool:
        """Whether it is under way, and days off stop its clock."""
        return self.phase is Phase.PLAYING and self.clock is not None and self.clock.vacation

    def expired(self, at: datetime) -> bool:
        """Whether it is an invitation whose time has run out."""
        return self.phase is Phase.OPEN and at >= self.expires

    def player(self, seat: Seat) -> Player:
        player = self.chairs[seat].player
        assert player is not None, "taken"  # noqa: S101 - once a match has begun, every chair is
        return player

    def seats_of(self, account: Account) -> Iterator[Seat]:
        for index, chair in enumerate(self.chairs):
            if chair.player and chair.player.account == account:
                yield Seat(index)

    def seat_of(self, account: Account, on_turn: Seat | None = None) -> Seat | None:
        """Return where an account sits: the first seat, or where it has several and one of them is `on_turn`, that; None: nowhere."""
        seats = tuple(self.seats_of(account))
        return on_turn if on_turn in seats else next(iter(seats), None)

    @property
    def for_one(self) -> bool:
        """Whether one person plays all seats."""
        return len({chair.player and chair.player.account for chair in self.chairs}) == 1 and self.full

    def people(self) -> Iterator[Account]:
        return (player.account for player in self.players())

    def players(self) -> Iterator[Player]:
        """Everybody whom the match concerns: seated, expected or host; each account once."""
        chairs = (who for chair in self.chairs for who in (chair.player, chair.reserved) if who)
        return each_once((self.host, *chairs))


PLAYERS: Final = "players"  # the key of the option, in games that have it, that says how many play


def open_size(game: AnyGame, match: Match) -> bool:
    """Whether a lobby has a chair for each person who comes: its options name the default number of players."""
    defaults = {option.key: option.default for option in game.schema.options}
    named = dict(match.options).get(PLAYERS)
    return match.lobby and match.phase is Phase.OPEN and named is not None and named == defaults.get(PLAYERS)


PLATFORM: Final = "engine"  # the platform of engines' accounts

WEAKEST: Final = 1
STRONGEST: Final = 8

SEVERAL: Final = 10  # engines of one level at one table, at most

_UID: Final = re.compile(r"([a-z0-9]{1,16})(?:\.([2-9]|10))?\Z", re.ASCII)


def is_engine(account: Account) -> bool:
    """Whether it is an engine's account."""
    return account.platform == PLATFORM


def kind_of(account: Account) -> str | None:
    """Which engine it is: the number of a level, or the name of a program from outside; None where it is no engine."""
    found = _UID.match(account.uid) if is_engine(account) else None
    return found[1] if found else None


def number_of(account: Account) -> int:
    """Which of several such engines at one table it is, counted from 1."""
    found = _UID.match(account.uid) if is_engine(account) else None
    return int(found[2]) if found and found[2] else 1


def only_engines(match: Match, seats: Iterable[Seat]) -> bool:
    """Whether only engines sit in some seats of a match."""
    players = [match.chairs[seat].player for seat in seats]
    return all(player is not None and is_engine(player.account) for player in players)


def plays_alone(match: Match) -> bool:
    """Whether one person sits at a table of engines."""
    seated = {chair.player.account for chair in match.chairs if chair.player}
    people = [account for account in seated if not is_engine(account)]
    return len(seated) > 1 and len(people) == 1 and not is_channel(people[0])


def engine(kind: str | int, taken: Container[Account] = ()) -> Player:
    """Return an engine of a level, or of a program from outside by its name, with an account that is not `taken`."""
    account = next(account for account in _accounts(kind) if account not in taken)
    number = number_of(account)
    return Player(account, f"Klop {kind}" if number == 1 else f"Klop {kind} ({number})")


def accounts() -> tuple[Account, ...]:
    """Every account that an engine with a level can have."""
    return tuple(account for level in range(WEAKEST, STRONGEST + 1) for account in _accounts(level))


def _accounts(kind: str | int) -> Iterator[Account]:
    yield Account(PLATFORM, str(kind))
    yield from (Account(PLATFORM, f"{kind}.{number}") for number in range(2, SEVERAL + 1))
