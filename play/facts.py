"""What happened at the table, as data. A fact holds the match as it is after it; words and pictures come later."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from play.match import Ask, Cancel, Match, Plan, Ply
from play.people import Account, Address, Player
from play.time.clock import Away
from rules.core import Seat


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that happened in a match, which is as it is after it."""

    match: Match


@dataclass(frozen=True, slots=True)
class Challenged(Fact):
    """An invitation was made to a match that begins once every chair is taken; a rematch too."""


@dataclass(frozen=True, slots=True)
class LobbyOpened(Fact):
    """A lobby was opened."""


@dataclass(frozen=True, slots=True)
class Joined(Fact):
    """A player took a chair, and the match has not begun yet."""

    player: Player
    seat: Seat


@dataclass(frozen=True, slots=True)
class LeftLobby(Fact):
    """A player gave a chair back before the start; `host` is set where the lobby passed to another."""

    player: Player
    host: Player | None


@dataclass(frozen=True, slots=True)
class TurnedDown(Fact):
    """A player declined a challenge of several; their seat is free for anyone."""

    player: Player


@dataclass(frozen=True, slots=True)
class CalledOff(Fact):
    """An invitation came to nothing; by whom, unless time ran out."""

    why: Cancel
    by: Player | None


@dataclass(frozen=True, slots=True)
class Started(Fact):
    """A match began (or, imported, goes on)."""


@dataclass(frozen=True, slots=True)
class PlannedAnswer:
    """Plies that a plan answered with, at once."""

    seat: Seat
    plies: tuple[Ply, ...]


@dataclass(frozen=True, slots=True)
class Moved(Fact):
    """Plies were played; `match.result` is set if they ended it.

    Attributes:
        handed_on: Whether the turn went to another seat (and perhaps, by the answers, came back).
        fell: Seats that went out by these plies and the answers, by the rules.
        stands_in: The engine that played them because that of the seat failed, by its kind; None where the players have
            been told of that, or no other played.
    """

    seat: Seat
    plies: tuple[Ply, ...]
    handed_on: bool
    fell: tuple[Seat, ...]
    answers: tuple[PlannedAnswer, ...] = ()
    stands_in: str | None = None


@dataclass(frozen=True, slots=True)
class Undone(Fact):
    """A seat took back its own last ply, freely."""

    seat: Seat
    plies: tuple[Ply, ...]


@dataclass(frozen=True, slots=True)
class Asked(Fact):
    """A question is open: a draw, or a takeback. `agreed` is set when it is one more yes of several needed."""

    ask: Ask
    seat: Seat
    agreed: Seat | None = None


@dataclass(frozen=True, slots=True)
class Declined(Fact):
    """A seat said no to an open question, or (its own seat) took it back; `keep` as in the offer."""

    ask: Ask
    seat: Seat
    keep: int = 0


@dataclass(frozen=True, slots=True)
class TakenBack(Fact):
    """All agreed: the log is shorter by these plies."""

    seat: Seat
    plies: tuple[Ply, ...]


@dataclass(frozen=True, slots=True)
class Departed(Fact):
    """A seat left; the others play on, unless `match.result` is set."""

    seat: Seat
    player: Player


@dataclass(frozen=True, slots=True)
class Drawn(Fact):
    """All agreed to a draw."""


@dataclass(frozen=True, slots=True)
class Watching(Fact):
    """A match is shown at one more place from now on, or (`on` is false) no longer."""

    where: Address
    on: bool


@dataclass(frozen=True, slots=True)
class Imported(Fact):
    """A match came from a file: over, to look at; or open, to be gone on with once its people have agreed."""


@dataclass(frozen=True, slots=True)
class Flagged(Fact):
    """A seat lost on time; the others play on, unless `match.result` is set. `claimed_by` is set on a soft clock."""

    seat: Seat
    player: Player
    claimed_by: Seat | None = None


