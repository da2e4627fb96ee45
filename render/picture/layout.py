"""Where everything goes, in pixels: whole ones at either scale.

A phone shows a picture about 360 points across, and one that is higher than a third more than it is wide smaller still.

Where the whole of a board has cells too small for a phone, parts of it are shown larger.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

from render.picture.cells import CellSpec, Rows
from render.picture.pieces import EAST, NORTH, SOUTH, WEST
from rules.core import TURN, Diagram, Grid, Sign, Square

LIMIT: Final = 640  # pixels of a picture's longer side at scale 1, at most
TALL: Final = 864  # pixels of the height of a picture for phones at scale 1, at most

LEGIBLE: Final = 39
"""Pixels of a cell in a picture of full width that a phone shows as 22 points: enough to read and to touch."""

SPAN: Final = 14
"""Files of the part of a board that is shown larger, at most; of two beside each other, together."""

_HALF: Final = 540  # pixels across of one of two boards beside each other: a phone shows three to a point

ABREAST: Final = 2  # parts beside each other, at most
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
    # At the bottom, the parts of the board that are shown larger, `ABREAST` in a row.
    parts: tuple[Layout, ...] = ()

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


def half(grid: Grid, lines: int) -> Layout:
    """The measures of a board with a strip of so many lines below it, one of two that stand beside each other."""
    sizes = (_below(grid, lines, cell) for cell in range(_LARGEST, 3, -1))
    return next(one for one in sizes if one.width <= _HALF)


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


def _measures(grid: Grid, cell: int) -> tuple[int, int, int]:
    margin = min(34, max(18, min(26, cell), round(0.45 * cell)))
    return margin, grid.files * cell + 2 * margin, grid.ranks * cell + 2 * margin


def _below(grid: Grid, lines: int, cell: int, least: int = 0) -> Layout:
    margin, board, height = _measures(grid, cell)
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
    margin, board, height = _measures(grid, cell)
    line = min(_TALL_LINE, (height - 2 * margin) // lines)
    if line < _DENSE:
        return Layout(1, cell, margin, 0, board, LIMIT + 1, height, Side.BESIDE, ())
    width = max(board + _BESIDE, least)
    slots = tuple(Slot(board, margin + at * line, width - board - _GAP, line - 4) for at in range(lines))
    return Layout(1, cell, margin, 0, board, width, height, Side.BESIDE, slots)


def _above(one: Layout, part: Layout, count: int) -> Layout:
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


_TURN_RANKS: Final = 7  # of a board that shows the last turn: the whole of it has room above
_PICK_RANKS: Final = 9  # of one on which a move is picked
_ROW_RANKS: Final = 5  # of each part, where there are two rows of them
_WINDOW_ROWS: Final = 2

_CHOICE: Final = frozenset({Sign.PICKED, Sign.CANDIDATE})


@dataclass(frozen=True, slots=True)
class Window:
    """The files and ranks of a part, from left to right and from the top down as they are seen."""

    files: tuple[int, ...]  # past a joined edge they go on at the other one
    ranks: tuple[int, ...]

    def holds(self, at: Square) -> bool:
        """Whether a cell is in the part."""
        return at.file in self.files and at.rank in self.ranks


def whole(grid: Grid, *, flipped: bool) -> Window:
    """The whole board."""
    return _seen_from(Window(tuple(range(grid.files)), tuple(range(grid.ranks))), flipped=flipped)


def windows(diagram: Diagram, *, flipped: bool) -> tuple[Window, ...]:
    """The part round what is picked or can be, else round the last turn; all of a size, in the order in which they are seen.

    Choices too far apart for one part have two or four smaller ones, and those that are in none of the four are seen on the
    whole board alone. None where all cells can be read, and where nothing is marked.
    """
    grid = diagram.grid
    chosen = [mark.square for mark in diagram.marks if mark.sign in _CHOICE]
    chosen += (at for arrow in diagram.arrows if arrow.label for at in (arrow.start, arrow.end))
    marked = chosen or [mark.square for mark in diagram.marks if mark.sign in TURN]
    if not marked or not crowded(grid):
        return ()
    one = _densest(diagram, marked, Grid(SPAN, _PICK_RANKS if chosen or diagram.planned else _TURN_RANKS))
    parts = [one]
    if chosen and not all(map(one.holds, chosen)):
        parts, left = _several(diagram, chosen, Grid(SPAN // ABREAST, _PICK_RANKS), ABREAST)
        if left:
            parts, _ = _several(diagram, chosen, Grid(SPAN // ABREAST, _ROW_RANKS), ABREAST * _WINDOW_ROWS)
    parts.sort(key=lambda part: (-part.ranks[0], part.files[0]), reverse=flipped)
    return tuple(_seen_from(part, flipped=flipped) for part in parts)


def _seen_from(part: Window, *, flipped: bool) -> Window:
    return Window(part.files[::-1], part.ranks) if flipped else Window(part.files, part.ranks[::-1])


def _several(
    diagram: Diagram, places: Sequence[Square], size: Grid, count: int
) -> tuple[list[Window], list[Square]]:
    parts, left = list[Window](), list(places)
    while left and len(parts) < count:
        part = _densest(diagram, left, size)
        parts.append(part)
        left = [at for at in left if not part.holds(at)]
    return parts, left


def _densest(diagram: Diagram, places: Sequence[Square], size: Grid) -> Window:
    grid = diagram.grid
    across, up = min(grid.files, size.files), min(grid.ranks, size.ranks)
    inside: defaultdict[Square, list[Square]] = defaultdict(list)
    for at in places:
        files = list(_starts(at.file, across, grid.files, joined=diagram.joined_files))
        for rank, above in _starts(at.rank, up, grid.ranks, joined=diagram.joined_ranks):
            for file, beside in files:
                inside[Square(file, rank)].append(Square(beside, above))

    def fitness(start: Square) -> tuple[int, ...]:
        held = inside[start]
        beside = abs(sum(2 * at.file - across + 1 for at in held))
        above = abs(sum(2 * at.rank - up + 1 for at in held))
        return len(held), -beside - above, -start.file, -start.rank

    first = max(inside, key=fitness)
    return Window(
        tuple((first.file + step) % grid.files for step in range(across)),
        tuple((first.rank + step) % grid.ranks for step in range(up)),
    )


def _starts(place: int, size: int, length: int, *, joined: bool) -> Iterator[tuple[int, int]]:
    """Where so many files or ranks in a row can begin to hold a place, and how many steps it is from there."""
    for steps in range(size):
        start = place - steps
        if joined and size < length:
            yield start % length, steps
        elif 0 <= start <= length - size:
            yield start, steps


def enlarged(rows: Rows, part: Window, *, flipped: bool) -> Rows:
    """The cells of the part; those that can be chosen carry what stands on their buttons."""
    plain = Sign.CANDIDATE, ""

    def seen(file: int, rank: int) -> CellSpec:
        spec = rows[rank][-1 - file] if flipped else rows[-1 - rank][file]
        named = Sign.CANDIDATE, str(Square(file, rank))
        return spec._replace(signs=tuple(named if sign == plain else sign for sign in spec.signs))

    return tuple(tuple(seen(file, rank) for file in part.files) for rank in part.ranks)


def outlined(rows: Rows, grid: Grid, parts: Sequence[Window], *, flipped: bool) -> Rows:
    """The cells of the whole board with a line round each part."""
    edges: defaultdict[Square, int] = defaultdict(int)
    for part in parts:
        for file in part.files:
            for rank, side in ((part.ranks[0], NORTH), (part.ranks[-1], SOUTH)):
                edges[Square(file, rank)] |= side
        for rank in part.ranks:
            for file, side in ((part.files[0], WEST), (part.files[-1], EAST)):
                edges[Square(file, rank)] |= side
    shown = [list(row) for row in rows]
    for at, sides in edges.items():
        row, column = (at.rank, grid.files - 1 - at.file) if flipped else (grid.ranks - 1 - at.rank, at.file)
        shown[row][column] = shown[row][column]._replace(outlined=sides)
    return tuple(map(tuple, shown))
