"""Sets of cells as integers, and how they spread on a board of any size and topology.

A rank takes one bit more than it has cells. What spreads over the left or right edge lands in that spare bit and is
masked away, so a plane needs no masks for its edges. Joined edges are copied across before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from rules.core import Square
from rules.core.bits import BitTable
from rules.klopodavka.geometry import BoardShape

Spread = Callable[[int], int]
"""From a set of cells: these and all that touch them."""

Touched = Callable[[int, int], int]
"""From a set, and another with no cell in common that it can go on through: all that `Spread` makes of it so."""


class Bitboard:
    """What a board knows about sets of its cells. Made once for each board: see `bitboard`."""

    __slots__ = ("bits", "listed", "mask", "near", "shape", "spread", "squares", "touched")

    def __init__(self, shape: BoardShape) -> None:
        grid = shape.grid
        stride = grid.files + 1
        self.shape: Final = shape
        # The cell of each bit; a spare bit has a square that is not on the board.
        self.squares: Final = tuple(
            Square(file, rank) for rank in range(grid.ranks) for file in range(stride)
        )
        # The cells of a set, from a1 along the ranks.
        self.listed: Final = BitTable(self.squares.__getitem__, -(-len(self.squares) // 8)).read
        self.bits: Final[Mapping[Square, int]] = MappingProxyType(
            {square: 1 << at for at, square in enumerate(self.squares) if square in grid}
        )
        self.mask: Final = sum(self.bits.values())  # all cells
        self.spread, self.touched = _spread(shape, self.mask)
        # For each cell, those that touch it.
        self.near: Final[Mapping[Square, int]] = MappingProxyType(
            {square: self.spread(bit) ^ bit for square, bit in self.bits.items()}
        )

    def of(self, squares: Iterable[Square]) -> int:
        """The set of some cells of the board."""
        cells = 0
        for square in squares:
            cells |= self.bits[square]
        return cells

    def flood(self, start: int, through: int) -> int:
        """The cells of `start`, and all cells of `through` that are connected to them by cells of `through`."""
        return start | self.touched(start, through & ~start) & through

    def groups(self, cells: int) -> list[int]:
        """The connected groups of a set, the one with the lowest bit first."""
        found = []
        while cells:
            group = self.flood(cells & -cells, cells)
            found.append(group)
            cells ^= group
        return found


@lru_cache(maxsize=128)
def bitboard(shape: BoardShape) -> Bitboard:
    """The bitboard of a board."""
    return Bitboard(shape)


def _spread(shape: BoardShape, mask: int) -> tuple[Spread, Touched]:
    """The functions that spread a set, once and as far as it goes; of each topology, with the board's numbers bound."""
    grid = shape.grid
    stride = grid.files + 1
    across = grid.files - 1
    up = stride * (grid.ranks - 1)
    left = sum(1 << stride * rank for rank in range(grid.ranks))
    right = left << across

    def plane(cells: int) -> int:
        row = cells | cells << 1 | cells >> 1
        return (row | row << stride | row >> stride) & mask

    def cylinder(cells: int) -> int:
        row = cells | cells << 1 | cells >> 1 | (cells & left) << across | (cells & right) >> across
        return (row | row << stride | row >> stride) & mask

    def torus(cells: int) -> int:
        # A shift by all ranks but one leaves of the whole set only the top rank, at the bottom, or the bottom rank,
        # at the top, and bits beyond the board.
        row = cells | cells << 1 | cells >> 1 | (cells & left) << across | (cells & right) >> across
        return (row | row << stride | row >> stride | row << up | row >> up) & mask

    def touched_on_plane(front: int, through: int) -> int:
        # The same as `touched` with `plane` written out, since most games are played on one: a third quicker.
        near = 0
        while front:
            row = front | front << 1 | front >> 1
            front = row | row << stride | row >> stride
            near |= front
            front &= through
            through ^= front
        return near & mask

    spread = torus if shape.topology.joined_ranks else cylinder

    def touched(front: int, through: int) -> int:
        near = 0
        while front:
            front = spread(front)
            near |= front
            front &= through
            through ^= front
        return near

    return (spread, touched) if shape.topology.joined_files else (plane, touched_on_plane)
