"""The 4 x 4 board as bits, the 48 ways an L lies on it, and a turn as a value.

Bit i of a mask is the square with index i of `GRID`: a1 is bit 0, b1 bit 1, d4 bit 15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Final

from rules.core import Grid, Square

GRID: Final = Grid(4, 4)
FULL: Final = (1 << len(GRID)) - 1


@cache  # at most 2**16 masks; a game meets a few hundred
def bits(mask: int) -> tuple[int, ...]:
    """The single bits of a mask, the lowest first."""
    return tuple(1 << i for i in range(len(GRID)) if mask >> i & 1)


@cache
def squares(mask: int) -> tuple[Square, ...]:
    """The squares of a mask, in the order of the board from a1."""
    return tuple(GRID.square(i) for i in range(len(GRID)) if mask >> i & 1)


def mask_of(cells: Iterable[Square]) -> int:
    """The mask of some squares of the board."""
    mask = 0
    for cell in cells:
        mask |= 1 << GRID.index(cell)
    return mask


@dataclass(frozen=True, slots=True)
class Placement:
    """One way for an L to lie: a bar of three cells, and a foot beside one end of it, the corner."""

    mask: int  # the four cells; no two placements have the same
    end: Square  # the end of the bar away from the foot
    middle: Square  # the middle of the bar
    corner: Square  # the end of the bar that the foot is beside
    foot: Square  # the fourth cell

    @property
    def cells(self) -> tuple[Square, ...]:
        """The four cells, from the bar's end to the foot."""
        return (self.end, self.middle, self.corner, self.foot)

    def __str__(self) -> str:
        return f"{self.end}-{self.corner}-{self.foot}"


def _placements() -> tuple[Placement, ...]:
    found = []
    for end in GRID:
        for along, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            middle, corner = (Square(end.file + along * n, end.rank + up * n) for n in (1, 2))
            for side in (-1, 1):
                foot = Square(corner.file + up * side, corner.rank + along * side)
                if corner in GRID and foot in GRID:
                    cells = (end, middle, corner, foot)
                    found.append(Placement(mask_of(cells), *cells))
    return tuple(sorted(found, key=str))


PLACEMENTS: Final = _placements()  # all 48, in the order of their texts

LYING: Final[Mapping[int, Placement]] = MappingProxyType({p.mask: p for p in PLACEMENTS})
"""The placement that covers exactly these four cells."""


def _named() -> Mapping[int, tuple[Placement, ...]]:
    # A set of squares names an L by all its cells, by end, corner and foot, by the bar, or by the bar's two
    # ends. No set means two of these: their shapes differ.
    named: dict[int, tuple[Placement, ...]] = {}
    for p in PLACEMENTS:
        for cells in (p.cells, (p.end, p.corner, p.foot), (p.end, p.middle, p.corner), (p.end, p.corner)):
            mask = mask_of(cells)
            named[mask] = (*named.get(mask, ()), p)
    return MappingProxyType(named)


NAMED: Final = _named()  # the placements that a set of two, three or four squares can name


@cache  # 48 L's and 66 pairs of neutrals beside each: at most 3168 masks in play
def fitting(blocked: int) -> tuple[int, ...]:
    """The masks of the placements that touch nothing blocked."""
    return tuple(p.mask for p in PLACEMENTS if not p.mask & blocked)


Turning = Callable[[Square], Square]

AXES: Final[tuple[Turning, ...]] = (
    lambda s: Square(3 - s.file, s.rank),
    lambda s: Square(s.file, 3 - s.rank),
    lambda s: Square(s.rank, s.file),
    lambda s: Square(3 - s.rank, 3 - s.file),
)
"""The mirror images in the vertical and horizontal axes and in both diagonals."""


def half_turn(square: Square) -> Square:
    """The image through the centre."""
    return Square(3 - square.file, 3 - square.rank)


def images(turnings: Iterable[Turning]) -> Mapping[int, frozenset[int]]:
    """For each placement's mask, the masks of its images. All these turnings undo themselves: the relation is mutual."""
    found: dict[int, set[int]] = {p.mask: set() for p in PLACEMENTS}
    for turning in turnings:
        for p in PLACEMENTS:
            found[p.mask].add(mask_of(map(turning, p.cells)))
    return MappingProxyType({mask: frozenset(seen) for mask, seen in found.items()})


@dataclass(frozen=True, slots=True)
class Move:
    """One turn: where the L goes, and which cells the neutrals leave and enter.

    Neutrals are alike, so two ways to the same arrangement are one move: a cell that a neutral leaves and another
    enters is in neither mask.
    """

    cells: int  # the four cells that the L will cover
    lifted: int = 0  # the cells that neutrals leave
    put: int = 0  # the cells that they enter, as many

    def __str__(self) -> str:
        """The canonical text. The lowest neutral goes to the lowest cell, counted from a1 along the ranks."""
        shifts = zip(squares(self.lifted), squares(self.put), strict=True)
        return f"L {LYING[self.cells]}" + "".join(f" n {start}-{end}" for start, end in shifts)


@lru_cache(maxsize=1 << 15)  # classic: one entry for each of the 18368 arrangements
def turns(cells: int, neutrals: int, free: int, lifts: int) -> tuple[Move, ...]:
    """The moves that put the L on `cells`, after which `free` is empty: without a neutral, with one, with two."""
    moves = [_move(cells, 0, 0)]
    for count in range(1, lifts + 1):
        for lifted in combinations(bits(neutrals), count):
            moves += [_move(cells, sum(lifted), sum(put)) for put in combinations(bits(free), count)]
    return tuple(moves)


# Classic has 48 * (1 + 12 * 11) = 6384 different moves: all are kept, and shared by the entries of `turns`.
_move: Final = lru_cache(maxsize=1 << 13)(Move)
