"""Which part of a board is shown larger, where the whole of it has cells too small for a phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from render.picture.cell_specs import CellSpec, Rows
from render.picture.layout import SPAN, crowded
from render.picture.pieces import EAST, NORTH, SOUTH, WEST
from rules.core import TURN, Diagram, Grid, Sign, Square

_TURN_RANKS: Final = 7  # of a board that shows the last turn: the whole of it has room above
_PICK_RANKS: Final = 9  # of one on which a move is picked

_CHOICE: Final = frozenset({Sign.PICKED, Sign.CANDIDATE})


@dataclass(frozen=True, slots=True)
class Window:
    """The files and ranks of the part, from left to right and from the top down as they are seen."""

    files: tuple[int, ...]  # past a joined edge they go on at the other one
    ranks: tuple[int, ...]


def whole(grid: Grid, *, flipped: bool) -> Window:
    """The whole board."""
    files, ranks = tuple(range(grid.files)), tuple(range(grid.ranks))
    return Window(files[::-1], ranks) if flipped else Window(files, ranks[::-1])


def window(diagram: Diagram, *, flipped: bool) -> Window | None:
    """The part round what is picked or can be, else round the last turn.

    None where all cells can be read, where nothing is marked, and where choices lie too far apart for one part.
    """
    grid = diagram.grid
    if not crowded(grid):
        return None
    chosen = [mark.square for mark in diagram.marks if mark.sign in _CHOICE]
    marked = chosen or [mark.square for mark in diagram.marks if mark.sign in TURN]
    if not marked:
        return None
    across = min(grid.files, SPAN)
    up = min(grid.ranks, _PICK_RANKS if chosen or diagram.planned else _TURN_RANKS)
    files = _stretch([at.file for at in marked], across, grid.files, joined=diagram.joined_files)
    inside = [at for at in marked if at.file in files]
    ranks = _stretch([at.rank for at in inside], up, grid.ranks, joined=diagram.joined_ranks)
    if chosen and any(at.file not in files or at.rank not in ranks for at in chosen):
        return None
    return Window(files[::-1], ranks) if flipped else Window(files, ranks[::-1])


def _stretch(places: Sequence[int], size: int, length: int, *, joined: bool) -> tuple[int, ...]:
    """So many files or ranks in a row that hold the most of these places, near their middle."""
    starts = range(length) if joined and size < length else range(length - size + 1)

    def held(start: int) -> tuple[int, int]:
        inside = [steps for place in places if (steps := (place - start) % length) < size]
        return len(inside), -abs(2 * sum(inside) - (size - 1) * len(inside))

    first = max(starts, key=held)
    return tuple((first + step) % length for step in range(size))


def enlarged(rows: Rows, part: Window, *, flipped: bool) -> Rows:
    """The cells of the part; those that can be chosen carry what stands on their buttons."""
    return tuple(
        tuple(
            _named(_seen(rows, Square(file, rank), flipped=flipped), Square(file, rank))
            for file in part.files
        )
        for rank in part.ranks
    )


def _seen(rows: Rows, at: Square, *, flipped: bool) -> CellSpec:
    return rows[at.rank][-1 - at.file] if flipped else rows[-1 - at.rank][at.file]


def _named(spec: CellSpec, at: Square) -> CellSpec:
    plain = Sign.CANDIDATE, ""
    if plain not in spec.signs:
        return spec
    return spec._replace(signs=tuple((plain[0], str(at)) if sign == plain else sign for sign in spec.signs))


def outlined(rows: Rows, grid: Grid, part: Window, *, flipped: bool) -> Rows:
    """The cells of the whole board with a line round the part."""
    edges: dict[Square, int] = {}
    for file in part.files:
        for rank, side in ((part.ranks[0], NORTH), (part.ranks[-1], SOUTH)):
            edges[Square(file, rank)] = edges.get(Square(file, rank), 0) | side
    for rank in part.ranks:
        for file, side in ((part.files[0], WEST), (part.files[-1], EAST)):
            edges[Square(file, rank)] = edges.get(Square(file, rank), 0) | side
    shown = [list(row) for row in rows]
    for at, sides in edges.items():
        row, column = (at.rank, grid.files - 1 - at.file) if flipped else (grid.ranks - 1 - at.rank, at.file)
        shown[row][column] = shown[row][column]._replace(outlined=sides)
    return tuple(map(tuple, shown))
