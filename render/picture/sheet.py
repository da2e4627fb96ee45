"""Tables as pictures: a row a person, with cells told apart by a sign as well as by a colour. All words are given.

png = paint_sheet(Sheet("Week", ("Mo", "Tu"), (SheetRow("Ann", (("1", Tone.BEST), ("", Tone.NONE)), "3"),)))
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from typing import Final

from PIL import Image, ImageDraw

from render.picture.colours import over, rgb
from render.picture.fonts import fitted, heavy, legible, regular, visual
from render.picture.themes import COLOURS, Theme

MOST_ROWS: Final = 20
MOST_COLUMNS: Final = 12

_CELL: Final = 74  # pixels; a phone shows a picture at about 2.5 of them to a point
_NAME: Final = 320
_TOTAL: Final = 110
_EDGE: Final = 26
_GAP: Final = 6


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
    """A table: a title, the heads of its columns, and its rows; of too many rows or columns the first are painted."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[SheetRow, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The table as text, a line a row."""
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
        _row(draw, row, top, theme)
    held = BytesIO()
    image.quantize(64, Image.Quantize.FASTOCTREE).save(held, "PNG", compress_level=6)
    return held.getvalue()


def _row(draw: ImageDraw.ImageDraw, row: SheetRow, top: int, theme: Theme) -> None:
    colours, middle = COLOURS[theme], top + _CELL // 2
    right = _EDGE + _NAME + len(row.cells) * _CELL + _TOTAL
    if row.crowned:
        draw.rounded_rectangle((_EDGE - 12, top + 2, right + 12, top + _CELL - 2), 18, colours.bar)
    font = (heavy if row.crowned else regular)(34)
    draw.text((_EDGE, middle), visual(fitted(legible(row.name), font, _NAME - 20)), colours.ink, font, "lm")
    for number, (text, tone) in enumerate(row.cells[:MOST_COLUMNS]):
        x = _EDGE + _NAME + number * _CELL
        box = (x + _GAP, top + _GAP, x + _CELL - _GAP, top + _CELL - _GAP)
        if tone is Tone.NONE and not text:
            draw.ellipse((x + _CELL // 2 - 4, middle - 4, x + _CELL // 2 + 4, middle + 4), colours.rule)
            continue
        fill = colours.paper if tone is Tone.NONE else rgb(tone.value)
        draw.rounded_rectangle(box, 12, fill, colours.border, 2)
        ink = colours.ink if tone is Tone.NONE else over(fill)
        draw.text((x + _CELL // 2, middle), visual(legible(text)), ink, heavy(34), "mm")
    draw.text((right, middle), visual(legible(row.total)), colours.ink, heavy(36), "rm")
