"""Which parts of a board are shown larger, where the whole of it has cells too small for a phone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from render.picture.cell_specs import CellSpec, Rows
from render.picture.layout import ABREAST, SPAN, crowded
from render.picture.pieces import EAST, NORTH, SOUTH, WEST
from rules.core import TURN, Diagram, Grid, Sign, Square

_TURN_RANKS: Final = 7  # of a board that shows the last turn: the whole of it has room above
_PICK_RANKS: Final = 9  # of one on which a move is picked
_ROW_RANKS: Final = 5  # of each part, where there are two rows of them
_ROWS: Final = 2

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
    marked = chosen or [mark.square for mark in diagram.marks if mark.sign in TURN]
    if not marked or not crowded(grid):
        return ()
    one = _densest(diagram, marked, Grid(SPAN, _PICK_RANKS if chosen or diagram.planned else _TURN_RANKS))
    parts = [one]
    if chosen and not all(map(one.holds, chosen)):
        parts, left = _several(diagram, chosen, Grid(SPAN // ABREAST, _PICK_RANKS), ABREAST)
        if left:
            parts, _ = _several(diagram, chosen, Grid(SPAN // ABREAST, _ROW_RANKS), ABREAST * _ROWS)
    parts.sort(key=lambda part: (-part.ranks[0], part.files[0]), reverse=flipped)
    return tuple(_seen_from(part, flipped=flipped) for part in parts)


def _seen_from(part: Window, *, flipped: bool) -> Window:
    return Window(part.files[::-1], part.ranks) if flipped else Window(part.files, part.ranks[::-1])


def _several(
    diagram: Diagram, places: Sequence[Square], size: Grid, count: int
) -> tuple[list[Window], list[Square]]:
    """At most so many parts of a size, each where most of what is left is; and the places that are in none."""
    parts, left = list[Window](), list(places)
    while left and len(parts) < count:
        part = _densest(diagram, left, size)
        parts.append(part)
        left = [at for at in left if not part.holds(at)]
    return parts, left


def _densest(diagram: Diagram, places: Sequence[Square], size: Grid) -> Window:
    """The part of a size, at most, that holds the most of these places, near its middle."""
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
