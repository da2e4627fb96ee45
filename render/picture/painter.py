"""The painter: diagrams in, PNG files out, with what was painted before at hand."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

from render.picture.composition import Band, Composition, compose
from render.picture.layout import SCALES
from render.picture.png import GRAINED, LEVEL, PackedBand, packed, png
from render.picture.strip import Strip
from render.picture.themes import COLOURS, RenderOptions
from rules.core import Diagram

_MEBIBYTE: Final = 1 << 20
_USUAL: Final = RenderOptions()


class Unpaintable(Exception):
    """A picture could not be painted: show the text board instead. The cause is chained to it."""


class PainterDown(Unpaintable):
    """The painter has no threads any more."""


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
            left_colour = self._kept.pop(key, None)
            if left_colour is not None:
                self.bytes -= self._size(left_colour)
            self._kept[key] = thing
            self.bytes += self._size(thing)
            while self.bytes > self._limit:
                _, oldest = self._kept.popitem(last=False)
                self.bytes -= self._size(oldest)


class Painter:
    """Paints diagrams. One serves all matches; its methods may be called from any thread.

    Two things are kept, each up to its own number of bytes: whole pictures, and bands (a rank, a line of the strip), of
    which a move changes a few only.
    """

    def __init__(
        self,
        *,
        pictures: int = 32 * _MEBIBYTE,
        bands: int = 16 * _MEBIBYTE,
        workers: int = 2,
        looked_up: Callable[[bool], object] = lambda _hit: None,
    ) -> None:
        """A painter that keeps so many bytes of pictures and of bands, and paints in so many threads.

        `looked_up` is told of each picture whether it was kept, in a thread of the painter.
        """
        self._looked_up = looked_up
        self._pictures: LruCache[bytes] = LruCache(pictures, len)
        self._bands: LruCache[PackedBand] = LruCache(bands, _weight)
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
        """A picture as a PNG file.

        Raises:
            Unpaintable: something went wrong. The caller shows the text board.
        """
        try:
            if options.scale not in SCALES:
                raise ValueError(options.scale)  # noqa: TRY301 - a picture that cannot be painted, like any other
            key = (diagram, options, strip)
            found = self._pictures.get(key)
            self._looked_up(found is not None)
            if found is None:
                found = self._painted(compose(diagram, options, strip))
                self._pictures.put(key, found)
        except Exception as error:
            raise Unpaintable from error
        return found

    async def painted(
        self, diagram: Diagram, options: RenderOptions = _USUAL, *, strip: Strip | None = None
    ) -> bytes:
        """Paint in one of the painter's threads, without blocking the event loop; see `paint`.

        Raises:
            PainterDown: there are no threads.
            Unpaintable: something went wrong.
        """
        work = partial(self.paint, diagram, options, strip=strip)
        try:
            waiting = asyncio.get_running_loop().run_in_executor(self._workers, work)
        except RuntimeError as error:  # they were ended, or none can be started
            raise PainterDown from error
        return await waiting

    def _painted(self, one: Composition) -> bytes:
        measures = one.layout
        level = GRAINED if COLOURS[one.style.theme].grain else LEVEL
        bands = [self._band(band, level) for band in one.bands()]
        return png(measures.width, one.height, one.palette.data, bands)

    def _band(self, band: Band, level: int) -> PackedBand:
        found = self._bands.get(band.key)
        if found is None:
            found = packed(band.lines(), level)
            self._bands.put(band.key, found)
        return found


def _weight(one: PackedBand) -> int:
    # A band of many cells has a key of about as many bytes as it has itself.
    return len(one.chunk) + 1024
