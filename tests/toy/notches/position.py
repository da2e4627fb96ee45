"""Where the notches are, and whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from rules.core import Ending, IllegalMove, Legality, Outcome, Position, Reason, Seat, Square

from .options import Options


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
