"""A turn of the L-game as a value, and its canonical text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from rules.core import BadNotation, Spelling
from rules.lgame.board import GRID, LYING, SPELLED, bits, mask_of, squares

_TEXT: Final = re.compile(r"L ([a-d][1-4](?:-[a-d][1-4]){2})((?: n [a-d][1-4]-[a-d][1-4]){0,2})\Z")


@dataclass(frozen=True, slots=True)
class Move:
    """One turn: where the L goes, and which cells the neutrals leave and enter.

    Neutrals are alike, so two ways to the same arrangement are one move: a cell that a neutral leaves and another
    enters is in neither mask.
    """

    cells: int  # the four cells that the L will cover
    lifted: int = 0  # the cells that neutrals leave
    put: int = 0  # the cells that they enter, as many

    def __str__(self) -> str:
        """The canonical text. The lowest neutral goes to the lowest cell, counted from a1 along the ranks."""
        shifts = zip(squares(self.lifted), squares(self.put), strict=True)
        return f"L {LYING[self.cells]}" + "".join(f" n {start}-{end}" for start, end in shifts)

    def __repr__(self) -> str:
        if self.cells in LYING and self.lifted.bit_count() == self.put.bit_count():
            return f"mv({str(self)!r})"
        return f"Move(cells={self.cells:#x}, lifted={self.lifted:#x}, put={self.put:#x})"


def mv(text: str) -> Move:
    """The move with this canonical text, legal somewhere or not.

    Raises:
        BadNotation: the text is not canonical.
    """
    found = _TEXT.match(text)
    placement = SPELLED.get(found[1]) if found else None
    if not found or not placement:
        raise BadNotation(Spelling.NOT_A_MOVE, text=text)
    shifts = [part.split("-") for part in found[2].split(" n ")[1:]]
    move = Move(
        placement.mask,
        mask_of(GRID.find(start) for start, _ in shifts),
        mask_of(GRID.find(end) for _, end in shifts),
    )
    if str(move) != text:
        raise BadNotation(Spelling.NOT_A_MOVE, text=text)
    return move


@lru_cache(maxsize=1 << 15)  # classic: one entry for each of the 18368 arrangements
def turns(cells: int, neutrals: int, free: int, lifts: int) -> tuple[Move, ...]:
    """The moves that put the L on `cells`, after which `free` is empty: without a neutral, with one, with two."""
    moves = [_move(cells, 0, 0)]
    for count in range(1, lifts + 1):
        for lifted in combinations(bits(neutrals), count):
            moves += [_move(cells, sum(lifted), sum(put)) for put in combinations(bits(free), count)]
    return tuple(moves)


# Classic has 48 * (1 + 12 * 11) = 6384 different moves: all are kept, and shared by the entries of `turns`.
_move: Final = lru_cache(maxsize=1 << 13)(Move)
