"""The painter: diagrams in, PNG files out, with what was painted before at hand; small versions; and cells as SVG.

PNG files are put together from bands that are compressed once. A deflate stream may be cut where its compressor was
flushed, and joined again from pieces that were made apart; only the checksum over all of it must be worked out anew, and
it can be from the checksums of the pieces (RFC 1950, 1951; PNG, third edition, 10.1: the stream may be divided into
chunks in any way).
"""

from __future__ import annotations

import asyncio
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from html import escape
from io import BytesIO
from threading import Lock
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

from PIL import Image, ImageFont

from render.picture.canvas import Box, Canvas, Colour, Oval, Point
from render.picture.cells import CellPiece, CellSpec, background, cell_specs, paint, pattern_of
from render.picture.composition import Band, compose
from render.picture.layout import SCALES
from render.picture.strip import Strip
from render.picture.themes import COLOURS, BoardPattern, RenderOptions, Theme
from render.text import kind_of
from rules.core import Diagram, Kind, Seat

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
LEVEL: Final = 6  # of zlib: at 5 a band is a fifth larger, at 7 a twentieth smaller and a fifth slower
GRAINED: Final = 7  # of zlib, for boards with a grain: that costs a twentieth more, which this takes back
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


_MEBIBYTE: Final = 1 << 20
_USUAL: Final = RenderOptions()


class Unpaintable(Exception):
    """A picture could not be painted: show the text board instead. The cause is chained to it."""


class PainterDown(Unpaintable):
    """The painter has no threads any more."""


@contextmanager
def unpaintable() -> Iterator[None]:
    """Raise Unpaintable for whatever goes wrong: with no picture there is still the text board."""
    try:
        yield
    except Exception as error:
        raise Unpaintable from error


T = TypeVar("T")


class LruCache(Generic[T]):
    """Things kept up to a number of bytes; those that were not asked for longest go first. For use from any thread."""

    def __init__(self, limit: int, size: Callable[[T], int]) -> None:
        self._limit, self._size = limit, size
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable) -> T | None:
        """What is kept under a key."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Hashable, thing: T) -> None:
        """Keep a thing."""
        with self._lock:
            before = self._kept.pop(key, None)
            if before is not None:
                self.bytes -= self._size(before)
            self._kept[key] = thing
            self.bytes += self._size(thing)
            while self.bytes > self._limit:
                _, oldest = self._kept.popitem(last=False)
                self.bytes -= self._size(oldest)


class Painter:
    """Paints diagrams. One serves all matches; its methods may be called from any thread.

    Two things are kept, each up to its own number of bytes: whole pictures, and bands (a rank, a line of the strip), of
    which a move changes a few only. `looked_up` is told of each picture whether it was kept, in a thread of the painter.
    """

    def __init__(
        self,
        *,
        pictures: int = 32 * _MEBIBYTE,
        bands: int = 16 * _MEBIBYTE,
        workers: int = 2,
        looked_up: Callable[[bool], object] = lambda _hit: None,
    ) -> None:
        self._looked_up = looked_up
        self._pictures: LruCache[bytes] = LruCache(pictures, len)
        # A band of many cells has a key of about as many bytes as it has itself.
        self._bands: LruCache[PackedBand] = LruCache(bands, lambda band: len(band.chunk) + 1024)
        self._threads = workers
        self._workers = self._started()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the threads go. Pictures that wait to be painted are not."""
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _started(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="painter")

    def renew(self) -> None:
        """Paint in new threads from now on. The old ones end with what they paint, and with what waits for them."""
        self._workers.shutdown(wait=False)
        self._workers = self._started()

    def paint(
        self, diagram: Diagram, options: RenderOptions = _USUAL, *, strip: Strip | None = None
    ) -> bytes:
        """Return a picture as a PNG file, or raise Unpaintable: the caller shows the text board."""
        with unpaintable():
            if options.scale not in SCALES:
                raise ValueError(options.scale)
            key = (diagram, options, strip)
            found = self._pictures.get(key)
            self._looked_up(found is not None)
            if found is None:
                one = compose(diagram, options, strip)
                level = GRAINED if COLOURS[one.style.theme].grain else LEVEL
                bands = [self._band(band, level) for band in one.bands()]
                found = png(one.layout.width, one.height, one.palette.data, bands)
                self._pictures.put(key, found)
            return found

    async def painted(
        self, diagram: Diagram, options: RenderOptions = _USUAL, *, strip: Strip | None = None
    ) -> bytes:
        """Paint in one of the painter's threads, without blocking the event loop; see `paint`. May raise PainterDown."""
        work = partial(self.paint, diagram, options, strip=strip)
        try:
            waiting = asyncio.get_running_loop().run_in_executor(self._workers, work)
        except RuntimeError as error:  # they were ended, or none can be started
            raise PainterDown from error
        return await waiting

    def _band(self, band: Band, level: int) -> PackedBand:
        found = self._bands.get(band.key)
        if found is None:
            found = packed(band.lines(), level)
            self._bands.put(band.key, found)
        return found


SMALL: Final = 200  # pixels of the longer side


def thumbnail(picture: bytes) -> bytes:
    """Return a small version of a PNG file."""
    with Image.open(BytesIO(picture)) as image:
        small = image.convert("RGB")
    small.thumbnail((SMALL, SMALL), Image.Resampling.LANCZOS)
    held = BytesIO()
    small.save(held, "PNG", optimize=True)
    return held.getvalue()


