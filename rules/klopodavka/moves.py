"""One action, the ply of Klopodavka, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rules.core.square import Square
from rules.klopodavka.bitboard import Bitboard, Table


@dataclass(frozen=True, slots=True)
class Move:
    """Put an own bug on an empty cell, or crush the enemy's bug that is there."""

    square: Square
    crush: bool = False

    def __str__(self) -> str:
        return f"x{self.square}" if self.crush else str(self.square)

    def __repr__(self) -> str:
        return f"Move({self.square!r}, crush=True)" if self.crush else f"Move({self.square!r})"


class Actions(Table[Move]):
    """One kind of action, one shared object for each cell of a board."""

    __slots__ = ("at",)

    def __init__(self, board: Bitboard, *, crush: bool) -> None:
        moves = [Move(square, crush) for square in board.squares]
        super().__init__(moves)
        self.at: Final[Mapping[Square, Move]] = {
            square: moves[bit.bit_length() - 1] for square, bit in board.bits.items()
        }


@lru_cache(maxsize=128)
def actions(board: Bitboard) -> tuple[Actions, Actions]:
    """The actions that put a bug, and those that crush one."""
    return Actions(board, crush=False), Actions(board, crush=True)
