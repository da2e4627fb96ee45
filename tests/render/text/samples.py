"""Diagrams to draw: made up at random, and by hand as the three games would have them."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from rules.core import SEATS, Area, Diagram, Grid, Kind, Mark, Piece, Seat, Sign, Square, Zone, sq


def squares(text: str) -> tuple[Square, ...]:
    """Squares from their names."""
    return tuple(map(sq, text.split()))


def anything(seed: int) -> Diagram:
    """A diagram with any mixture of elements."""
    chance = Random(seed)
    grid = (
        Grid(chance.randint(3, 26), chance.randint(3, 30))
        if seed % 3
        else Grid(*chance.choices(range(3, 12), k=2))
    )
    cells = chance.sample(tuple(grid), chance.randint(0, len(grid)))
    owners: tuple[Seat | None, ...] = (None, *SEATS)
    pieces = []
    while cells:
        taken, cells = cells[: chance.randint(1, 4)], cells[4:]
        pieces.append(Piece(chance.choice(tuple(Kind)), tuple(taken), chance.choice(owners)))
    some = tuple(grid)
    # One owner to a zone of a square, and one label to a candidate: more than one is tested apart.
    zones = {
        (chance.choice(tuple(Zone)), square): chance.choice(owners)
        for square in chance.choices(some, k=chance.choice((0, 3, 20)))
    }
    areas = [Area(zone, (square,), owner) for (zone, square), owner in zones.items()]
    marks = {
        (sign, square): Mark(sign, square, chance.choice(LABELS) if sign is Sign.CANDIDATE else "")
        for sign, square in zip(chance.choices(tuple(Sign), k=12), chance.choices(some, k=12), strict=True)
    }
    return Diagram(
        grid,
        tuple(pieces),
        tuple(areas),
        tuple(list(marks.values())[: chance.randint(0, 12)]),
        joined_files=chance.random() < 0.3,
        joined_ranks=chance.random() < 0.3,
        out=frozenset(chance.sample(SEATS, chance.choice((0, 0, 1, 3)))),
    )


LABELS = ("", "1", "2", "9", "10", "11", "25", "1,2", "1-4", "3+", "a")


def klopodavka(files: int, ranks: int, seats: int, *, full: float = 0.5, seed: int = 1) -> Diagram:
    """A game of bugs in the middle of a turn: bases, walls, three actions of the last turn."""
    chance = Random(seed)
    grid = Grid(files, ranks)
    cells = chance.sample(tuple(grid), max(seats, round(full * len(grid))))
    kinds = [Kind.BUG] * seats + chance.choices((Kind.BUG, Kind.WALL), (2, 1), k=max(0, len(cells) - seats))
    pieces = [
        Piece(kind, (cell,), Seat(at % seats))
        for at, (kind, cell) in enumerate(zip(kinds, cells, strict=False))
    ]
    last = [
        Mark(Sign.CRUSHED if piece.kind is Kind.WALL else Sign.ENTERED, piece.cells[0])
        for piece in pieces[-3:]
    ]
    bases = tuple(Area(Zone.BASE, (cells[seat],), Seat(seat)) for seat in range(seats))
    return Diagram(grid, tuple(pieces), bases, tuple(last))


def breakthrough(files: int = 8, ranks: int = 8, marks: Iterable[Mark] = ()) -> Diagram:
    """White has a man on d3, and Black has just taken another on e6, coming from d7."""
    placed = {
        square: Seat.S1 if square.rank < 2 else Seat.S2
        for square in Grid(files, ranks)
        if square.rank < 2 or square.rank >= ranks - 2
    }
    for gone in squares("d2 e2 d7"):
        del placed[gone]
    placed |= {sq("d3"): Seat.S1, sq("e6"): Seat.S2}
    men = tuple(Piece(Kind.MAN, (square,), seat) for square, seat in sorted(placed.items()))
    last = (Mark(Sign.LEFT, sq("d7")), Mark(Sign.ENTERED, sq("e6")), Mark(Sign.CRUSHED, sq("e6")))
    return Diagram(Grid(files, ranks), men, marks=(*last, *marks))


def lgame(*, painted: bool = False, moved: bool = True, marks: Iterable[Mark] = ()) -> Diagram:
    """The start, or the position after `L c1-a1-a2 n d1-b2`."""
    own, neutral = ("a1 b1 c1 a2", "b2") if moved else ("b1 c1 b2 b3", "d1")
    signs = {Sign.LEFT: "b3 d1", Sign.ENTERED: "a1 a2 b2"} if moved else {}
    last = tuple(Mark(sign, square) for sign, names in signs.items() for square in squares(names))
    return Diagram(
        Grid(4, 4),
        (
            Piece(Kind.TILE, squares(own), Seat.S1),
            Piece(Kind.TILE, squares("b4 c4 c3 c2"), Seat.S2),
            Piece(Kind.DISC, squares("a4")),
            Piece(Kind.DISC, squares(neutral)),
        ),
        (Area(Zone.PAINTED, squares("a3 b3 a4 b4")),) if painted else (),
        (*last, *marks),
    )
