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

T = TypeVar("T")


class Table(Generic[T]):
    """One thing for each bit, to list those of a set quickly: eight bits at a time, each pattern put together once."""

    __slots__ = ("_patterns", "_things")

    def __init__(self, things: Sequence[T]) -> None:
        self._things = things
        self._patterns: list[dict[int, tuple[T, ...]]] = [{} for _ in range(0, len(things), 8)]

    def of(self, cells: int) -> tuple[T, ...]:
        """The things of the bits in a set, from the lowest."""
        found: list[T] = []
        for patterns, byte in zip(
            self._patterns, cells.to_bytes(len(self._patterns), "little"), strict=False
        ):
            if byte:
                try:
                    found += patterns[byte]
                except KeyError:
                    self._put_together(patterns, byte)
                    found += patterns[byte]
        return tuple(found)

    def _put_together(self, patterns: dict[int, tuple[T, ...]], byte: int) -> None:
        at = 8 * next(n for n, one in enumerate(self._patterns) if one is patterns)
        patterns[byte] = tuple(
            thing for bit, thing in enumerate(self._things[at : at + 8]) if byte >> bit & 1
        )


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
    """

    __slots__ = ("bits", "listed", "mask", "near", "plan", "spread", "squares")

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
        self.spread: Final = _spread(plan, self.mask)
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
        spread = self.spread
        seen = front = start
        left = through & ~start
        while front:
            front = spread(front) & left
            left ^= front
            seen |= front
        return seen

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


def _spread(plan: Plan, mask: int) -> Spread:
    """The function that spreads a set; one for each topology, with the board's numbers bound."""
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

    if plan.topology.joined_ranks:
        return torus
    return cylinder if plan.topology.joined_files else plane
