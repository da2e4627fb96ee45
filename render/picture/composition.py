"""A whole picture as bands: a margin, the ranks, a margin, the lines of the strip; a board may stand above, parts below."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from render.picture.canvas import Colour
from render.picture.cells import CellSpec, Rows, cell_specs, drawn, pattern_of
from render.picture.fonts import bold
from render.picture.layout import ABREAST, Layout, Side, Window, enlarged, layout, outlined, whole, windows
from render.picture.markings import Palette, Patch, palette
from render.picture.strip import Strip, StripRow, line_patch, strip_rows
from render.picture.themes import COLOURS, BoardPattern, Colours, RenderOptions, Style, Theme
from rules.core import Diagram, Grid

_TEETH = 3  # along a cell's joined edge
_FINE = 4  # times larger are teeth drawn than shown


class Edge(Enum):
    """A side of the board: the way from it to the picture's edge, right and down."""

    LEFT = (-1, 0)
    RIGHT = (1, 0)
    TOP = (0, -1)
    BOTTOM = (0, 1)

    @property
    def sideways(self) -> bool:
        """Whether it is the left or the right one."""
        return bool(self.value[0])


class EdgeStyle(Enum):
    """What a board ends in."""

    BORDER = "border"
    JOINED = "joined"  # with the opposite edge
    CUT = "cut"  # it is a part of a larger one


def _border(cell: int, scale: int) -> int:
    return scale * (2 if cell >= 36 * scale else 1)


@lru_cache(maxsize=1024)
def label(text: str, edge: Edge, style: Style, rim: EdgeStyle) -> Patch:
    """The margin beside one cell: a letter or a number, and the border, or teeth that point over a joined edge."""
    theme, pattern, scale, cell, margin = style
    colours = COLOURS[theme]
    right, down = edge.value
    size = (margin, cell) if right else (cell, margin)
    image = Image.new("RGB", size, colours.frame)
    thick = _border(cell, scale)
    depth = _teeth(image, edge, colours.faint, thick) if rim is EdgeStyle.JOINED else thick
    if rim is not EdgeStyle.JOINED:
        _line(image, edge, thick, _line_colour(colours, rim))
    draw = ImageDraw.Draw(image)
    middle = (size[0] / 2 + right * depth / 2, size[1] / 2 + down * depth / 2)
    draw.text(middle, text, fill=colours.ink, font=_font(text, margin - depth, cell), anchor="mm")
    return palette(theme, pattern).patch(image)


def _line_colour(colours: Colours, rim: EdgeStyle) -> Colour:
    """A part is framed in the colour of the line that shows on the whole board where it is."""
    return colours.chosen if rim is EdgeStyle.CUT else colours.border


def _font(text: str, margin: int, cell: int) -> ImageFont.FreeTypeFont:
    size = round(min(0.62 * margin, 0.8 * cell))
    while size > 6 and bold(size).getlength(text) > min(margin - 1, 10 * cell):
        size -= 1
    return bold(size)


def _line(image: Image.Image, edge: Edge, thick: int, colour: Colour) -> None:
    width, height = image.size
    box = {
        Edge.LEFT: (width - thick, 0, width, height),
        Edge.RIGHT: (0, 0, thick, height),
        Edge.TOP: (0, height - thick, width, height),
        Edge.BOTTOM: (0, 0, width, thick),
    }[edge]
    image.paste(colour, box)


def _teeth(image: Image.Image, edge: Edge, colour: Colour, thick: int) -> int:
    width, height = image.size
    right, down = edge.value
    deep, long = (width, height) if right else (height, width)
    depth = max(3 * thick, round(0.2 * deep))
    large = Image.new("1", (width * _FINE, height * _FINE))
    draw = ImageDraw.Draw(large)
    step = long / _TEETH
    for tooth in range(_TEETH):
        points = (
            (tooth * step + 0.12 * step, 0),
            ((tooth + 1) * step - 0.12 * step, 0),
            ((tooth + 0.5) * step, depth),
        )
        placed = []
        for along, out in points:
            x = (out if right > 0 else width - out) if right else along
            y = (out if down > 0 else height - out) if down else along
            placed.append((x * _FINE, y * _FINE))
        draw.polygon(placed, fill=1)
    image.paste(colour, (0, 0), large.convert("L").reduce(_FINE))
    return depth


