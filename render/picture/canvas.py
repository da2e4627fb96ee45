"""Drawing in units of a cell, several times larger than shown, so that edges come out smooth.

Colours as numbers: mixing them, and how well one is read on another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, pi, radians, sin
from typing import Final, TypeAlias

from PIL import Image, ImageDraw, ImageFont

Colour: TypeAlias = tuple[int, int, int]  # red, green and blue in sRGB, 0 to 255
LIGHTEST: Colour = (255, 255, 255)
DARKEST: Colour = (18, 20, 24)


def rgb(text: str) -> Colour:
    """A colour from its six hexadecimal digits."""
    red, green, blue = bytes.fromhex(text)
    return red, green, blue


@cache
def mix(one: Colour, other: Colour, share: float) -> Colour:
    """A colour between two: `share` of the other one, 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def luminance(colour: Colour) -> float:
    """Relative luminance as WCAG 2.2 defines it, 0 to 1."""
    linear = (part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour)
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of WCAG 2.2, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@cache
def over(colour: Colour) -> Colour:
    """What to draw in on this colour: near black or white, whichever is read better."""
    return max(DARKEST, LIGHTEST, key=lambda one: contrast(one, colour))


Point: TypeAlias = tuple[float, float]  # right and down from the top left corner of a cell, whose side is 1

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom of a rectangle, in units of a cell."""

_CORNERS: Final = 28  # of the polygon that stands for a tilted oval: no corner shows at 1280 pixels a board


@cache
def _fineness(side: int) -> int:
    """How many times larger than shown a cell of so many pixels is drawn."""
    return 4 if side >= 40 else 6


@cache
def _tilted(x: float, y: float, across: float, along: float, turn: float) -> tuple[Point, ...]:
    c, s = cos(radians(turn)), sin(radians(turn))
    ring = ((across * cos(a), along * sin(a)) for a in (2 * pi * n / _CORNERS for n in range(_CORNERS)))
    return tuple((x + u * c - v * s, y + u * s + v * c) for u, v in ring)


@dataclass(frozen=True, slots=True)
class Oval:
    """A filled ellipse: its centre, half its width and height, and degrees it is turned clockwise."""

    x: float
    y: float
    across: float
    along: float
    fill: Colour
    turn: float = 0.0


@dataclass(frozen=True, slots=True)
class Poly:
    """A filled polygon."""

    points: tuple[Point, ...]
    fill: Colour


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line of some width with round ends and joints."""

    points: tuple[Point, ...]
    width: float
    fill: Colour


Shape: TypeAlias = Oval | Poly | Stroke


class Canvas:
    """A cell being drawn."""

    __slots__ = ("_draw", "_fine", "image", "side", "unit")

    def __init__(self, side: int, ground: Colour | Image.Image) -> None:
        """A cell of `side` pixels, filled with a colour; or an image of one, to be drawn on."""
        self.side = side
        self._fine = _fineness(side)
        self.unit = side * self._fine  # pixels of its side as it is drawn
        large = (self.unit, self.unit)
        self.image = ground if isinstance(ground, Image.Image) else Image.new("RGB", large, ground)
        self._draw = ImageDraw.Draw(self.image)

    def done(self) -> Image.Image:
        """What was drawn, in its final size."""
        return self.image.reduce(self._fine)

    @property
    def pixel(self) -> float:
        """The side of a final pixel."""
        return 1 / self.side

    def lane(self, share: float) -> float:
        """A width rounded to whole final pixels, one at least: such a line along an edge is sharp."""
        return max(1, round(share * self.side)) / self.side

    def oval(self, shape: Oval) -> None:
        """Draw a filled ellipse."""
        x, y, across, along = shape.x, shape.y, shape.across, shape.along
        if shape.turn:
            self.poly(_tilted(x, y, across, along, shape.turn), shape.fill)
            return
        u = self.unit
        box = ((x - across) * u, (y - along) * u, (x + across) * u - 1, (y + along) * u - 1)
        self._draw.ellipse(box, fill=shape.fill)

    def dot(self, x: float, y: float, radius: float, fill: Colour) -> None:
        """A filled circle."""
        self.oval(Oval(x, y, radius, radius, fill))

    def poly(self, points: Sequence[Point], fill: Colour) -> None:
        """A filled polygon."""
        u = self.unit
        self._draw.polygon([(x * u, y * u) for x, y in points], fill=fill)

    def stroke(self, points: Sequence[Point], width: float, fill: Colour) -> None:
        """A line with round ends and joints."""
        u = self.unit
        scaled = [(x * u, y * u) for x, y in points]
        wide = max(1, round(width * u))
        self._draw.line(scaled, fill=fill, width=wide)
        r = wide / 2
        for x, y in scaled:
            self._draw.ellipse((x - r, y - r, x + r - 1, y + r - 1), fill=fill)

    def box(self, left: float, top: float, right: float, bottom: float, fill: Colour) -> None:
        """A filled rectangle."""
        u = self.unit
        if round(right * u) > round(left * u) and round(bottom * u) > round(top * u):
            self._draw.rectangle(
                (round(left * u), round(top * u), round(right * u) - 1, round(bottom * u) - 1), fill=fill
            )

    def slab(self, box: Box, radius: float, fill: Colour) -> None:
        """Draw a filled rectangle with round corners."""
        left, top, right, bottom = (round(side * self.unit) for side in box)
        self._draw.rounded_rectangle((left, top, right - 1, bottom - 1), radius=radius * self.unit, fill=fill)

    def frame(self, inset: float, width: float, fill: Colour) -> None:
        """A square ring along the cell's edge."""
        low, high = inset, 1 - inset
        self.box(low, low, high, low + width, fill)
        self.box(low, high - width, high, high, fill)
        self.box(low, low, low + width, high, fill)
        self.box(high - width, low, high, high, fill)

    def shapes(self, shapes: Sequence[Shape], edge: Colour, width: float) -> None:
        """Several shapes as one figure with a line round all of it."""
        for shape in shapes:
            match shape:
                case Oval(x, y, across, along, _, turn):
                    self.oval(Oval(x, y, across + width, along + width, edge, turn))
                case Poly(points, _):
                    self.poly(points, edge)
                    self.stroke((*points, points[0]), 2 * width, edge)
                case Stroke(points, thick, _):
                    self.stroke(points, thick + 2 * width, edge)
        for shape in shapes:
            match shape:
                case Oval():
                    self.oval(shape)
                case Poly(points, fill):
                    self.poly(points, fill)
                case Stroke(points, thick, fill):
                    self.stroke(points, thick, fill)

    def glaze(self, share: float, paint: Callable[[Canvas], None]) -> None:
        """Draw what `paint` draws, `share` of it opaque."""
        if share == 1.0:
            paint(self)
            return
        layer = Canvas(self.side, self.image.copy())
        paint(layer)
        self.image = Image.blend(self.image, layer.image, share)
        self._draw = ImageDraw.Draw(self.image)

    def text(self, x: float, y: float, text: str, font: ImageFont.FreeTypeFont, fill: Colour) -> None:
        """Text with its middle at a point, in a font of the final size times the fineness."""
        self._draw.text((x * self.unit, y * self.unit), text, fill=fill, font=font, anchor="mm")
