"""Frames as whole images in one palette, each painted over the one before where bands of it differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from PIL import Image

from render.animation.caption import drawn, height, typeset
from render.animation.frames import Frame
from render.picture.looks import ground_of
from render.picture.sheet import Sheet, sheet
from render.picture.strip import plain, told
from render.picture.themes import Ground, Theme
from rules.core import Diagram, Seat


class Way(NamedTuple):
    """How frames are painted."""

    theme: Theme
    flipped: bool
    scale: int


@dataclass(frozen=True, slots=True)
class Board:
    """A frame as images.

    Attributes:
        bare: Without marks and arrows.
        marked: With them.
        words: Where in both the caption begins, in pixels from the top.
        colours: Of both: red, green and blue of each palette entry.
    """

    bare: Image.Image
    marked: Image.Image
    words: int
    colours: bytes


def boards(frames: Sequence[Frame], way: Way) -> Iterator[Board]:
    """Each frame with its caption.

    Raises:
        ValueError: the frames are not of one size.
    """
    # A board stays chequered when all men are gone from it, and a strip keeps its lines.
    men = any(ground_of(frame.diagram) is Ground.CHEQUERED for frame in frames)
    ground = Ground.CHEQUERED if men else Ground.RULED
    seats: frozenset[Seat] = frozenset().union(*(told(frame.diagram) for frame in frames))

    def sheet_of(diagram: Diagram, frame: Frame) -> Sheet:
        strip = frame.strip or (plain(seats) if seats else None)
        theme, flipped, scale = way
        return sheet(diagram, theme=theme, flipped=flipped, scale=scale, strip=strip, ground=ground)

    first = sheet_of(frames[0].diagram, frames[0])
    width, board = first.layout.width, first.layout.height
    captions = [typeset(frame.caption, width, way.scale) for frame in frames]
    band = height(captions, way.scale) if any(frame.caption.strip() for frame in frames) else 0
    canvas, bands = Image.new("P", (width, board + band)), list[Hashable]()
    for at, frame in enumerate(frames):
        diagram = frame.diagram
        one = bare = sheet_of(diagram, frame)
        if (one.layout.width, one.layout.height) != (width, board):
            raise ValueError("frames of several sizes")
        if diagram.marks or diagram.arrows:
            bare = sheet_of(replace(diagram, marks=(), arrows=()), frame)
        canvas = canvas.copy()
        bands = _painted(canvas, bare, bands)
        if band:
            words = drawn(captions[at], (at + 1) / len(frames), (width, band), one.style)
            canvas.paste(words, (0, board))
        marked = canvas
        if one is not bare:
            marked = canvas.copy()
            _painted(marked, one, bands)
        yield Board(canvas, marked, board, one.palette.data)


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