@dataclass(frozen=True, slots=True)
class TimeIsUp(Fact):
    """On a soft clock: a seat's time is up, and it goes on until an opponent claims."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Reminded(Fact):
    """Private to `to`: it is their turn, and so much time is left; None without a clock."""

    to: Account
    seat: Seat
    left: timedelta | None


@dataclass(frozen=True, slots=True)
class HeadsUp(Fact):
    """Private to `to`: they are next, once the seat on turn has played. Never committed: see `play.time.timers`."""

    to: Account
    seat: Seat


@dataclass(frozen=True, slots=True)
class Absent(Fact):
    """A player does not read a place of the match any more, and is called in private. Never committed.

    Attributes:
        reached: Whether the bot can write to them, as is told at the place; None: it is for themselves, in private.
    """

    player: Player
    where: Address
    reached: bool | None = None


@dataclass(frozen=True, slots=True)
class Unreached(Fact):
    """Some who are invited, or whom the match waits for, cannot be written to. Never committed.

    Attributes:
        to: Who is told, privately; None: all at `where` are.
        called: Whether they are called at a place of the match's event.
    """

    to: Account | None
    who: tuple[Player, ...]
    where: Address | None = None
    called: bool = False


@dataclass(frozen=True, slots=True)
class Reached(Fact):
    """A place, or a person, can be written to again and missed what happened. Never committed.

    Attributes:
        more: How many more matches they missed, which are not shown.
    """

    where: Address | None = None
    to: Account | None = None
    more: int = 0


@dataclass(frozen=True, slots=True)
class Waiting(Fact):
    """A board was changed in place for those whom the match waits for, who have not acted since. Never committed."""

    where: Address | None = None
    to: Account | None = None


@dataclass(frozen=True, slots=True)
class Deliberated(Fact):
    """People of a place that plays have proposed a turn or voted, or it is another's turn to play for it. Never committed.

    Attributes:
        calls: Whether a person is to be called, whose turn it is now.
    """

    where: Address
    calls: bool = False


@dataclass(frozen=True, slots=True)
class Told(Fact):
    """A seat writes to a player, or shows a message that it got to a chat. Never committed: the text is kept nowhere else.

    Attributes:
        to: Who is written to; None: all at `where` are shown what `seat` reports.
        text: Empty: a message to `seat` did not reach it, as its writer is told.
        number: Which of the match it is, so that none is shown twice.
        team: Whether all of the team get it.
    """

    to: Account | None
    text: str = field(repr=False)
    seat: Seat
    number: int
    team: bool = False
    where: Address | None = None


@dataclass(frozen=True, slots=True)
class Postponed(Fact):
    """An outage of the bot moved the deadline of the seat on turn."""


@dataclass(frozen=True, slots=True)
class VacationUsed(Fact):
    """A player's days off stop their clock in this match; `automatic`: days taken by themselves, to save them.

    Of days that are taken by themselves one after another, the first is told, and the last.

    Attributes:
        until: When it runs again; in the past where days that are over were counted late.
        deadline: When the seat's time is up now; None where it is not on turn.
        most: When it is up at the latest, with all the days that can still be taken by themselves; None where nothing
            more is.
        planned: The vacation, if it begins later.
    """

    seat: Seat
    until: datetime
    automatic: bool
    deadline: datetime | None
    most: datetime | None = None
    planned: Away | None = None


@dataclass(frozen=True, slots=True)
class VacationEnded(Fact):
    """A player is back before the end of their vacation, and their clock runs again; or has withdrawn a planned one.

    Attributes:
        planned: The one that was withdrawn; None: it had begun.
    """

    seat: Seat
    planned: Away | None = None


@dataclass(frozen=True, slots=True)
class Paused(Fact):
    """All agreed to a pause, which `seat` had asked for: the clock stops until one of them resumes."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Resumed(Fact):
    """A seat ended the pause."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TimeGiven(Fact):
    """A seat gave time to another; `deadline` is when that one's time is up now, None where it does not run."""

    seat: Seat
    to: Seat
    length: timedelta
    deadline: datetime | None


@dataclass(frozen=True, slots=True)
class SilenceNoticed(Fact):
    """Nothing has been done for long; the match is closed at `closes` if that stays so."""

    closes: datetime


@dataclass(frozen=True, slots=True)
class Closed(Fact):
    """A match was closed without a winner, or as the event decided that it belongs to."""


@dataclass(frozen=True, slots=True)
class Replaced(Fact):
    """A player took the seat that another had left or lost on time, and plays on for it."""

    seat: Seat
    player: Player
    before: Player


@dataclass(frozen=True, slots=True)
class Planned(Fact):
    """Private to `to`: their conditional moves are these now, or (`plan` is None) none. Never announced."""

    to: Account
    seat: Seat
    plan: Plan | None


@dataclass(frozen=True, slots=True)
class Later(Fact):
    """A timer came too early and was set anew. Never announced."""


@dataclass(frozen=True, slots=True)
class Renamed(Fact):
    """A player goes by another account, or was forgotten. Never announced."""


KINDS: Final = tuple(
    kind
    for kind in [*vars().values()]
    if isinstance(kind, type) and issubclass(kind, Fact) and kind is not Fact
)
"""All kinds of facts about matches."""
