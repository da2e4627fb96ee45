"""Sets of cells as integers, and how they spread on a board of any size and topology.

A rank takes one bit more than it has cells. What spreads over the left or right edge lands in that spare bit and is
masked away, so a plane needs no masks for its edges. Joined edges are copied across before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Generic, TypeVar

from rules.core.square import Square
from rules.klopodavka.geometry import Plan

Spread = Callable[[int], int]
"""From a set of cells: these and all that touch them."""

Touched = Callable[[int, int], int]
"""From a set, and another that it can go on through: all that `Spread` makes of the set as far as that goes."""

T = TypeVar("T")


class Table(Generic[T]):
    """One thing for each bit, to list those of a set quickly: eight bits at a time, each pattern put together once.

    Attributes:
        patterns: For each eight bits, what those of their patterns that have been asked for stand for.
    """

    __slots__ = ("_things", "patterns")

    def __init__(self, things: Sequence[T]) -> None:
        self._things = things
        self.patterns: Final[list[dict[int, tuple[T, ...]]]] = [{} for _ in range(0, len(things), 8)]

    def of(self, cells: int) -> tuple[T, ...]:
        """The things of the bits in a set, from the lowest."""
        found: list[T] = []
        try:
            for patterns, byte in zip(self.patterns, self.bytes_of(cells), strict=True):
                if byte:
                    found += patterns[byte]
        except KeyError:
            self.prepare(cells)
            return self.of(cells)
        return tuple(found)

    def bytes_of(self, cells: int) -> bytes:
        """A set in the eights of bits that patterns are for."""
        return cells.to_bytes(len(self.patterns), "little")

    def prepare(self, cells: int) -> None:
        """Put together the patterns of a set."""
        for at, byte in enumerate(self.bytes_of(cells)):
            things = self._things[8 * at : 8 * at + 8]
            self.patterns[at][byte] = tuple(thing for bit, thing in enumerate(things) if byte >> bit & 1)


class Bitboard:
    """What a board knows about sets of its cells. Made once for each board: see `bitboard`.

    Attributes:
        plan: The board.
        mask: All cells.
        squares: The cell of each bit; a spare bit has a square that is not on the board.
        listed: The cells of a set, from a1 along the ranks.
        bits: The bit of each cell.
        near: For each cell, those that touch it.
        spread: A set of cells and all that touch them.
        touched: The same of a set with all cells of another that are connected to it by cells of the other. The two
            must have no cell in common.
    """

    __slots__ = ("bits", "listed", "mask", "near", "plan", "spread", "squares", "touched")

    def __init__(self, plan: Plan) -> None:
        grid = plan.grid
        stride = grid.files + 1
        self.plan: Final = plan
        self.squares: Final = tuple(
            Square(file, rank) for rank in range(grid.ranks) for file in range(stride)
        )
        self.listed: Final = Table(self.squares).of
        self.bits: Final[Mapping[Square, int]] = MappingProxyType(
            {square: 1 << at for at, square in enumerate(self.squares) if square in grid}
        )
        self.mask: Final = sum(self.bits.values())
        self.spread, self.touched = _spread(plan, self.mask)
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
def bitboard(plan: Plan) -> Bitboard:
    """The bitboard of a board."""
    return Bitboard(plan)


def _spread(plan: Plan, mask: int) -> tuple[Spread, Touched]:
    """The functions that spread a set, once and as far as it goes; of each topology, with the board's numbers bound."""
    grid = plan.grid
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

    spread = torus if plan.topology.joined_ranks else cylinder

    def touched(front: int, through: int) -> int:
        near = 0
        while front:
            front = spread(front)
            near |= front
            front &= through
            through ^= front
        return near

    return (spread, touched) if plan.topology.joined_files else (plane, touched_on_plane)
