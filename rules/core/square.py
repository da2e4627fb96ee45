"""Squares: the cells of any board."""

from __future__ import annotations

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
