"""A whole match as an animation: boards with captions, one after the other, in a GIF file (GIF89a, CompuServe 1990).

Why GIF, when animated WebP is smaller: both platforms play it by themselves, in the message. Telegram's sendAnimation
takes GIF and H.264 only, and a WebP file that is sent there is a sticker or a document, which does not move. Discord
plays both. A board has few colours, all of them in one palette, so GIF loses nothing of it.

A board comes as three images, a fiftieth of a second apart, none of them larger than what it changes: the caption, the
pieces, and the marks of the last turn. The marks go by themselves when the next image is drawn, so nothing is spent on
taking them away. On a small board, where pieces and marks cover the same cells, both are one image. What differs between
two patches is worked out once, since matches repeat themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache, partial
from typing import Final, NamedTuple, TypeVar

from PIL import Image, ImageChops, ImageDraw, ImageFont

from render.picture.cells import pattern_of
from render.picture.composition import Composition, compose
from render.picture.fonts import fitted, legible, regular, visual
from render.picture.layout import SCALES
from render.picture.markings import SIZE, UNUSED, Palette, Patch, ramp
from render.picture.painter import unpaintable
from render.picture.strip import Strip, listed_seats, wordless
from render.picture.themes import COLOURS, BoardPattern, RenderOptions, Style
from rules.core import Diagram, Seat

_SIZES: Final = (20, 18)  # of letters on one line, in pixels at scale 1
_SMALLER: Final = (18, 17, 16, 15)  # on two
_EDGE: Final = 12
_ABOVE: Final = 7
_BELOW: Final = 9
_TRACK: Final = 4


@dataclass(frozen=True, slots=True)
class _Typeset:
    """Words ready to be drawn: the lines, and the size of the letters in pixels."""

    lines: tuple[str, ...]
    size: int

    @property
    def pitch(self) -> int:
        return round(1.3 * self.size)


def typeset(text: str, width: int, scale: int) -> _Typeset:
    """A caption on one line of a band so wide, or on two smaller ones, or as much of it as fits on these."""
    room = width - 2 * _EDGE * scale
    words = legible(text).split() if text.strip() else []
    for size in _SIZES:
        font = regular(size * scale)
        if font.getlength(" ".join(words)) <= room:
            return _Typeset((" ".join(words),), size * scale)
    lines: tuple[str, ...] = ()
    font = regular(_SMALLER[-1] * scale)
    for size in _SMALLER:
        font = regular(size * scale)
        lines = _two(words, font, room)
        if all(font.getlength(line) <= room for line in lines):
            break
    return _Typeset(tuple(fitted(line, font, room) for line in lines), size * scale)


def _two(words: list[str], font: ImageFont.FreeTypeFont, room: float) -> tuple[str, ...]:
    end = 1
    while end < len(words) and font.getlength(" ".join(words[: end + 1])) <= room:
        end += 1
    lines = (" ".join(words[:end]), " ".join(words[end:]))
    return tuple(line for line in lines if line)


def _height(captions: Iterable[_Typeset], scale: int) -> int:
    text = max(len(one.lines) * one.pitch for one in captions)
    return text + (_ABOVE + _BELOW + _TRACK) * scale


def _drawn(one: _Typeset, done: float, size: tuple[int, int], style: Style) -> Patch:
    """A band of so many pixels in the style's palette; `done` is how much of the match there was, 0 to 1."""
    width, high = size
    theme, pattern, scale, *_ = style
    track = _TRACK * scale
    ink = Image.new("L", size)
    draw = ImageDraw.Draw(ink)
    middle = (high - track + (_ABOVE - _BELOW) * scale) / 2
    for at, line in enumerate(one.lines):
        # The middle of small letters and capitals: accents and tails of this line do not count.
        y = middle + (at - (len(one.lines) - 1) / 2) * one.pitch + 0.365 * one.size
        draw.text((_EDGE * scale, round(y)), visual(line), fill=255, font=regular(one.size), anchor="ls")
    colours = COLOURS[theme]
    pixels = ink.tobytes().translate(ramp(colours.frame, colours.ink, theme, pattern))
    words = tuple(pixels[at : at + width] for at in range(0, width * (high - track), width))
    faint, bar = (ramp(colour, colour, theme, pattern)[:1] for colour in (colours.faint, colours.bar))
    passed = round(done * width)
    return (*words, *(faint * passed + bar * (width - passed),) * track)


T = TypeVar("T")

