"""A move of Breakthrough: one man, one step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from rules.core import Square

Bits: TypeAlias = tuple[object, int, int, int, int]

UNBOUND: Final[Bits] = (None, 0, 0, 0, 0)
"""Of a move that no board has made: it has to be looked up before it is played."""


@dataclass(frozen=True, slots=True)
class Move:
    """A man goes from one square to another, and captures the man that stands there or not."""

    start: Square  # the square that the man leaves
    end: Square  # the square that he enters
    captures: bool = False  # whether an opponent's man is taken on `end`
    # What the mover that made the move knows of it, so that playing it needs no look-up: that mover; the man
    # before; the man before and after; where an opponent's man would matter; the man taken. It is no part of
    # the move's value.
    bits: Bits = field(default=UNBOUND, repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.start}{'x' if self.captures else '-'}{self.end}"
