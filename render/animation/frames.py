"""The frames of an animation as rows of patches, in one palette."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeVar

from PIL import Image

from render.animation.caption import drawn, height, typeset
from render.picture.cell_specs import pattern_of
from render.picture.composition import Composition, compose
from render.picture.palette import Palette, Patch
from render.picture.strip import Strip, listed_seats, wordless
from render.picture.themes import BoardPattern, RenderOptions
from rules.core import Diagram, Seat

T = TypeVar("T")

_SMALL: Final = 16
"""Cells of a board on which a turn with its marks covers so much that both are drawn at once."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One board of an animation."""

    diagram: Diagram  # what to show; of the same size in all frames
    caption: str = ""  # ready words below it, any script, any length: what does not fit on two lines is cut
    seconds: float = 1.0  # how long it is shown
    strip: Strip | None = None  # who plays; with as many lines in all frames


def boards(frames: Sequence[Frame]) -> Iterator[Frame]:
    """The same frames, and before each whose diagram has two boards, one of the first board."""
    for frame in frames:
        if frame.diagram.first:
            yield replace(frame, diagram=frame.diagram.first)
            yield replace(frame, diagram=replace(frame.diagram, first=None))
        else:
            yield frame


def spread(things: Sequence[T], most: int) -> Sequence[T]:
    """At most so many of them, the first and the last among these, the others at even distances; of one, the last."""
    last = len(things) - 1
    if last < most:
        return things
    if most == 1:
        return things[-1:]
    return [things[round(at * last / (most - 1))] for at in range(most)]


class Row(NamedTuple):
    """A band of a frame across its whole width."""

    key: Hashable  # rows of one key look alike
    top: int  # pixels above it
    patches: Sequence[Patch]  # from left to right, as high as the row each


@dataclass(frozen=True, slots=True)
class FrameRows:
    """A frame as rows of patches; the same patch looks the same wherever it is."""

    bare: Sequence[Row]  # the board without marks and arrows; on a small board with them
    marked: Sequence[Row]  # with them
    caption: Sequence[Row]  # below both; empty where no frame has words
    palette: Palette  # of all patches


def frame_rows(frames: Sequence[Frame], options: RenderOptions) -> Iterator[FrameRows]:
    """Each frame with its caption.

    Raises:
        ValueError: the frames are not of one size; those of two boards are too high.
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
    bare: Sequence[Row] = ()
    for at, frame in enumerate(frames):
        diagram = frame.diagram
        one = plain = sheet_of(diagram, frame)
        if (one.layout.width, one.layout.height) != (width, board):
            raise ValueError("frames of several sizes")
        if len(diagram.grid) > _SMALL and (diagram.marks or diagram.arrows):
            plain = sheet_of(replace(diagram, marks=(), arrows=()), frame)
        bare = _rows(plain, bare)
        marked = bare if one is plain else _rows(one, bare)
        words: Sequence[Row] = ()
        if band:
            done = (at + 1) / len(frames)
            words = (Row(at, board, [drawn(captions[at], done, (width, band), one.style)]),)
        yield FrameRows(bare, marked, words, one.palette)


def painted(rows: Sequence[Row]) -> Image.Image:
    """Some rows as an image in the numbers of their palette."""
    width = sum(len(patch[0]) for patch in rows[0].patches)
    lines = [b"".join(line) for row in rows for line in zip(*row.patches, strict=True)]
    return Image.frombytes("P", (width, len(lines)), b"".join(lines))


def _rows(one: Composition, before: Sequence[Row]) -> Sequence[Row]:
    """The rows of a picture; those that are as before are the same ones."""
    rows: list[Row] = []
    top = 0
    for at, band in enumerate(one.bands()):
        same = at < len(before) and band.key == before[at].key
        rows.append(before[at] if same else Row(band.key, top, band.draw()))
        top += band.height
    return rows
