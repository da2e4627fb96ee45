"""A state of Breakthrough as a value, and the one generator of legal moves.

Sets of squares are integers: square (file, rank) is bit `rank * (files + 1) + file`. The one bit left over at the end of
each rank is never a square: what steps off the right edge of a rank, or off the left edge of the next, falls into it.

All legal moves of a position are one integer, a bit for each. It has three lanes of one board each, for the steps to
the file on the left, straight ahead and to the file on the right; a bit's place in its lane is the square that is
entered. One multiplication puts three copies of the men into the lanes, each a step ahead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final, Self, TypeAlias, final, overload

from rules.breakthrough.options import BEnding, Options, Refusal, Setup, Variant
from rules.core import (
    BadNotation,
    Grid,
    IllegalMove,
    Legality,
    Outcome,
    Position,
    Seat,
    Spelling,
    Square,
    quoted,
    refuse_all,
)
from rules.core.grid import BitTable, read_layout, write_layout


def bit(grid: Grid, square: Square) -> int:
    """The set of one square of this grid."""
    return 1 << square.rank * (grid.files + 1) + square.file


def squares(grid: Grid, men: int) -> tuple[Square, ...]:
    """The squares of a set, from a1 along the ranks."""
    found = []
    while men:
        low = men & -men
        rank, file = divmod(low.bit_length() - 1, grid.files + 1)
        found.append(Square(file, rank))
        men ^= low
    return tuple(found)


def rank_bits(grid: Grid, rank: int) -> int:
    """The set of all squares of a rank."""
    return (1 << grid.files) - 1 << rank * (grid.files + 1)


Bits: TypeAlias = tuple[object, int, int, int, int]

UNBOUND: Final[Bits] = (None, 0, 0, 0, 0)
"""Of a move that no board has made: it has to be looked up before it is played."""


@dataclass(frozen=True, slots=True)
class Move:
    """A man goes from one square to another, and captures the man that stands there or not."""

    start: Square  # the square that the man leaves
    end: Square  # the square that he enters
    captures: bool = False  # whether an opponent's man is taken on `end`
    # What the mover that made the move knows of it, so that playing it needs no look-up: that mover; the man
    # before; the man before and after; where an opponent's man would matter; the man taken. It is no part of
    # the move's value.
    bits: Bits = field(default=UNBOUND, repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.start}{'x' if self.captures else '-'}{self.end}"


_LANES: Final = (-1, 0, 1)  # the change of file


class Mover:
    """A seat that is to move, on one kind of board. Equal by options and seat; never changed once made."""

    next: Mover  # the opponent as the mover

    def __init__(self, options: Options, seat: Seat) -> None:
        grid = options.grid
        self.options = options
        self.seat = seat
        self._hash = hash((options, seat))
        self.ahead = 1 if seat is Seat.S1 else -1  # the change of rank in a step
        near, far = rank_bits(grid, 0), rank_bits(grid, grid.ranks - 1)
        # The far ranks of both: a man of the opponent on his has ended the game.
        self.goal, self.foe_goal = (far, near) if seat is Seat.S1 else (near, far)
        foe = Seat.S2 if seat is Seat.S1 else Seat.S1
        # The outcomes when the opponent has just reached his far rank, or taken the last man.
        if options.variant is Variant.MISERE:
            self.reached = Outcome((seat,), BEnding.MISERE_REACHED)
            self.captured = Outcome((seat,), BEnding.MISERE_CAPTURED)
        else:
            self.reached = Outcome((foe,), BEnding.REACHED)
            self.captured = Outcome((foe,), BEnding.CAPTURED)
        # A man on his far rank has ended the game, so every step is to a square or to a bit beside one, and the
        # lanes need no room between them. The first begins where Black's step back from bit 0 is no negative shift.
        stride = grid.files + 1
        step = self.ahead * stride
        self._size = stride * grid.ranks
        self._first = max(0, 1 - step)
        starts = [self._first + self._size * place for place in range(len(_LANES))]
        self._middle = starts[1]
        self._lanes = sum(1 << start for start in starts)
        self._wings = self._lanes ^ 1 << self._middle
        self._reach = sum(1 << start + step + side for start, side in zip(starts, _LANES, strict=True))
        self._open = sum(rank_bits(grid, rank) for rank in range(grid.ranks)) * self._lanes
        length = (self._first + len(_LANES) * self._size + 7) // 8
        self._quiet = BitTable(partial(self._made, captures=False), length)
        self._captures = BitTable(partial(self._made, captures=True), length)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mover):
            return NotImplemented
        return self is other or (self.seat is other.seat and self.options == other.options)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return _mover, (self.options, self.seat)  # copies and pickles: the table of moves is worked out again

    def __repr__(self) -> str:
        return f"movers({self.options!r})[{self.seat!r}]"

    def legal(self, own: int, foe: int) -> int:
        """All legal moves as one integer, a bit for each; 0 when the game is over."""
        if foe & self.foe_goal:
            return 0
        return own * self._reach & (self._open ^ own * self._lanes ^ foe << self._middle)

    def moves(self, legal: int, foe: int) -> list[Move]:
        """The moves that the bits of `legal` stand for, captures first; the same objects every time."""
        captures = legal & foe * self._wings
        if captures:
            return self._captures.read(captures) + self._quiet.read(legal ^ captures)
        return self._quiet.read(legal)

    def find(self, own: int, foe: int, move: Move) -> Move | None:
        """This mover's own object for a move, if it is legal: for moves that were made elsewhere."""
        grid = self.options.grid
        side = move.end.file - move.start.file
        if side not in _LANES or move.end.rank - move.start.rank != self.ahead:
            return None
        if move.start not in grid or move.end not in grid:
            return None
        target = bit(grid, move.end)
        place = self._first + self._size * _LANES.index(side) + target.bit_length() - 1
        if not self.legal(own, foe) >> place & 1 or move.captures != bool(foe & target):
            return None
        return (self._captures if move.captures else self._quiet)[place]

    def _made(self, place: int, captures: bool) -> Move:
        grid = self.options.grid
        lane, cell = divmod(place - self._first, self._size)
        rank, file = divmod(cell, grid.files + 1)
        end = Square(file, rank)
        start = Square(file - _LANES[lane], rank - self.ahead)
        man, target = bit(grid, start), bit(grid, end)
        return Move(
            start,
            end,
            captures,
            # An opponent's man matters on the target, and on his far rank, where he has won already.
            (self, man, man | target, target | self.foe_goal, target if captures else 0),
        )


