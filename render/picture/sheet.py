"""A whole picture as bands: a margin, the ranks, a margin, the lines of the strip."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image

from render.picture.cells import cell
from render.picture.frame import Edge, corner, label
from render.picture.layout import Layout, Side, layout
from render.picture.looks import Look, Rows, ground_of, looks
from render.picture.palette import Palette, palette
from render.picture.strip import Shown, Strip, line_image, shown
from render.picture.themes import COLOURS, Ground, Theme
from rules.core import Diagram, Grid

_KIT_BYTES = 4_000_000
"""Of the cells of one theme and size that are kept. The ten seats' bugs and walls with all marks are less."""


class Kit:
    """The cells of one theme and size that were drawn."""

    __slots__ = ("_cells", "_limit", "ground", "side", "theme")

    def __init__(self, theme: Theme, ground: Ground, side: int) -> None:
        self.theme, self.ground, self.side = theme, ground, side
        self._cells: dict[Look, Image.Image] = {}
        self._limit = max(64, _KIT_BYTES // side**2)

    def __getitem__(self, look: Look) -> Image.Image:
        found = self._cells.get(look)
        if found is None:
            if len(self._cells) >= self._limit:
                self._cells.clear()
            found = self._cells[look] = cell(look, self.theme, self.ground, self.side)
        return found


@lru_cache(maxsize=12)
def kit(theme: Theme, ground: Ground, side: int) -> Kit:
    """The cells of a theme and size; those that were not used for long are forgotten."""
    return Kit(theme, ground, side)


@dataclass(frozen=True, slots=True)
class Part:
    """A band of a picture.

    Attributes:
        key: Bands of one key look alike.
        height: In pixels.
        draw: Its image, in the palette; one pixel wider than the picture, with a column of zeros at its left: as
            bytes these are the lines of a PNG file.
    """

    key: Hashable
    height: int
    draw: Callable[[], Image.Image]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A picture to be put together."""

    grid: Grid
    rows: Rows
    lines: tuple[Shown, ...]
    theme: Theme
    ground: Ground
    flipped: bool
    joined_files: bool
    joined_ranks: bool
    layout: Layout

    @property
    def palette(self) -> Palette:
        """The colours."""
        return palette(self.theme, self.ground)

    def parts(self) -> Iterator[Part]:
        """The bands from the top down."""
        measures, grid = self.layout, self.grid
        aside = self._aside() if measures.side is Side.BESIDE else None
        common = (self.theme, self.ground, measures.scale, measures.cell, measures.margin, measures.indent)
        common += (measures.width, self.joined_files)
        letters = [chr(97 + file) for file in range(grid.files)]
        numbers = [str(rank + 1) for rank in range(grid.ranks)]
        (letters if self.flipped else numbers).reverse()

        def part(height: int, top: int, key: tuple[Hashable, ...], draw: Callable[[], Image.Image]) -> Part:
            if aside is None:
                return Part((*common, *key), height, draw)
            piece = aside.crop((0, top, aside.width, top + height))

            def both() -> Image.Image:
                image = draw()
                image.paste(piece, (measures.board + 1, 0))
                return image

            return Part((*common, *key, piece.tobytes()), height, both)

        names = tuple(letters)
        for top, edge in ((0, Edge.TOP), (measures.margin + grid.ranks * measures.cell, Edge.BOTTOM)):
            if edge is Edge.BOTTOM:
                for at, (row, number) in enumerate(zip(self.rows, numbers, strict=True)):
                    yield part(
                        measures.cell,
                        measures.margin + at * measures.cell,
                        (row, number),
                        lambda row=row, number=number: self._rank(row, number),
                    )
            key = (edge, names, self.joined_ranks)
            yield part(measures.margin, top, key, lambda edge=edge: self._letters(names, edge))
        if measures.side is Side.BELOW:
            yield from self._below(common)

    def _blank(self, height: int) -> Image.Image:
        # The frame's colour is the first of the palette, and its number is also the filter that changes nothing.
        return Image.new("P", (self.layout.width + 1, height), 0)

    def _label(self, text: str, edge: Edge) -> Image.Image:
        sideways = edge in {Edge.LEFT, Edge.RIGHT}
        measures = self.layout
        return label(
            text,
            edge,
            joined=self.joined_files if sideways else self.joined_ranks,
            theme=self.theme,
            ground=self.ground,
            cell=measures.cell,
            margin=measures.margin,
            scale=measures.scale,
        )

    def _rank(self, row: tuple[Look, ...], number: str) -> Image.Image:
        measures = self.layout
        side = measures.cell
        image = self._blank(side)
        paste = image.paste
        x = measures.indent + 1
        paste(self._label(number, Edge.LEFT), (x, 0))
        x += measures.margin
        cells = kit(self.theme, self.ground, side)
        for look in row:
            paste(cells[look], (x, 0))
            x += side
        paste(self._label(number, Edge.RIGHT), (x, 0))
        return image

    def _letters(self, letters: tuple[str, ...], edge: Edge) -> Image.Image:
        measures = self.layout
        image = self._blank(measures.margin)
        x = measures.indent + 1
        for side, step in ((Edge.LEFT, measures.margin), (Edge.RIGHT, 0)):
            if side is Edge.RIGHT:
                for letter in letters:
                    image.paste(self._label(letter, edge), (x, 0))
                    x += measures.cell
            square = corner(
                side,
                top=edge is Edge.TOP,
                sides=not self.joined_files,
                ends=not self.joined_ranks,
                theme=self.theme,
                ground=self.ground,
                cell=measures.cell,
                margin=measures.margin,
                scale=measures.scale,
            )
            image.paste(square, (x, 0))
            x += step
        return image

    def _line(self, at: int) -> Image.Image:
        slot = self.layout.slots[at]
        return line_image(
            self.lines[at], self.theme, self.ground, slot.width, slot.height, self.layout.scale
        )

    def _aside(self) -> Image.Image:
        measures = self.layout
        image = Image.new("P", (measures.width - measures.board, measures.height), 0)
        for at, slot in enumerate(measures.slots):
            image.paste(self._line(at), (slot.left - measures.board, slot.top))
        return image

    def _below(self, common: tuple[Hashable, ...]) -> Iterator[Part]:
        measures = self.layout
        tops = sorted({slot.top for slot in measures.slots})
        for top, end in zip(tops, [*tops[1:], measures.height], strict=True):
            beside = [at for at, slot in enumerate(measures.slots) if slot.top == top]

            def draw(beside: list[int] = beside, height: int = end - top) -> Image.Image:
                image = self._blank(height)
                for at in beside:
                    image.paste(self._line(at), (measures.slots[at].left + 1, 0))
                return image

            key = (*common, end - top, *(self.lines[at] for at in beside))
            yield Part(key, end - top, draw)


def sheet(diagram: Diagram, *, theme: Theme, flipped: bool, scale: int, strip: Strip | None) -> Sheet:
    """How a diagram is to be drawn."""
    ground = ground_of(diagram)
    lines = shown(diagram, strip)
    veined = COLOURS[theme].grain > 0
    return Sheet(
        diagram.grid,
        looks(diagram, flipped=flipped, ground=ground, veined=veined),
        lines,
        theme,
        ground,
        flipped,
        diagram.joined_files,
        diagram.joined_ranks,
        layout(diagram.grid, len(lines), scale),
    )


def image(one: Sheet) -> Image.Image:
    """The whole picture as an image in its palette."""
    whole = Image.new("P", (one.layout.width, one.layout.height), 0)
    whole.putpalette(one.palette.data)
    top = 0
    for part in one.parts():
        whole.paste(part.draw(), (-1, top))
        top += part.height
    return whole