SIDE: Final = 100  # the side of a cell in its coordinates
_SHAPES: Final = 4096  # looks of cells that are kept: those of some dozens of large boards


class _SvgCanvas(Canvas):
    """A cell being drawn as SVG elements. Its final pixels are hundredths of its side.

    A piece is a group of the class `kind`, so that a page can move it from square to square.
    """

    __slots__ = ("_kind", "_parts")

    def __init__(self, ground: Colour | None, kind: str = "") -> None:
        self.side = SIDE
        self._kind = kind
        self._fine = 1
        self.unit = SIDE
        self._parts: list[str] = []
        if ground is not None:
            self.box(0, 0, 1, 1, ground)

    def svg(self) -> str:
        return "".join(self._parts)

    def oval(self, shape: Oval) -> None:
        x, y = _number(shape.x), _number(shape.y)
        turn = f' transform="rotate({_plain(shape.turn)} {x} {y})"' if shape.turn else ""
        across, along = _number(shape.across), _number(shape.along)
        if across == along:
            self._add(f'circle cx="{x}" cy="{y}" r="{across}"', shape.fill)
        else:
            self._add(f'ellipse cx="{x}" cy="{y}" rx="{across}" ry="{along}"{turn}', shape.fill)

    def poly(self, points: Sequence[Point], fill: Colour) -> None:
        self._add(f'path d="M{_path(points)}z"', fill)

    def stroke(self, points: Sequence[Point], width: float, fill: Colour) -> None:
        self._parts.append(
            f'<path d="M{_path(points)}" fill="none" stroke="{_hex(fill)}" stroke-width="{_number(width)}"'
            ' stroke-linecap="round" stroke-linejoin="round"/>'
        )

    def box(self, left: float, top: float, right: float, bottom: float, fill: Colour) -> None:
        x, y, width, height = _number(left), _number(top), _number(right - left), _number(bottom - top)
        ring, end = f"M{x} {y}h{width}v{height}h-{width}z", f'z" fill="{_hex(fill)}"/>'
        last = self._parts[-1] if self._parts else ""
        if last.startswith('<path d="') and last.endswith(end) and "L" not in last:
            self._parts[-1] = f"{last.removesuffix(end)}z{ring}{end[1:]}"  # all rings run clockwise
        else:
            self._add(f'path d="{ring}"', fill)

    def slab(self, box: Box, radius: float, fill: Colour) -> None:
        left, top, right, bottom = box
        size = f'width="{_number(right - left)}" height="{_number(bottom - top)}" rx="{_number(radius)}"'
        self._add(f'rect x="{_number(left)}" y="{_number(top)}" {size}', fill)

    def glaze(self, share: float, paint: Callable[[Canvas], None]) -> None:
        layer = _SvgCanvas(None)
        paint(layer)
        faded = "" if share == 1.0 else f' opacity="{share:g}"'
        self._parts.append(f'<g class="{self._kind}"{faded}>{layer.svg()}</g>')

    def text(self, x: float, y: float, text: str, font: ImageFont.FreeTypeFont, fill: Colour) -> None:
        self._parts.append(
            f'<text x="{_number(x)}" y="{_number(y)}" font-size="{_plain(font.size)}" font-weight="bold"'
            f' text-anchor="middle" dominant-baseline="central" fill="{_hex(fill)}">{escape(text)}</text>'
        )

    def _add(self, element: str, fill: Colour) -> None:
        self._parts.append(f'<{element} fill="{_hex(fill)}"/>')


def vector_cells(diagram: Diagram, theme: Theme, *, flipped: bool) -> tuple[tuple[str, ...], ...]:
    """Return the cells of a board as they are seen, the top row first, each as SVG elements of a square of `SIDE`."""
    pattern = pattern_of(diagram)
    rows = cell_specs(diagram, flipped=flipped, pattern=pattern)
    return tuple(tuple(_drawn(spec, theme, pattern) for spec in row) for row in rows)


def vector_piece(diagram: Diagram, seat: Seat, theme: Theme, kind: Kind | None = None, joins: int = 0) -> str:
    """Return one of a seat's pieces on a square, as SVG elements: by default of the kind that is the sign of the seat.

    Of a piece over several squares it is the part with these neighbours, given as bits of `SIDES`.
    """
    pattern = pattern_of(diagram)
    shade = 1 if pattern is BoardPattern.CHEQUERED else 0
    piece = CellPiece(kind or kind_of(diagram, seat) or Kind.DISC, seat, joins, seat in diagram.out)
    return _drawn(CellSpec(shade, piece), theme, pattern)


@lru_cache(maxsize=_SHAPES)
def _drawn(spec: CellSpec, theme: Theme, pattern: BoardPattern) -> str:
    canvas = _SvgCanvas(
        background(spec, theme, pattern), "part" if spec.piece and spec.piece.joins else "piece"
    )
    paint(canvas, spec, theme, pattern)
    return canvas.svg()


def _path(points: Sequence[Point]) -> str:
    return "L".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _number(share: float) -> str:
    return _plain(share * SIDE)


def _plain(number: float) -> str:
    return f"{round(number, 1):g}"


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)