@lru_cache(maxsize=256)
def corner(edge: Edge, style: Style, rim: EdgeStyle, *, top: bool) -> Patch:
    """The square where two margins meet, with the corner of the border where there is one all round."""
    theme, pattern, scale, cell, margin = style
    colours = COLOURS[theme]
    image = Image.new("RGB", (margin, margin), colours.frame)
    thick = _border(cell, scale)
    if rim is not EdgeStyle.JOINED:
        x = margin - thick if edge is Edge.LEFT else 0
        y = margin - thick if top else 0
        image.paste(_line_colour(colours, rim), (x, y, x + thick, y + thick))
    return palette(theme, pattern).patch(image)


_KIT_BYTES = 4_000_000
"""Of the cells of one theme and size that are kept. The ten seats' bugs and walls with all marks are less."""


class _CellCache(dict[CellSpec, Patch]):
    def __init__(self, theme: Theme, pattern: BoardPattern, side: int) -> None:
        self.theme, self.pattern, self.side = theme, pattern, side
        self._limit = max(64, _KIT_BYTES // side**2)

    def __missing__(self, spec: CellSpec) -> Patch:
        if len(self) >= self._limit:
            self.clear()
        image = drawn(spec, self.theme, self.pattern, self.side)
        found = self[spec] = palette(self.theme, self.pattern).patch(image)
        return found


cell_cache: Final = lru_cache(maxsize=12)(_CellCache)


@dataclass(frozen=True, slots=True)
class Band:
    """A band of a picture."""

    key: Hashable  # bands of one key look alike
    height: int  # in pixels
    draw: Callable[[], Sequence[Patch]]  # its patches from left to right, as high as the band each

    def lines(self) -> bytes:
        """Its pixels as in a PNG file: before each line a zero, which names the filter that changes nothing."""
        return b"".join([b"".join(line) for line in zip((b"\0",) * self.height, *self.draw(), strict=True)])


@dataclass(frozen=True, slots=True)
class _BoardImage:
    rows: Rows
    letters: tuple[str, ...]  # from left to right
    numbers: tuple[str, ...]  # from the top down
    style: Style
    sideways: EdgeStyle  # what its left and right edges are
    upright: EdgeStyle  # and the other two

    def bands(self) -> Iterator[Band]:
        common = (self.style, self.sideways)
        key = (*common, self.letters, self.upright)
        margin, cell = self.style.margin, self.style.cell
        yield Band((*key, Edge.TOP), margin, partial(self._letters, Edge.TOP))
        for row, number in zip(self.rows, self.numbers, strict=True):
            yield Band((*common, row, number), cell, partial(self._rank, row, number))
        yield Band((*key, Edge.BOTTOM), margin, partial(self._letters, Edge.BOTTOM))

    def _rank(self, row: tuple[CellSpec, ...], number: str) -> list[Patch]:
        cells = cell_cache(self.style.theme, self.style.pattern, self.style.cell)
        left, right = (label(number, edge, self.style, self.sideways) for edge in (Edge.LEFT, Edge.RIGHT))
        return [left, *(cells[spec] for spec in row), right]

    def _letters(self, edge: Edge) -> list[Patch]:
        inner = [label(letter, edge, self.style, self.upright) for letter in self.letters]
        joined = EdgeStyle.JOINED in {self.sideways, self.upright}
        left, right = (
            corner(side, self.style, EdgeStyle.JOINED if joined else self.upright, top=edge is Edge.TOP)
            for side in (Edge.LEFT, Edge.RIGHT)
        )
        return [left, *inner, right]


@dataclass(frozen=True, slots=True)
class Composition:
    """A picture to be put together."""

    first: _BoardImage | None  # above the board
    board: _BoardImage
    parts: tuple[_BoardImage, ...]  # shown larger at the bottom
    lines: tuple[StripRow, ...]
    layout: Layout

    @property
    def style(self) -> Style:
        """What the board is drawn by."""
        return self.board.style

    @property
    def height(self) -> int:
        """In pixels."""
        one = self.layout
        return one.height + (2 * one.margin + len(self.first.rows) * one.cell if self.first else 0)

    @property
    def palette(self) -> Palette:
        """The colours."""
        return palette(self.style.theme, self.style.pattern)

    def bands(self) -> Iterator[Band]:
        """The bands from the top down."""
        one = self.layout
        if self.first:
            yield from _row((self.first,), (one,))
        if one.side is Side.BESIDE:
            yield from self._with_strip()
        else:
            yield from _row((self.board,), (one,))
        if one.side is Side.BELOW:
            yield from self._below()
        for at in range(0, len(self.parts), ABREAST):
            yield from _row(self.parts[at : at + ABREAST], one.parts[at : at + ABREAST])

    def _with_strip(self) -> Iterator[Band]:
        aside, top = self._aside(), 0
        for band in self.board.bands():
            beside = aside[top : top + band.height]
            yield Band((band.key, b"".join(beside)), band.height, partial(_side_by_side, band.draw, beside))
            top += band.height

    def _line(self, at: int) -> Patch:
        stacked = self.layout.side is Side.BESIDE
        return line_patch(self.lines[at], self.style, self.layout.slots[at], stacked=stacked)

    def _aside(self) -> Patch:
        one = self.layout
        lines: list[bytes] = []
        for at, slot in enumerate(one.slots):
            lines += _blank(one.width - one.board, slot.top - len(lines))
            left, right = _blank(slot.left - one.board, 1)[0], one.width - slot.left - slot.width
            lines += (left + line + bytes(right) for line in self._line(at))
        height = one.height - one.larger
        return (*lines, *_blank(one.width - one.board, height - len(lines)))

    def _below(self) -> Iterator[Band]:
        one = self.layout
        tops = sorted({slot.top for slot in one.slots})
        bottom = one.height - one.larger
        for top, end in zip(tops, [*tops[1:], bottom], strict=True):
            columns = tuple(at for at, slot in enumerate(one.slots) if slot.top == top)
            key = (self.style, one.width, end - top, *(self.lines[at] for at in columns))
            yield Band(key, end - top, partial(self._columns, columns, end - top))

    def _columns(self, columns: tuple[int, ...], height: int) -> list[Patch]:
        patches: list[Patch] = []
        x = 0
        for at in columns:
            slot = self.layout.slots[at]
            patches += (
                _blank(slot.left - x, height),
                self._line(at) + _blank(slot.width, height - slot.height),
            )
            x = slot.left + slot.width
        return [*patches, _blank(self.layout.width - x, height)]


def _row(boards: Sequence[_BoardImage], places: Sequence[Layout]) -> Iterator[Band]:
    one, last = places[0], places[-1]
    right = one.width - last.indent - last.board
    for bands in zip(*(board.bands() for board in boards), strict=True):
        draw = partial(_abreast, one.indent, [band.draw for band in bands], right, bands[0].height)
        yield Band((*(band.key for band in bands), one.indent, one.width), bands[0].height, draw)


def _abreast(
    left: int, draws: Sequence[Callable[[], Sequence[Patch]]], right: int, height: int
) -> Sequence[Patch]:
    return (_blank(left, height), *(patch for draw in draws for patch in draw()), _blank(right, height))


def _side_by_side(draw: Callable[[], Sequence[Patch]], beside: Patch) -> Sequence[Patch]:
    return (*draw(), beside)


def _blank(width: int, height: int) -> Patch:
    # The frame's colour is the first of the palette.
    return (bytes(width),) * height


def compose(
    diagram: Diagram,
    options: RenderOptions,
    strip: Strip | None = None,
    pattern: BoardPattern | None = None,
    measures: Layout | None = None,
) -> Composition:
    """How a diagram is to be drawn; on the ground that what stands on it asks for, and as large as can be, unless these are given."""
    theme, flipped, scale, phone = options
    pattern = pattern or pattern_of(diagram)
    lines, grid = strip_rows(diagram, strip), diagram.grid
    veined = COLOURS[theme].grain > 0
    rows = cell_specs(diagram, flipped=flipped, pattern=pattern, veined=veined)
    parts = windows(diagram, flipped=flipped) if phone else ()
    sizes = tuple(Grid(len(part.files), len(part.ranks)) for part in parts)
    measures = measures or layout(grid, len(lines), scale, phone=phone, parts=sizes)

    def image(rows: Rows, seen: Window, at: Layout, *rims: EdgeStyle) -> _BoardImage:
        letters = tuple(chr(97 + file) for file in seen.files)
        numbers = tuple(str(rank + 1) for rank in seen.ranks)
        return _BoardImage(rows, letters, numbers, Style(theme, pattern, scale, at.cell, at.margin), *rims)

    larger = tuple(
        image(enlarged(rows, part, flipped=flipped), part, at, EdgeStyle.CUT, EdgeStyle.CUT)
        for part, at in zip(parts, measures.parts, strict=True)
    )
    rows = outlined(rows, grid, parts, flipped=flipped) if parts else rows
    rims = [
        EdgeStyle.JOINED if joined else EdgeStyle.BORDER
        for joined in (diagram.joined_files, diagram.joined_ranks)
    ]
    everything, first = whole(grid, flipped=flipped), None
    if above := diagram.first:
        before = cell_specs(above, flipped=flipped, pattern=pattern, veined=veined)
        first = image(before, everything, measures, *rims)
    return Composition(first, image(rows, everything, measures, *rims), larger, lines, measures)
