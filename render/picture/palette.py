"""The 256 colours of a theme's boards: the same in every picture, so that drawn cells can be kept and pasted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from PIL import Image

from render.picture.colours import DARKEST, LIGHTEST, Colour, mix, over
from render.picture.markings import FADED, TINTS, left_colour, tint, zone_colour
from render.picture.themes import COLOURS, BoardPattern, Colours, Theme
from rules.core import SEATS, Sign, Zone

Patch: TypeAlias = tuple[bytes, ...]
"""A piece of a picture: its lines from the top, each a string of palette numbers."""

SIZE: Final = 256

UNUSED: Final = SIZE - 1
"""The number that no colour has: an animation needs one for pixels that stay as they are."""

_STEPS: Final = (0.5,)


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
    for share in _STEPS:
        yield from (mix(body, colours.outline, share) for body in bodies)
        yield from (mix(*pair, share) for pair in edges)
        yield from (mix(body, over(body), share) for body in bodies)
        yield from (mix(zone, colours.outline, share) for zone in zones)
        yield from (mix(one, sign, share) for one in plain for sign in signs)
    yield from (mix(colours.seats[2], LIGHTEST, 0.72), mix(colours.seats[1], LIGHTEST, 0.72))


def _tinted(colours: Colours, bare: Iterable[Colour]) -> list[Colour]:
    return [mix(one, tint(colours, sign), share) for one in bare for sign, share in TINTS.items()]


def cell_colours(colours: Colours, pattern: BoardPattern) -> tuple[Colour, ...]:
    """The colours of bare cells: by shade, where the board is chequered."""
    return (colours.dark, colours.light) if pattern is BoardPattern.CHEQUERED else (colours.paper,)