State: TypeAlias = tuple[int, int, Mover]
"""The men of the seat to move, the opponent's men, and the seat to move."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LegalMoves(Sequence[Move]):
    """Legal moves, captures first. Equal to any sequence of the same moves.

    Length and membership take a few operations on integers for any number of moves.
    """

    state: State

    def __len__(self) -> int:
        own, foe, mover = self.state
        return mover.legal(own, foe).bit_count()

    def __iter__(self) -> Iterator[Move]:
        own, foe, mover = self.state
        return iter(mover.moves(mover.legal(own, foe), foe))

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Move, ...]: ...
    def __getitem__(self, index: int | slice) -> Move | tuple[Move, ...]:
        return tuple(self)[index]

    def __contains__(self, move: object) -> bool:
        own, foe, mover = self.state
        return isinstance(move, Move) and mover.find(own, foe, move) is not None

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


@lru_cache(maxsize=64)
def movers(options: Options) -> tuple[Mover, Mover]:
    """Return White and Black as the mover, each knowing the other.

    A mover made anew is equal to the old one. The cache is bounded: people can ask for boards of over a thousand sizes.
    """
    white, black = Mover(options, Seat.S1), Mover(options, Seat.S2)
    white.next, black.next = black, white
    return white, black


def _mover(options: Options, seat: Seat) -> Mover:
    return movers(options)[seat]


def refusal(state: State, move: Move) -> IllegalMove:
    """Return the rule that forbids a move which is not legal."""
    over = _over(state)
    if over:
        return over
    mover = state[2]
    for square in (move.start, move.end):
        if square not in mover.options.grid:
            return IllegalMove(Spelling.OFF_THE_BOARD, square=square, board=mover.options.grid)
    own, foe = _holds(state, move.start)
    if not own:
        return IllegalMove(Refusal.OPPONENTS_MAN if foe else Refusal.NO_MAN, square=move.start)
    ranks, straight = (move.end.rank - move.start.rank) * mover.ahead, move.start.file == move.end.file
    own, foe = _holds(state, move.end)
    if ranks < 1:
        reason = Refusal.NOT_FORWARD
    elif ranks > 1 or abs(move.end.file - move.start.file) > 1:
        reason = Refusal.TOO_FAR
    elif own or not foe:  # an empty square may be entered: only the claim to capture there is wrong
        return IllegalMove(Refusal.OWN_MAN if own else Refusal.NOTHING_TO_CAPTURE, square=move.end)
    else:
        reason = Refusal.BLOCKED if straight else Refusal.IS_A_CAPTURE
    return IllegalMove(reason, start=move.start, end=move.end)


def unreachable(state: State, end: Square, *, captures: bool) -> IllegalMove:
    """Return why no man can go to a square of the board that was named alone."""
    own, foe = _holds(state, end)
    reason = Refusal.NOTHING_TO_CAPTURE if captures and not foe else Refusal.UNREACHABLE
    return _over(state) or IllegalMove(Refusal.OWN_MAN if own else reason, square=end)


def _over(state: State) -> IllegalMove | None:
    own, foe, mover = state
    return None if own and not foe & mover.foe_goal else IllegalMove(Legality.GAME_OVER)


def _holds(state: State, square: Square) -> tuple[bool, bool]:
    """Whether a man of the seat to move stands on a square, and whether one of the opponent does."""
    own, foe, mover = state
    one = bit(mover.options.grid, square)
    return bool(own & one), bool(foe & one)


_RUNS: Final = r"(?:w|b|[1-9][0-9]?(?![0-9]))+"
_LAYOUT: Final = re.compile(rf"{_RUNS}(?:/{_RUNS})*\Z", re.ASCII)


def _read_men(grid: Grid, text: str) -> tuple[int, int]:
    """Return White's and Black's men, or raise BadNotation: the text is no layout, or one of a board of another size.

    A layout is one word, `w` and `b` for men: the start on 12x4 is `bbbbbbbbbbbb/bbbbbbbbbbbb/wwwwwwwwwwww/wwwwwwwwwwww`,
    an empty rank of it `12`.
    """
    if not _LAYOUT.match(text):
        raise BadNotation(Spelling.NOT_A_POSITION, text=quoted(text))
    held = read_layout(grid, text)
    if held is None:
        raise BadNotation(Setup.WRONG_BOARD, board=grid)
    white, black = (sum(bit(grid, at) for at, man in held.items() if man == colour) for colour in "wb")
    return white, black


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
        """Return the position with that layout, or raise BadNotation: it is none, or no game arrives there."""
        white, black = _read_men(options.grid, men)
        mover = movers(options)[to_move]
        own, foe = (white, black) if to_move is Seat.S1 else (black, white)
        limit = 2 * options.grid.files
        faults = [
            BadNotation(reason, count=men.bit_count(), limit=limit)
            for reason, men in ((Setup.TOO_MANY_WHITE, white), (Setup.TOO_MANY_BLACK, black))
            if men.bit_count() > limit
        ]
        # The game ends with the first man on a far rank: only the seat that has just moved can have one, and no two.
        arrived = foe & mover.foe_goal
        if astray := own & mover.goal | (arrived if arrived.bit_count() > 1 else 0):
            faults.append(BadNotation(Setup.PLAYED_ON, squares=squares(options.grid, astray)))
        if not foe:
            faults.append(BadNotation(Setup.NO_MEN))
        refuse_all(faults)
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
        grid = self.options.grid
        pairs = zip("wb", self.men, strict=True)
        return write_layout(grid, {at: letter for letter, men in pairs for at in squares(grid, men)})

    def at(self, square: Square) -> Seat | None:
        own, foe = _holds(self.state, square)
        mover = self.state[2]
        return mover.seat if own else mover.next.seat if foe else None

    def ahead(self, seat: Seat) -> Self | None:
        """The position with this seat to move; None once the game is over."""
        own, foe, mover = self.state
        if self.outcome:
            return None
        return self if seat is mover.seat else type(self)((foe, own, mover.next))

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
                raise refusal(self.state, move)
            return self.play(found)
        position: Self = _new(BreakthroughPosition)
        _set_state(position, (foe ^ taken, own ^ flip, mover.next))
        return position


# What `__init__` of a frozen dataclass does, in a third of the time.
_new: Final[Any] = object.__new__
_set_state: Final[Any] = BreakthroughPosition.__dict__["state"].__set__
_set_listed: Final[Any] = LegalMoves.__dict__["state"].__set__
