"""A position as a picture in data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from rules.core import (
    SEATS,
    Area,
    BadNotation,
    Diagram,
    Highlights,
    Kind,
    Mark,
    Piece,
    Seat,
    Sign,
    Square,
    Zone,
    sq,
)
from rules.klopodavka.moves import Move
from rules.klopodavka.options import Options, homes
from rules.klopodavka.position import KlopodavkaPosition


def draw(position: KlopodavkaPosition, highlights: Highlights[KlopodavkaPosition, Move]) -> Diagram:
    """Bugs and walls with their owners, homes under them, and marks for the last turn and the move being made."""
    options = position.options
    marks = [Mark(Sign.CRUSHED if move.crush else Sign.ENTERED, move.square) for move in highlights.last]
    marks += (Mark(Sign.CANDIDATE, move.square, str(n)) for n, move in enumerate(highlights.candidates, 1))
    marks += (Mark(Sign.PICKED, square) for square in _picked(position, highlights.picked))
    return Diagram(
        grid=options.board,
        pieces=tuple(_pieces(position)),
        areas=_areas(options),
        marks=tuple(marks),
        joined_files=options.topology.joined_files,
        joined_ranks=options.topology.joined_ranks,
        out=position.out,
        scores=position.scores,
    )


def _pieces(position: KlopodavkaPosition) -> Iterator[Piece]:
    board = position.ruleset.board
    for kind, sets in ((Kind.BUG, position.occupancy.bugs), (Kind.WALL, position.occupancy.walls)):
        for seat, cells in zip(SEATS, sets, strict=False):
            yield from (_piece(kind, square, seat) for square in board.listed(cells))


@lru_cache(maxsize=4096)
def _piece(kind: Kind, square: Square, seat: Seat) -> Piece:
    return Piece(kind, (square,), seat)


@lru_cache(maxsize=256)
def _areas(options: Options) -> tuple[Area, ...]:
    zone = Zone.HEADQUARTERS if options.has_hq else Zone.BASE
    return tuple(Area(zone, cells, seat) for seat, cells in zip(SEATS, homes(options), strict=False))


def _picked(position: KlopodavkaPosition, path: Sequence[str]) -> list[Square]:
    """The cell that is picked, or all that can be picked in the part of the board that is."""
    if not path:
        return []
    try:
        low, _, high = path[-1].partition("-")
        corner, far = sq(low), sq(high or low)
    except BadNotation:
        return []
    return [
        square
        for square in position.ruleset.board.listed(position.reached)
        if corner.file <= square.file <= far.file and corner.rank <= square.rank <= far.rank
    ]
