"""Where the notches are, and whose turn it is; what can be chosen before a game, and its diagram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from rules.core import (
    Area,
    BadOption,
    Diagram,
    Ending,
    Grid,
    Highlights,
    IllegalMove,
    Kind,
    Legality,
    Mark,
    Number,
    OneOf,
    Outcome,
    Piece,
    Position,
    Reason,
    Schema,
    Seat,
    Sign,
    Size,
    Square,
    Squares,
    Zone,
    picked_squares,
)

# What can be chosen before a game of notches.


class Setup(Reason):
    """A combination of options that cannot be played."""

    HOLE_OFF_THE_BOARD = "notches.setup.hole-off-the-board"  # square, board
    HOLE_TWICE = "notches.setup.hole-twice"  # square
    TOO_SMALL = "notches.setup.too-small"  # cells, players


@dataclass(frozen=True, slots=True)
class Options:
    """A board with holes, how many people, how many notches make a turn, and who wins."""

    board: Grid
    players: int
    cuts: int
    variant: str
    holes: tuple[Square, ...]


SCHEMA = Schema(
    options=(
        OneOf("variant", "last", ("last", "first")),
        Number("players", "3", 2, 4),
        Size("board", "5x3", (3, 26), (1, 12)),
        Number("cuts", "2", 1, 4),
        Squares("holes", ""),
    ),
    presets={
        "classic": {},
        "duel": {"players": "2", "board": "4x2", "cuts": "1"},
        "wide": {"players": "4", "board": "12x6", "holes": "c3,j4"},
    },
)


def options(chosen: Mapping[str, Any]) -> Options:
    """Options from the schema's values.

    Raises:
        BadOption: a hole that is not on the board or is named twice, or fewer cells than people.
    """
    made = Options(**chosen)
    for at, hole in enumerate(made.holes):
        if hole not in made.board:
            raise BadOption(Setup.HOLE_OFF_THE_BOARD, square=hole, board=made.board)
        if hole in made.holes[:at]:
            raise BadOption(Setup.HOLE_TWICE, square=hole)
    cells = len(made.board) - len(made.holes)
    if cells < made.players:
        raise BadOption(Setup.TOO_SMALL, cells=cells, players=made.players)
    return made


# Where the notches are, and whose turn it is.


class Refusal(Reason):
    """Why a notch cannot be cut."""

    OFF_THE_BOARD = "notches.illegal.off-the-board"  # square, board
    HOLE = "notches.illegal.hole"  # square
    TAKEN = "notches.illegal.taken"  # square
    TOUCHES = "notches.illegal.touches"  # square, other
    TOO_MANY = "notches.illegal.too-many"  # count, left


class End(Ending):
    """How a game of notches ends."""

    LAST_LEFT = "notches.ending.last-left"
    FIRST_BLOCKED = "notches.ending.first-blocked"


@dataclass(frozen=True, slots=True)
class Notch:
    """One ply: a notch in a cell."""

    square: Square


@dataclass(frozen=True, slots=True)
class Notches(Position[Notch]):
    """A board with notches.

    Attributes:
        options: What was chosen.
        notches: The cells of each seat.
        turn: Whose ply is next.
        left: Plies the turn still has.
        gone: Seats that play no more.
        blocked: The seat that won by being blocked first.
    """

    options: Options
    notches: tuple[frozenset[Square], ...]
    turn: Seat
    left: int
    gone: frozenset[Seat] = frozenset()
    blocked: Seat | None = None

    @property
    def to_move(self) -> Seat:
        """Whose ply is next."""
        return self.turn

    @property
    def plies_left(self) -> int:
        """Plies of this turn to come."""
        return self.left

    @property
    def turn_length(self) -> int:
        """Plies of every turn."""
        return self.options.cuts

    @property
    def counts_plies(self) -> bool:
        """Whether turns have several cuts."""
        return self.options.cuts > 1

    @property
    def out(self) -> frozenset[Seat]:
        """Blocked or retired."""
        return self.gone

    @property
    def staying(self) -> tuple[Seat, ...]:
        """The seats that are not out."""
        return tuple(Seat(n) for n in range(self.options.players) if n not in self.gone)

    @property
    def outcome(self) -> Outcome | None:
        """The first one blocked or the last one left wins, as the variant says."""
        if self.blocked is not None:
            return Outcome((self.blocked,), End.FIRST_BLOCKED)
        if len(self.staying) == 1:
            return Outcome(self.staying, End.LAST_LEFT)
        return None

    def refusal(self, seat: Seat, square: Square) -> IllegalMove | None:
        """Why a seat may not cut here, if it may not."""
        if square not in self.options.board:
            return IllegalMove(Refusal.OFF_THE_BOARD, square=square, board=self.options.board)
        if square in self.options.holes:
            return IllegalMove(Refusal.HOLE, square=square)
        for owner, cells in enumerate(self.notches):
            if square in cells:
                return IllegalMove(Refusal.TAKEN, square=square)
            if owner == seat:
                continue
            for cell in cells:
                if abs(cell.file - square.file) <= 1 and abs(cell.rank - square.rank) <= 1:
                    return IllegalMove(Refusal.TOUCHES, square=square, other=cell)
        return None

    def cells(self, seat: Seat) -> tuple[Square, ...]:
        """Where a seat may cut, from a1 along the ranks."""
        return tuple(square for square in self.options.board if self.refusal(seat, square) is None)

    def legal_moves(self) -> tuple[Notch, ...]:
        """A notch in any cell that is free and touches no other player's."""
        if self.outcome:
            return ()
        return tuple(map(Notch, self.cells(self.turn)))

    def play(self, move: Notch) -> Self:
        """Cut the notch; a seat that must go on and cannot is out."""
        if self.outcome:
            raise IllegalMove(Legality.GAME_OVER)
        if refused := self.refusal(self.turn, move.square):
            raise refused
        notches = list(self.notches)
        notches[self.turn] |= {move.square}
        return replace(self, notches=tuple(notches), left=self.left - 1)._settled()

    def retire(self, seat: Seat) -> Self:
        """Out without being blocked, so this wins in no variant."""
        if self.options.players == 2:
            raise ValueError(f"a game of two ends when {seat!r} leaves")
        if self.outcome:
            return self
        left = 0 if seat == self.turn else self.left
        return replace(self, gone=self.gone | {seat}, left=left)._settled()

    def restore(self, seat: Seat) -> Self:
        """In again, if there is a cell left to cut."""
        if self.options.players == 2 or self.outcome or seat not in self.gone or not self.cells(seat):
            raise ValueError(f"{seat!r} cannot come back here")
        return replace(self, gone=self.gone - {seat})

    def _settled(self) -> Self:
        """Passed on to the first seat that can cut; those that cannot are out."""
        here = self
        while here.outcome is None:
            if here.left == 0:
                turn = here.turn
                while turn == here.turn or turn in here.gone:
                    turn = Seat((turn + 1) % here.options.players)
                    if turn == here.turn:
                        break
                here = replace(here, turn=turn, left=here.options.cuts)
            if here.cells(here.turn):
                return here
            blocked = here.turn if here.options.variant == "first" else None
            here = replace(here, gone=here.gone | {here.turn}, left=0, blocked=blocked)
        return replace(here, left=0)


def start(chosen: Options) -> Notches:
    """The bare board."""
    return Notches(chosen, (frozenset(),) * chosen.players, Seat.S1, chosen.cuts)


# A position of notches as a diagram.


def draw(position: Notches, highlights: Highlights[Notches, Notch]) -> Diagram:
    """Each notch is a man of its owner; a hole is painted."""
    pieces = [
        Piece(Kind.MAN, (cell,), Seat(seat))
        for seat, cells in enumerate(position.notches)
        for cell in sorted(cells)
    ]
    marks = [Mark(Sign.ENTERED, move.square) for move in highlights.last]
    marks += [Mark(Sign.CANDIDATE, move.square, str(n)) for n, move in enumerate(highlights.candidates, 1)]
    marks += [Mark(Sign.PICKED, square) for square in picked_squares(highlights.picked)]
    holes = position.options.holes
    return Diagram(
        position.options.board,
        tuple(pieces),
        areas=(Area(Zone.PAINTED, holes),) if holes else (),
        marks=tuple(marks),
        out=position.out,
    )
