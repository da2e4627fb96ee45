"""What stands where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self


class Occupancy(NamedTuple):
    """Live bugs and walls by seat, as sets of cells, and all of each."""

    bugs: tuple[int, ...]
    walls: tuple[int, ...]
    live: int
    stones: int

    @classmethod
    def of(cls, bugs: tuple[int, ...], walls: tuple[int, ...]) -> Self:
        """What these come to together; no cell is in two of them."""
        return cls(bugs, walls, union(bugs), union(walls))


def union(sets: Sequence[int]) -> int:
    """The cells of all of some sets."""
    cells = 0
    for one in sets:
        cells |= one
    return cells


def owner(sets: Sequence[int], bit: int) -> int | None:
    """The seat whose set holds a cell."""
    return next((seat for seat, cells in enumerate(sets) if cells & bit), None)
