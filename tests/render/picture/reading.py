"""Reads pictures back into facts: each cell is looked up among cells painted alone, whose content is known."""

from __future__ import annotations

import io
from collections.abc import Hashable
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from PIL import Image

from render import Rim
from render.picture import Painter, RenderOptions, Strip, StripLine, Theme
from render.picture.layout import layout
from rules.core import Diagram, Kind, Piece, Seat, Square
from tests.render.text.reading import Read, Told

Pixels = str
"""A digest of them: thousands of bytes are no message for a test that fails."""


class View(NamedTuple):
    """One way of looking at a board."""

    theme: Theme = Theme.LIGHT
    flipped: bool = False
    scale: int = 1


def opened(data: bytes) -> Image.Image:
    """A picture as a viewer of PNG files shows it."""
    with Image.open(io.BytesIO(data)) as image:
        image.load()
        return image.convert("RGB")


class Reader:
    """Knows how cells look from having seen them alone."""

    def __init__(self, painter: Painter, view: View) -> None:
        self.painter = painter
        self.view = view
        self._known: dict[tuple[int, Pixels], frozenset[Told]] = {}
        self._seen: set[Hashable] = set()

    def picture(self, diagram: Diagram, lines: int) -> Image.Image:
        """A diagram with a strip of so many lines of no words."""
        strip = Strip((StripLine(""),) * lines)
        view = self.view
        data = self.painter.paint(
            diagram, RenderOptions(theme=view.theme, flipped=view.flipped, scale=view.scale), strip=strip
        )
        return opened(data)

    def crop(self, picture: Image.Image, diagram: Diagram, at: Square) -> Pixels:
        """One cell of a picture without lines in its strip."""
        one = layout(diagram.grid, 0, self.view.scale)
        file, rank = at
        column = diagram.grid.files - 1 - file if self.view.flipped else file
        row = rank if self.view.flipped else diagram.grid.ranks - 1 - rank
        left, top = one.margin + column * one.cell, one.margin + row * one.cell
        cell = picture.crop((left, top, left + one.cell, top + one.cell))
        return sha256(cell.tobytes()).hexdigest()

    def learn(self, diagram: Diagram) -> None:
        """See each cell alone. Two that say different things must not look alike."""
        side = layout(diagram.grid, 0, self.view.scale).cell
        for at in diagram.grid:
            told = facts(diagram, at)
            alone = _alone(diagram, at)
            # Cells of a shape look as their neighbours have it; others alike wherever they are, but for the shades of
            # a chequered board and the veins of wood.
            cells = [one.cells for one in alone.pieces] + [one.cells for one in alone.areas]
            shaped = any(len(one) > 1 for one in cells)
            key = (side, told, at.file % 4, at.rank % 4, not _men(diagram), (at, alone) if shaped else None)
            if key in self._seen:
                continue
            self._seen.add(key)
            pixels = self.crop(self.picture(alone, 0), diagram, at)
            assert self._known.setdefault((side, pixels), told) == told, (at, told)

    def read(self, diagram: Diagram) -> Read:
        """What the picture of a diagram says; of the diagram only the size of its board is used."""
        side = layout(diagram.grid, 0, self.view.scale).cell
        picture = self.picture(diagram, 0)
        found: set[tuple[Square, Told]] = set()
        out: set[Seat] = set()
        for at in diagram.grid:
            told = self._known[side, self.crop(picture, diagram, at)]
            owner = next((owner for what, owner, _ in told if what in set(Kind)), None)
            for what, whose, label in told:
                if what == Rim.OUT and whose is not None:
                    out.add(whose)
                else:
                    own = what not in set(Kind) and whose == owner
                    found.add((at, (what, None if own else whose, label)))
        return Read(
            (diagram.grid.files, diagram.grid.ranks),
            frozenset(found),
            frozenset(out),
            self._joined(picture, diagram),
        )

    def _joined(self, picture: Image.Image, diagram: Diagram) -> frozenset[Rim]:
        one = layout(diagram.grid, 0, self.view.scale)
        bare = self.picture(Diagram(diagram.grid, _men(diagram)), 0)
        rims = {
            Rim.JOINED_FILES: (0, one.margin, one.margin, one.margin + one.cell),
            Rim.JOINED_RANKS: (one.margin, 0, one.margin + one.cell, one.margin),
        }
        return frozenset(rim for rim, box in rims.items() if picture.crop(box) != bare.crop(box))


def _men(diagram: Diagram) -> tuple[Piece, ...]:
    """One man, if there are any: it makes the board a chequered one."""
    return tuple(piece for piece in diagram.pieces if piece.kind is Kind.MAN)[:1]


def _alone(diagram: Diagram, at: Square) -> Diagram:
    """Nothing but what is on a square, in pieces and areas as large as they are."""
    pieces = tuple(piece for piece in diagram.pieces if at in piece.cells)
    others = [other for other in diagram.grid if all(other not in piece.cells for piece in pieces)]
    if _men(diagram) and not _men(replace(diagram, pieces=pieces)):
        pieces += (Piece(Kind.MAN, (next(other for other in others if other != at),), Seat.S1),)
    return Diagram(
        diagram.grid,
        pieces,
        tuple(area for area in diagram.areas if at in area.cells),
        tuple(mark for mark in diagram.marks if mark.square == at),
        out=diagram.out,
    )


def facts(diagram: Diagram, at: Square) -> frozenset[Told]:
    """All that there is to tell of a square."""
    told: set[Told] = set()
    piece = diagram.at(at)
    if piece:
        told.add((piece.kind, piece.owner, ""))
        if piece.owner in diagram.out and piece.kind is not Kind.WALL:
            told.add((Rim.OUT, piece.owner, ""))
    told |= {(area.zone, area.owner, "") for area in diagram.areas if at in area.cells}
    told |= {(mark.sign, None, mark.label) for mark in diagram.marks if mark.square == at}
    return frozenset(told)
