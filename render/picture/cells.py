"""What each cell of a picture must show, as a value, so that cells that look alike are drawn once; and drawing it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import hypot
from typing import Final, NamedTuple, TypeAlias

from PIL import Image

from render.picture.canvas import Canvas, Colour, mix
from render.picture.markings import (
    EDGE_SIGNS,
    FADED,
    TINTS,
    Leg,
    arrow,
    arrow_label,
    badge,
    cell_colours,
    edge_lines,
    picked_frame,
    sign_edge,
    tint,
    zone_colour,
    zone_lines,
)
from render.picture.pieces import SIDES, piece
from render.picture.themes import COLOURS, BoardPattern, Colours, Theme
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


Rows: TypeAlias = tuple[tuple[CellSpec, ...], ...]  # from the top of the picture to its bottom
VEINS: Final = 2  # in how many ways a wooden square is veined
_SIGNS: Final = tuple(Sign)
_ZONES: Final = (Zone.PAINTED, Zone.HEADQUARTERS, Zone.BASE, Zone.GOAL)
_REACH: Final = 0.95  # from an arrow's line to the middle of a cell in which some of it may be seen
_LABEL_REACH: Final = 1.1  # likewise, of an arrow with a label


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
    for drawn in diagram.arrows:
        _legs(grid, drawn, cells, flipped=flipped)
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
    return Square(at.file - right, at.rank + down) if flipped else Square(at.file + right, at.rank - down)


@lru_cache(maxsize=256)
def _joins(cells: tuple[Square, ...], *, flipped: bool) -> tuple[int, ...]:
    return tuple(
        sum(bit for bit, right, down in SIDES if _near(at, right, down, flipped=flipped) in cells)
        for at in cells
    )


@lru_cache(maxsize=256)
def _rings(
    grid: Grid, areas: tuple[Area, ...], flipped: bool
) -> tuple[tuple[int, tuple[CellZone, ...]], ...]:
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
    plain = [sign for sign in signs if not (sign[0] is Sign.CANDIDATE and sign[1])]
    labels = [label for sign, label in signs if sign is Sign.CANDIDATE and label]
    between = "" if "".join(labels).isalpha() else ","
    return (*plain, (Sign.CANDIDATE, between.join(labels))) if labels else tuple(plain)


def _legs(grid: Grid, arrow: Arrow, cells: list[CellSpec], *, flipped: bool) -> None:
    turn = -1 if flipped else 1
    across, up = arrow.end.file - arrow.start.file, arrow.end.rank - arrow.start.rank
    length = hypot(across, up)
    if not length:
        return
    reach = _LABEL_REACH if arrow.label else _REACH
    for file in range(min(arrow.start.file, arrow.end.file) - 1, max(arrow.start.file, arrow.end.file) + 2):
        for rank in range(
            min(arrow.start.rank, arrow.end.rank) - 1, max(arrow.start.rank, arrow.end.rank) + 2
        ):
            at = Square(file, rank)
            right, above = file - arrow.start.file, rank - arrow.start.rank
            off = abs(right * up - above * across) / length
            along = (right * across + above * up) / length
            if at not in grid or off > reach or not -reach < along < length + reach:
                continue
            leg = (
                turn * (arrow.start.file - file),
                turn * (rank - arrow.start.rank),
                turn * (arrow.end.file - file),
                turn * (rank - arrow.end.rank),
                arrow.label,
            )
            spec = cells[grid.index(at)]
            cells[grid.index(at)] = spec._replace(legs=(*spec.legs, leg))


def drawn(
    spec: CellSpec, theme: Theme, pattern: BoardPattern, side: int, *, ruled: bool = True
) -> Image.Image:
    """A cell in all the colours its smooth edges have; with the lines of squared paper, or alone."""
    canvas = Canvas(side, background(spec, theme, pattern))
    paint(canvas, spec, theme, pattern, ruled=ruled)
    return canvas.done()


def paint(canvas: Canvas, spec: CellSpec, theme: Theme, pattern: BoardPattern, *, ruled: bool = True) -> None:
    """Draw a cell on a canvas that has its background."""
    colours = COLOURS[theme]
    if colours.grain:
        under = background(spec, theme, pattern)
        _grain(canvas, mix(under, colours.outline, colours.grain), spec.shade // 2)
    if ruled and pattern is BoardPattern.RULED:
        # The lines of squared paper on the left and top edges; the border has the others.
        lane = canvas.lane(0.012)
        canvas.box(0.0, 0.0, 1.0, lane, colours.rule)
        canvas.box(0.0, 0.0, lane, 1.0, colours.rule)
    for zone, owner, edges in spec.zones:
        zone_lines(canvas, colours, zone, owner, edges)
    for sign in EDGE_SIGNS:
        if any(sign is one for one, _ in spec.signs):
            sign_edge(canvas, colours, sign, planned=spec.planned)
    if spec.piece:
        kind, owner, joins, out = spec.piece
        canvas.glaze(FADED if out else 1.0, lambda layer: piece(layer, colours, kind, owner, joins))
    _over(canvas, spec, colours)


def _over(canvas: Canvas, spec: CellSpec, colours: Colours) -> None:
    if any(sign is Sign.PICKED for sign, _ in spec.signs):
        picked_frame(canvas)
    for leg in spec.legs:
        arrow(canvas, colours, leg, dashed=spec.planned)
    for sign, label in spec.signs:
        if sign is Sign.CANDIDATE:
            badge(canvas, colours, label, aside=spec.piece is not None)
    for leg in spec.legs:
        arrow_label(canvas, colours, leg)
    edge_lines(canvas, spec.outlined, canvas.lane(0.14), colours.chosen)


def background(spec: CellSpec, theme: Theme, pattern: BoardPattern) -> Colour:
    """The cell's colour: its shade, what zones make of it, and the most telling sign."""
    colours = COLOURS[theme]
    bare = cell_colours(colours, pattern)
    under = bare[spec.shade % 2 % len(bare)]
    for zone, owner, _ in spec.zones:
        under = zone_colour(colours, under, zone, owner)
    shown = {sign for sign, _ in spec.signs}
    if spec.planned:
        shown &= {Sign.PICKED}
    strongest = next((sign for sign in TINTS if sign in shown), None)
    return mix(under, tint(colours, strongest), TINTS[strongest]) if strongest else under


def _grain(canvas: Canvas, dark: Colour, vein: int) -> None:
    for line in range(3):
        y = canvas.lane((line + 0.35 + 0.4 * ((vein * 3 + line * 2) % VEINS) / VEINS) / 3)
        start = 0.0 if (line + vein) % 2 else canvas.lane(0.3 + 0.1 * line)
        end = 1.0 if (line + vein) % 3 else canvas.lane(0.55 + 0.1 * vein)
        canvas.box(min(start, end), y, max(start, end), y + canvas.lane(0.014), dark)