_SMALL: Final = 16
"""Cells of a board on which a turn with its marks covers so much that both are drawn at once."""


@dataclass(frozen=True, slots=True)
class AnimationFrame:
    """One board of an animation."""

    diagram: Diagram  # what to show; of the same size in all frames
    caption: str = ""  # ready words below it, any script, any length: what does not fit on two lines is cut
    seconds: float = 1.0  # how long it is shown
    strip: Strip | None = None  # who plays; with as many lines in all frames


def _boards(frames: Sequence[AnimationFrame]) -> Iterator[AnimationFrame]:
    for frame in frames:
        if frame.diagram.first:
            yield replace(frame, diagram=frame.diagram.first)
            yield replace(frame, diagram=replace(frame.diagram, first=None))
        else:
            yield frame


def spread(things: Sequence[T], most: int) -> Sequence[T]:
    """At most so many of them, the first and the last among these, the others at even distances; of one, the last."""
    last = len(things) - 1
    if last < most:
        return things
    if most == 1:
        return things[-1:]
    return [things[round(at * last / (most - 1))] for at in range(most)]


class _FrameRow(NamedTuple):
    key: Hashable  # rows of one key look alike
    top: int  # pixels above it
    patches: Sequence[Patch]  # from left to right, as high as the row each


@dataclass(frozen=True, slots=True)
class FrameRows:
    """A frame as rows of patches; the same patch looks the same wherever it is."""

    bare: Sequence[_FrameRow]  # the board without marks and arrows; on a small board with them
    marked: Sequence[_FrameRow]  # with them
    caption: Sequence[_FrameRow]  # below both; empty where no frame has words
    palette: Palette  # of all patches


def frame_rows(frames: Sequence[AnimationFrame], options: RenderOptions) -> Iterator[FrameRows]:
    """Yield each frame with its caption; ValueError if they are not of one size."""
    # A board stays chequered when all men are gone from it, and a strip keeps its lines.
    men = any(pattern_of(frame.diagram) is BoardPattern.CHEQUERED for frame in frames)
    pattern = BoardPattern.CHEQUERED if men else BoardPattern.RULED
    seats: frozenset[Seat] = frozenset().union(*(listed_seats(frame.diagram) for frame in frames))

    def sheet_of(diagram: Diagram, frame: AnimationFrame) -> Composition:
        return compose(diagram, options, frame.strip or (wordless(seats) if seats else None), pattern)

    first = sheet_of(frames[0].diagram, frames[0])
    width, board = first.layout.width, first.layout.height
    captions = [typeset(frame.caption, width, options.scale) for frame in frames]
    band = _height(captions, options.scale) if any(frame.caption.strip() for frame in frames) else 0
    bare: Sequence[_FrameRow] = ()
    for at, frame in enumerate(frames):
        diagram = frame.diagram
        one = plain = sheet_of(diagram, frame)
        if (one.layout.width, one.layout.height) != (width, board):
            raise ValueError("frames of several sizes")
        if len(diagram.grid) > _SMALL and (diagram.marks or diagram.arrows):
            plain = sheet_of(replace(diagram, marks=(), arrows=()), frame)
        bare = _rows(plain, bare)
        marked = bare if one is plain else _rows(one, bare)
        words: Sequence[_FrameRow] = ()
        if band:
            done = (at + 1) / len(frames)
            words = (_FrameRow(at, board, [_drawn(captions[at], done, (width, band), one.style)]),)
        yield FrameRows(bare, marked, words, one.palette)


def painted(rows: Sequence[_FrameRow]) -> Image.Image:
    """Some rows as an image in the numbers of their palette."""
    width = sum(len(patch[0]) for patch in rows[0].patches)
    lines = [b"".join(line) for row in rows for line in zip(*row.patches, strict=True)]
    return Image.frombytes("P", (width, len(lines)), b"".join(lines))


def _rows(one: Composition, before: Sequence[_FrameRow]) -> Sequence[_FrameRow]:
    """The rows of a picture; those that are as before are the same ones."""
    rows: list[_FrameRow] = []
    top = 0
    for at, band in enumerate(one.bands()):
        same = at < len(before) and band.key == before[at].key
        rows.append(before[at] if same else _FrameRow(band.key, top, band.draw()))
        top += band.height
    return rows


SHORTEST: Final = 2
"""Hundredths of a second that an image is shown: browsers make a tenth of a second of anything less."""

LONGEST: Final = 0xFFFF

