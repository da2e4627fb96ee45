"""A quick guess at who is better off: men, and how far they have come."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rules.breakthrough.bitboard import rank_bits
from rules.breakthrough.options import Variant
from rules.breakthrough.position import BreakthroughPosition
from rules.core import Grid, Seat, squashed

_SCALE: Final = 4.0
"""Men by which one is ahead when the game is half won."""


def evaluate(position: BreakthroughPosition, seat: Seat, /) -> float:
    """A man counts one, and up to as much again the nearer it is to its goal. In misère that is as bad as it is good."""
    grid = position.options.grid
    white, black = position.men
    ahead = sum(
        weight * ((white & up).bit_count() - (black & down).bit_count()) for weight, up, down in _ranks(grid)
    )
    if seat is not Seat.S1:
        ahead = -ahead
    if position.options.variant is Variant.MISERE:
        ahead = -ahead
    return squashed(ahead / _SCALE)


@lru_cache(maxsize=32)
def _ranks(grid: Grid) -> tuple[tuple[float, int, int], ...]:
    """What a man is worth on each rank, with the rank as White and as Black count it."""
    top = grid.ranks - 1
    return tuple(
        (1.0 + (rank / top) ** 3, rank_bits(grid, rank), rank_bits(grid, top - rank))
        for rank in range(grid.ranks)
    )
