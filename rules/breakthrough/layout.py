"""Where the men stand, as one word: ranks from the top with `/` between, `w` and `b` for men, numbers for gaps.

A number counts empty squares in a row and may have two digits, since letters and slashes end it: the start on 12x4 is
`bbbbbbbbbbbb/bbbbbbbbbbbb/wwwwwwwwwwww/wwwwwwwwwwww`, an empty rank of it `12`.
"""

from __future__ import annotations

import re
from typing import Final

from rules.breakthrough.bitboard import bit
from rules.breakthrough.reasons import Setup
from rules.core import BadNotation, Grid, Spelling, Square, quoted

_RANK: Final = re.compile(r"(?:w|b|[1-9][0-9]?(?![0-9]))+\Z", re.ASCII)
_RUN: Final = re.compile(r"w|b|[0-9]+", re.ASCII)


def write_layout(grid: Grid, white: int, black: int) -> str:
    """The layout of two sets of men."""
    return "/".join(_write_rank(grid, rank, white, black) for rank in reversed(range(grid.ranks)))


def _write_rank(grid: Grid, rank: int, white: int, black: int) -> str:
    runs: list[str] = []
    gap = 0
    for file in range(grid.files):
        square = bit(grid, Square(file, rank))
        if not square & (white | black):
            gap += 1
            continue
        if gap:
            runs.append(str(gap))
            gap = 0
        runs.append("w" if square & white else "b")
    if gap:
        runs.append(str(gap))
    return "".join(runs)


def read_layout(grid: Grid, text: str) -> tuple[int, int]:
    """White's and Black's men.

    Raises:
        BadNotation: the text is no layout, or one of a board of another size.
    """
    ranks = text.split("/")
    if not all(map(_RANK.match, ranks)):
        raise BadNotation(Spelling.NOT_A_POSITION, text=quoted(text))
    if len(ranks) != grid.ranks:
        raise BadNotation(Setup.WRONG_BOARD, board=grid)
    men = {"w": 0, "b": 0}
    for rank, runs in zip(reversed(range(grid.ranks)), ranks, strict=True):
        file = 0
        for run in _RUN.findall(runs):
            if run in men:
                men[run] |= bit(grid, Square(file, rank))
            file += 1 if run in men else int(run)
        if file != grid.files:
            raise BadNotation(Setup.WRONG_BOARD, board=grid)
    return men["w"], men["b"]
