"""Animations: of each board only what differs from the one before is drawn and compressed.

A board comes as three images, a fiftieth of a second apart, none of them larger than what it changes: the caption, the
pieces, and the marks of the last turn. The marks go by themselves when the next image is drawn, so nothing is spent on
taking them away. On a small board, where pieces and marks cover the same cells, both are one image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image

from render.animation.frames import (
    CLOSING,
    LONGEST,
    SHORTEST,
    After,
    Change,
    Changes,
    Frame,
    Numbers,
    boards,
    frame_rows,
    image,
    opening,
    spread,
)
from render.picture.layout import SCALES
from render.picture.painter import Unpaintable
from render.picture.themes import RenderOptions

LIMIT: Final = 4_900_000
"""Bytes of a file at most."""

MOST: Final = 400
"""Frames at most. The largest board takes some milliseconds for each."""

HOLD: Final = 4.0
"""Seconds for which the last frame is shown, at least."""

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
    frames: Sequence[Frame],
    options: RenderOptions = _USUAL,
    *,
    hold: float = HOLD,
    limit: int = LIMIT,
    most: int = MOST,
) -> Animation:
    """Frames as an animation that is played again and again.

    Above its caption every frame is the picture that a painter paints, pixel by pixel. One image more follows the last
    frame and changes nothing: some programs that turn GIF into video forget how long the last image is to be shown.

    A file that would be too large is made in scale 1, and then of fewer frames.

    Args:
        frames: At least one.
        options: The colours, side and scale.
        hold: Seconds for which the last frame is shown, at least.
        limit: Bytes of the file, at most.
        most: Frames, at most. Of more, some at even distances are shown.

    Raises:
        Unpaintable: something went wrong: no frames, boards or strips of several sizes, or one frame is too large.
    """
    try:
        if options.scale not in SCALES:
            raise ValueError(options.scale)  # noqa: TRY301 - an animation that cannot be made, like any other
        single = list(boards(frames))
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
                raise ValueError(limit)  # noqa: TRY301 - an animation that cannot be made, like any other
    except Exception as error:
        raise Unpaintable from error


def _filmed(
    frames: Sequence[Frame], options: RenderOptions, hold: float, limit: int
) -> tuple[Animation | None, int]:
    """The animation, if it keeps within the limit; and how many frames do."""
    blocks: list[bytes] = []
    numbers = Numbers()
    changes = Changes(numbers)
    nothing = Change(Image.new("L", (1, 1)), (0, 0))
    total = width = height = 0
    room = limit - len(CLOSING) - len(opening(0, 0, bytes(3 << 8)))
    before = None
    for at, (frame, board) in enumerate(zip(frames, frame_rows(frames, options), strict=True)):
        last = at == len(frames) - 1
        if before is None:
            whole = changes.whole([*board.bare, *board.caption])
            width, height = whole.image.size
            images = [(whole, After.STAYS)]
        else:
            steps = ((before.caption, board.caption), (before.bare, board.bare))
            images = [(found, After.STAYS) for step in steps if (found := changes.between(*step))]
        if marks := changes.between(board.bare, board.marked):
            images.append((marks, After.STAYS if last else After.GOES))
        images = images or [(nothing, After.STAYS)]
        delays = _delays(max(frame.seconds, hold) if last else frame.seconds, len(images))
        total += sum(delays)
        for (change, after), delay in zip(images, delays, strict=True):
            blocks.append(image(*change, delay, after))
            room -= len(blocks[-1])
        if room < 0:
            return None, at
        before = board
    assert before is not None, "one frame at least"  # noqa: S101 - the boards of none are refused
    blocks.append(image(*nothing, _TAIL, After.STAYS))
    table = numbers.table(before.palette.data)
    data = b"".join((opening(width, height, table), *blocks, CLOSING))
    return Animation(data, width, height, (total + _TAIL) / 100, len(frames), options.scale), len(frames)


def _delays(seconds: float, images: int) -> list[int]:
    """How long each of some images is shown: the last of them, for what the others leave of it."""
    others = SHORTEST * (images - 1)
    last = max(SHORTEST, min(LONGEST, round(100 * seconds) - others))
    return [*[SHORTEST] * (images - 1), last]
