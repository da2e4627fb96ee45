"""Squares: the cells of any board.

Seats: the places at the table, in the order of play.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple


class Square(NamedTuple):
    """A cell: file and rank counted from 0, so that a1, the bottom-left one, is (0, 0)."""

    file: int
    rank: int

    def __str__(self) -> str:
        return _name(self.file, self.rank)

    def __repr__(self) -> str:
        return f"sq({str(self)!r})"


@lru_cache(maxsize=1024)
def _name(file: int, rank: int) -> str:
    return f"{chr(97 + file)}{rank + 1}"


class Seat(IntEnum):
    """A place at the table. Its value indexes tuples; people count from `number`."""

    S1 = 0
    S2 = 1
    S3 = 2
    S4 = 3
    S5 = 4
    S6 = 5
    S7 = 6
    S8 = 7
    S9 = 8
    S10 = 9

    @property
    def number(self) -> int:
        """1 to 10, as people say it."""
        return self + 1

    def __repr__(self) -> str:
        return f"Seat.{self.name}"

    __str__ = __repr__


MAX_SEATS = len(Seat)
SEATS: tuple[Seat, ...] = tuple(Seat)
