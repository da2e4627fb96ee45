"""Frames as whole images in one palette, each painted over the one before where bands of it differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from PIL import Image

from render.animation.caption import drawn, height, typeset
from render.animation.frames import Frame
from render.picture.looks import ground_of
from render.picture.sheet import Sheet, sheet
from render.picture.strip import plain, told
from render.picture.themes import Ground, Theme
from rules.core import Seat


class Way(NamedTuple):
    """How frames are painted."""

    theme: Theme
    flipped: bool
    scale: int


def boards(frames: Sequence[Frame], way: Way) -> Iterator[tuple[Image.Image, bytes]]:
    """Each frame with its caption, and the colours of the palette that all have.

    Raises:
        ValueError: the frames are not of one size.
    """
    sheets = _sheets(frames, way)
    captions = None
    canvas, bands, band = Image.new("P", (0, 0)), list[Hashable](), 0
    size = (0, 0)
    for at, one in enumerate(sheets):
        width, board = one.layout.width, one.layout.height
        if not at:
            if any(frame.caption.strip() for frame in frames):
                captions = [typeset(frame.caption, width, way.scale) for frame in frames]
                band = height(captions, way.scale)
            size = (width, board)
            canvas = Image.new("P", (width, board + band))
        elif (width, board) != size:
            raise ValueError("frames of several sizes")
        canvas = canvas.copy()
        bands = _painted(canvas, one, bands)
        if captions:
            done = (at + 1) / len(frames)
            theme, ground = one.style.theme, one.style.ground
            canvas.paste(
                drawn(captions[at], done, (width, band), theme=theme, ground=ground, scale=way.scale),
                (0, board),
            )
        yield canvas, one.palette.data


def _sheets(frames: Sequence[Frame], way: Way) -> Iterator[Sheet]:
    """Boards of one kind, whatever is gone from some; and with lines for the same seats, where none are given."""
    men = any(ground_of(frame.diagram) is Ground.CHEQUERED for frame in frames)
    ground = Ground.CHEQUERED if men else Ground.RULED
    seats: frozenset[Seat] = frozenset().union(*(told(frame.diagram) for frame in frames))
    for frame in frames:
        strip = frame.strip or (plain(seats) if seats else None)
        yield sheet(
            frame.diagram,
            theme=way.theme,
            flipped=way.flipped,
            scale=way.scale,
            strip=strip,
            ground=ground,
        )


def _painted(canvas: Image.Image, one: Sheet, before: Sequence[Hashable]) -> list[Hashable]:
    """Paint the bands of a picture that differ from those before; return what all are known by."""
    bands: list[Hashable] = []
    top = 0
    for at, part in enumerate(one.parts()):
        if at >= len(before) or part.key != before[at]:
            pixels = Image.frombytes("P", (one.layout.width, part.height), part.pixels())
            canvas.paste(pixels, (0, top))
        bands.append(part.key)
        top += part.height
    return bands
