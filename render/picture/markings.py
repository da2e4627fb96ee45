"""What is drawn under pieces and over them: zones, marks of the last turn, choices, arrows; and the palette.

The 256 colours of a theme's boards are the same in every picture, so that drawn cells can be kept and pasted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from math import hypot
from typing import Final, TypeAlias

from PIL import Image

from render.picture.canvas import DARKEST, LIGHTEST, Canvas, Colour, Oval, Point, Poly, mix, over
from render.picture.fonts import bold
from render.picture.pieces import EAST, NORTH, SOUTH, WEST, colour_of, emblem
from render.picture.themes import COLOURS, BoardPattern, Colours, Theme
from rules.core import SEATS, Kind, Seat, Sign, Zone

_SHORT: Final = 2  # characters of a label that stand in a corner
_LINE: Final = 4  # letters of a label in one line
_LONG: Final = 1.5  # the length of an arrow that leads past the neighbours

Leg: TypeAlias = tuple[int, int, int, int, str]
"""An arrow as a cell sees it: steps right and down to the cells where it starts and ends; and its label."""

TINTS: Final = {Sign.PICKED: 0.3, Sign.ENTERED: 0.42, Sign.CRUSHED: 0.18, Sign.LEFT: 0.2}
"""How strongly a sign colours its cell; of several signs the first does."""

EDGE_SIGNS: Final = (Sign.PICKED, Sign.ENTERED, Sign.LEFT, Sign.CRUSHED)
"""Lines along the edge in the order in which they are drawn: the widest first."""

FADED: Final = 0.38  # how much is seen of the pieces of those who play no more


def tint(colours: Colours, sign: Sign) -> Colour:
    """The colour of a sign."""
    match sign:
        case Sign.LEFT | Sign.ENTERED:
            return colours.moved
        case Sign.CRUSHED:
            return colours.taken
        case Sign.PICKED | Sign.CANDIDATE:
            return colours.chosen


def left_colour(colours: Colours) -> Colour:
    """The colour of the line round a cell that was left: told from that round an entered one, where both are."""
    return mix(colours.moved, colours.ink, 0.3)


def zone_colour(colours: Colours, ground: Colour, zone: Zone, owner: Seat | None) -> Colour:
    """The colour of a cell within a zone."""
    match zone:
        case Zone.PAINTED:
            return mix(ground, colours.paint, 0.85)
        case Zone.BASE:
            return mix(ground, _own(colours, owner), 0.2)
        case Zone.HEADQUARTERS:
            return mix(ground, _own(colours, owner), 0.26)
        case Zone.GOAL:
            return ground


def zone_lines(canvas: Canvas, colours: Colours, zone: Zone, owner: Seat | None, edges: int) -> None:
    """What shows a zone besides its colour; `edges` are the sides on which it ends."""
    own = _own(colours, owner)
    match zone:
        case Zone.PAINTED:
            # Veins from corner to corner: paint is told without its colour.
            line, width = mix(colours.paint, colours.outline, 0.3), max(0.022, 0.7 * canvas.pixel)
            for at in (0.25, 0.5, 0.75):
                canvas.stroke(((0.0, at), (at, 0.0)), width, line)
                canvas.stroke(((at, 1.0), (1.0, at)), width, line)
            canvas.stroke(((0.0, 1.0), (1.0, 0.0)), width, line)
            if owner is not None:
                emblem(canvas, owner, (0.2, 0.2), 0.12, own)
        case Zone.BASE:
            canvas.frame(canvas.lane(0.05), canvas.lane(0.05), own)
        case Zone.HEADQUARTERS:
            edge_lines(canvas, edges, canvas.lane(0.08), own)
        case Zone.GOAL:
            man = colour_of(colours, Kind.MAN, owner)
            edge, low = canvas.lane(0.02), canvas.lane(0.06)
            high = low + canvas.lane(0.13)
            canvas.box(low, low, high, high, colours.outline)
            canvas.box(low + edge, low + edge, high - edge, high - edge, man)


def _own(colours: Colours, owner: Seat | None) -> Colour:
    return colours.neutral if owner is None else colours.seats[owner]


def edge_lines(canvas: Canvas, edges: int, lane: float, fill: Colour) -> None:
    """A line along some edges, given as bits of `SIDES`."""
    for side, box in (
        (NORTH, (0.0, 0.0, 1.0, lane)),
        (EAST, (1 - lane, 0.0, 1.0, 1.0)),
        (SOUTH, (0.0, 1 - lane, 1.0, 1.0)),
        (WEST, (0.0, 0.0, lane, 1.0)),
    ):
        if edges & side:
            canvas.box(*box, fill)


def sign_edge(canvas: Canvas, colours: Colours, sign: Sign, *, planned: bool) -> None:
    """A sign's lines along the edge of its cell, where no piece hides them; those of a planned ply are broken."""
    fill, lane = tint(colours, sign), canvas.lane(0.045)
    match sign:
        case Sign.ENTERED if planned:
            _dashes(canvas, canvas.lane(0.07), (0.0, 0.38, 0.76), 0.24, fill)
        case Sign.ENTERED:
            canvas.frame(0.0, lane, fill)
        case Sign.LEFT if planned:
            _dashes(canvas, lane, (0.12, 0.34, 0.56, 0.78), 0.1, left_colour(colours))
        case Sign.LEFT:
            _dashes(canvas, lane, (0.08, 0.36, 0.64), 0.2, left_colour(colours))
        case Sign.CRUSHED:
            _corners(canvas, fill, hollow=planned)
            if planned:
                _dashes(canvas, canvas.lane(0.07), (0.38,), 0.24, fill)
        case Sign.PICKED:
            _hatched(canvas, lane, fill)
        case Sign.CANDIDATE:  # a badge, over the piece
            pass


