"""The L-game's board as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rules.core import (
    Area,
    Arrow,
    Diagram,
    Highlights,
    Kind,
    Mark,
    Picks,
    Piece,
    Seat,
    Sign,
    Square,
    Zone,
    take,
)
from rules.lgame.board import GRID, LYING, squares
from rules.lgame.fork import fork
from rules.lgame.moves import Move
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
