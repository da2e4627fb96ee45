"""GIF files, put together from images that cover no more than what changed (GIF89a, CompuServe 1990)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from PIL import Image

from render.picture.palette import SIZE, UNUSED

SHORTEST: Final = 2
"""Hundredths of a second that an image is shown: browsers make a tenth of a second of anything less."""

LONGEST: Final = 0xFFFF

CLOSING: Final = b";"

_FOREVER: Final = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"  # played again without end


class After(IntEnum):
    """What becomes of an image when the next one is drawn."""

    STAYS = 1
    GOES = 3  # what was there before is there again


class Numbers:
    """Numbers for the colours of a palette, given out in the order in which these come; 0 is what stays as it is.

    An image is compressed in as many bits as its largest number has, so it is well to have small ones for colours that
    are everywhere.
    """

    def __init__(self) -> None:
        self._numbers = bytearray(SIZE)
        self._known = bytearray((UNUSED,))

    def numbered(self, pixels: bytes) -> bytes:
        """Pixels with these numbers in place of the palette's."""
        for colour in sorted(set(pixels.translate(None, self._known))):
            self._numbers[colour] = len(self._known)
            self._known.append(colour)
        return pixels.translate(self._numbers)

    def table(self, palette: bytes) -> bytes:
        """Red, green and blue by number, for as many colours as the next power of two."""
        colours = [palette[3 * colour : 3 * colour + 3] for colour in self._known]
        return b"".join((bytes(3), *colours[1:])).ljust(3 << _bits(len(colours) - 1), b"\0")


def _bits(largest: int) -> int:
    return max(2, largest.bit_length())  # the format has no less


def opening(width: int, height: int, table: bytes) -> bytes:
    """What stands before the images."""
    size = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    colours = (len(table) // 3).bit_length() - 2
    # The table is for all images; a part of a colour has 8 bits; the table is not sorted.
    packed = 0b1_111_0_000 | colours
    return b"".join((b"GIF89a", size, bytes((packed, 0, 0)), table, _FOREVER))


def image(numbered: Image.Image, offset: tuple[int, int], delay: int, after: After) -> bytes:
    """An image whose pixels are such numbers, shown for `delay` hundredths of a second before the next one is drawn."""
    largest = numbered.getextrema()[1]
    assert not isinstance(largest, tuple), "of one band"  # noqa: S101
    bits = _bits(int(largest))
    data = numbered.tobytes("gif", "L", bits, 0)  # not interlaced
    control = b"!\xf9\x04" + bytes((after << 2 | 1,)) + delay.to_bytes(2, "little") + b"\0\0"
    place = b"".join(one.to_bytes(2, "little") for one in (*offset, *numbered.size))
    return b"".join((control, b",", place, b"\0", bytes((bits,)), data, b"\0"))