def _dashes(canvas: Canvas, width: float, starts: Iterable[float], length: float, fill: Colour) -> None:
    for at in starts:
        for low in (0.0, 1 - width):
            canvas.box(at, low, at + length, low + width, fill)
            canvas.box(low, at, low + width, at + length, fill)


def _corners(canvas: Canvas, fill: Colour, *, hollow: bool) -> None:
    size = max(0.2, 4 * canvas.pixel)
    start = 0.5 * size if hollow else 0.0
    for x, right in ((0.0, 1), (1.0, -1)):
        for y, down in ((0.0, 1), (1.0, -1)):
            along = (x + right * start, y), (x + right * size, y)
            canvas.poly((*along, (x, y + down * size), (x, y + down * start)), fill)


def _hatched(canvas: Canvas, width: float, fill: Colour) -> None:
    canvas.stroke(((0.0, 0.0), (1.0, 1.0)), width, fill)
    for at in (0.25, 0.5, 0.75):
        canvas.stroke(((0.0, at), (1.0 - at, 1.0)), width, fill)
        canvas.stroke(((at, 0.0), (1.0, 1.0 - at)), width, fill)


def picked_frame(canvas: Canvas) -> None:
    """The frame of a picked cell, over what stands there: dashes of the darkest and the lightest by turns.

    No piece has such an edge, and one of the two stands out from any.
    """
    wide, count = canvas.lane(0.1), 6
    for step in range(count):
        low, high = step / count, (step + 1) / count
        fill, other = (DARKEST, LIGHTEST) if step % 2 else (LIGHTEST, DARKEST)
        canvas.box(low, 0.0, high, wide, fill)
        canvas.box(1 - wide, low, 1.0, high, fill)
        canvas.box(low, 1 - wide, high, 1.0, other)
        canvas.box(0.0, low, wide, high, other)


def badge(canvas: Canvas, colours: Colours, label: str, *, aside: bool) -> None:
    """The number of a candidate: in the middle, or in a corner of a cell where something stands."""
    small = canvas.side < 40
    if aside and len(label) > _SHORT:
        x, y, r = 0.5, 0.73, 0.27
    elif aside:
        x, y, r = (0.66, 0.66, 0.34) if small else (0.7, 0.7, 0.29)
    else:
        x, y, r = 0.5, 0.5, 0.46 if small else 0.33
    fill = colours.chosen
    if not label:
        canvas.dot(x, y, 0.2, over(fill))
        canvas.dot(x, y, 0.17, fill)
        return
    _plate(canvas, colours, label, (x, y), r, limit=2 * min(x, 1 - x), size=1.35)


