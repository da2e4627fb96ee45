"""What there is to tell of a board, square by square, before it has symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Final, TypeAlias

from rules.core import Diagram, Grid, Kind, Seat, Sign, Square, Zone


class Rim(StrEnum):
    """What is told beside the board, of no square in particular."""

    JOINED_FILES = "joined-files"  # the left and right edges are one
    JOINED_RANKS = "joined-ranks"  # the bottom and top edges are one
    OUT = "out"  # the owner plays no more


ElementKind: TypeAlias = Kind | Zone | Sign | Rim

_ORDER: Final[tuple[ElementKind, ...]] = (*Kind, *Sign, *Zone, *Rim)

# Where one place must do for several things, the first of these is shown there and the rest is noted below the board.
_SIGNS: Final = (Sign.CANDIDATE, Sign.PICKED, Sign.CRUSHED, Sign.ENTERED, Sign.LEFT)
_ZONES: Final = (Zone.HEADQUARTERS, Zone.BASE, Zone.GOAL, Zone.PAINTED)


@dataclass(frozen=True, slots=True)
class Element:
    """One thing to tell: what it is, whose, and the label of a candidate."""

    what: ElementKind
    owner: Seat | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class SquareElements:
    """All that is told of one square; signs and zones with the most telling first."""

    piece: Element | None = None
    signs: tuple[Element, ...] = ()
    zones: tuple[Element, ...] = ()

    def __iter__(self) -> Iterator[Element]:
        if self.piece:
            yield self.piece
        yield from self.signs
        yield from self.zones

    @property
    def zone(self) -> Element | None:
        """The zone to show in the cell.

        One side's goal is noted only: it is an edge as a rule, and signs all along it would be in the way.
        """
        return next((zone for zone in self.zones if zone.what is not Zone.GOAL or zone.owner is None), None)


@dataclass(frozen=True, slots=True)
class Group:
    """One fact and all the squares it holds for, by file and then rank; a fact of no square has none."""

    what: ElementKind
    owner: Seat | None
    squares: tuple[Square, ...]
    label: str = ""


def cells(diagram: Diagram) -> Mapping[Square, SquareElements]:
    """The squares of which there is something to tell; those with the same piece and nothing else share one cell."""
    told = {square: _plain(piece.kind, piece.owner) for piece in diagram.pieces for square in piece.cells}
    # Dictionaries keep what is told once, in the order in which it came.
    signs: dict[Square, dict[Element, None]] = {}
    for mark in diagram.marks:
        signs.setdefault(mark.square, {})[Element(mark.sign, label=mark.label)] = None
    zones: dict[Square, dict[Element, None]] = {}
    for area in diagram.areas:
        zone = Element(area.zone, area.owner)
        for square in area.cells:
            zones.setdefault(square, {})[zone] = None
    for square in signs.keys() | zones.keys():
        told[square] = SquareElements(
            told[square].piece if square in told else None,
            tuple(sorted(signs.get(square, ()), key=lambda fact: _SIGNS.index(Sign(fact.what)))),
            tuple(sorted(zones.get(square, ()), key=lambda fact: _ZONES.index(Zone(fact.what)))),
        )
    return told


@cache
def _plain(kind: Kind, owner: Seat | None) -> SquareElements:
    return SquareElements(Element(kind, owner))


def order(what: ElementKind, owner: Seat | None, label: str = "") -> tuple[int, int, int, str]:
    """Sorts what is told: pieces, signs, zones, the rim; then by seat; then labels as numbers go.

    Neutral pieces come last. Zones without an owner come first: in a line of notes no seat's name precedes them.
    """
    neutral = len(Seat) if isinstance(what, Kind) else -1
    return _ORDER.index(what), neutral if owner is None else owner, len(label), label


def group(told: Iterable[tuple[Element, Square]]) -> tuple[Group, ...]:
    """Facts of squares gathered by fact, in order."""
    found: dict[Element, list[Square]] = {}
    for fact, square in told:
        found.setdefault(fact, []).append(square)
    groups = (
        Group(fact.what, fact.owner, tuple(sorted(squares)), fact.label) for fact, squares in found.items()
    )
    return tuple(sorted(groups, key=lambda one: order(one.what, one.owner, one.label)))


@lru_cache(maxsize=64)
def rows(grid: Grid, *, flipped: bool) -> tuple[tuple[Square, ...], ...]:
    """The squares as they are drawn, the top row first; flipped is how the other side of the table sees them."""
    ranks = range(grid.ranks) if flipped else reversed(range(grid.ranks))
    files = tuple(reversed(range(grid.files)) if flipped else range(grid.files))
    return tuple(tuple(Square(file, rank) for file in files) for rank in ranks)


def pieces(diagram: Diagram) -> tuple[Group, ...]:
    """What stands where, by kind and owner: from this a presenter words the position for those who cannot see it."""
    return group(
        (Element(piece.kind, piece.owner), square) for piece in diagram.pieces for square in piece.cells
    )


def areas(diagram: Diagram) -> tuple[Group, ...]:
    """Which squares have a meaning of their own, by zone and owner."""
    return group((Element(area.zone, area.owner), square) for area in diagram.areas for square in area.cells)
