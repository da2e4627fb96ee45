"""Cells drawn once for each look, theme and size, and kept."""

from __future__ import annotations

from PIL import Image

from render.picture.canvas import Canvas
from render.picture.cell_specs import VEINS, CellSpec
from render.picture.colours import Colour, mix
from render.picture.markings import (
    EDGE_SIGNS,
    FADED,
    TINTS,
    arrow,
    badge,
    part_edge,
    picked_frame,
    sign_edge,
    tint,
    zone_colour,
    zone_lines,
)
from render.picture.palette import Patch, cell_colours, palette
from render.picture.pieces import piece
from render.picture.themes import COLOURS, BoardPattern, Colours, Theme
from rules.core import Sign


def cell(spec: CellSpec, theme: Theme, pattern: BoardPattern, side: int) -> Patch:
    """A cell of `side` pixels in the theme's palette."""
    return palette(theme, pattern).patch(drawn(spec, theme, pattern, side))


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
        _rules(canvas, colours)
    for zone, owner, edges in spec.zones:
        zone_lines(canvas, colours, zone, owner, edges)
    for sign in EDGE_SIGNS:
        if any(sign is one for one, _ in spec.signs):
            sign_edge(canvas, colours, sign, planned=spec.planned)
    if spec.piece:
        kind, owner, joins, out = spec.piece
        canvas.glaze(FADED if out else 1.0, lambda layer: piece(layer, colours, kind, owner, joins))
    _over(spec, canvas, colours)


def _over(spec: CellSpec, canvas: Canvas, colours: Colours) -> None:
    if any(sign is Sign.PICKED for sign, _ in spec.signs):
        picked_frame(canvas)
    for leg in spec.legs:
        arrow(canvas, colours, leg, dashed=spec.planned)
    for sign, label in spec.signs:
        if sign is Sign.CANDIDATE:
            badge(canvas, colours, label, aside=spec.piece is not None)
    part_edge(canvas, colours, spec.outlined)


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


def _rules(canvas: Canvas, colours: Colours) -> None:
    """The cell's part of the lines of squared paper: the left and top edges; the border has the others."""
    lane = canvas.lane(0.012)
    canvas.box(0.0, 0.0, 1.0, lane, colours.rule)
    canvas.box(0.0, 0.0, lane, 1.0, colours.rule)


def _grain(canvas: Canvas, dark: Colour, vein: int) -> None:
    """A few veins along the wood; they differ among `VEINS` kinds of cells."""
    for line in range(3):
        y = canvas.lane((line + 0.35 + 0.4 * ((vein * 3 + line * 2) % VEINS) / VEINS) / 3)
        start = 0.0 if (line + vein) % 2 else canvas.lane(0.3 + 0.1 * line)
        end = 1.0 if (line + vein) % 3 else canvas.lane(0.55 + 0.1 * vein)
        canvas.box(min(start, end), y, max(start, end), y + canvas.lane(0.014), dark)
