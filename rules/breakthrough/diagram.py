"""A position as a board to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rules.breakthrough.bitboard import squares
from rules.breakthrough.moves import Move
from rules.breakthrough.options import Variant
from rules.breakthrough.position import BreakthroughPosition
from rules.core import (
    Area,
    Arrow,
    Diagram,
    Grid,
    Highlights,
    Kind,
    Mark,
    Piece,
    Seat,
    Sign,
    Square,
    Zone,
    picked_squares,
)


def draw(position: BreakthroughPosition, highlights: Highlights[BreakthroughPosition, Move]) -> Diagram:
    """The men, the far ranks where they are a goal, the last move and what is being chosen."""
    grid = position.options.grid
    return Diagram(
        grid,
        pieces=tuple(_men(position)),
        areas=tuple(_goals(position)),
        marks=(*_came(highlights.last), *_picked(grid, highlights.picked), *_numbered(highlights.candidates)),
        arrows=tuple(Arrow(move.start, move.end) for move in highlights.last),
    )


def _men(position: BreakthroughPosition) -> Iterator[Piece]:
    for seat, men in zip((Seat.S1, Seat.S2), position.men, strict=True):
        for square in squares(position.options.grid, men):
            yield Piece(Kind.MAN, (square,), seat)


def _goals(position: BreakthroughPosition) -> Iterator[Area]:
    """The ranks to reach. In misère there are none."""
    if position.options.variant is Variant.MISERE:
        return
    mover = position.state[2]
    for side in sorted((mover, mover.next), key=lambda side: side.seat):
        yield Area(Zone.GOAL, squares(position.options.grid, side.goal), side.seat)


def _came(last: Iterable[Move]) -> Iterator[Mark]:
    for move in last:
        yield Mark(Sign.LEFT, move.start)
        yield Mark(Sign.ENTERED, move.end)
        if move.captures:
            yield Mark(Sign.CRUSHED, move.end)


def _picked(grid: Grid, tokens: Iterable[str]) -> Iterator[Mark]:
    for square in picked_squares(tokens):
        if square in grid:
            yield Mark(Sign.PICKED, square)


def _numbered(candidates: Sequence[Move]) -> Iterator[Mark]:
    """Numbers where the candidates differ: on their targets, or on their men when these alone tell them apart."""
    ends = [move.end for move in candidates]
    starts = [move.start for move in candidates]
    shown: list[Square] = starts if len(set(ends)) < len(ends) and len(set(starts)) == len(starts) else ends
    for number, square in enumerate(shown, 1):
        yield Mark(Sign.CANDIDATE, square, str(number))
