"""What happened at the table, as data. A fact holds the match as it is after it; words and pictures come later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from play.match import Ask, Cancel, Match, Plan, Ply
from play.people import Account, Address, Player
from rules.core import Seat


@dataclass(frozen=True, slots=True)
class Challenged:
    """An invitation was made to a match that begins once every chair is taken; a rematch too."""

    match: Match


@dataclass(frozen=True, slots=True)
class LobbyOpened:
    """A lobby was opened."""

    match: Match


@dataclass(frozen=True, slots=True)
class Joined:
    """A player took a chair, and the match has not begun yet."""

    match: Match
    player: Player
    seat: Seat


@dataclass(frozen=True, slots=True)
class LeftLobby:
    """A player gave a chair back before the start; `host` is set where the lobby passed to another."""

    match: Match
    player: Player
    host: Player | None


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """A player declined a challenge of several; their seat is free for anyone."""

    match: Match
    player: Player


@dataclass(frozen=True, slots=True)
class CalledOff:
    """An invitation came to nothing; by whom, unless time ran out."""

    match: Match
    why: Cancel
    by: Player | None


@dataclass(frozen=True, slots=True)
class Started:
    """A match began (or, imported, goes on)."""

    match: Match


@dataclass(frozen=True, slots=True)
class PlannedAnswer:
    """Plies that a plan answered with, at once."""

    seat: Seat
    plies: tuple[Ply, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """Plies were played; `match.result` is set if they ended it.

    Attributes:
        match: As it is now.
        seat: Whose plies they are.
        plies: In the order played.
        handed_on: Whether the turn went to another seat (and perhaps, by the answers, came back).
        fell: Seats that went out by these plies and the answers, by the rules.
        answers: What was played after that in the same moment, by plans.
        stands_in: The engine that played them because that of the seat failed, by its kind; None where the players have
            been told of that, or no other played.
    """

    match: Match
    seat: Seat
    plies: tuple[Ply, ...]
    handed_on: bool
    fell: tuple[Seat, ...]
    answers: tuple[PlannedAnswer, ...] = ()
    stands_in: str | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """A seat took back its own last ply, freely."""

    match: Match
    seat: Seat
    plies: tuple[Ply, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question is open: a draw, or a takeback. `agreed` is set when it is one more yes of several needed."""

    match: Match
    ask: Ask
    seat: Seat
    agreed: Seat | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """A seat said no to an open question, or (its own seat) took it back."""

    match: Match
    ask: Ask
    seat: Seat


@dataclass(frozen=True, slots=True)
class TakenBack:
    """All agreed: the log is shorter by these plies."""

    match: Match
    seat: Seat
    plies: tuple[Ply, ...]


@dataclass(frozen=True, slots=True)
class Departed:
    """A seat left; the others play on, unless `match.result` is set."""

    match: Match
    seat: Seat
    player: Player


@dataclass(frozen=True, slots=True)
class Drawn:
    """All agreed to a draw."""

    match: Match


@dataclass(frozen=True, slots=True)
class Watching:
    """A match is shown at one more place from now on, or (`on` is false) no longer."""

    match: Match
    where: Address
    on: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """A match came from a file: over, to look at; or open, to be gone on with once its people have agreed."""

    match: Match


@dataclass(frozen=True, slots=True)
class Flagged:
    """A seat lost on time; the others play on, unless `match.result` is set. `claimed_by` is set on a soft clock."""

    match: Match
    seat: Seat
    player: Player
    claimed_by: Seat | None = None


@dataclass(frozen=True, slots=True)
class TimeIsUp:
    """On a soft clock: a seat's time is up, and it goes on until an opponent claims."""

    match: Match
    seat: Seat


@dataclass(frozen=True, slots=True)
class Reminded:
    """Private to `to`: it is their turn, and so much time is left; None without a clock."""

    match: Match
    to: Account
    seat: Seat
    left: timedelta | None


@dataclass(frozen=True, slots=True)
class HeadsUp:
    """Private to `to`: they are next, once the seat on turn has played. Never committed: see `play.time.timers`."""

    match: Match
    to: Account
    seat: Seat


