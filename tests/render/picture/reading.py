"""Reads pictures back into facts, as people see them too who see fewer colours."""

from __future__ import annotations

import io
from collections.abc import Hashable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

from PIL import Image, ImageChops, ImageStat

from render import Rim
from render.picture import Painter, RenderOptions, Strip, StripLine, Theme
from render.picture.canvas import Colour
from render.picture.layout import layout
from render.picture.markings import Patch, palette
from render.picture.themes import BoardPattern
from rules.core import Diagram, Kind, Piece, Seat, Square
from tests.render.text.reading import Read, Told

# Reads pictures back into facts: each cell is looked up among cells painted alone, whose content is known.


Pixels = str
"""A digest of them: thousands of bytes are no message for a test that fails."""


class View(NamedTuple):
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
        strip = Strip((StripLine(""),) * lines)
        view = self.view
        data = self.painter.paint(
            diagram, RenderOptions(theme=view.theme, flipped=view.flipped, scale=view.scale), strip=strip
        )
        return opened(data)

    def crop(self, picture: Image.Image, diagram: Diagram, at: Square) -> Pixels:
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
    return tuple(piece for piece in diagram.pieces if piece.kind is Kind.MAN)[:1]


def _alone(diagram: Diagram, at: Square) -> Diagram:
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
    told: set[Told] = set()
    piece = diagram.at(at)
    if piece:
        told.add((piece.kind, piece.owner, ""))
        if piece.owner in diagram.out and piece.kind is not Kind.WALL:
            told.add((Rim.OUT, piece.owner, ""))
    told |= {(area.zone, area.owner, "") for area in diagram.areas if at in area.cells}
    told |= {(mark.sign, None, mark.label) for mark in diagram.marks if mark.square == at}
    return frozenset(told)


# How pictures look to people who see fewer colours.


Matrix: TypeAlias = tuple[tuple[float, float, float], ...]

# Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE
# Transactions on Visualization and Computer Graphics 15 (6), 2009: severity 1.0, for linear RGB.
_COMPLETE: Final[Mapping[str, Matrix]] = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
    # All light and no colour: the luminance of sRGB (Rec. 709), as on a grey screen or print.
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}

SIGHTS: Final = tuple(_COMPLETE)


def _linear(part: int) -> float:
    share = part / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def _encoded(light: float) -> int:
    light = min(1.0, max(0.0, light))
    return round(255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055))


def seen(colour: Colour, sight: str) -> Colour:
    """A colour as a person sees it."""
    linear = tuple(map(_linear, colour))
    red, green, blue = (
        _encoded(sum(share * part for share, part in zip(row, linear, strict=True)))
        for row in _COMPLETE[sight]
    )
    return red, green, blue


def looks(patch: Patch, theme: Theme, pattern: BoardPattern, sight: str) -> Image.Image:
    image = Image.frombytes("P", (len(patch[0]), len(patch)), b"".join(patch))
    image.putpalette([part for colour in palette(theme, pattern).colours for part in seen(colour, sight)])
    return image.convert("RGB")


def distance(one: Image.Image, other: Image.Image) -> float:
    """How much two images differ: the mean over all pixels of the largest difference of a channel, 0 to 1."""
    red, green, blue = ImageChops.difference(one, other).split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return float(ImageStat.Stat(largest).mean[0]) / 255
