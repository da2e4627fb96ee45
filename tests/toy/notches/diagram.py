"""A position of notches as a diagram."""

from __future__ import annotations

from rules.core import Area, Diagram, Highlights, Kind, Mark, Piece, Seat, Sign, Zone, picked_squares

from .position import Notch, Notches


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
