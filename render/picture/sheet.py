"""Tables as pictures: a row a person, with cells told apart by a sign as well as by a colour. All words are given.

png = paint_sheet(Sheet("Week", ("Mo", "Tu"), (SheetRow("Ann", (("1", Tone.BEST), ("", Tone.NONE)), "3"),)))
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from render.picture.canvas import Colour, over, rgb
from render.picture.fonts import fitted, heavy, legible, regular, visual
from render.picture.markings import palette, ramp
from render.picture.painter import PackedBand, packed, png
from render.picture.themes import COLOURS, BoardPattern, Theme

MOST_ROWS: Final = 20
MOST_COLUMNS: Final = 12

_CELL: Final = 74  # pixels; a phone shows a picture at about 2.5 of them to a point
_NAME: Final = 320
_TOTAL: Final = 110
_EDGE: Final = 26
_GAP: Final = 6
_STRIP: Final = _CELL - 8  # height of a line of text
_SIZES: Final = (34, 30, 27, 24, 21)  # pixels: of the text in a cell, the largest that fits
_NAMES: Final = (34, 31, 28)  # of the name of a row
_HEADS: Final = (28, 25, 22, 19)  # of the head of a column
# Of zlib: a table has large plain areas, of which a higher one makes a sixth less in twice the time.
_LEVEL: Final = 2


class Tone(Enum):
    """How good what stands in a cell is, by the colour behind it; Okabe and Ito's colours, which all can tell apart."""

    PLAIN = "plain"  # no colour and no border: a number beside the results
    NONE = None
    BEST = "009e73"
    GOOD = "56b4e9"
    FAIR = "f0e442"
    POOR = "d55e00"


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row: a name, the text and tone of each cell, and a sum; `crowned` rows stand out."""

    name: str
    cells: tuple[tuple[str, Tone], ...]
    total: str
    crowned: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: a title, the heads of its columns, and its rows; of too many rows or columns the first are painted.

    `told` is what it says in words, where its cells alone do not say enough; `sums` is the head of the sums.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    told: tuple[str, ...] = ()
    sums: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """The table as text, a line a row."""
        if self.told:
            return self.told
        rows = (
            f"{row.name} · {' '.join(text or '–' for text, _ in row.cells)} · {row.total}"
            for row in self.rows[:MOST_ROWS]
        )
        return (self.title, *rows)


def paint_sheet(sheet: Sheet, theme: Theme = Theme.LIGHT) -> bytes:
    """Return a table as a PNG file."""
    rows, columns = sheet.rows[:MOST_ROWS], sheet.columns[:MOST_COLUMNS]
    width = 2 * _EDGE + _NAME + len(columns) * _CELL + _TOTAL
    bands = [_top(sheet.title, (*columns, sheet.sums), theme)]
    bands += [_row(replace(row, cells=row.cells[: len(columns)]), len(columns), theme) for row in rows]
    bands.append(_packed(_ground(width, _EDGE, theme)))
    height = 2 * _EDGE + (len(rows) + 2) * _CELL
    return png(width, height, palette(theme, BoardPattern.RULED).data, bands)


# After a result most lines of a table are as before, so a line is painted and compressed once. All images are of numbers
# of palette colours, so that nothing is mapped to them twice.


@lru_cache(maxsize=128)
def _top(title: str, heads: tuple[str, ...], theme: Theme) -> PackedBand:
    *columns, sums = heads
    right = _EDGE + _NAME + len(columns) * _CELL + _TOTAL
    image = _ground(right + _EDGE, _EDGE + 2 * _CELL, theme)
    _paste(image, _Label(title, right - _EDGE, (38,), bold=True), (_EDGE, _EDGE), theme)
    for number, head in enumerate(columns):
        label = _Label(head, _CELL, _HEADS, "mm", faint=True)
        _paste(image, label, (_EDGE + _NAME + number * _CELL, _EDGE + _CELL), theme)
    _paste(image, _Label(sums, _TOTAL, _HEADS, "rm", faint=True), (right - _TOTAL, _EDGE + _CELL), theme)
    return _packed(image)


@lru_cache(maxsize=512)
def _row(row: SheetRow, columns: int, theme: Theme) -> PackedBand:
    right = _EDGE + _NAME + columns * _CELL + _TOTAL
    image, crowned = _ground(right + _EDGE, _CELL, theme), row.crowned
    if crowned:
        box = (_EDGE - 12, 2, right + 11, _CELL - 3)
        ImageDraw.Draw(image).rounded_rectangle(box, 18, _number(COLOURS[theme].bar, theme))
    name = _Label(row.name, _NAME - 12, _NAMES, bold=crowned, crowned=crowned)
    _paste(image, name, (_EDGE, 0), theme)
    for number, (text, tone) in enumerate(row.cells):
        cell = _cell(text, tone, theme, crowned=crowned)
        image.paste(cell, (_EDGE + _NAME + number * _CELL + _GAP, _GAP))
    total = _Label(row.total, _TOTAL, (36,), "rm", bold=True, crowned=crowned)
    _paste(image, total, (right - _TOTAL, 0), theme)
    return _packed(image)


def _ground(width: int, height: int, theme: Theme) -> Image.Image:
    return Image.new("L", (width, height), _number(COLOURS[theme].frame, theme))


def _packed(image: Image.Image) -> PackedBand:
    # Each line begins with the filter that changes nothing.
    lines = Image.new("L", (image.width + 1, image.height), 0)
    lines.paste(image, (1, 0))
    return packed(lines.tobytes(), _LEVEL)


@dataclass(frozen=True, slots=True)
class _Label:
    """A line of text: its width in pixels, the sizes of which the largest that fits is taken, where it is anchored."""

    text: str
    width: int
    sizes: tuple[int, ...]
    anchor: str = "lm"
    bold: bool = False
    faint: bool = False
    crowned: bool = False


def _paste(image: Image.Image, label: _Label, at: tuple[int, int], theme: Theme) -> None:
    image.paste(_label(label, theme), (at[0], at[1] + (_CELL - _STRIP) // 2))


@lru_cache(maxsize=1024)
def _label(label: _Label, theme: Theme) -> Image.Image:
    colours = COLOURS[theme]
    font, text = _set(label.text, label.sizes, label.width - _GAP, bold=label.bold)
    image = Image.new("L", (label.width, _STRIP), 0)
    x = {"l": 0, "m": label.width // 2, "r": label.width}[label.anchor[0]]
    ImageDraw.Draw(image).text((x, _STRIP // 2), text, 255, font, label.anchor)
    ground = colours.bar if label.crowned else colours.frame
    ink = colours.faint if label.faint else colours.ink
    return _mapped(image, ramp(ground, ink, theme, BoardPattern.RULED))


def _set(text: str, sizes: tuple[int, ...], width: int, *, bold: bool) -> tuple[ImageFont.FreeTypeFont, str]:
    words, faces = legible(text) if text else "", [(heavy if bold else regular)(size) for size in sizes]
    for face in faces:
        if face.getlength(words) <= width:
            return face, visual(words)
    return faces[-1], visual(fitted(words, faces[-1], width))


@lru_cache(maxsize=1024)
def _cell(text: str, tone: Tone, theme: Theme, *, crowned: bool) -> Image.Image:
    colours, side = COLOURS[theme], _CELL - 2 * _GAP
    image = Image.new("L", (side + 1, side + 1), _number(colours.bar if crowned else colours.frame, theme))
    draw, middle = ImageDraw.Draw(image), side // 2
    if tone is Tone.NONE and not text:
        draw.ellipse((middle - 4, middle - 4, middle + 4, middle + 4), _number(colours.rule, theme))
        return image
    ground, ink, box = colours.bar if crowned else colours.frame, colours.ink, (0, 0, side, side)
    if tone is not Tone.PLAIN:
        ground = colours.paper if tone is Tone.NONE else rgb(tone.value)
        ink = colours.ink if tone is Tone.NONE else over(ground)
        draw.rounded_rectangle(box, 12, _number(ground, theme), _number(colours.border, theme), 2)
    font, words = _set(text, _SIZES, side - 6, bold=tone is not Tone.PLAIN)
    mask = Image.new("L", image.size, 0)
    ImageDraw.Draw(mask).text((middle, middle), words, 255, font, "mm")
    image.paste(_mapped(mask, ramp(ground, ink, theme, BoardPattern.RULED)), mask=_mapped(mask, _ANY))
    return image


_ANY: Final = bytes((0, *[255] * 255))  # where there is any of a letter


def _mapped(mask: Image.Image, table: bytes) -> Image.Image:
    return Image.frombytes("L", mask.size, mask.tobytes().translate(table))


def _number(colour: Colour, theme: Theme) -> int:
    return ramp(colour, colour, theme, BoardPattern.RULED)[0]
