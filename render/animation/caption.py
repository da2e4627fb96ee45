"""Captions: a band below the board with a line or two of words, and how far the match has come."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from render.picture.colours import mix
from render.picture.fonts import fitted, legible, regular, visual
from render.picture.palette import Patch, palette
from render.picture.themes import COLOURS, BoardPattern, Style, Theme

_SIZES: Final = (20, 18)  # of letters on one line, in pixels at scale 1
_SMALLER: Final = (18, 17, 16, 15)  # on two
_EDGE: Final = 12
_ABOVE: Final = 7
_BELOW: Final = 9
_TRACK: Final = 4


@dataclass(frozen=True, slots=True)
class Typeset:
    """Words ready to be drawn: the lines, and the size of the letters in pixels."""

    lines: tuple[str, ...]
    size: int

    @property
    def pitch(self) -> int:
        """From line to line."""
        return round(1.3 * self.size)


def typeset(text: str, width: int, scale: int) -> Typeset:
    """A caption on one line of a band so wide, or on two smaller ones, or as much of it as fits on these."""
    room = width - 2 * _EDGE * scale
    words = legible(text).split() if text.strip() else []
    for size in _SIZES:
        font = regular(size * scale)
        if font.getlength(" ".join(words)) <= room:
            return Typeset((" ".join(words),), size * scale)
    lines: tuple[str, ...] = ()
    font = regular(_SMALLER[-1] * scale)
    for size in _SMALLER:
        font = regular(size * scale)
        lines = _two(words, font, room)
        if all(font.getlength(line) <= room for line in lines):
            break
    return Typeset(tuple(fitted(line, font, room) for line in lines), size * scale)


def _two(words: list[str], font: ImageFont.FreeTypeFont, room: float) -> tuple[str, ...]:
    """The words that fit on one line, at least one, and all the others."""
    end = 1
    while end < len(words) and font.getlength(" ".join(words[: end + 1])) <= room:
        end += 1
    lines = (" ".join(words[:end]), " ".join(words[end:]))
    return tuple(line for line in lines if line)


def height(captions: Iterable[Typeset], scale: int) -> int:
    """How high a band must be in which each of these has room."""
    text = max(len(one.lines) * one.pitch for one in captions)
    return text + (_ABOVE + _BELOW + _TRACK) * scale


def drawn(one: Typeset, done: float, size: tuple[int, int], style: Style) -> Patch:
    """A band of so many pixels in the style's palette; `done` is how much of the match there was, 0 to 1."""
    width, high = size
    theme, pattern, scale, *_ = style
    track = _TRACK * scale
    ink = Image.new("L", size)
    draw = ImageDraw.Draw(ink)
    middle = (high - track + (_ABOVE - _BELOW) * scale) / 2
    for at, line in enumerate(one.lines):
        # The middle of small letters and capitals: accents and tails of this line do not count.
        y = middle + (at - (len(one.lines) - 1) / 2) * one.pitch + 0.365 * one.size
        draw.text((_EDGE * scale, round(y)), visual(line), fill=255, font=regular(one.size), anchor="ls")
    pixels = ink.tobytes().translate(_levels(theme, pattern))
    words = tuple(pixels[at : at + width] for at in range(0, width * (high - track), width))
    faint, bar = _track(theme, pattern)
    passed = round(done * width)
    return (*words, *(faint * passed + bar * (width - passed),) * track)


@lru_cache(maxsize=16)
def _levels(theme: Theme, pattern: BoardPattern) -> bytes:
    """The palette's numbers of the colours between the frame's and the ink's."""
    colours = COLOURS[theme]
    ramp = Image.new("RGB", (256, 1))
    for level in range(256):
        ramp.putpixel((level, 0), mix(colours.frame, colours.ink, level / 255))
    return palette(theme, pattern).patch(ramp)[0]


@lru_cache(maxsize=16)
def _track(theme: Theme, pattern: BoardPattern) -> tuple[bytes, bytes]:
    """The palette's numbers of the bar that shows how far the match has come: of what has been, and of what is left."""
    colours, kept = COLOURS[theme], palette(theme, pattern)
    faint, bar = (kept.patch(Image.new("RGB", (1, 1), colour))[0] for colour in (colours.faint, colours.bar))
    return faint, bar
