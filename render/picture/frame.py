"""The margin round a board: coordinates on all sides, the border, and edges that are joined."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from render.picture.colours import Colour
from render.picture.fonts import bold
from render.picture.palette import Patch, palette
from render.picture.themes import COLOURS, Colours, Style

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


class Rim(Enum):
    """What a board ends in."""

    BORDER = "border"
    JOINED = "joined"  # with the opposite edge
    CUT = "cut"  # it is a part of a larger one


def border(cell: int, scale: int) -> int:
    """How thick the line round the board is, in pixels."""
    return scale * (2 if cell >= 36 * scale else 1)


@lru_cache(maxsize=1024)
def label(text: str, edge: Edge, style: Style, rim: Rim) -> Patch:
    """The margin beside one cell: a letter or a number, and the border, or teeth that point over a joined edge."""
    theme, pattern, scale, cell, margin = style
    colours = COLOURS[theme]
    right, down = edge.value
    size = (margin, cell) if right else (cell, margin)
    image = Image.new("RGB", size, colours.frame)
    thick = border(cell, scale)
    depth = _teeth(image, edge, colours.faint, thick) if rim is Rim.JOINED else thick
    if rim is not Rim.JOINED:
        _line(image, edge, thick, _line_colour(colours, rim))
    draw = ImageDraw.Draw(image)
    middle = (size[0] / 2 + right * depth / 2, size[1] / 2 + down * depth / 2)
    draw.text(middle, text, fill=colours.ink, font=_font(text, margin - depth, cell), anchor="mm")
    return palette(theme, pattern).patch(image)


def _line_colour(colours: Colours, rim: Rim) -> Colour:
    """A part is framed in the colour of the line that shows on the whole board where it is."""
    return colours.chosen if rim is Rim.CUT else colours.border


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
    """Triangles that point away from the board."""
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
def corner(edge: Edge, style: Style, rim: Rim, *, top: bool) -> Patch:
    """The square where two margins meet, with the corner of the border where there is one all round."""
    theme, pattern, scale, cell, margin = style
    colours = COLOURS[theme]
    image = Image.new("RGB", (margin, margin), colours.frame)
    thick = border(cell, scale)
    if rim is not Rim.JOINED:
        x = margin - thick if edge is Edge.LEFT else 0
        y = margin - thick if top else 0
        image.paste(_line_colour(colours, rim), (x, y, x + thick, y + thick))
    return palette(theme, pattern).patch(image)
