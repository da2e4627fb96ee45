"""A state of Breakthrough as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self, final

from rules.breakthrough.bitboard import bit, rank_bits, squares
from rules.breakthrough.layout import read_layout, write_layout
from rules.breakthrough.legality import refusal
from rules.breakthrough.movegen import LegalMoves, State, movers
from rules.breakthrough.moves import Move
from rules.breakthrough.options import Options
from rules.breakthrough.reasons import Setup
from rules.core import BadNotation, Outcome, Position, Seat, Square


@final
@dataclass(frozen=True, slots=True, repr=False)
class BreakthroughPosition(Position[Move]):
    """The men, whose move it is, and what kind of Breakthrough it is.

    A seat to move that has men and has not lost can always move: the squares diagonally ahead of its foremost man hold
    no man of its own, there is at least one since a board has two files, and an opponent's man there can be taken. So
    the only ends are a man on the far rank, and no men.

    `state` is one tuple because a search makes positions by the million: a frozen value costs a call for each field.
    """

    state: State

    @classmethod
    def start(cls, options: Options) -> Self:
        """Each side on its two nearest ranks, White to move."""
        grid, (white, _) = options.grid, movers(options)
        top = grid.ranks - 1
        men = rank_bits(grid, 0) | rank_bits(grid, 1)
        return cls((men, rank_bits(grid, top) | rank_bits(grid, top - 1), white))

    @classmethod
    def of(cls, options: Options, men: str, to_move: Seat) -> Self:
        """The position with that layout.

        Raises:
            BadNotation: the text is no layout of this board, or no game arrives there.
        """
        white, black = read_layout(options.grid, men)
        mover = movers(options)[to_move]
        own, foe = (white, black) if to_move is Seat.S1 else (black, white)
        limit = 2 * options.grid.files
        if max(own.bit_count(), foe.bit_count()) > limit:
            raise BadNotation(Setup.TOO_MANY_MEN, limit=limit)
        # The game ends with the first man on a far rank: only the seat that has just moved can have one, and no two.
        arrived = own & mover.goal or foe & mover.foe_goal
        if own & mover.goal or arrived.bit_count() > 1:
            raise BadNotation(Setup.PLAYED_ON, square=squares(options.grid, arrived)[0])
        if not foe:
            raise BadNotation(Setup.NO_MEN)
        return cls((own, foe, mover))

    def __repr__(self) -> str:
        return f"BreakthroughPosition.of({self.options!r}, {self.layout!r}, {self.to_move!r})"

    @property
    def options(self) -> Options:
        return self.state[2].options

    @property
    def to_move(self) -> Seat:
        return self.state[2].seat

    @property
    def outcome(self) -> Outcome | None:
        own, foe, mover = self.state
        if foe & mover.foe_goal:
            return mover.reached
        return None if own else mover.captured

    @property
    def men(self) -> tuple[int, int]:
        """White's and Black's men, as bitboards."""
        own, foe, mover = self.state
        return (own, foe) if mover.seat is Seat.S1 else (foe, own)

    @property
    def layout(self) -> str:
        """Where the men stand, as `of` reads it."""
        return write_layout(self.options.grid, *self.men)

    def at(self, square: Square) -> Seat | None:
        """Whose man stands on a square of the board."""
        one = bit(self.options.grid, square)
        white, black = self.men
        if one & white:
            return Seat.S1
        return Seat.S2 if one & black else None

    def legal_moves(self) -> LegalMoves:
        """Every legal move: counted and tested without being listed."""
        moves: LegalMoves = _new(LegalMoves)
        _set_listed(moves, self.state)
        return moves

    def play(self, move: Move) -> Self:
        own, foe, mover = self.state
        home, man, flip, watched, taken = move.bits
        if home is not mover or own & flip != man or foe & watched != taken:
            found = mover.find(own, foe, move)
            if found is None:
                raise refusal(self.state, move, over=self.outcome is not None)
            return self.play(found)
        position: Self = _new(BreakthroughPosition)
        _set_state(position, (foe ^ taken, own ^ flip, mover.next))
        return position


# What `__init__` of a frozen dataclass does, in a third of the time.
_new: Final[Any] = object.__new__
_set_state: Final[Any] = BreakthroughPosition.__dict__["state"].__set__
_set_listed: Final[Any] = LegalMoves.__dict__["state"].__set__
