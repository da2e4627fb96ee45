"""Rectangles of squares, and the squares that a text names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rules.core.errors import BadNotation
from rules.core.reasons import Spelling
from rules.core.square import Square
from rules.core.text import quoted

_SQUARE: Final = re.compile(r"([a-z])([1-9][0-9]?)\Z", re.ASCII)


@lru_cache(maxsize=4096)
def sq(text: str) -> Square:
    """The square that folded text names: a letter a..z, then a rank from 1 to 99.

    Raises:
        BadNotation: the text is not the name of a square.
    """
    found = _SQUARE.match(text)
    if not found:
        raise BadNotation(Spelling.NOT_A_SQUARE, text=quoted(text))
    return Square(ord(found[1]) - 97, int(found[2]) - 1)


@dataclass(frozen=True, slots=True)
class Grid:
    """A rectangle of squares; indexes run along the ranks from a1, which is 0."""

    files: int
    ranks: int

    def __str__(self) -> str:
        return f"{self.files}x{self.ranks}"

    def __len__(self) -> int:
        return self.files * self.ranks

    def __contains__(self, square: object) -> bool:
        return isinstance(square, Square) and 0 <= square.file < self.files and 0 <= square.rank < self.ranks

    def __iter__(self) -> Iterator[Square]:
        return (Square(file, rank) for rank in range(self.ranks) for file in range(self.files))

    def index(self, square: Square) -> int:
        """Where a square of this grid stands in its order."""
        return square.rank * self.files + square.file

    def square(self, index: int) -> Square:
        """The square with that index."""
        rank, file = divmod(index, self.files)
        return Square(file, rank)

    def find(self, text: str) -> Square:
        """The square of this grid that folded text names.

        Raises:
            BadNotation: the text names no square, or one that is not on this grid.
        """
        square = sq(text)
        if square not in self:
            raise BadNotation(Spelling.OFF_THE_BOARD, square=square, board=self)
        return square
