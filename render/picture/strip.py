"""The strip of a picture: who plays, who is on turn, what is left. All its words are given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from render.picture.canvas import Colour
from render.picture.cells import CellPiece, CellSpec, drawn
from render.picture.fonts import fitted, heavy, legible, regular, visual
from render.picture.layout import Slot
from render.picture.markings import Patch, palette
from render.picture.themes import COLOURS, BoardPattern, Style, Theme
from render.text import kind_of
from rules.core import Diagram, Kind, Seat


@dataclass(frozen=True, slots=True)
class StripLine:
    """One line of the strip. Its score, and whether its seat plays no more, come from the diagram."""

    name: str  # who this is, as they write it: any script, any length
    seat: Seat | None = None  # whose pieces stand beside the name; None for a line of words only
    turn: bool = False  # whether they are on turn
    note: str = ""  # a few ready words: "3 actions left", "out", "won"
    clock: str = ""  # time left, as it is to be read
    stand_in: str = ""  # what to show where the font has less than half of the name's letters: "Player 2"


@dataclass(frozen=True, slots=True)
class Strip:
    """The lines beside or below a board."""

    lines: tuple[StripLine, ...]


@dataclass(frozen=True, slots=True)
class StripRow:
    """A line with what the diagram adds to it."""

    line: StripLine
    kind: Kind  # what the seat's pieces are
    score: str  # points, or nothing
    out: bool  # whether the seat plays no more


def listed_seats(diagram: Diagram) -> frozenset[Seat]:
    """The seats of which there is something to say without a strip."""
    return diagram.out.union(map(Seat, range(len(diagram.scores))))


def wordless(seats: Iterable[Seat]) -> Strip:
    """A strip without words."""
    return Strip(tuple(StripLine("", seat) for seat in sorted(seats)))


def strip_rows(diagram: Diagram, strip: Strip | None) -> tuple[StripRow, ...]:
    """The lines to draw.

    Without a strip the seats that have points or are out get lines of their own: no picture keeps these back.
    """
    strip = strip or wordless(listed_seats(diagram))
    return tuple(
        StripRow(
            line,
            kind_of(diagram, line.seat) or Kind.DISC,
            str(diagram.scores[line.seat])
            if line.seat is not None and line.seat < len(diagram.scores)
            else "",
            line.seat in diagram.out,
        )
        for line in strip.lines
    )


@lru_cache(maxsize=256)
def line_patch(one: StripRow, style: Style, slot: Slot, *, stacked: bool) -> Patch:
    """A line in its place; `stacked` with note and clock below the name."""
    theme, pattern, scale, *_ = style
    colours = COLOURS[theme]
    image = Image.new("RGB", (slot.width, slot.height), colours.frame)
    row = _Row(image, colours.bar if one.line.turn else colours.frame, scale, stacked=stacked)
    if one.line.turn:
        row.bar(colours.ink)
    if one.line.seat is not None:
        row.swatch(one, theme, pattern)
    row.words(one, colours.faint if one.out else colours.ink, colours.ink if one.line.turn else colours.faint)
    return palette(theme, pattern).patch(image)


class _Row:
    """A line being drawn: what is free of it gets narrower from both ends."""

    def __init__(self, image: Image.Image, pattern: Colour, scale: int, *, stacked: bool) -> None:
        self.image = image
        self.draw = ImageDraw.Draw(image)
        self.pattern = pattern
        self.scale = scale
        self.left, self.right = 6 * scale, image.width - 10 * scale
        self.height = image.height
        self.unit = min(image.height, 42 * scale)
        self.stacked = stacked

    def bar(self, ink: Colour) -> None:
        large = Image.new("L", (self.image.width * 2, self.height * 2))
        box = (0, 0, large.width - 1, large.height - 1)
        ImageDraw.Draw(large).rounded_rectangle(box, radius=16 * self.scale, fill=255)
        self.image.paste(self.pattern, (0, 0), large.reduce(2))
        half = round(0.17 * self.unit)
        pointer = Image.new("L", (8 * half, 8 * half))
        ImageDraw.Draw(pointer).polygon(((0, 0), (6 * half, 4 * half), (0, 8 * half)), fill=255)
        self.image.paste(ink, (self.left + self.scale, self.height // 2 - half), pointer.reduce(4))

    def swatch(self, one: StripRow, theme: Theme, pattern: BoardPattern) -> None:
        self.left += round(0.36 * self.unit)
        side = round(0.84 * self.unit)
        spec = CellSpec(
            1 if pattern is BoardPattern.CHEQUERED else 0, CellPiece(one.kind, one.line.seat, 0, one.out)
        )
        cell = drawn(spec, theme, pattern, side, ruled=False)
        mask = Image.new("L", (side * 4, side * 4))
        ImageDraw.Draw(mask).rounded_rectangle((0, 0, side * 4 - 1, side * 4 - 1), radius=side // 2, fill=255)
        self.image.paste(cell, (self.left, (self.height - side) // 2), mask.reduce(4))
        self.left += side + round(0.22 * self.unit)

    def words(self, one: StripRow, ink: Colour, faint: Colour) -> None:
        if one.score:
            self._right(one.score, heavy(round(0.58 * self.unit)), ink, self.height / 2)
        if self.stacked:
            self._stacked(one, ink, faint)
            return
        line, middle = one.line, self.height / 2
        small = max(round(0.4 * self.unit), min(15 * self.scale, self.height // 2))
        if line.clock:
            self._right(legible(line.clock), heavy(small), ink, middle)
        if line.note:
            # A name keeps at least two fifths of the line.
            note, room = legible(line.note), 0.6 * (self.right - self.left)
            font = _shrunk(note, small, room)
            self._right(fitted(note, font, room), font, faint, middle)
        self._name(one, round(0.5 * self.unit), ink, middle)

    def _stacked(self, one: StripRow, ink: Colour, faint: Colour) -> None:
        line = one.line
        small = max(round(0.36 * self.unit), min(15 * self.scale, self.height // 2))
        middle, step = self.height / 2, 0.52 * self.unit
        note, clock = legible(line.note) if line.note else "", legible(line.clock) if line.clock else ""
        needed = regular(small).getlength(note) + heavy(small).getlength(clock) + 0.2 * self.unit
        apart = bool(note and clock) and needed > self.right - self.left
        three = apart and self.height >= 76 * self.scale
        upper = middle - (step if three else step / 2 if note or clock else 0)
        end = self.right
        if note:
            self._left(note, _shrunk(note, small, self.right - self.left), faint, upper + step)
        if clock and (three or not note):
            self._left(clock, heavy(small), ink, upper + (2 if three else 1) * step)
        elif clock:
            self._right(clock, heavy(small), ink, upper if apart else upper + step)
            self.right = self.right if apart else end
        self._name(one, round(0.44 * self.unit), ink, upper)

    def _name(self, one: StripRow, size: int, ink: Colour, y: float) -> None:
        line = one.line
        if not (line.name or line.stand_in):
            return
        font = (heavy if line.turn else regular)(size)
        width = self._left(legible(line.name, line.stand_in), font, ink, y)
        if one.out:
            self.draw.line((self.left, round(y), self.left + width, round(y)), fill=ink, width=2 * self.scale)

    def _right(self, text: str, font: ImageFont.FreeTypeFont, fill: Colour, y: float) -> None:
        text = fitted(text, font, self.right - self.left)
        self._at((self.right, y), text, font, fill, "rs")
        self.right -= round(font.getlength(text)) + round(0.3 * self.unit)

    def _left(self, text: str, font: ImageFont.FreeTypeFont, fill: Colour, y: float) -> int:
        text = fitted(text, font, self.right - self.left)
        self._at((self.left, y), text, font, fill, "ls")
        return round(font.getlength(text))

    def _at(
        self, at: tuple[int, float], text: str, font: ImageFont.FreeTypeFont, fill: Colour, anchor: str
    ) -> None:
        # The middle of small letters and capitals: accents and tails of this text do not count.
        if text:
            x, y = at
            offset = font.size * 0.365
            self.draw.text((x, round(y + offset)), visual(text), fill=fill, font=font, anchor=anchor)


def _shrunk(text: str, size: int, room: float) -> ImageFont.FreeTypeFont:
    sizes = range(size, round(0.75 * size) - 1, -1)
    return next((regular(one) for one in sizes if regular(one).getlength(text) <= room), regular(size))
