"""What is shown and said of an L-game: its board as data, and its lessons.

The strategies of the L-game, each on a board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rules.core import (
    Area,
    Arrow,
    Diagram,
    Highlights,
    Kind,
    Lesson,
    Mark,
    Picks,
    Piece,
    Seat,
    Sign,
    Square,
    Zone,
    take,
)
from rules.lgame.board import GRID, LYING, Move, squares
from rules.lgame.notation import fork
from rules.lgame.position import LPosition


def draw(position: LPosition, highlights: Highlights[LPosition, Move]) -> Diagram:
    """Return the board as data; after a block that sent the pieces back to the start, the block too."""
    if highlights.before is not None and not highlights.planned:
        for move in highlights.last:
            if block := highlights.before.before_reset(move):
                fresh = draw(position, replace(highlights, last=()))
                return replace(fresh, first=draw(block, replace(highlights, planned=True)))
    marks = _candidates(highlights.candidates) + _picked(position, highlights.picked)
    arrows: tuple[Arrow, ...] = ()
    for move in highlights.last:
        marks = _last(position, move, highlights.before) + marks
        if _stands(position, move):
            arrows = tuple(map(Arrow, squares(move.lifted), squares(move.put)))
    painted = position.options.painted
    return Diagram(
        grid=GRID,
        pieces=(
            Piece(Kind.TILE, squares(position.first), Seat.S1),
            Piece(Kind.TILE, squares(position.second), Seat.S2),
            *(Piece(Kind.DISC, (square,)) for square in squares(position.neutrals)),
        ),
        areas=(Area(Zone.PAINTED, squares(painted)),) if painted else (),
        marks=marks,
        arrows=arrows,
        scores=position.scores,
    )


def _stands(position: LPosition, move: Move) -> bool:
    """Whether the pieces are where the move left them: a block in the scoring variant sends them to the start."""
    mover = Seat.S1 if position.to_move else Seat.S2
    return position.cells(mover) == move.cells and not move.put & ~position.neutrals


def _last(position: LPosition, move: Move, before: LPosition | None) -> tuple[Mark, ...]:
    """What left its cells and what came to new ones: by the move, and also when all the pieces went back."""
    left = entered = 0
    if before is None:
        entered = move.cells | move.put if _stands(position, move) else 0
    else:
        for was, now in zip(_masks(before), _masks(position), strict=True):
            left |= was & ~now
            entered |= now & ~was
    return tuple(
        Mark(sign, square)
        for sign, mask in ((Sign.LEFT, left & ~entered), (Sign.ENTERED, entered))
        for square in squares(mask)
    )


def _masks(position: LPosition) -> tuple[int, int, int]:
    return position.first, position.second, position.neutrals


def _picked(position: LPosition, path: Sequence[str]) -> tuple[Mark, ...]:
    steps = [take(fork(position, path[:n]), token) for n, token in enumerate(path)]
    return tuple(
        Mark(Sign.PICKED, square)
        for step in steps
        if step.picks is not Picks.REGION
        for square in step.squares
    )


def _candidates(moves: Sequence[Move]) -> tuple[Mark, ...]:
    """A number for each move, on a square by which it differs from others; no two share one while there are enough."""
    telling = [_telling(move, moves) for move in moves]
    holder: dict[Square, int] = {}

    def settle(move: int, tried: set[Square]) -> bool:
        # Augmenting paths: a number makes way for another if it can go elsewhere.
        for square in telling[move]:
            if square not in tried:
                tried.add(square)
                if square not in holder or settle(holder[square], tried):
                    holder[square] = move
                    return True
        return False

    for move in range(len(moves)):
        settle(move, set())
    at = {move: square for square, move in holder.items()}
    return tuple(
        Mark(Sign.CANDIDATE, at.get(move, squares_of[0]), str(move + 1))
        for move, squares_of in enumerate(telling)
    )


def _telling(move: Move, moves: Sequence[Move]) -> tuple[Square, ...]:
    foot = (LYING[move.cells].foot,)
    shifting = [other for other in moves if other.lifted]
    told: tuple[Square, ...] = ()
    if any(other.cells != move.cells for other in moves):
        told += foot
    if move.lifted and any(other.lifted != move.lifted for other in shifting):
        told += squares(move.lifted)
    if move.put and any(other.lifted == move.lifted and other.put != move.put for other in shifting):
        told += squares(move.put)
    return told or foot


_SUDDEN_DEATH: Final = (("variant", "sudden-death"),)
_SCORING: Final = (("variant", "scoring"),)
_SYMMETRY: Final = (("variant", "symmetry"),)

LESSONS: Final = (
    Lesson("corner", ".o../o..2/1222/111. 1", squares="a1"),
    Lesson("killer", "o22./.12./.12./.11o 1", "L a1-a3-b3 n a4-d3", "b1 c1 a2 d2 a3 d3 b4 c4"),
    Lesson("square", "222./2.../o.1./111o 1", "L b1-b3-c3 n d1-d3", "b1 c1 d1 b2 c2 d2 b3 c3 d3"),
    Lesson("half", "2o../222o/...1/.111 1", "L a2-c2-c1 n b4-c4", "a1 b1 c1 d1 a2 b2 c2 d2"),
    Lesson("soon", ".2../o2../122./111o 1", squares="a1"),
    Lesson("both-neutrals", "o22./112./1.2./1..o 2", "L d2-b2-b1 n d1-c3 n a4-b4", "c3 b4", _SUDDEN_DEATH),
    Lesson("points", ".22./.12./o12./11.o 2 1-0", "L c4-a4-a3", "a3 b3 a4 b4", _SCORING),
    Lesson("points-block", "222./2.../o.1./111o 1 4-7", squares="b1 b2 b3 c3 d3", options=_SCORING),
    Lesson("mirror", "o22./112./1.2./1o.. 2", "L d1-d3-c3", options=_SYMMETRY),
    Lesson(
        "half-turn", "o22./112./1.2./1..o 2", "L d4-d2-c2", options=(*_SYMMETRY, ("symmetry", "half-turn"))
    ),
    Lesson(
        "any-image", "o22./.12./.12./.11o 1", "L b3-b1-a1 n a4-d4", "d4", (*_SYMMETRY, ("symmetry", "any"))
    ),
)
