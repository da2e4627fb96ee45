"""Cells drawn once for each look, theme and size, and kept."""

from __future__ import annotations

from PIL import Image

from render.picture.brush import Brush
from render.picture.colours import Colour, mix
from render.picture.looks import VEINS, Look
from render.picture.palette import grounds, palette
from render.picture.pieces import piece
from render.picture.signs import FADED, TINTS, arrow, badge, rim, tint, zone_ground, zone_lines
from render.picture.themes import COLOURS, Colours, Ground, Theme
from rules.core import Sign



def cell(look: Look, theme: Theme, ground: Ground, side: int) -> Image.Image:
    """A cell of `side` pixels in the theme's palette."""
    return palette(theme, ground).flatten(drawn(look, theme, ground, side))


def drawn(look: Look, theme: Theme, ground: Ground, side: int) -> Image.Image:
    """A cell in all the colours its smooth edges have."""
    colours = COLOURS[theme]
    vein, shade = divmod(look.shade, 2)
    bare = grounds(colours, ground)
    under = bare[shade % len(bare)]
    for zone, owner, _ in look.zones:
        under = zone_ground(colours, under, zone, owner)
    shown = {sign for sign, _ in look.signs}
    for sign, share in TINTS.items():
        if sign in shown:
            under = mix(under, tint(colours, sign), share)
            break
    brush = Brush(side, under)
    if colours.grain:
        _grain(brush, mix(under, colours.outline, colours.grain), vein)
    if ground is Ground.RULED:
        _rules(brush, colours)
    for zone, owner, edges in look.zones:
        zone_lines(brush, colours, zone, owner, edges)
    for sign, _ in look.signs:
        rim(brush, colours, sign)
    if look.piece:
        kind, owner, joins, out = look.piece
        if out:
            brush.glaze(FADED, lambda layer: piece(layer, colours, kind, owner, joins))
        else:
            piece(brush, colours, kind, owner, joins)
    for leg in look.legs:
        arrow(brush, colours, leg)
    for sign, label in look.signs:
        if sign is Sign.CANDIDATE:
            badge(brush, colours, label, aside=look.piece is not None)
    return brush.done()


def _rules(brush: Brush, colours: Colours) -> None:
    """The cell's part of the lines of squared paper: the left and top edges; the border has the others."""
    lane = brush.lane(0.012)
    brush.box(0.0, 0.0, 1.0, lane, colours.rule)
    brush.box(0.0, 0.0, lane, 1.0, colours.rule)


def _grain(brush: Brush, dark: Colour, vein: int) -> None:
    """A few veins along the wood; they differ among `VEINS` kinds of cells."""
    for line in range(5):
        y = (line + 0.5 + 0.3 * ((vein * 3 + line * 2) % VEINS)) / 5.6
        bend = 0.03 * ((vein + line) % 3 - 1)
        brush.stroke(((-0.1, y), (0.35, y + bend), (0.7, y + bend / 2), (1.1, y)), 0.016, dark)
