"""Breakthrough as text and as a board: `a2-a3`, `a2xb3`, picking a move, the diagram, evaluation, threats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from rules.breakthrough.options import BadOdds, Options, Variant
from rules.breakthrough.position import (
    BreakthroughPosition,
    Move,
    bit,
    rank_bits,
    refusal,
    squares,
    unreachable,
)
from rules.core import (
    AmbiguousMove,
    Area,
    Arrow,
    BadNotation,
    BadOption,
    Diagram,
    Fork,
    Grid,
    Highlights,
    Kind,
    Legality,
    Mark,
    Notation,
    Picks,
    Piece,
    Seat,
    Sign,
    Spelling,
    Square,
    Step,
    Threat,
    Way,
    Zone,
    fold,
    fold_move,
    pick,
    picked_squares,
    quoted,
    squashed,
)
from rules.core.options import Number, Squares, folded

_NAME: Final = r"[a-z][0-9]{1,2}"
# On boards of 24 files and more x is also a file. It is no riddle: a letter x before a digit is the file, any other
# the sign. The colon is how captures are written in Ukrainian and Russian.
_MOVE: Final = re.compile(rf"(?P<start>{_NAME}) ?(?P<sign>[-x:]?) ?(?P<end>{_NAME})\Z", re.ASCII)
_TARGET: Final = re.compile(rf"(?P<sign>[x:]?) ?(?P<end>{_NAME})\Z", re.ASCII)
_SEVERAL: Final = re.compile(rf"(?:[-x:,; ]*{_NAME}){{3,}}[,; ]*\Z", re.ASCII)
_POSITION: Final = re.compile(r"(?P<men>\S+) (?P<to_move>[wb])\Z", re.ASCII)

_folded: Final = lru_cache(maxsize=2048)(
    fold_move
)  # a match is replayed from its texts, and many have the same

# The longest text, 26x26 with all men and as many gaps as can be, comes to some 305 characters.
_MAX_POSITION: Final = 400


class BreakthroughNotation(Notation[BreakthroughPosition, Move, Options]):
    """`a2-a3`, a capture `a2xb3`; a position is its layout and `w` or `b` for the side to move."""

    __slots__ = ()

    def parse(self, text: str, position: BreakthroughPosition) -> tuple[Move, ...]:
        """Return the one legal move that typed text asks for.

        Read are `a2-a3`, `a2a3`, `a2 a3`, the same for a capture or with `x` or `:` in between, and the target alone
        when one man only can go there.
        """
        folded = _folded(text)
        grid = position.options.grid
        if found := _MOVE.match(folded):
            start, end = grid.find(found["start"]), grid.find(found["end"])
            return (self._move(position, start, end, claimed=found["sign"] in {"x", ":"}),)
        if found := _TARGET.match(folded):
            return (self._to(position, grid.find(found["end"]), quoted(text), claimed=bool(found["sign"])),)
        if _SEVERAL.match(folded):
            raise BadNotation(Spelling.ONE_MOVE_ONLY)
        raise BadNotation(Spelling.NOT_A_MOVE, text=quoted(text))

    def _move(self, position: BreakthroughPosition, start: Square, end: Square, *, claimed: bool) -> Move:
        own, foe, mover = position.state
        taken = bool(foe & bit(position.options.grid, end))
        move = mover.find(own, foe, Move(start, end, taken)) if taken or not claimed else None
        if move is None:
            raise refusal(position.state, Move(start, end, claimed))
        return move

    def _to(self, position: BreakthroughPosition, end: Square, text: str, *, claimed: bool) -> Move:
        candidates = [m for m in position.legal_moves() if m.end == end and (m.captures or not claimed)]
        if len(candidates) > 1:
            candidates.sort(key=lambda move: move.start)
            raise AmbiguousMove(Legality.SEVERAL_FIT, candidates, text=text, count=len(candidates))
        if not candidates:
            raise unreachable(position.state, end, captures=claimed)
        return candidates[0]

    def steps(self, move: Move) -> tuple[str, ...]:
        return str(move.start), str(move.end)

    def parse_position(self, text: str, options: Options) -> BreakthroughPosition:
        text = fold(text, limit=_MAX_POSITION)
        found = _POSITION.match(text)
        if not found:
            raise BadNotation(Spelling.NOT_A_POSITION, text=quoted(text))
        return BreakthroughPosition.of(options, found["men"], Seat.S1 if found["to_move"] == "w" else Seat.S2)

    def format_position(self, position: BreakthroughPosition) -> str:
        return f"{position.layout} {'w' if position.to_move is Seat.S1 else 'b'}"


def fork(position: BreakthroughPosition, chosen: Sequence[str]) -> Fork[Move]:
    """Where a half-made move can go. More than 25 men, on boards wider than 12, are narrowed down by region first."""
    prompts = "breakthrough.fork.man", "breakthrough.fork.target"
    return pick(_ways(position), chosen, lambda taken: prompts[bool(taken)])


@lru_cache(maxsize=16)
def _ways(position: BreakthroughPosition) -> Sequence[Way[Move]]:
    """Return the steps to each move; a page asks for all forks of a position one after the other."""
    return [
        (
            (
                Step(str(move.start), Picks.PIECE, (move.start,)),
                Step(str(move.end), Picks.CELLS, (move.end,)),
            ),
            move,
        )
        for move in sorted(position.legal_moves(), key=lambda move: (move.start, move.end))
    ]


def draw(position: BreakthroughPosition, highlights: Highlights[BreakthroughPosition, Move]) -> Diagram:
    """Return the men, the far ranks where they are a goal, the last move and what is being chosen."""
    grid, mover = position.options.grid, position.state[2]
    goals = () if position.options.variant is Variant.MISERE else (mover, mover.next)
    picked = (Mark(Sign.PICKED, square) for square in picked_squares(highlights.picked) if square in grid)
    return Diagram(
        grid,
        pieces=tuple(
            Piece(Kind.MAN, (square,), seat)
            for seat, men in zip((Seat.S1, Seat.S2), position.men, strict=True)
            for square in squares(grid, men)
        ),
        areas=tuple(
            Area(Zone.GOAL, squares(grid, side.goal), side.seat)
            for side in sorted(goals, key=lambda side: side.seat)
        ),
        marks=(*_came(highlights.last), *picked, *_numbered(highlights.candidates)),
        arrows=tuple(Arrow(move.start, move.end) for move in highlights.last),
    )


def _came(last: Iterable[Move]) -> Iterator[Mark]:
    for move in last:
        yield Mark(Sign.LEFT, move.start)
        yield Mark(Sign.ENTERED, move.end)
        if move.captures:
            yield Mark(Sign.CRUSHED, move.end)


def _numbered(candidates: Sequence[Move]) -> Iterator[Mark]:
    """Numbers where the candidates differ: on their targets, or on their men when these alone tell them apart."""
    ends = [move.end for move in candidates]
    starts = [move.start for move in candidates]
    shown: list[Square] = starts if len(set(ends)) < len(ends) and len(set(starts)) == len(starts) else ends
    for number, square in enumerate(shown, 1):
        yield Mark(Sign.CANDIDATE, square, str(number))


_SCALE: Final = 4.0  # men by which one is ahead when the game is half won


def evaluate(position: BreakthroughPosition, seat: Seat, /) -> float:
    """A man counts one, and up to as much again the nearer it is to its goal. In misère that is as bad as it is good."""
    grid = position.options.grid
    white, black = position.men
    ahead = sum(
        weight * ((white & up).bit_count() - (black & down).bit_count()) for weight, up, down in _ranks(grid)
    )
    if (seat is not Seat.S1) is not (position.options.variant is Variant.MISERE):
        ahead = -ahead
    return squashed(ahead / _SCALE)


@lru_cache(maxsize=32)
def _ranks(grid: Grid) -> tuple[tuple[float, int, int], ...]:
    """What a man is worth on each rank, with the rank as White and as Black count it."""
    top = grid.ranks - 1
    return tuple(
        (1.0 + (rank / top) ** 3, rank_bits(grid, rank), rank_bits(grid, top - rank))
        for rank in range(grid.ranks)
    )


def threats(position: BreakthroughPosition) -> list[Threat]:
    """Return what each side could take, were it to move."""
    if position.outcome is not None:
        return []
    own, foe, mover = position.state
    return [
        Threat(side.seat, move.end, move.start)
        for side, men, others in ((mover, own, foe), (mover.next, foe, own))
        for move in side.moves(side.legal(men, others), others)
        if move.captures
    ]


def without(start: BreakthroughPosition, giver: Seat, typed: str) -> BreakthroughPosition:
    """Return a start without some men of a seat, at most half of them: those on squares that are typed, or so many.

    A number takes them from the front, the middle ones first and of two the left one: d2, e2, c2 of White on 8x8.
    """
    grid, text = start.options.grid, folded(typed)
    men: Sequence[Square] = squares(grid, start.men[giver])
    most = len(men) // 2
    if text[:1].isalpha():
        taken: Sequence[Square] = Squares("without", "").read(text)
    else:
        ahead = 1 if giver is Seat.S1 else -1
        men = sorted(men, key=lambda at: (-ahead * at.rank, abs(2 * at.file + 1 - grid.files), at.file))
        taken = men[: Number("without", "1", 1, most).read(text)]
    for place, square in enumerate(taken):
        if square not in men:
            raise BadOption(BadOdds.NO_MAN, square=square)
        if square in taken[:place]:
            raise BadOption(BadOdds.TWICE, square=square)
    if len(taken) > most:
        raise BadOption(BadOdds.TOO_MANY, count=len(taken), limit=most)
    gone = sum(bit(grid, square) for square in taken)
    own, foe, mover = start.state
    return BreakthroughPosition((own & ~gone, foe & ~gone, mover))
