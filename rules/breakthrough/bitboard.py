"""Sets of squares as integers.

Square (file, rank) is bit `rank * (files + 1) + file`. The one bit left over at the end of each rank is never a
square: what steps off the right edge of a rank, or off the left edge of the next, falls into it.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.core import Grid, Square


def bit(grid: Grid, square: Square) -> int:
    """The set of one square of this grid."""
    return 1 << square.rank * (grid.files + 1) + square.file


def bits(grid: Grid, squares: Iterable[Square]) -> int:
    """The set of some squares of this grid."""
    found = 0
    for square in squares:
        found |= bit(grid, square)
    return found


def squares(grid: Grid, men: int) -> tuple[Square, ...]:
    """The squares of a set, from a1 along the ranks."""
    found = []
    while men:
        low = men & -men
        rank, file = divmod(low.bit_length() - 1, grid.files + 1)
        found.append(Square(file, rank))
        men ^= low
    return tuple(found)


def rank_bits(grid: Grid, rank: int) -> int:
    """The set of all squares of a rank."""
    return (1 << grid.files) - 1 << rank * (grid.files + 1)
