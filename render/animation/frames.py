"""The frames of an animation, and their images in one palette, each painted over the one before where they differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from PIL import Image

from render.animation.caption import drawn, height, typeset
from render.picture.cell_specs import pattern_of
from render.picture.composition import Composition, compose
from render.picture.strip import Strip, listed_seats, wordless
from render.picture.themes import BoardPattern, RenderOptions
from rules.core import Diagram, Seat

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Frame:
    """One board of an animation."""

    diagram: Diagram  # what to show; of the same size in all frames
    caption: str = ""  # ready words below it, any script, any length: what does not fit on two lines is cut
    seconds: float = 1.0  # how long it is shown
    strip: Strip | None = None  # who plays; with as many lines in all frames


def spread(things: Sequence[T], most: int) -> Sequence[T]:
    """At most so many of them, the first and the last among these, the others at even distances; of one, the last."""
    last = len(things) - 1
    if last < most:
        return things
    if most == 1:
        return things[-1:]
    return [things[round(at * last / (most - 1))] for at in range(most)]


@dataclass(frozen=True, slots=True)
class FrameImages:
    """A frame as images."""

    bare: Image.Image  # without marks and arrows
    marked: Image.Image  # with them
    words: int  # where in both the caption begins, in pixels from the top
    colours: bytes  # of both: red, green and blue of each palette entry


def frame_images(frames: Sequence[Frame], options: RenderOptions) -> Iterator[FrameImages]:
    """Each frame with its caption.

    Raises:
        ValueError: the frames are not of one size.
    """
    # A board stays chequered when all men are gone from it, and a strip keeps its lines.
    men = any(pattern_of(frame.diagram) is BoardPattern.CHEQUERED for frame in frames)
    pattern = BoardPattern.CHEQUERED if men else BoardPattern.RULED
    seats: frozenset[Seat] = frozenset().union(*(listed_seats(frame.diagram) for frame in frames))

    def sheet_of(diagram: Diagram, frame: Frame) -> Composition:
        return compose(diagram, options, frame.strip or (wordless(seats) if seats else None), pattern)

    first = sheet_of(frames[0].diagram, frames[0])
    width, board = first.layout.width, first.layout.height
    captions = [typeset(frame.caption, width, options.scale) for frame in frames]
    band = height(captions, options.scale) if any(frame.caption.strip() for frame in frames) else 0
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
        yield FrameImages(canvas, marked, board, one.palette.data)


def _painted(canvas: Image.Image, one: Composition, before: Sequence[Hashable]) -> list[Hashable]:
    """Paint the bands of a picture that differ from those before; return what all are known by."""
    bands: list[Hashable] = []
    top = 0
    for at, part in enumerate(one.bands()):
        if at >= len(before) or part.key != before[at]:
            pixels = Image.frombytes("P", (one.layout.width, part.height), part.pixels())
            canvas.paste(pixels, (0, top))
        bands.append(part.key)
        top += part.height
    return bands
