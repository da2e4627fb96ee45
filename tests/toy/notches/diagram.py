"""A position of notches as a diagram."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core import Area, BadNotation, Diagram, Kind, Mark, Piece, Seat, Sign, Zone, sq

from .position import Notch, Notches


def draw(
    position: Notches,
    /,
    *,
    last: Sequence[Notch] = (),
    before: Notches | None = None,
    candidates: Sequence[Notch] = (),
    picked: Sequence[str] = (),
) -> Diagram:
    """Each notch is a man of its owner; a hole is painted."""
    pieces = [
        Piece(Kind.MAN, (cell,), Seat(seat))
        for seat, cells in enumerate(position.notches)
        for cell in sorted(cells)
    ]
    marks = [Mark(Sign.ENTERED, move.square) for move in last]
    marks += [Mark(Sign.CANDIDATE, move.square, str(n)) for n, move in enumerate(candidates, 1)]
    for token in picked:
        try:
            marks.append(Mark(Sign.PICKED, sq(token)))
        except BadNotation:
            continue  # a region
    holes = position.options.holes
    return Diagram(
        position.options.board,
        tuple(pieces),
        areas=(Area(Zone.PAINTED, holes),) if holes else (),
        marks=tuple(marks),
        out=position.out,
    )
