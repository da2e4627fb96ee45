"""What changes between two frames, as images that cover no more than that.

Matches repeat themselves: what differs between two patches is worked out once, and pasted from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple

from PIL import Image, ImageChops

from render.animation.frames import Row
from render.animation.gif import Numbers
from render.picture.palette import Patch

_KEPT: Final = 512
"""Patches that are kept as images, and differences of two. The largest has 45 kB."""


class Change(NamedTuple):
    """An image to draw, of the numbers of a file's colours; what has the number 0 stays as it is."""

    image: Image.Image
    offset: tuple[int, int]


class Changes:
    """The changes between the frames of one animation."""

    def __init__(self, numbers: Numbers) -> None:
        # Not methods: with a reference to itself all of it would stay until the collector of garbage comes, tens of megabytes.
        self._image = lru_cache(maxsize=_KEPT)(partial(_numbered, numbers))
        self._difference = lru_cache(maxsize=_KEPT)(partial(_differing, self._image))

    def whole(self, rows: Sequence[Row]) -> Change:
        """All pixels of some rows."""
        return _joined(
            [Change(self._image(patch), (left, row.top)) for row in rows for left, patch in _placed(row)]
        )

    def between(self, before: Sequence[Row], after: Sequence[Row]) -> Change | None:
        """The smallest rectangle with all pixels that are not as before; None if there are none."""
        tiles: list[Change] = []
        for old, new in zip(before, after, strict=True):
            if old.key == new.key:
                continue
            for was, (left, patch) in zip(old.patches, _placed(new), strict=True):
                if was is not patch and (found := self._difference(was, patch)):
                    x, y = found.offset
                    tiles.append(Change(found.image, (left + x, new.top + y)))
        return _joined(tiles) if tiles else None


def _numbered(numbers: Numbers, patch: Patch) -> Image.Image:
    pixels = numbers.numbered(b"".join(patch))
    return Image.frombytes("L", (len(patch[0]), len(patch)), pixels)


def _differing(image: Callable[[Patch], Image.Image], before: Patch, after: Patch) -> Change | None:
    new = image(after)
    difference = ImageChops.subtract_modulo(new, image(before))
    mask = ImageChops.add(difference, difference, scale=1 / 255)  # 255 wherever it is not 0
    changed = ImageChops.darker(new, mask)
    box = changed.getbbox()
    return Change(changed.crop(box), box[:2]) if box else None


def _placed(row: Row) -> Iterator[tuple[int, Patch]]:
    """The patches of a row, each with the pixels left of it."""
    left = 0
    for patch in row.patches:
        yield left, patch
        left += len(patch[0])


def _joined(tiles: Sequence[Change]) -> Change:
    """Some changes as one."""
    if len(tiles) == 1:
        return tiles[0]
    left, top = (min(tile.offset[side] for tile in tiles) for side in (0, 1))
    right, bottom = (max(tile.offset[side] + tile.image.size[side] for tile in tiles) for side in (0, 1))
    whole = Image.new("L", (right - left, bottom - top))
    for image, (x, y) in tiles:
        whole.paste(image, (x - left, y - top))
    return Change(whole, (left, top))