def _plate(
    canvas: Canvas, colours: Colours, label: str, at: Point, r: float, *, limit: float, size: float
) -> None:
    """A label on its ground: half its height, its width at most, the font's size in `r`. Many letters have two lines."""
    (x, y), fill = at, colours.chosen
    middle = (len(label) + 1) // 2
    lines = (label[:middle], label[middle:]) if label.isalpha() and len(label) > _LINE else (label,)
    size *= canvas.unit * r * (1 if len(lines) == 1 else 0.72)
    font = bold(round(size))
    wide = max(map(font.getlength, lines)) / canvas.unit
    room = limit - (0.18 if len(label) > _SHORT else 0.06)
    if wide > room:
        font = bold(max(1, int(size * room / wide)))
        wide = room
    half = min(max(r, wide / 2 + (0.09 if len(lines) == 1 else 0.14)), limit / 2)
    edge = canvas.lane(0.025)
    canvas.slab((x - half, y - r, x + half, y + r), r, over(fill))
    canvas.slab((x - half + edge, y - r + edge, x + half - edge, y + r - edge), r - edge, fill)
    for line, text in enumerate(lines):
        canvas.text(x, y + (line - (len(lines) - 1) / 2) * 0.8 * r, text, font, over(fill))


def arrow(canvas: Canvas, colours: Colours, leg: Leg, *, dashed: bool) -> None:
    """The part of an arrow in this cell. It ends before the middle, so as not to hide what it points at."""
    x0, y0, x1, y1 = (part + 0.5 for part in leg[:4])
    length = hypot(x1 - x0, y1 - y0)
    if not length:
        return
    u, v = (x1 - x0) / length, (y1 - y0) / length
    x1, y1 = x1 - 0.27 * u, y1 - 0.27 * v
    half, barb, head = 0.055, 0.15, 0.24
    span = hypot(x1 - x0, y1 - y0)

    def point(along: float, aside: float) -> Point:
        return x0 + along * u - aside * v, y0 + along * v + aside * u

    def bar(low: float, high: float) -> Poly:
        corners = (low, half), (high, half), (high, -half), (low, -half)
        return Poly(tuple(point(*at) for at in corners), colours.moved)

    tip = Poly((point(span - head, barb), point(span, 0), point(span - head, -barb)), colours.moved)
    dashes = max(2, round((span - head) / 0.26)) if dashed else 1
    step, gap = (span - head) / dashes, 0.5 if dashed else 0.0
    shaft = [bar((n + gap) * step, (n + 1) * step) for n in range(dashes)]
    canvas.shapes((Oval(x0, y0, 0.1, 0.1, colours.moved), *shaft, tip), colours.outline, 0.022)


def arrow_label(canvas: Canvas, colours: Colours, leg: Leg) -> None:
    """The part of an arrow's label in this cell: behind the head, and before the middle of an arrow to a neighbour.

    Arrows to neighbours that start together or cross leave each other's labels free.
    """
    *ends, label = leg
    x0, y0, x1, y1 = (part + 0.5 for part in ends)
    length = hypot(x1 - x0, y1 - y0)
    if label and length:
        behind = 0.94 if 1 < length < _LONG else 0.62
        share = 1 - behind / length
        _plate(
            canvas,
            colours,
            label,
            (x0 + share * (x1 - x0), y0 + share * (y1 - y0)),
            0.17,
            limit=0.7,
            size=1.6,
        )


Patch: TypeAlias = tuple[bytes, ...]
"""A piece of a picture: its lines from the top, each a string of palette numbers."""

SIZE: Final = 256

UNUSED: Final = SIZE - 1
"""The number that no colour has: an animation needs one for pixels that stay as they are."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by number; the first is the frame's."""

    colours: tuple[Colour, ...]  # by number
    data: bytes  # red, green and blue of each colour in turn, as PNG and GIF have them
    image: Image.Image  # what Pillow maps other colours with

    def patch(self, picture: Image.Image) -> Patch:
        """A picture in these colours, each pixel in the one that is nearest."""
        width = picture.width
        flat = picture.quantize(palette=self.image, dither=Image.Dither.NONE).tobytes()
        return tuple(flat[at : at + width] for at in range(0, len(flat), width))


