from __future__ import annotations

import zlib

from hypothesis import given
from hypothesis import strategies as st

from render.picture.painter import packed, png
from tests.render.picture.reading import opened

COLOURS = bytes(range(30))


@given(
    st.integers(1, 40),
    st.lists(st.lists(st.binary(min_size=40, max_size=40), min_size=1), min_size=1, max_size=5),
)
def test_bands_compressed_apart_are_one_picture(width: int, bands: list[list[bytes]]) -> None:
    lines = [[bytes(byte % 10 for byte in line[:width]) for line in one] for one in bands]
    height = sum(map(len, lines))
    data = png(width, height, COLOURS, [packed(b"".join(b"\0" + line for line in one)) for one in lines])
    # Pillow checks the checksums of chunks only: zlib checks that of the stream.
    image = opened(data)
    assert image.size == (width, height)
    expected = b"".join(COLOURS[3 * byte : 3 * byte + 3] for one in lines for line in one for byte in line)
    assert image.tobytes() == expected
    stream = b"".join(data for kind, data in _chunks(data) if kind == b"IDAT")
    assert zlib.decompress(stream) == b"".join(b"\0" + line for one in lines for line in one)


def _chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], 8
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == int.from_bytes(data[at + 8 + length : at + 12 + length], "big")
        found.append((kind, body))
        at += 12 + length
    return found
