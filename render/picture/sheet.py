"""Tables as pictures: a row a person, with cells told apart by a sign as well as by a colour. All words are given.

png = paint_sheet(Sheet("Week", ("Mo", "Tu"), (SheetRow("Ann", (("1", Tone.BEST), ("", Tone.NONE)), "3"),)))
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from io import BytesIO
from typing import Final

from PIL import Image, ImageDraw

from render.picture.colours import over, rgb
from render.picture.fonts import fitted, heavy, legible, regular, visual
from render.picture.palette import palette
from render.picture.themes import COLOURS, BoardPattern, Theme

MOST_ROWS: Final = 20
MOST_COLUMNS: Final = 12

_CELL: Final = 74  # pixels; a phone shows a picture at about 2.5 of them to a point
_NAME: Final = 320
_TOTAL: Final = 110
_EDGE: Final = 26
_GAP: Final = 6
_SIZES: Final = (34, 30, 27, 24, 21)  # pixels: of the text in a cell, the largest that fits


class Tone(Enum):
    """How good what stands in a cell is, by the colour behind it; Okabe and Ito's colours, which all can tell apart."""

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

    `told` is what it says in words, where its cells alone do not say enough.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    told: tuple[str, ...] = ()

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
    height = 2 * _EDGE + (len(rows) + 2) * _CELL
    colours = COLOURS[theme]
    image = Image.new("RGB", (width, height), colours.frame)
    draw = ImageDraw.Draw(image)
    title = fitted(legible(sheet.title), heavy(38), width - 2 * _EDGE)
    draw.text((_EDGE, _EDGE + _CELL // 2), visual(title), colours.ink, heavy(38), "lm")
    top = _EDGE + _CELL
    for number, head in enumerate(columns):
        x = _EDGE + _NAME + number * _CELL + _CELL // 2
        text = fitted(legible(head), regular(28), _CELL - _GAP)
        draw.text((x, top + _CELL // 2), visual(text), colours.faint, regular(28), "mm")
    for row in rows:
        top += _CELL
        _row(image, row, top, theme)
    held = BytesIO()
    colours_of = palette(theme, BoardPattern.RULED).image
    image.quantize(palette=colours_of, dither=Image.Dither.NONE).save(held, "PNG", compress_level=3)
    return held.getvalue()


def _row(image: Image.Image, row: SheetRow, top: int, theme: Theme) -> None:
    draw = ImageDraw.Draw(image)
    colours, middle = COLOURS[theme], top + _CELL // 2
    right = _EDGE + _NAME + len(row.cells) * _CELL + _TOTAL
    if row.crowned:
        draw.rounded_rectangle((_EDGE - 12, top + 2, right + 12, top + _CELL - 2), 18, colours.bar)
    font = (heavy if row.crowned else regular)(34)
    draw.text((_EDGE, middle), visual(fitted(legible(row.name), font, _NAME - 20)), colours.ink, font, "lm")
    for number, (text, tone) in enumerate(row.cells[:MOST_COLUMNS]):
        cell = _cell(text, tone, theme, crowned=row.crowned)
        image.paste(cell, (_EDGE + _NAME + number * _CELL + _GAP, top + _GAP))
    draw.text((right, middle), visual(legible(row.total)), colours.ink, heavy(36), "rm")


@lru_cache(maxsize=1024)
def _cell(text: str, tone: Tone, theme: Theme, *, crowned: bool) -> Image.Image:
    """Return a cell; tables have few that differ."""
    colours, side = COLOURS[theme], _CELL - 2 * _GAP
    image = Image.new("RGB", (side + 1, side + 1), colours.bar if crowned else colours.frame)
    draw, middle = ImageDraw.Draw(image), side // 2
    if tone is Tone.NONE and not text:
        draw.ellipse((middle - 4, middle - 4, middle + 4, middle + 4), colours.rule)
        return image
    fill = colours.paper if tone is Tone.NONE else rgb(tone.value)
    draw.rounded_rectangle((0, 0, side, side), 12, fill, colours.border, 2)
    words = legible(text)
    font = next((face for face in map(heavy, _SIZES) if face.getlength(words) <= side), heavy(_SIZES[-1]))
    ink = colours.ink if tone is Tone.NONE else over(fill)
    draw.text((middle, middle), visual(words), ink, font, "mm")
    return image
