"""Several boards of a match as one picture, numbered: two beside each other, since a phone shows three too small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw

from render.picture.cells import pattern_of
from render.picture.composition import Composition, compose
from render.picture.fonts import heavy
from render.picture.layout import ABREAST, half
from render.picture.markings import palette, ramp
from render.picture.painter import PackedBand, packed, png
from render.picture.strip import wordless
from render.picture.themes import COLOURS, BoardPattern, RenderOptions, Theme
from rules.core import Diagram, Seat

_BADGE: Final = 54  # pixels of a number's disc
_HEAD: Final = _BADGE + 4  # above each board, where its number stands
_FINE: Final = 4  # times larger is a number drawn than shown
_LEVEL: Final = 9  # of zlib: a picture of few colours, painted once a match


@dataclass(frozen=True, slots=True)
class Panels:
    """Boards of one size, in the order of their numbers; what is said of them stands beside the picture."""

    boards: tuple[Diagram, ...]
    flipped: bool = False  # as the side at the top sees them


def paint_panels(panels: Panels, theme: Theme = Theme.LIGHT) -> bytes:
    """Return boards as a PNG file."""
    boards = panels.boards
    # As in an animation: a board stays chequered when all men are gone from it.
    men = any(pattern_of(each) is BoardPattern.CHEQUERED for each in boards)
    pattern = BoardPattern.CHEQUERED if men else BoardPattern.RULED
    scored = max(len(each.scores) for each in boards)
    options, measures = RenderOptions(theme, panels.flipped, 1), half(boards[0].grid, scored)
    strip = wordless(map(Seat, range(scored)))
    drawn = [_image(compose(each, options, strip, pattern, measures)) for each in boards]
    across, high = drawn[0].width, drawn[0].height + _HEAD
    width = across * min(ABREAST, len(boards))
    bands: list[PackedBand] = []
    for first in range(0, len(drawn), ABREAST):
        row = drawn[first : first + ABREAST]
        # Each line begins with the filter that changes nothing; the frame's colour is the first of the palette.
        image = Image.new("L", (1 + width, high), 0)
        left = 1 + (width - across * len(row)) // 2
        for at, board in enumerate(row):
            image.paste(board, (left + at * across, _HEAD))
            badge = _badge(first + at + 1, theme, pattern)
            image.paste(badge, (left + at * across + (across - _BADGE) // 2, 4))
        bands.append(packed(image.tobytes(), _LEVEL))
    return png(width, high * len(bands), palette(theme, pattern).data, bands)


def _image(one: Composition) -> Image.Image:
    lines = b"".join(b"".join(line) for band in one.bands() for line in zip(*band.draw(), strict=True))
    return Image.frombytes("L", (one.layout.width, one.height), lines)


def _badge(number: int, theme: Theme, pattern: BoardPattern) -> Image.Image:
    side = _BADGE * _FINE
    large = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(large)
    draw.ellipse((0, 0, side - 1, side - 1), 255)
    draw.text((side // 2, side // 2), str(number), 0, heavy(round(0.62 * side)), "mm")
    mask, colours = large.reduce(_FINE), COLOURS[theme]
    # The first and the last number stand for the two colours themselves.
    return Image.frombytes(
        "L", mask.size, mask.tobytes().translate(ramp(colours.frame, colours.ink, theme, pattern))
    )
