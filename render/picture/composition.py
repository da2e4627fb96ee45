"""A whole picture as bands: a margin, the ranks, a margin, the lines of the strip; where there are two boards, one above the other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from render.picture.cell_specs import CellSpec, Rows, cell_specs, pattern_of
from render.picture.cells import cell
from render.picture.frame import Edge, corner, label
from render.picture.layout import Layout, Side, layout
from render.picture.palette import Palette, Patch, palette
from render.picture.strip import Strip, StripRow, line_patch, strip_rows
from render.picture.themes import COLOURS, BoardPattern, RenderOptions, Style, Theme
from rules.core import Diagram, Grid

_KIT_BYTES = 4_000_000
"""Of the cells of one theme and size that are kept. The ten seats' bugs and walls with all marks are less."""


class CellCache:
    """The cells of one theme and size that were drawn."""

    __slots__ = ("_cells", "_limit", "pattern", "side", "theme")

    def __init__(self, theme: Theme, pattern: BoardPattern, side: int) -> None:
        self.theme, self.pattern, self.side = theme, pattern, side
        self._cells: dict[CellSpec, Patch] = {}
        self._limit = max(64, _KIT_BYTES // side**2)

    def __getitem__(self, spec: CellSpec) -> Patch:
        found = self._cells.get(spec)
        if found is None:
            if len(self._cells) >= self._limit:
                self._cells.clear()
            found = self._cells[spec] = cell(spec, self.theme, self.pattern, self.side)
        return found


@lru_cache(maxsize=12)
def cell_cache(theme: Theme, pattern: BoardPattern, side: int) -> CellCache:
    """The cells of a theme and size; those that were not used for long are forgotten."""
    return CellCache(theme, pattern, side)


@dataclass(frozen=True, slots=True)
class Band:
    """A band of a picture."""

    key: Hashable  # bands of one key look alike
    height: int  # in pixels
    draw: Callable[[], Sequence[Patch]]  # its patches from left to right, as high as the band each

    def pixels(self) -> bytes:
        """Its pixels, line by line."""
        return b"".join([b"".join(line) for line in zip(*self.draw(), strict=True)])

    def lines(self) -> bytes:
        """Its pixels as in a PNG file: before each line a zero, which names the filter that changes nothing."""
        return b"".join([b"".join(line) for line in zip((b"\0",) * self.height, *self.draw(), strict=True)])


@dataclass(frozen=True, slots=True)
class Composition:
    """A picture to be put together."""

    grid: Grid
    first: Rows  # of the board above, if there is one
    rows: Rows
    lines: tuple[StripRow, ...]
    style: Style
    flipped: bool
    joined_files: bool
    joined_ranks: bool
    layout: Layout

    @property
    def height(self) -> int:
        """In pixels."""
        one = self.layout
        return one.height + (2 * one.margin + len(self.first) * one.cell if self.first else 0)

    @property
    def palette(self) -> Palette:
        """The colours."""
        return palette(self.style.theme, self.style.pattern)

    def bands(self) -> Iterator[Band]:
        """The bands from the top down."""
        one, files, ranks = self.layout, self.grid.files, self.grid.ranks
        common = (self.style, one.indent, one.width, self.joined_files)
        numbers = [str(rank + 1) for rank in range(ranks)]
        letters = tuple(chr(97 + file) for file in range(files))
        if self.flipped:
            letters = letters[::-1]
        else:
            numbers.reverse()
        aside: Patch | None = None

        def band(height: int, top: int, key: tuple[Hashable, ...], draw: Callable[[], list[Patch]]) -> Band:
            if aside is None:
                right = _blank(one.width - one.board - one.indent, height)
                return Band((*common, *key), height, lambda: (_blank(one.indent, height), *draw(), right))
            beside = aside[top : top + height]
            return Band((*common, *key, b"".join(beside)), height, lambda: (*draw(), beside))

        def board(rows: Rows) -> Iterator[Band]:
            key = (letters, self.joined_ranks)
            yield band(one.margin, 0, (Edge.TOP, *key), partial(self._letters, letters, Edge.TOP))
            top = one.margin
            for row, number in zip(rows, numbers, strict=True):
                yield band(one.cell, top, (row, number), partial(self._rank, row, number))
                top += one.cell
            yield band(one.margin, top, (Edge.BOTTOM, *key), partial(self._letters, letters, Edge.BOTTOM))

        if self.first:
            yield from board(self.first)
        aside = self._aside() if one.side is Side.BESIDE else None
        yield from board(self.rows)
        if one.side is Side.BELOW:
            yield from self._below(common)

    def _label(self, text: str, edge: Edge) -> Patch:
        joined = self.joined_files if edge.sideways else self.joined_ranks
        return label(text, edge, self.style, joined=joined)

    def _corner(self, edge: Edge, *, top: bool) -> Patch:
        bordered = not self.joined_files and not self.joined_ranks
        return corner(edge, self.style, top=top, bordered=bordered)

    def _rank(self, row: tuple[CellSpec, ...], number: str) -> list[Patch]:
        cells = cell_cache(self.style.theme, self.style.pattern, self.style.cell)
        inner = [cells[spec] for spec in row]
        return [self._label(number, Edge.LEFT), *inner, self._label(number, Edge.RIGHT)]

    def _letters(self, letters: tuple[str, ...], edge: Edge) -> list[Patch]:
        top = edge is Edge.TOP
        inner = [self._label(letter, edge) for letter in letters]
        return [self._corner(Edge.LEFT, top=top), *inner, self._corner(Edge.RIGHT, top=top)]

    def _line(self, at: int) -> Patch:
        stacked = self.layout.side is Side.BESIDE
        return line_patch(self.lines[at], self.style, self.layout.slots[at], stacked=stacked)

    def _aside(self) -> Patch:
        one = self.layout
        lines: list[bytes] = []
        for at, slot in enumerate(one.slots):
            lines += _blank(one.width - one.board, slot.top - len(lines))
            left, right = _blank(slot.left - one.board, 1)[0], one.width - slot.left - slot.width
            lines += (left + line + bytes(right) for line in self._line(at))
        return (*lines, *_blank(one.width - one.board, one.height - len(lines)))

    def _below(self, common: tuple[Hashable, ...]) -> Iterator[Band]:
        """The lines of the strip below the board; those of two columns share a band."""
        one = self.layout
        tops = sorted({slot.top for slot in one.slots})
        for top, end in zip(tops, [*tops[1:], one.height], strict=True):
            columns = tuple(at for at, slot in enumerate(one.slots) if slot.top == top)
            key = (*common, end - top, *(self.lines[at] for at in columns))
            yield Band(key, end - top, partial(self._columns, columns, end - top))

    def _columns(self, columns: tuple[int, ...], height: int) -> list[Patch]:
        patches: list[Patch] = []
        x = 0
        for at in columns:
            slot = self.layout.slots[at]
            patches += (
                _blank(slot.left - x, height),
                self._line(at) + _blank(slot.width, height - slot.height),
            )
            x = slot.left + slot.width
        return [*patches, _blank(self.layout.width - x, height)]


def _blank(width: int, height: int) -> Patch:
    # The frame's colour is the first of the palette.
    return (bytes(width),) * height


def compose(
    diagram: Diagram, options: RenderOptions, strip: Strip | None = None, pattern: BoardPattern | None = None
) -> Composition:
    """How a diagram is to be drawn; on the ground that what stands on it asks for, unless one is given."""
    theme, flipped, scale = options
    pattern = pattern or pattern_of(diagram)
    lines = strip_rows(diagram, strip)
    measures = layout(diagram.grid, len(lines), scale)
    veined = COLOURS[theme].grain > 0
    above = diagram.first
    return Composition(
        diagram.grid,
        cell_specs(above, flipped=flipped, pattern=pattern, veined=veined) if above else (),
        cell_specs(diagram, flipped=flipped, pattern=pattern, veined=veined),
        lines,
        Style(theme, pattern, scale, measures.cell, measures.margin),
        flipped,
        diagram.joined_files,
        diagram.joined_ranks,
        measures,
    )
