"""A state of Breakthrough as a value.

Where the men stand, as one word: ranks from the top with `/` between, `w` and `b` for men, numbers for gaps.

A number counts empty squares in a row and may have two digits, since letters and slashes end it: the start on 12x4 is
`bbbbbbbbbbbb/bbbbbbbbbbbb/wwwwwwwwwwww/wwwwwwwwwwww`, an empty rank of it `12`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Self, final

from rules.breakthrough.movegen import LegalMoves, Move, State, bit, movers, rank_bits, refusal, squares
from rules.breakthrough.options import Options, Setup
from rules.core import BadNotation, Grid, Outcome, Position, Seat, Spelling, Square, quoted

_RANK: Final = re.compile(r"(?:w|b|[1-9][0-9]?(?![0-9]))+\Z", re.ASCII)
_RUN: Final = re.compile(r"w|b|[0-9]+", re.ASCII)


def write_layout(grid: Grid, white: int, black: int) -> str:
    """The layout of two sets of men."""
    return "/".join(_write_rank(grid, rank, white, black) for rank in reversed(range(grid.ranks)))


def _write_rank(grid: Grid, rank: int, white: int, black: int) -> str:
    runs: list[str] = []
    gap = 0
    for file in range(grid.files):
        square = bit(grid, Square(file, rank))
        if not square & (white | black):
            gap += 1
            continue
        if gap:
            runs.append(str(gap))
            gap = 0
        runs.append("w" if square & white else "b")
    if gap:
        runs.append(str(gap))
    return "".join(runs)


def read_layout(grid: Grid, text: str) -> tuple[int, int]:
    """White's and Black's men.

    Raises:
        BadNotation: the text is no layout, or one of a board of another size.
    """
    ranks = text.split("/")
    if not all(map(_RANK.match, ranks)):
        raise BadNotation(Spelling.NOT_A_POSITION, text=quoted(text))
    if len(ranks) != grid.ranks:
        raise BadNotation(Setup.WRONG_BOARD, board=grid)
    men = {"w": 0, "b": 0}
    for rank, runs in zip(reversed(range(grid.ranks)), ranks, strict=True):
        file = 0
        for run in _RUN.findall(runs):
            if run in men:
                men[run] |= bit(grid, Square(file, rank))
            file += 1 if run in men else int(run)
        if file != grid.files:
            raise BadNotation(Setup.WRONG_BOARD, board=grid)
    return men["w"], men["b"]


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
