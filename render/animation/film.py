"""Animations: of each board only what differs from the one before is drawn, compared and compressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageChops

from render.animation import gif
from render.animation.boards import Way, boards
from render.animation.frames import Frame, spread
from render.picture.layout import SCALES
from render.picture.painter import Unpaintable
from render.picture.palette import UNUSED
from render.picture.themes import Theme

LIMIT: Final = 4_900_000
"""Bytes of a file at most."""

MOST: Final = 400
"""Frames at most. The largest board takes some milliseconds for each."""

HOLD: Final = 4.0
"""Seconds for which the last frame is shown, at least."""

_TAIL: Final = 10  # hundredths of a second
_SAME: Final = tuple(255 if not level else 0 for level in range(256))


@dataclass(frozen=True, slots=True)
class Film:
    """An animation.

    Attributes:
        data: A GIF file.
        width: In pixels.
        height: In pixels.
        seconds: From its beginning to its end.
        frames: How many of those that were given it shows.
        scale: In which it was painted.
    """

    data: bytes
    width: int
    height: int
    seconds: float
    frames: int
    scale: int


def animate(
    frames: Sequence[Frame],
    *,
    theme: Theme = Theme.LIGHT,
    flipped: bool = False,
    scale: int = 1,
    hold: float = HOLD,
    limit: int = LIMIT,
    most: int = MOST,
) -> Film:
    """Frames as an animation that is played again and again.

    Above its caption every frame is the picture that a painter paints, pixel by pixel. One image more follows the last
    frame and changes nothing: some programs that turn GIF into video forget how long the last image is to be shown.

    A file that would be too large is made in scale 1, and then of fewer frames.

    Args:
        frames: At least one.
        theme: In which colours.
        flipped: As the side at the top sees it.
        scale: 1 for boards of at most 640 pixels a side, 2 for twice that.
        hold: Seconds for which the last frame is shown, at least.
        limit: Bytes of the file, at most.
        most: Frames, at most. Of more, some at even distances are shown.

    Raises:
        Unpaintable: something went wrong: no frames, boards or strips of several sizes, or one frame is too large.
    """
    try:
        shown = spread(frames, most)
        while True:
            film, fitting = _filmed(shown, Way(theme, flipped, scale), hold, limit)
            if film:
                return film
            if scale > SCALES[0]:
                scale = SCALES[0]
            elif len(shown) > 1:
                # A little less than what fitted: what is between two frames grows with their distance.
                shown = spread(frames, max(1, fitting * 9 // 10))
            else:
                raise ValueError(limit)  # noqa: TRY301 - an animation that cannot be made, like any other
    except Exception as error:
        raise Unpaintable from error


def _filmed(frames: Sequence[Frame], way: Way, hold: float, limit: int) -> tuple[Film | None, int]:
    """The animation, if it keeps within the limit; and how many frames do."""
    blocks: list[bytes] = []
    size = total = 0
    before: Image.Image | None = None
    width = high = 0
    for at, (frame, (board, colours)) in enumerate(zip(frames, boards(frames, way), strict=True)):
        last = at == len(frames) - 1
        delay = _delay(max(frame.seconds, hold) if last else frame.seconds)
        if before is None:
            width, high = board.size
            blocks.append(gif.opening(width, high, colours))
            size = len(blocks[0]) + len(gif.CLOSING)
        block = _changed(before, board, delay)
        total += delay
        if last:
            block += _nothing(_TAIL)
            total += _TAIL
        blocks.append(block)
        size += len(block)
        if size > limit:
            return None, at
        before = board
    blocks.append(gif.CLOSING)
    return Film(b"".join(blocks), width, high, total / 100, len(frames), way.scale), len(frames)


def _delay(seconds: float) -> int:
    return max(gif.SHORTEST, min(gif.LONGEST, round(100 * seconds)))


def _changed(before: Image.Image | None, board: Image.Image, delay: int) -> bytes:
    """The smallest rectangle that holds all pixels which are not as before, the others in it left out."""
    if before is None:
        return gif.image(board, (0, 0), delay)
    difference = ImageChops.subtract_modulo(board, before)
    box = difference.getbbox()
    if box is None:
        return _nothing(delay)
    patch = board.crop(box)
    patch.paste(UNUSED, mask=difference.crop(box).point(_SAME, "1"))
    return gif.image(patch, box[:2], delay)


def _nothing(delay: int) -> bytes:
    return gif.image(Image.new("P", (1, 1), UNUSED), (0, 0), delay)
