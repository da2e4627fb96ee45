"""GIF files, put together from images that cover no more than what changed (GIF89a, CompuServe 1990).

Each board is one image. Two smaller ones would be smaller still where two far corners change, but the first would need a
delay of its own: browsers make a tenth of a second of anything below two hundredths.
"""

from __future__ import annotations

from typing import Final

from PIL import GifImagePlugin, Image

from render.picture.palette import SIZE, UNUSED

SHORTEST: Final = 2
"""Hundredths of a second: what browsers still take at its word."""

LONGEST: Final = 0xFFFF

CLOSING: Final = b";"

_TABLE: Final = (
    0b1_111_0_111  # a colour table for all images, 8 bits a part, unsorted, of 2 to the (7 + 1) colours
)
_FOREVER: Final = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"  # played again without end
_STAYS: Final = 1  # what is drawn is left for the next image to be drawn on


def opening(width: int, height: int, colours: bytes) -> bytes:
    """What stands before the images; `colours` are red, green and blue of each palette entry."""
    size = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    return b"".join((b"GIF89a", size, bytes((_TABLE, 0, 0)), colours.ljust(3 * SIZE, b"\0"), _FOREVER))


def image(pixels: Image.Image, offset: tuple[int, int], delay: int) -> bytes:
    """An image in the palette, shown for `delay` hundredths of a second. Its `UNUSED` pixels stay as they are."""
    return b"".join(
        GifImagePlugin.getdata(pixels, offset, duration=10 * delay, transparency=UNUSED, disposal=_STAYS)
    )
