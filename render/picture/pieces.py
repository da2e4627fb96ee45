"""Everything that stands on a board, drawn into one cell.

Bugs are of ten kinds, one for each seat: told apart by outline and pattern when colours are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import cos, pi, sin
from typing import Final, TypeAlias

from render.picture.canvas import Canvas, Colour, Oval, Point, Poly, Shape, Stroke, contrast, mix, over
from render.picture.themes import Colours
from rules.core import Kind, Seat

Draw: TypeAlias = Callable[["_Insect"], None]


class _Insect:
    """One bug being drawn: a brush, the colours of its body, of its pattern and outline, and of legs and feelers."""

    __slots__ = ("body", "canvas", "edge", "limb", "line", "mark", "pale", "thin")

    def __init__(self, canvas: Canvas, body: Colour, line: Colour, limb: Colour) -> None:
        self.canvas = canvas
        self.body = body
        self.line = line
        self.limb = limb
        self.mark = over(body)
        self.pale = mix(body, (255, 255, 255), 0.72)
        self.thin = max(0.042, 0.9 * canvas.pixel)
        self.edge = max(0.028, 0.6 * canvas.pixel)

    def both(self, *lines: Iterable[Point], width: float = 0.0) -> None:
        for points in lines:
            right = tuple(points)
            for side in (right, tuple((1 - x, y) for x, y in right)):
                self.canvas.stroke(side, width or self.thin, self.limb)

    def figure(self, *shapes: Shape) -> None:
        self.canvas.shapes(shapes, self.line, self.edge)


def _ladybird(bug: _Insect) -> None:
    bug.both(
        ((0.7, 0.42), (0.86, 0.33)), ((0.72, 0.56), (0.92, 0.57)), ((0.7, 0.7), (0.85, 0.82)),
        ((0.56, 0.2), (0.64, 0.1)),
    )  # fmt: skip
    bug.canvas.oval(Oval(0.5, 0.27, 0.17, 0.13, bug.limb))
    bug.figure(Oval(0.5, 0.56, 0.3, 0.31, bug.body))
    bug.canvas.stroke(((0.5, 0.27), (0.5, 0.86)), bug.thin, bug.line)
    for x, y, r in ((0.36, 0.46, 0.066), (0.35, 0.67, 0.06)):
        bug.canvas.dot(x, y, r, bug.line)
        bug.canvas.dot(1 - x, y, r, bug.line)


def _butterfly(bug: _Insect) -> None:
    fore = ((0.5, 0.46), (0.58, 0.27), (0.78, 0.13), (0.93, 0.17), (0.93, 0.36), (0.8, 0.52), (0.5, 0.56))
    hind = ((0.5, 0.5), (0.76, 0.53), (0.84, 0.66), (0.78, 0.83), (0.64, 0.86), (0.52, 0.68))
    wings = [Poly(wing, bug.body) for wing in (hind, fore)]
    wings += [Poly(tuple((1 - x, y) for x, y in wing.points), bug.body) for wing in wings]
    bug.figure(*wings)
    for x, y, r in ((0.79, 0.31, 0.075), (0.69, 0.7, 0.06)):
        bug.canvas.dot(x, y, r, bug.pale)
        bug.canvas.dot(1 - x, y, r, bug.pale)
    bug.both(((0.52, 0.3), (0.6, 0.13)))
    bug.canvas.oval(Oval(0.5, 0.53, 0.06, 0.29, bug.limb))


def _bee(bug: _Insect) -> None:
    bug.figure(Oval(0.25, 0.44, 0.2, 0.105, bug.pale, 28), Oval(0.75, 0.44, 0.2, 0.105, bug.pale, -28))
    bug.both(((0.55, 0.16), (0.63, 0.07)))
    bug.canvas.dot(0.5, 0.22, 0.125, bug.limb)
    bug.figure(Oval(0.5, 0.59, 0.205, 0.31, bug.body))
    for y, half in ((0.46, 0.185), (0.62, 0.2), (0.77, 0.155)):
        bug.canvas.box(0.5 - half, y - 0.042, 0.5 + half, y + 0.042, bug.line)


def _shield_bug(bug: _Insect) -> None:
    bug.both(
        ((0.7, 0.36), (0.9, 0.25)), ((0.74, 0.55), (0.93, 0.6)), ((0.66, 0.74), (0.82, 0.88)),
        ((0.54, 0.2), (0.68, 0.07)),
    )  # fmt: skip
    right = ((0.58, 0.17), (0.63, 0.27), (0.82, 0.39), (0.75, 0.66), (0.5, 0.92))
    left = ((0.25, 0.66), (0.18, 0.39), (0.37, 0.27))
    bug.figure(Poly(((0.42, 0.17), *right, *left), bug.body))
    bug.canvas.poly(((0.3, 0.43), (0.7, 0.43), (0.5, 0.7)), bug.mark)


def _spider(bug: _Insect) -> None:
    bug.both(
        ((0.56, 0.36), (0.7, 0.16), (0.76, 0.06)), ((0.58, 0.42), (0.8, 0.26), (0.94, 0.3)),
        ((0.58, 0.48), (0.82, 0.5), (0.95, 0.64)), ((0.56, 0.52), (0.76, 0.72), (0.82, 0.93)),
    )  # fmt: skip
    bug.figure(Oval(0.5, 0.37, 0.13, 0.125, bug.body), Oval(0.5, 0.66, 0.2, 0.225, bug.body))
    bug.canvas.stroke(((0.4, 0.57), (0.6, 0.75)), 0.065, bug.mark)
    bug.canvas.stroke(((0.6, 0.57), (0.4, 0.75)), 0.065, bug.mark)


def _ant(bug: _Insect) -> None:
    bug.both(
        ((0.55, 0.42), (0.74, 0.33), (0.83, 0.2)), ((0.56, 0.48), (0.78, 0.5), (0.9, 0.56)),
        ((0.54, 0.54), (0.74, 0.66), (0.84, 0.85)), ((0.55, 0.17), (0.66, 0.13), (0.68, 0.05)),
    )  # fmt: skip
    bug.figure(
        Oval(0.5, 0.23, 0.125, 0.115, bug.body),
        Oval(0.5, 0.45, 0.08, 0.13, bug.body),
        Oval(0.5, 0.74, 0.16, 0.185, bug.body),
    )
    bug.canvas.box(0.395, 0.71, 0.605, 0.77, bug.mark)
    bug.canvas.box(0.47, 0.635, 0.53, 0.845, bug.mark)


def _stag_beetle(bug: _Insect) -> None:
    bug.both(
        ((0.68, 0.5), (0.88, 0.42)), ((0.7, 0.64), (0.9, 0.68)), ((0.66, 0.78), (0.82, 0.91)),
    )  # fmt: skip
    bug.both(((0.6, 0.32), (0.72, 0.22), (0.7, 0.09), (0.58, 0.07)), width=0.075)
    bug.figure(Oval(0.5, 0.36, 0.17, 0.1, bug.body), Oval(0.5, 0.67, 0.22, 0.26, bug.body))
    bug.canvas.stroke(((0.5, 0.46), (0.5, 0.9)), bug.thin, bug.mark)
    bug.canvas.stroke(((0.36, 0.5), (0.64, 0.5)), bug.thin, bug.mark)


def _dragonfly(bug: _Insect) -> None:
    wings = (Oval(0.74, 0.33, 0.225, 0.075, bug.body, -12), Oval(0.72, 0.51, 0.205, 0.075, bug.body, 16))
    bug.figure(*wings, *(Oval(1 - w.x, w.y, w.across, w.along, w.fill, -w.turn) for w in wings))
    bug.canvas.oval(Oval(0.5, 0.62, 0.06, 0.34, bug.limb))
    bug.canvas.oval(Oval(0.5, 0.4, 0.085, 0.14, bug.limb))
    bug.canvas.dot(0.435, 0.2, 0.085, bug.limb)
    bug.canvas.dot(0.565, 0.2, 0.085, bug.limb)
    for y in (0.62, 0.73, 0.84):
        bug.canvas.box(0.46, y, 0.54, y + 0.035, bug.body)


def _woodlouse(bug: _Insect) -> None:
    for y in (0.3, 0.42, 0.54, 0.66, 0.78):
        bug.both(((0.68, y), (0.88 - 0.5 * abs(y - 0.54) ** 1.5, y + 0.05)))
    bug.both(((0.56, 0.18), (0.68, 0.06)))
    bug.figure(Oval(0.5, 0.54, 0.25, 0.38, bug.body))
    for y, half in ((0.33, 0.2), (0.47, 0.24), (0.61, 0.24), (0.75, 0.2)):
        bug.canvas.box(0.5 - half, y - 0.022, 0.5 + half, y + 0.022, bug.line)


def _moth(bug: _Insect) -> None:
    bug.both(((0.53, 0.2), (0.66, 0.06)))
    wing = ((0.5, 0.2), (0.6, 0.28), (0.95, 0.76), (0.72, 0.84), (0.5, 0.66))
    bug.figure(Poly(wing, bug.body), Poly(tuple((1 - x, y) for x, y in wing), bug.body))
    for x, y in ((0.64, 0.58), (0.78, 0.72)):
        for side in (x, 1 - x):
            bug.canvas.dot(side, y, 0.05, bug.mark)
    bug.canvas.shapes((Stroke(((0.5, 0.26), (0.5, 0.78)), 0.1, bug.body),), bug.mark, bug.edge)


SPECIES: Final[tuple[Draw, ...]] = (
    _ladybird,
    _butterfly,
    _bee,
    _shield_bug,
    _spider,
    _ant,
    _stag_beetle,
    _dragonfly,
    _woodlouse,
    _moth,
)
"""In the order of the seats."""


NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
NORTH_EAST, SOUTH_EAST, SOUTH_WEST, NORTH_WEST = 16, 32, 64, 128

SIDES: Final[tuple[tuple[int, int, int], ...]] = (
    (NORTH, 0, -1),
    (EAST, 1, 0),
    (SOUTH, 0, 1),
    (WEST, -1, 0),
    (NORTH_EAST, 1, -1),
    (SOUTH_EAST, 1, 1),
    (SOUTH_WEST, -1, 1),
    (NORTH_WEST, -1, -1),
)
"""The eight neighbours of a cell: a bit, and steps right and down on the picture."""

_TILE: Final = 0.1  # between a tile's edge and the cell's
_ROUND: Final = 0.2  # radius of a tile's outer corners
_WALL: Final = 0.11


def colour_of(colours: Colours, kind: Kind, owner: Seat | None) -> Colour:
    """What a piece is coloured in: men of the first two sides are light and dark, neutral pieces are grey."""
    if owner is None:
        return colours.neutral
    if kind is Kind.MAN and owner < 2:
        return colours.men[owner]
    return colours.seats[owner]


def piece(canvas: Canvas, colours: Colours, kind: Kind, owner: Seat | None, joins: int) -> None:
    """A piece, or the part of it in this cell; `joins` are the neighbours that belong to the same tile."""
    body = colour_of(colours, kind, owner)
    match kind:
        case Kind.TILE:
            _tile(canvas, body, mix(body, colours.outline, 0.75), owner, joins)
        case Kind.DISC:
            _disc(canvas, body, colours.outline, owner)
        case Kind.MAN:
            _man(canvas, body, colours, owner)
        case Kind.BUG:
            if owner is None:
                _stray(canvas, body, colours)
            else:
                SPECIES[owner](_Insect(canvas, body, colours.outline, colours.limb))
        case Kind.WALL:
            _wall(canvas, body, colours.outline, owner)


def _tile(canvas: Canvas, body: Colour, edge: Colour, owner: Seat | None, joins: int) -> None:
    width = canvas.lane(0.03)
    for inset, fill in ((canvas.lane(_TILE), edge), (canvas.lane(_TILE) + width, body)):
        _joined(canvas, inset, joins, fill)
    if owner is not None:
        emblem(canvas, owner, (0.5, 0.5), 0.15, mix(body, over(body), 0.85))


def _joined(canvas: Canvas, inset: float, joins: int, fill: Colour) -> None:
    low, high = inset, 1 - inset
    canvas.slab((low, low, high, high), _ROUND - inset / 2, fill)
    for side, box in (
        (NORTH, (low, 0.0, high, 0.5)),
        (EAST, (0.5, low, 1.0, high)),
        (SOUTH, (low, 0.5, high, 1.0)),
        (WEST, (0.0, low, 0.5, high)),
    ):
        if joins & side:
            canvas.box(*box, fill)
    for corner, one, other, x, y in (
        (NORTH_EAST, NORTH, EAST, high, 0.0),
        (SOUTH_EAST, SOUTH, EAST, high, high),
        (SOUTH_WEST, SOUTH, WEST, 0.0, high),
        (NORTH_WEST, NORTH, WEST, 0.0, 0.0),
    ):
        if joins & one and joins & other and joins & corner:
            canvas.box(x, y, x + inset, y + inset, fill)


def _disc(canvas: Canvas, body: Colour, edge: Colour, owner: Seat | None) -> None:
    canvas.shapes((Oval(0.5, 0.5, 0.32, 0.32, body),), edge, canvas.lane(0.03))
    ring = mix(body, over(body), 0.45)
    if owner is None:
        canvas.dot(0.5, 0.5, 0.22, ring)
        canvas.dot(0.5, 0.5, 0.22 - canvas.lane(0.04), body)
    else:
        emblem(canvas, owner, (0.5, 0.5), 0.17, over(body))


def _man(canvas: Canvas, body: Colour, colours: Colours, owner: Seat | None) -> None:
    # A man nearly as dark as the line round it needs none, and a picture with fewer edges is a smaller file.
    edge = colours.outline if contrast(body, colours.outline) > 1.7 else body
    base = ((0.21, 0.885), (0.79, 0.885), (0.79, 0.8), (0.7, 0.75), (0.3, 0.75), (0.21, 0.8))
    trunk = ((0.36, 0.77), (0.64, 0.77), (0.57, 0.6), (0.57, 0.47), (0.43, 0.47), (0.43, 0.6))
    canvas.shapes(
        (
            Poly(trunk, body),
            Poly(base, body),
            Oval(0.5, 0.46, 0.185, 0.05, body),
            Oval(0.5, 0.28, 0.17, 0.165, body),
        ),
        edge,
        max(0.028, 0.7 * canvas.pixel),
    )
    canvas.oval(Oval(0.445, 0.235, 0.055, 0.038, mix(body, over(body), 0.5), -40))
    if owner is not None and owner > 1:
        emblem(canvas, owner, (0.5, 0.655), 0.135, over(body))


def _stray(canvas: Canvas, body: Colour, colours: Colours) -> None:
    for y in (0.4, 0.55, 0.7):
        canvas.stroke(((0.15, y), (0.85, y)), 0.05, colours.limb)
    canvas.shapes((Oval(0.5, 0.55, 0.26, 0.33, body),), colours.outline, 0.03)


def _wall(canvas: Canvas, body: Colour, edge: Colour, owner: Seat | None) -> None:
    inset, width = canvas.lane(_WALL), canvas.lane(0.035)
    canvas.slab((inset, inset, 1 - inset, 1 - inset), 0.07, edge)
    low, high = inset + width, 1 - inset - width
    canvas.slab((low, low, high, high), 0.05, body)
    if owner is None:
        canvas.box(0.2, 0.47, 0.8, 0.53, edge)
    else:
        emblem(canvas, owner, (0.5, 0.5), 0.21, over(body))


def _bar(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _round(*radii: float, corners: int = 24, start: float = 0.0) -> tuple[Point, ...]:
    """Points round the middle at these distances in turn, the first of them to the right, or `start` further on."""
    turns = ((radii[n % len(radii)], start + 2 * pi * n / corners) for n in range(corners))
    return tuple((r * cos(a), r * sin(a)) for r, a in turns)


_EMBLEMS: Final[dict[Seat, tuple[tuple[Point, ...], ...]]] = {
    Seat.S1: (_round(0.85),),
    Seat.S2: (_round(1.1, corners=4),),
    Seat.S3: tuple(_bar(-1, y - 0.22, 1, y + 0.22) for y in (-0.75, 0, 0.75)),
    Seat.S4: (((0, -1), (1.1, 0.85), (-1.1, 0.85)),),
    Seat.S5: tuple(((-0.98, s * -0.6), (-0.6, s * -0.98), (0.98, s * 0.6), (0.6, s * 0.98)) for s in (1, -1)),
    Seat.S6: (_bar(-0.3, -1, 0.3, 1), _bar(-1, -0.3, 1, 0.3)),
    Seat.S7: (_bar(-0.8, -0.8, 0.8, 0.8),),
    # A ring: once round it, and back along its inner edge.
    Seat.S8: ((*_round(1.0), (1.0, 0.0), (0.5, 0.0), *_round(0.5)[::-1]),),
    Seat.S9: tuple(_bar(x - 0.22, -1, x + 0.22, 1) for x in (-0.75, 0, 0.75)),
    Seat.S10: (_round(0.5, 1.2, corners=10, start=pi / 2),),
}


def emblem(canvas: Canvas, owner: Seat, middle: Point, size: float, fill: Colour) -> None:
    """The sign of a seat: the same on its walls and on its tiles."""
    x, y = middle
    for points in _EMBLEMS[owner]:
        canvas.poly([(x + u * size, y + v * size) for u, v in points], fill)
