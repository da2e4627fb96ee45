"""What happened at the table, as data. A fact holds the match as it is after it; words and pictures come later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from play.match import Ask, Cancel, Match, Ply
from play.people import Address, Player
from rules.core import Seat


@dataclass(frozen=True, slots=True)
class Challenged:
    """Somebody invites one person, or anyone, to a match that begins once every chair is taken. A rematch too."""

    match: Match


@dataclass(frozen=True, slots=True)
class LobbyOpened:
    """Somebody opened a lobby."""

    match: Match


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody took a chair, and the match has not begun yet."""

    match: Match
    player: Player
    seat: Seat


@dataclass(frozen=True, slots=True)
class LeftLobby:
    """Somebody gave a chair back before the start; `host` is set where the lobby passed to another."""

    match: Match
    player: Player
    host: Player | None


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
class Moved:
    """Plies were played; `match.result` is set if they ended it.

    Attributes:
        match: As it is now.
        seat: Whose plies they are.
        plies: In the order played.
        handed_on: Whether the turn went to another seat.
        fell: Seats that went out by these plies, by the rules.
    """

    match: Match
    seat: Seat
    plies: tuple[Ply, ...]
    handed_on: bool
    fell: tuple[Seat, ...]


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


Fact: TypeAlias = (
    Challenged
    | LobbyOpened
    | Joined
    | LeftLobby
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
)