@dataclass(frozen=True, slots=True)
class Absent:
    """A player does not read a place of the match any more, and is called in private. Never committed.

    Attributes:
        match: As it is now.
        player: Who.
        where: The place where they were called.
        reached: Whether the bot can write to them, as is told at the place; None: it is for themselves, in private.
    """

    match: Match
    player: Player
    where: Address
    reached: bool | None = None


@dataclass(frozen=True, slots=True)
class Unreached:
    """Some who are invited, or whom the match waits for, cannot be written to. Never committed.

    Attributes:
        match: As it is now.
        to: Who is told, privately; None: all at `where` are.
        who: They.
        where: The place; None for a person.
        called: Whether they are called at a place of the match's event.
    """

    match: Match
    to: Account | None
    who: tuple[Player, ...]
    where: Address | None = None
    called: bool = False


@dataclass(frozen=True, slots=True)
class Reached:
    """A place, or a person, can be written to again and missed what happened. Never committed.

    Attributes:
        match: As it is now.
        where: The place; None for a person.
        to: The person, privately; None for a place.
        more: How many more matches they missed, which are not shown.
    """

    match: Match
    where: Address | None = None
    to: Account | None = None
    more: int = 0


@dataclass(frozen=True, slots=True)
class Postponed:
    """An outage of the bot moved the deadline of the seat on turn."""

    match: Match


@dataclass(frozen=True, slots=True)
class VacationUsed:
    """A player's days off stop their clock in this match; `automatic`: days taken by themselves, to save them.

    Of days that are taken by themselves one after another, the first is told, and the last.

    Attributes:
        match: As it is now.
        seat: Whose clock it is.
        until: When it runs again; in the past where days that are over were counted late.
        automatic: Whether it was taken without being asked for.
        deadline: When the seat's time is up now; None where it is not on turn.
        most: When it is up at the latest, with all the days that can still be taken by themselves; None where nothing
            more is.
    """

    match: Match
    seat: Seat
    until: datetime
    automatic: bool
    deadline: datetime | None
    most: datetime | None = None


@dataclass(frozen=True, slots=True)
class VacationEnded:
    """A player is back before the end of their vacation; their clock runs again."""

    match: Match
    seat: Seat


@dataclass(frozen=True, slots=True)
class Paused:
    """All agreed to a pause, which `seat` had asked for: the clock stops until one of them resumes."""

    match: Match
    seat: Seat


@dataclass(frozen=True, slots=True)
class Resumed:
    """A seat ended the pause."""

    match: Match
    seat: Seat


@dataclass(frozen=True, slots=True)
class SilenceNoticed:
    """Nothing has been done for long; the match is closed at `closes` if that stays so."""

    match: Match
    closes: datetime


@dataclass(frozen=True, slots=True)
class Closed:
    """A match was closed without a winner, or as the event decided that it belongs to."""

    match: Match


@dataclass(frozen=True, slots=True)
class Replaced:
    """A player took the seat that another had left or lost on time, and plays on for it."""

    match: Match
    seat: Seat
    player: Player
    before: Player


@dataclass(frozen=True, slots=True)
class Planned:
    """Private to `to`: their conditional moves are these now, or (`plan` is None) none. Never announced."""

    match: Match
    to: Account
    seat: Seat
    plan: Plan | None


@dataclass(frozen=True, slots=True)
class Later:
    """A timer came too early and was set anew. Never announced."""

    match: Match


@dataclass(frozen=True, slots=True)
class Renamed:
    """A player goes by another account, or was forgotten. Never announced."""

    match: Match


Fact: TypeAlias = (
    Challenged
    | LobbyOpened
    | Joined
    | LeftLobby
    | TurnedDown
    | CalledOff
    | Started
    | Moved
    | Undone
    | Asked
    | Declined
    | TakenBack
    | Departed
    | Drawn
    | Watching
    | Imported
    | Flagged
    | TimeIsUp
    | Reminded
    | HeadsUp
    | Absent
    | Unreached
    | Reached
    | Postponed
    | VacationUsed
    | VacationEnded
    | Paused
    | Resumed
    | SilenceNoticed
    | Closed
    | Replaced
    | Planned
    | Later
    | Renamed
)
