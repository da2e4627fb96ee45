"""Where everything goes, in pixels: whole ones at either scale.

A phone shows a picture about 360 points across, and one that is higher than a third more than it is wide smaller still.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

from rules.core import Grid

LIMIT: Final = 640
"""Pixels of a picture's longer side at scale 1, at most."""

TALL: Final = 864
"""Pixels of the height of a picture for phones at scale 1, at most."""

LEGIBLE: Final = 39
"""Pixels of a cell in a picture of full width that a phone shows as 22 points: enough to read and to touch."""

SPAN: Final = 14
"""Files of the part of a board that is shown larger, at most; of two beside each other, together."""

ABREAST: Final = 2
"""Parts beside each other, at most."""

SCALES: Final = (1, 2)

_PARTS: Final = TALL // 2  # pixels of the height of parts in one row, at most
_ROWS: Final = 464  # and in two
_LARGEST: Final = 104  # pixels of a cell: a board of few cells need not fill the screen
_LINE: Final = 46  # pixels of a strip's line below the board
_DENSE: Final = 36  # where there are many
_BESIDE: Final = 216  # pixels across of a strip beside the board
_TALL_LINE: Final = 84  # of a line there, where note and clock stand below the name
_GAP: Final = 8
_FEW: Final = 3  # lines up to which each has the picture's whole width
_NARROW: Final = 480  # pixels across that two columns of lines need
_WORDS: Final = 340  # pixels across below which a strip's line has no room for names


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
    parts: tuple[
        Layout, ...
    ] = ()  # at the bottom, the parts of the board that are shown larger, `ABREAST` in a row

    @property
    def larger(self) -> int:
        """The height of all rows of parts."""
        return sum(part.height for part in self.parts[::ABREAST])


def crowded(grid: Grid) -> bool:
    """Whether cells are too small on a phone even in a picture of the board alone."""
    one = _below(grid, 0, LEGIBLE)
    return one.width > LIMIT or one.height > TALL


@lru_cache(maxsize=512)
def layout(
    grid: Grid, lines: int, scale: int, *, phone: bool = False, parts: tuple[Grid, ...] = ()
) -> Layout:
    """The measures of a board with a strip of so many lines, and with parts of it, alike in size, larger at the bottom.

    The strip is below the board, or beside it where cells get larger so. For phones cells get larger as seen there.
    """
    if not parts:
        highest, key = (TALL, _on_phone) if phone else (LIMIT, _alone)
        fitting = (one for one in _options(grid, lines) if one.width <= LIMIT and one.height <= highest)
        return _scaled(max(fitting, key=key), scale)
    abreast, rows = min(len(parts), ABREAST), -(-len(parts) // ABREAST)
    sizes = (_below(parts[0], 0, cell) for cell in range(_LARGEST, 3, -1))
    highest = _PARTS if rows == 1 else _ROWS
    larger = next(one for one in sizes if one.width * abreast <= LIMIT and one.height * rows <= highest)
    with_parts = [_above(one, larger, len(parts)) for one in _options(grid, lines, larger.width * abreast)]
    fitting = (one for one in with_parts if one.width <= LIMIT and one.height <= TALL)
    return _scaled(max(fitting, key=lambda one: (one.side is Side.BESIDE, one.cell)), scale)


def _alone(one: Layout) -> tuple[float, ...]:
    return one.cell, one.side is not Side.BESIDE


def _on_phone(one: Layout) -> tuple[float, ...]:
    """First of all cells are to be legible; a picture is no higher than wide without need."""
    seen = one.cell * min(LIMIT / one.width, TALL / one.height)
    return min(seen, LEGIBLE), one.height <= LIMIT, *_alone(one)


def _options(grid: Grid, lines: int, least: int = 0) -> Iterator[Layout]:
    for cell in range(_LARGEST, 3, -1):
        yield _below(grid, lines, cell, least)
        if lines:
            yield _beside(grid, lines, cell, least)


def _margin(cell: int) -> int:
    return min(34, max(18, min(26, cell), round(0.45 * cell)))


def _below(grid: Grid, lines: int, cell: int, least: int = 0) -> Layout:
    margin = _margin(cell)
    board = grid.files * cell + 2 * margin
    height = grid.ranks * cell + 2 * margin
    if not lines:
        width = max(board, least)
        return Layout(1, cell, margin, (width - board) // 2, board, width, height, None, ())
    width = max(board, _WORDS, least)
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


def _beside(grid: Grid, lines: int, cell: int, least: int = 0) -> Layout:
    margin = _margin(cell)
    board = grid.files * cell + 2 * margin
    height = grid.ranks * cell + 2 * margin
    line = min(_TALL_LINE, (height - 2 * margin) // lines)
    if line < _DENSE:
        return Layout(1, cell, margin, 0, board, LIMIT + 1, height, Side.BESIDE, ())
    width = max(board + _BESIDE, least)
    slots = tuple(Slot(board, margin + at * line, width - board - _GAP, line - 4) for at in range(lines))
    return Layout(1, cell, margin, 0, board, width, height, Side.BESIDE, slots)


def _above(one: Layout, part: Layout, count: int) -> Layout:
    """A board and its strip above parts that are shown larger."""
    left = (one.width - min(count, ABREAST) * part.board) // 2
    placed = tuple(
        replace(part, indent=left + at % ABREAST * part.board, width=one.width) for at in range(count)
    )
    rows = -(-count // ABREAST)
    return replace(one, height=one.height + rows * part.height, parts=placed)


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
        tuple(_scaled(part, by) for part in one.parts),
    )
