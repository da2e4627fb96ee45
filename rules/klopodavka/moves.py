"""One action, the ply of Klopodavka, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rules.core import Square
from rules.core.bits import BitTable
from rules.klopodavka.bitboard import Bitboard


@dataclass(frozen=True, slots=True)
class Move:
    """Put an own bug on an empty cell, or crush the enemy's bug that is there."""

    square: Square
    crush: bool = False

    def __str__(self) -> str:
        return f"x{self.square}" if self.crush else str(self.square)

    def __repr__(self) -> str:
        return f"Move({self.square!r}, crush=True)" if self.crush else f"Move({self.square!r})"


class Actions:
    """The actions on a board: two shared objects for each cell."""

    __slots__ = ("_crushing", "_putting", "crushes", "puts")

    def __init__(self, board: Bitboard) -> None:
        puts = [Move(square) for square in board.squares]
        crushes = [Move(square, crush=True) for square in board.squares]
        self._putting: Final = BitTable(puts.__getitem__, -(-len(puts) // 8))
        self._crushing: Final = BitTable(crushes.__getitem__, -(-len(crushes) // 8))
        # For each cell, the action that puts a bug there.
        self.puts: Final[Mapping[Square, Move]] = {move.square: move for move in puts}
        # For each cell, the action that crushes the bug there.
        self.crushes: Final[Mapping[Square, Move]] = {move.square: move for move in crushes}

    def listed(self, reached: int, live: int) -> tuple[Move, ...]:
        """The actions on cells that are reached, of which `live` hold bugs; from a1 along the ranks by eights."""
        putting, crushing = self._putting, self._crushing
        found: list[Move] = []
        for puts, crushes, byte, bugs in zip(
            putting.patterns,
            crushing.patterns,
            putting.bytes_of(reached),
            crushing.bytes_of(reached & live),
            strict=True,
        ):
            if bugs:
                found += puts[byte ^ bugs] + crushes[bugs]
            elif byte:
                found += puts[byte]
        return tuple(found)


@lru_cache(maxsize=128)
def actions(board: Bitboard) -> Actions:
    """The actions on a board."""
    return Actions(board)