CLOSING: Final = b";"

_FOREVER: Final = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"  # played again without end


class _After(IntEnum):
    STAYS = 1
    GOES = 3  # what was there before is there again


class _Numbers:
    """Numbers for the colours of a palette, given out in the order in which these come; 0 is what stays as it is.

    An image is compressed in as many bits as its largest number has, so it is well to have small ones for colours that
    are everywhere.
    """

    def __init__(self) -> None:
        self._numbers = bytearray(SIZE)
        self._known = bytearray((UNUSED,))

    def numbered(self, pixels: bytes) -> bytes:
        for colour in sorted(set(pixels.translate(None, self._known))):
            self._numbers[colour] = len(self._known)
            self._known.append(colour)
        return pixels.translate(self._numbers)

    def table(self, palette: bytes) -> bytes:
        colours = [palette[3 * colour : 3 * colour + 3] for colour in self._known]
        return b"".join((bytes(3), *colours[1:])).ljust(3 << _bits(len(colours) - 1), b"\0")


def _bits(largest: int) -> int:
    return max(2, largest.bit_length())  # the format has no less


def _opening(width: int, height: int, table: bytes) -> bytes:
    size = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    colours = (len(table) // 3).bit_length() - 2
    # The table is for all images; a part of a colour has 8 bits; the table is not sorted.
    packed = 0b1_111_0_000 | colours
    return b"".join((b"GIF89a", size, bytes((packed, 0, 0)), table, _FOREVER))


def _image(numbered: Image.Image, offset: tuple[int, int], delay: int, after: _After) -> bytes:
    """An image whose pixels are such numbers, shown for `delay` hundredths of a second before the next one is drawn."""
    largest = numbered.getextrema()[1]
    assert not isinstance(largest, tuple), "of one band"  # noqa: S101
    bits = _bits(int(largest))
    data = numbered.tobytes("gif", "L", bits, 0)  # not interlaced
    control = b"!\xf9\x04" + bytes((after << 2 | 1,)) + delay.to_bytes(2, "little") + b"\0\0"
    place = b"".join(one.to_bytes(2, "little") for one in (*offset, *numbered.size))
    return b"".join((control, b",", place, b"\0", bytes((bits,)), data, b"\0"))


_KEPT: Final = 512  # patches that are kept as images, and differences of two. The largest has 45 kB.


class _Delta(NamedTuple):
    """An image to draw, of the numbers of a file's colours; what has the number 0 stays as it is."""

    image: Image.Image
    offset: tuple[int, int]


class _Deltas:
    def __init__(self, numbers: _Numbers) -> None:
        # Not methods: with a reference to itself all of it would stay until the collector of garbage comes, tens of megabytes.
        self._image = lru_cache(maxsize=_KEPT)(partial(_numbered, numbers))
        self._difference = lru_cache(maxsize=_KEPT)(partial(_differing, self._image))

    def whole(self, rows: Sequence[_FrameRow]) -> _Delta:
        return _joined(
            [_Delta(self._image(patch), (left, row.top)) for row in rows for left, patch in _placed(row)]
        )

    def between(self, before: Sequence[_FrameRow], after: Sequence[_FrameRow]) -> _Delta | None:
        """The smallest rectangle with all pixels that are not as before; None if there are none."""
        tiles: list[_Delta] = []
        for old, new in zip(before, after, strict=True):
            if old.key == new.key:
                continue
            for was, (left, patch) in zip(old.patches, _placed(new), strict=True):
                if was is not patch and (found := self._difference(was, patch)):
                    x, y = found.offset
                    tiles.append(_Delta(found.image, (left + x, new.top + y)))
        return _joined(tiles) if tiles else None


def _numbered(numbers: _Numbers, patch: Patch) -> Image.Image:
    pixels = numbers.numbered(b"".join(patch))
    return Image.frombytes("L", (len(patch[0]), len(patch)), pixels)


def _differing(image: Callable[[Patch], Image.Image], before: Patch, after: Patch) -> _Delta | None:
    new = image(after)
    difference = ImageChops.subtract_modulo(new, image(before))
    mask = ImageChops.add(difference, difference, scale=1 / 255)  # 255 wherever it is not 0
    changed = ImageChops.darker(new, mask)
    box = changed.getbbox()
    return _Delta(changed.crop(box), box[:2]) if box else None


def _placed(row: _FrameRow) -> Iterator[tuple[int, Patch]]:
    left = 0
    for patch in row.patches:
        yield left, patch
        left += len(patch[0])


def _joined(tiles: Sequence[_Delta]) -> _Delta:
    if len(tiles) == 1:
        return tiles[0]
    left, top = (min(tile.offset[side] for tile in tiles) for side in (0, 1))
    right, bottom = (max(tile.offset[side] + tile.image.size[side] for tile in tiles) for side in (0, 1))
    whole = Image.new("L", (right - left, bottom - top))
    for image, (x, y) in tiles:
        whole.paste(image, (x - left, y - top))
    return _Delta(whole, (left, top))


LIMIT: Final = 4_900_000  # bytes of a file at most
MOST: Final = 400  # frames at most. The largest board takes some milliseconds for each.
HOLD: Final = 4.0  # seconds for which the last frame is shown, at least
_USUAL: Final = RenderOptions(scale=1)
_TAIL: Final = 10  # hundredths of a second


@dataclass(frozen=True, slots=True)
class Animation:
    """An animation; measures in pixels."""

    data: bytes  # a GIF file
    width: int
    height: int
    seconds: float  # from its beginning to its end
    frames: int  # how many of those that were given it shows
    scale: int  # in which it was painted


def animate(
    frames: Sequence[AnimationFrame],
    options: RenderOptions = _USUAL,
    *,
    hold: float = HOLD,
    limit: int = LIMIT,
    most: int = MOST,
) -> Animation:
    """Return frames as an animation that is played again and again, or raise Unpaintable.

    Above its caption every frame is the picture that a painter paints, pixel by pixel. One image more follows the last
    frame and changes nothing: some programs that turn GIF into video forget how long the last image is to be shown.

    `hold` is how many seconds the last frame is shown, at least. A file of more than `limit` bytes is made in scale 1, and
    then of fewer frames. Of more than `most` frames, some at even distances are shown.
    """
    with unpaintable():
        if options.scale not in SCALES:
            raise ValueError(options.scale)
        single = list(_boards(frames))
        shown = spread(single, most)
        while True:
            film, fitting = _filmed(shown, options, hold, limit)
            if film:
                return film
            if options.scale > SCALES[0]:
                options = options._replace(scale=SCALES[0])
            elif len(shown) > 1:
                # A little less than what fitted: what is between two frames grows with their distance.
                shown = spread(single, max(1, fitting * 9 // 10))
            else:
                raise ValueError(limit)


def _filmed(
    frames: Sequence[AnimationFrame], options: RenderOptions, hold: float, limit: int
) -> tuple[Animation | None, int]:
    """The animation, if it keeps within the limit; and how many frames do."""
    blocks: list[bytes] = []
    numbers = _Numbers()
    changes = _Deltas(numbers)
    nothing = _Delta(Image.new("L", (1, 1)), (0, 0))
    total = width = height = 0
    room = limit - len(CLOSING) - len(_opening(0, 0, bytes(3 << 8)))
    before = None
    for at, (frame, board) in enumerate(zip(frames, frame_rows(frames, options), strict=True)):
        last = at == len(frames) - 1
        if before is None:
            whole = changes.whole([*board.bare, *board.caption])
            width, height = whole.image.size
            images = [(whole, _After.STAYS)]
        else:
            steps = ((before.caption, board.caption), (before.bare, board.bare))
            images = [(found, _After.STAYS) for step in steps if (found := changes.between(*step))]
        if marks := changes.between(board.bare, board.marked):
            images.append((marks, _After.STAYS if last else _After.GOES))
        images = images or [(nothing, _After.STAYS)]
        # Each for the shortest time, and the last of them for what these leave of the frame's.
        others = [SHORTEST] * (len(images) - 1)
        whole_time = round(100 * (max(frame.seconds, hold) if last else frame.seconds))
        delays = [*others, max(SHORTEST, min(LONGEST, whole_time - sum(others)))]
        total += sum(delays)
        for (change, after), delay in zip(images, delays, strict=True):
            blocks.append(_image(*change, delay, after))
            room -= len(blocks[-1])
        if room < 0:
            return None, at
        before = board
    assert before is not None, "one frame at least"  # noqa: S101 - the boards of none are refused
    blocks.append(_image(*nothing, _TAIL, _After.STAYS))
    table = numbers.table(before.palette.data)
    data = b"".join((_opening(width, height, table), *blocks, CLOSING))
    return Animation(data, width, height, (total + _TAIL) / 100, len(frames), options.scale), len(frames)
