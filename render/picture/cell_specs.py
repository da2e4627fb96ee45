"""What each cell of a picture must show: a value for a cell, so that cells that look alike are drawn once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import hypot
from typing import Final, NamedTuple, TypeAlias

from render.picture.markings import Leg
from render.picture.pieces import SIDES
from render.picture.themes import BoardPattern
from rules.core import TURN, Area, Arrow, Diagram, Grid, Kind, Seat, Sign, Square, Zone


class CellPiece(NamedTuple):
    """A piece, or its part in one cell."""

    kind: Kind  # what it is
    owner: Seat | None  # whose it is
    joins: int = 0  # bits of the neighbours (`pieces.SIDES`) that belong to the same tile
    out: bool = False  # whether its owner plays no more


class CellZone(NamedTuple):
    """A zone as a cell sees it; `edges` are bits of the sides on which it ends."""

    zone: Zone
    owner: Seat | None
    edges: int = 0


class CellSpec(NamedTuple):
    """Everything that decides how a cell is drawn."""

    shade: int
    piece: CellPiece | None = None
    zones: tuple[CellZone, ...] = ()
    signs: tuple[tuple[Sign, str], ...] = ()
    legs: tuple[Leg, ...] = ()
    planned: bool = False  # what shows a turn here shows one that is not played
    outlined: int = 0  # bits of the sides where a part of the board ends that is shown larger elsewhere


Rows: TypeAlias = tuple[tuple[CellSpec, ...], ...]
"""From the top of the picture to its bottom."""

VEINS: Final = 2
"""In how many ways a wooden square is veined."""

_SIGNS: Final = tuple(Sign)
_ZONES: Final = (Zone.PAINTED, Zone.HEADQUARTERS, Zone.BASE, Zone.GOAL)
_REACH: Final = 0.95  # from an arrow's line to the middle of a cell in which some of it may be seen


def pattern_of(diagram: Diagram) -> BoardPattern:
    """Men stand on a chequered board, and everything else on squared paper."""
    men = any(piece.kind is Kind.MAN for piece in diagram.pieces)
    return BoardPattern.CHEQUERED if men else BoardPattern.RULED


def cell_specs(diagram: Diagram, *, flipped: bool, pattern: BoardPattern, veined: bool = False) -> Rows:
    """The cells of a diagram as they are seen, the top row first."""
    grid = diagram.grid
    files = grid.files
    cells = list(_bare(grid, pattern, veined))
    for one in diagram.pieces:
        out = one.owner in diagram.out and one.kind is not Kind.WALL
        joined = one.kind is Kind.TILE and len(one.cells) > 1
        joins_of = _joins(one.cells, flipped=flipped) if joined else (0,) * len(one.cells)
        for at, joins in zip(one.cells, joins_of, strict=True):
            index = at.rank * files + at.file
            shade = cells[index][0]
            cells[index] = _with_piece(shade, one.kind, one.owner, joins, out)
    for index, rings in _rings(grid, diagram.areas, flipped):
        cells[index] = cells[index]._replace(zones=rings)
    _signs(diagram, cells)
    for arrow in diagram.arrows:
        _legs(grid, arrow, cells, flipped=flipped)
    if diagram.planned:
        cells = [one._replace(planned=bool(one.legs or TURN & dict(one.signs).keys())) for one in cells]
    if flipped:
        return tuple(tuple(reversed(cells[at : at + files])) for at in range(0, len(cells), files))
    return tuple(tuple(cells[at : at + files]) for at in range(len(cells) - files, -1, -files))


@lru_cache(maxsize=64)
def _bare(grid: Grid, pattern: BoardPattern, veined: bool) -> tuple[CellSpec, ...]:
    def shade(square: Square) -> int:
        parity = (square.file + square.rank) % 2 if pattern is BoardPattern.CHEQUERED else 0
        return parity + 2 * ((5 * square.file + 3 * square.rank) // 2 % VEINS if veined else 0)

    return tuple(CellSpec(shade(square)) for square in grid)


@lru_cache(maxsize=4096)
def _with_piece(shade: int, kind: Kind, owner: Seat | None, joins: int, out: bool) -> CellSpec:
    return CellSpec(shade, CellPiece(kind, owner, joins, out))


def _near(at: Square, right: int, down: int, *, flipped: bool) -> Square:
    """The square so many steps right and down on the picture."""
    return Square(at.file - right, at.rank + down) if flipped else Square(at.file + right, at.rank - down)


@lru_cache(maxsize=256)
def _joins(cells: tuple[Square, ...], *, flipped: bool) -> tuple[int, ...]:
    """For each cell of a tile, the bits of the neighbours that belong to it."""
    return tuple(
        sum(bit for bit, right, down in SIDES if _near(at, right, down, flipped=flipped) in cells)
        for at in cells
    )


@lru_cache(maxsize=256)
def _rings(
    grid: Grid, areas: tuple[Area, ...], flipped: bool
) -> tuple[tuple[int, tuple[CellZone, ...]], ...]:
    """The zones of each cell that is in any, by its index."""
    found: dict[int, list[CellZone]] = {}
    for area in sorted(areas, key=lambda area: _ZONES.index(area.zone)):
        inside = frozenset(area.cells)
        for at in area.cells:
            edges = 0
            if area.zone is Zone.HEADQUARTERS:
                edges = sum(
                    bit
                    for bit, right, down in SIDES[:4]
                    if _near(at, right, down, flipped=flipped) not in inside
                )
            rings = found.setdefault(grid.index(at), [])
            if (ring := CellZone(area.zone, area.owner, edges)) not in rings:
                rings.append(ring)
    return tuple((index, tuple(rings)) for index, rings in found.items())


def _signs(diagram: Diagram, cells: list[CellSpec]) -> None:
    found: dict[int, set[tuple[Sign, str]]] = {}
    for mark in diagram.marks:
        found.setdefault(diagram.grid.index(mark.square), set()).add((mark.sign, mark.label))
    for index, signs in found.items():
        ordered = sorted(signs, key=lambda sign: (_SIGNS.index(sign[0]), len(sign[1]), sign[1]))
        cells[index] = cells[index]._replace(signs=_together(ordered))


def _together(signs: Iterable[tuple[Sign, str]]) -> tuple[tuple[Sign, str], ...]:
    """Several numbers on one square become one, with commas between them."""
    plain = [sign for sign in signs if not (sign[0] is Sign.CANDIDATE and sign[1])]
    labels = [label for sign, label in signs if sign is Sign.CANDIDATE and label]
    return (*plain, (Sign.CANDIDATE, ",".join(labels))) if labels else tuple(plain)


def _legs(grid: Grid, arrow: Arrow, cells: list[CellSpec], *, flipped: bool) -> None:
    turn = -1 if flipped else 1
    across, up = arrow.end.file - arrow.start.file, arrow.end.rank - arrow.start.rank
    length = hypot(across, up)
    if not length:
        return
    for file in range(min(arrow.start.file, arrow.end.file) - 1, max(arrow.start.file, arrow.end.file) + 2):
        for rank in range(
            min(arrow.start.rank, arrow.end.rank) - 1, max(arrow.start.rank, arrow.end.rank) + 2
        ):
            at = Square(file, rank)
            right, above = file - arrow.start.file, rank - arrow.start.rank
            off = abs(right * up - above * across) / length
            along = (right * across + above * up) / length
            if at not in grid or off > _REACH or not -_REACH < along < length + _REACH:
                continue
            leg = (
                turn * (arrow.start.file - file),
                turn * (rank - arrow.start.rank),
                turn * (arrow.end.file - file),
                turn * (rank - arrow.end.rank),
            )
            spec = cells[grid.index(at)]
            cells[grid.index(at)] = spec._replace(legs=(*spec.legs, leg))
