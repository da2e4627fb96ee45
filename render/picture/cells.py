"""Cells drawn once for each look, theme and size, and kept."""

from __future__ import annotations

from PIL import Image

from render.picture.brush import Brush
from render.picture.colours import Colour, mix
from render.picture.looks import VEINS, Look
from render.picture.palette import Patch, grounds, palette
from render.picture.pieces import piece
from render.picture.signs import FADED, RIMS, TINTS, ants, arrow, badge, rim, tint, zone_ground, zone_lines
from render.picture.themes import COLOURS, Colours, Ground, Theme
from rules.core import Sign


def cell(look: Look, theme: Theme, ground: Ground, side: int) -> Patch:
    """A cell of `side` pixels in the theme's palette."""
    return palette(theme, ground).patch(drawn(look, theme, ground, side))


def drawn(look: Look, theme: Theme, ground: Ground, side: int, *, ruled: bool = True) -> Image.Image:
    """A cell in all the colours its smooth edges have; with the lines of squared paper, or alone."""
    colours = COLOURS[theme]
    under = _ground(look, colours, ground)
    brush = Brush(side, under)
    if colours.grain:
        _grain(brush, mix(under, colours.outline, colours.grain), look.shade // 2)
    if ruled and ground is Ground.RULED:
        _rules(brush, colours)
    for zone, owner, edges in look.zones:
        zone_lines(brush, colours, zone, owner, edges)
    for sign in RIMS:
        if any(sign is one for one, _ in look.signs):
            rim(brush, colours, sign)
    if look.piece:
        kind, owner, joins, out = look.piece
        brush.glaze(FADED if out else 1.0, lambda layer: piece(layer, colours, kind, owner, joins))
    _over(look, brush, colours)
    return brush.done()


def _over(look: Look, brush: Brush, colours: Colours) -> None:
    """What is drawn over a piece."""
    if any(sign is Sign.PICKED for sign, _ in look.signs):
        ants(brush)
    for leg in look.legs:
        arrow(brush, colours, leg)
    for sign, label in look.signs:
        if sign is Sign.CANDIDATE:
            badge(brush, colours, label, aside=look.piece is not None)


def _ground(look: Look, colours: Colours, ground: Ground) -> Colour:
    """The cell's colour: its shade, what zones make of it, and the most telling sign."""
    bare = grounds(colours, ground)
    under = bare[look.shade % 2 % len(bare)]
    for zone, owner, _ in look.zones:
        under = zone_ground(colours, under, zone, owner)
    shown = {sign for sign, _ in look.signs}
    strongest = next((sign for sign in TINTS if sign in shown), None)
    return mix(under, tint(colours, strongest), TINTS[strongest]) if strongest else under


def _rules(brush: Brush, colours: Colours) -> None:
    """The cell's part of the lines of squared paper: the left and top edges; the border has the others."""
    lane = brush.lane(0.012)
    brush.box(0.0, 0.0, 1.0, lane, colours.rule)
    brush.box(0.0, 0.0, lane, 1.0, colours.rule)


def _grain(brush: Brush, dark: Colour, vein: int) -> None:
    """A few veins along the wood; they differ among `VEINS` kinds of cells."""
    for line in range(3):
        y = brush.lane((line + 0.35 + 0.4 * ((vein * 3 + line * 2) % VEINS) / VEINS) / 3)
        start = 0.0 if (line + vein) % 2 else brush.lane(0.3 + 0.1 * line)
        end = 1.0 if (line + vein) % 3 else brush.lane(0.55 + 0.1 * vein)
        brush.box(min(start, end), y, max(start, end), y + brush.lane(0.014), dark)
