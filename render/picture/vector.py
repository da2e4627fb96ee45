"""Cells as SVG: the shapes and colours of the pictures, for a page that scales them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from typing import Final

from PIL import ImageFont

from render.picture.canvas import Box, Canvas, Oval, Point
from render.picture.cell_specs import CellPiece, CellSpec, cell_specs, pattern_of
from render.picture.cells import background, paint
from render.picture.colours import Colour
from render.picture.strip import kind_of
from render.picture.themes import BoardPattern, Theme
from rules.core import Diagram, Seat

SIDE: Final = 100
"""The side of a cell in its coordinates."""

_SHAPES: Final = 4096  # looks of cells that are kept: those of some dozens of large boards


class VectorCanvas(Canvas):
    """A cell being drawn as SVG elements. Its final pixels are hundredths of its side."""

    __slots__ = ("_parts",)

    def __init__(self, ground: Colour | None) -> None:
        self.side = SIDE
        self._fine = 1
        self._unit = SIDE
        self._parts: list[str] = []
        if ground is not None:
            self.box(0, 0, 1, 1, ground)

    def svg(self) -> str:
        """Return what was drawn."""
        return "".join(self._parts)

    def oval(self, shape: Oval) -> None:
        """See `Canvas.oval`."""
        x, y = _number(shape.x), _number(shape.y)
        turn = f' transform="rotate({_plain(shape.turn)} {x} {y})"' if shape.turn else ""
        across, along = _number(shape.across), _number(shape.along)
        if across == along:
            self._add(f'circle cx="{x}" cy="{y}" r="{across}"', shape.fill)
        else:
            self._add(f'ellipse cx="{x}" cy="{y}" rx="{across}" ry="{along}"{turn}', shape.fill)

    def poly(self, points: Sequence[Point], fill: Colour) -> None:
        """See `Canvas.poly`."""
        self._add(f'path d="M{_path(points)}z"', fill)

    def stroke(self, points: Sequence[Point], width: float, fill: Colour) -> None:
        """See `Canvas.stroke`."""
        self._parts.append(
            f'<path d="M{_path(points)}" fill="none" stroke="{_hex(fill)}" stroke-width="{_number(width)}"'
            ' stroke-linecap="round" stroke-linejoin="round"/>'
        )

    def box(self, left: float, top: float, right: float, bottom: float, fill: Colour) -> None:
        """See `Canvas.box`."""
        x, y, width, height = _number(left), _number(top), _number(right - left), _number(bottom - top)
        ring, end = f"M{x} {y}h{width}v{height}h-{width}z", f'z" fill="{_hex(fill)}"/>'
        last = self._parts[-1] if self._parts else ""
        if last.startswith('<path d="') and last.endswith(end) and "L" not in last:
            self._parts[-1] = f"{last.removesuffix(end)}z{ring}{end[1:]}"  # all rings run clockwise
        else:
            self._add(f'path d="{ring}"', fill)

    def slab(self, box: Box, radius: float, fill: Colour) -> None:
        """See `Canvas.slab`."""
        left, top, right, bottom = box
        size = f'width="{_number(right - left)}" height="{_number(bottom - top)}" rx="{_number(radius)}"'
        self._add(f'rect x="{_number(left)}" y="{_number(top)}" {size}', fill)

    def glaze(self, share: float, paint: Callable[[Canvas], None]) -> None:
        """See `Canvas.glaze`."""
        layer = VectorCanvas(None)
        paint(layer)
        self._parts.append(layer.svg() if share == 1.0 else f'<g opacity="{share:g}">{layer.svg()}</g>')

    def text(self, x: float, y: float, text: str, font: ImageFont.FreeTypeFont, fill: Colour) -> None:
        """See `Canvas.text`."""
        self._parts.append(
            f'<text x="{_number(x)}" y="{_number(y)}" font-size="{_plain(font.size)}" font-weight="bold"'
            f' text-anchor="middle" dominant-baseline="central" fill="{_hex(fill)}">{escape(text)}</text>'
        )

    def _add(self, element: str, fill: Colour) -> None:
        self._parts.append(f'<{element} fill="{_hex(fill)}"/>')


def vector_cells(diagram: Diagram, theme: Theme, *, flipped: bool) -> tuple[tuple[str, ...], ...]:
    """Return the cells of a board as they are seen, the top row first, each as SVG elements of a square of `SIDE`."""
    pattern = pattern_of(diagram)
    rows = cell_specs(diagram, flipped=flipped, pattern=pattern)
    return tuple(tuple(_drawn(spec, theme, pattern) for spec in row) for row in rows)


def vector_piece(diagram: Diagram, seat: Seat, theme: Theme) -> str:
    """Return one of a seat's pieces on a square, as SVG elements: the sign of the seat beside its name."""
    pattern = pattern_of(diagram)
    shade = 1 if pattern is BoardPattern.CHEQUERED else 0
    return _drawn(
        CellSpec(shade, CellPiece(kind_of(diagram, seat), seat, 0, seat in diagram.out)), theme, pattern
    )


@lru_cache(maxsize=_SHAPES)
def _drawn(spec: CellSpec, theme: Theme, pattern: BoardPattern) -> str:
    canvas = VectorCanvas(background(spec, theme, pattern))
    paint(canvas, spec, theme, pattern)
    return canvas.svg()


def _path(points: Sequence[Point]) -> str:
    return "L".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _number(share: float) -> str:
    return _plain(share * SIDE)


def _plain(number: float) -> str:
    return f"{round(number, 1):g}"


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)