@cache
def palette(theme: Theme, pattern: BoardPattern) -> Palette:
    """The palette of a theme's boards of one kind."""
    # Pillow compares colours by the six high bits of each part: two that agree in these would be one.
    chosen: dict[Colour, Colour] = {}
    for red, green, blue in _wanted(COLOURS[theme], pattern):
        chosen.setdefault((red >> 2, green >> 2, blue >> 2), (red, green, blue))
        if len(chosen) == UNUSED:
            break
    colours = tuple(chosen.values())
    data = bytes(part for colour in colours for part in colour)
    image = Image.new("P", (1, 1))
    image.putpalette(data + data[:3] * (SIZE - len(colours)))
    return Palette(colours, data, image)


@lru_cache(maxsize=128)
def ramp(ground: Colour, ink: Colour, theme: Theme, pattern: BoardPattern) -> bytes:
    """The palette's numbers of the colours from a ground to the ink on it, in 256 steps."""
    image = Image.new("RGB", (256, 1))
    image.putdata([mix(ground, ink, step / 255) for step in range(256)])
    return palette(theme, pattern).patch(image)[0]


def _wanted(colours: Colours, pattern: BoardPattern) -> Iterator[Colour]:
    """Colours that are used, the most needed first, and then those between two that meet."""
    yield from (colours.frame, colours.ink, colours.border, colours.bar, colours.outline, colours.faint)
    yield from (DARKEST, LIGHTEST, colours.rule, colours.neutral, colours.paint)
    men = colours.men if pattern is BoardPattern.CHEQUERED else ()
    bodies = (*men, *colours.seats, colours.neutral)
    yield from bodies
    signs = [tint(colours, sign) for sign in Sign]
    yield from (*signs, left_colour(colours))
    plain = cell_colours(colours, pattern)
    yield from plain
    painted = [zone_colour(colours, one, Zone.PAINTED, None) for one in plain]
    tinted = _tinted(colours, plain)
    yield from (*painted, *tinted, *_tinted(colours, painted))
    homes = (Zone.BASE, Zone.HEADQUARTERS) if pattern is BoardPattern.RULED else ()
    zones = [
        zone_colour(colours, one, zone, owner) for one in plain for zone in homes for owner in (*SEATS, None)
    ]
    yield from zones
    yield from _tinted(colours, zones)
    edges = [(colours.outline, one) for one in (*plain, *tinted)]
    edges += [(colours.ink, colours.frame), (colours.faint, colours.frame), (colours.ink, colours.bar)]
    edges += [(colours.limb, one) for one in (*plain, *tinted)]
    faded = [mix(one, body, FADED) for one in plain for body in (*bodies, colours.outline, colours.limb)]
    edges += [(colours.outline, colours.moved), (colours.outline, colours.taken)]
    edges += [(colours.border, colours.frame), (tint(colours, Sign.CANDIDATE), over(colours.chosen))]
    yield from (colours.limb, *faded)
    edges = [(body, colours.outline) for body in bodies] + edges
    edges += [(body, over(body)) for body in bodies] + [(zone, colours.outline) for zone in zones]
    edges += [(one, sign) for one in plain for sign in signs]
    yield from (mix(*pair, 0.5) for pair in edges)
    yield from (mix(colours.seats[2], LIGHTEST, 0.72), mix(colours.seats[1], LIGHTEST, 0.72))


def _tinted(colours: Colours, bare: Iterable[Colour]) -> list[Colour]:
    return [mix(one, tint(colours, sign), share) for one in bare for sign, share in TINTS.items()]


def cell_colours(colours: Colours, pattern: BoardPattern) -> tuple[Colour, ...]:
    """The colours of bare cells: by shade, where the board is chequered."""
    return (colours.dark, colours.light) if pattern is BoardPattern.CHEQUERED else (colours.paper,)
