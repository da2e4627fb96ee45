"""PNG files put together from bands that are compressed once.

A deflate stream may be cut where its compressor was flushed, and joined again from pieces that were made apart; only
the checksum over all of it must be worked out anew, and it can be from the checksums of the pieces (RFC 1950, 1951;
PNG, third edition, 10.1: the stream may be divided into chunks in any way).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
LEVEL: Final = 6
"""Of zlib: at 5 a band is a fifth larger, at 7 a twentieth smaller and a fifth slower."""

GRAINED: Final = 7
"""Of zlib, for boards with a grain: that costs a twentieth more, which this takes back."""

_HEADER: Final = b"\x78\x5e"  # of a zlib stream: deflate, a window of 32 kB, no dictionary
_LAST: Final = b"\x03\x00"  # a final block of nothing
_BASE: Final = 65521  # the largest prime below 2 to the 16th: what Adler-32 counts by


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(data, zlib.crc32(kind))
    return b"".join((len(data).to_bytes(4, "big"), kind, data, check.to_bytes(4, "big")))


_OPENING: Final = _chunk(b"IDAT", _HEADER)
_END: Final = _chunk(b"IEND", b"")


@dataclass(frozen=True, slots=True)
class PackedBand:
    """Some lines of a picture, compressed: a whole chunk of its file."""

    chunk: bytes  # as it stands in the file
    check: int  # Adler-32 of the lines
    length: int  # of the lines in bytes, with the byte before each that names its filter


def packed(lines: bytes, level: int = LEVEL) -> PackedBand:
    """Lines compressed: one byte a pixel, and before each line a zero byte (the filter that changes nothing)."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    data = packer.compress(lines) + packer.flush(zlib.Z_FULL_FLUSH)
    return PackedBand(_chunk(b"IDAT", data), zlib.adler32(lines), len(lines))


def png(width: int, height: int, colours: bytes, bands: Iterable[PackedBand]) -> bytes:
    """A picture of bands from the top down; `colours` are red, green and blue of each palette entry."""
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x03\x00\x00\x00"
    chunks = [_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"PLTE", colours), _OPENING]
    check = 1
    for one in bands:
        chunks.append(one.chunk)
        check = _joined(check, one.check, one.length)
    chunks += (_chunk(b"IDAT", _LAST + check.to_bytes(4, "big")), _END)
    return b"".join(chunks)


def _joined(first: int, second: int, length: int) -> int:
    """Adler-32 of two texts one after the other, from theirs and the length of the second."""
    low = ((first & 0xFFFF) + (second & 0xFFFF) - 1) % _BASE
    high = ((first >> 16) + (second >> 16) + length * ((first & 0xFFFF) - 1)) % _BASE
    return high << 16 | low
