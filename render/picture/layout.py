"""Where everything goes, in pixels: whole ones at either scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from rules.core import Grid

LIMIT: Final = 640
"""Pixels of a picture's longer side at scale 1, at most."""

SCALES: Final = (1, 2)

_LARGEST: Final = 104  # pixels of a cell: a board of few cells need not fill the screen
_LINE: Final = 46  # pixels of a strip's line below the board
_DENSE: Final = 36  # where there are many
_BESIDE: Final = 216  # pixels across of a strip beside the board
_TALL: Final = 84  # of a line there, where note and clock stand below the name
_GAP: Final = 8
_FEW: Final = 3  # lines up to which each has the picture's whole width
_NARROW: Final = 480  # pixels across that two columns of lines need
_READABLE: Final = 340  # pixels across below which a strip's line has no room for names


class Side(StrEnum):
    """Where the strip is."""

    BELOW = "below"
    BESIDE = "beside"


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one line of the strip."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The measures of a picture, in pixels at its scale."""

    scale: int  # 1 or 2; at 2 every measure is twice that at 1
    cell: int  # the side of a cell
    margin: int  # round the board, where its coordinates stand
    indent: int  # from the picture's left edge to the margin
    board: int  # across the board and its margins
    width: int
    height: int
    side: Side | None  # where the strip is, if there is one
    slots: tuple[Slot, ...]  # the places of the strip's lines


@lru_cache(maxsize=512)
def layout(grid: Grid, lines: int, scale: int) -> Layout:
    """The measures of a board with a strip of so many lines: below it, or beside it where cells get larger so."""
    options = [one for one in _options(grid, lines) if max(one.width, one.height) <= LIMIT]
    best = max(options, key=lambda one: (one.cell, one.side is not Side.BESIDE))
    return _scaled(best, scale)


def _options(grid: Grid, lines: int) -> Iterator[Layout]:
    for cell in range(_LARGEST, 3, -1):
        yield _below(grid, lines, cell)
        if lines:
            yield _beside(grid, lines, cell)


def _margin(cell: int) -> int:
    return min(34, max(18, round(0.45 * cell)))


def _below(grid: Grid, lines: int, cell: int) -> Layout:
    margin = _margin(cell)
    board = grid.files * cell + 2 * margin
    height = grid.ranks * cell + 2 * margin
    if not lines:
        return Layout(1, cell, margin, 0, board, board, height, None, ())
    width = max(board, _READABLE)
    columns = 2 if lines > _FEW and width >= _NARROW else 1
    line = _DENSE if lines > _FEW else _LINE
    across = (width - 2 * _GAP - (columns - 1) * _GAP) // columns
    per_column = -(-lines // columns)
    slots = tuple(
        Slot(_GAP + (at // per_column) * (across + _GAP), height + (at % per_column) * line, across, line - 4)
        for at in range(lines)
    )
    total = height + per_column * line + _GAP - 4
    return Layout(1, cell, margin, (width - board) // 2, board, width, total, Side.BELOW, slots)


def _beside(grid: Grid, lines: int, cell: int) -> Layout:
    margin = _margin(cell)
    board = grid.files * cell + 2 * margin
    height = grid.ranks * cell + 2 * margin
    line = min(_TALL, (height - 2 * margin) // lines)
    if line < _DENSE:
        return Layout(1, cell, margin, 0, board, LIMIT + 1, height, Side.BESIDE, ())
    slots = tuple(Slot(board, margin + at * line, _BESIDE - _GAP, line - 4) for at in range(lines))
    return Layout(1, cell, margin, 0, board, board + _BESIDE, height, Side.BESIDE, slots)


def _scaled(one: Layout, by: int) -> Layout:
    return Layout(
        by,
        one.cell * by,
        one.margin * by,
        one.indent * by,
        one.board * by,
        one.width * by,
        one.height * by,
        one.side,
        tuple(Slot(s.left * by, s.top * by, s.width * by, s.height * by) for s in one.slots),
    )
