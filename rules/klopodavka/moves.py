"""One action, the ply of Klopodavka, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rules.core.square import Square


@dataclass(frozen=True, slots=True)
class Move:
    """Put an own bug on an empty cell, or crush the enemy's bug that is there."""

    square: Square
    crush: bool = False

    def __str__(self) -> str:
        return f"x{self.square}" if self.crush else str(self.square)

    def __repr__(self) -> str:
        return f"Move({self.square!r}, crush=True)" if self.crush else f"Move({self.square!r})"


@lru_cache(maxsize=128)
def tables(squares: tuple[Square, ...]) -> tuple[tuple[Move, ...], tuple[Move, ...]]:
    """For each square the one object that puts there, and the one that crushes there."""
    return tuple(map(Move, squares)), tuple(Move(square, crush=True) for square in squares)
