"""Pictures of boards and matches. One that fails is no picture: the text board is shown, and the match goes on.

Painting happens in threads. What was painted is kept, and what several ask for at once is painted once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, TypeVar

from bot.chat.fair_queue import Recent
from bot.chat.metrics import PICTURES, PICTURES_CACHED
from bot.chat.view import View
from play.settings import OldBoards
from render.animation import Animation, AnimationFrame, animate
from render.picture import (
    LruCache,
    Painter,
    PainterDown,
    RenderOptions,
    Strip,
    Unpaintable,
    paint_panels,
    paint_sheet,
    thumbnail,
)
from rules.core import Diagram

TIMEOUT: Final = 5.0  # seconds for a board, which takes some milliseconds; the rest is for those before it
FILM_TIMEOUT: Final = 30.0  # seconds for an animation; the largest takes about two

REMEDY: Final = "until then boards are text; if it goes on, restart the bot and report the traceback above"
"""What the operator can do where threads are stuck."""

MEMORY: Final = 64 << 20
"""Bytes of pictures that are kept: half of them boards, a quarter each ranks of boards and animations."""
LOGGED: Final = 256  # failures that are remembered, so that each is logged once


_BOARD: Final = RenderOptions()
_FILM: Final = RenderOptions(scale=1)

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)


class PainterStuck(Exception):
    """Nothing is painted any more."""


class _Threads:
    def __init__(self, renew: Callable[[], None]) -> None:
        self.done = 0  # how many pictures they have painted, or failed to paint
        self.renew = renew  # begins anew with other threads


class Pictures:
    """Paints boards and matches in threads of its own; one serves all platforms of a process."""

    def __init__(
        self,
        painter: Painter | None = None,
        animate: Callable[..., Animation] = animate,
        *,
        timeout: float = TIMEOUT,
        film_timeout: float = FILM_TIMEOUT,
        memory: int = MEMORY,
    ) -> None:
        self._painter = painter or Painter(
            pictures=memory // 2,
            bands=memory // 4,
            looked_up=lambda hit: PICTURES_CACHED.add("yes" if hit else "no"),
        )
        self._animate = animate
        self._timeout, self._film_timeout = timeout, film_timeout
        # A match may take a second: boards need not wait for it, and two do not go on at once.
        self._filming = _filming()
        self._boards, self._movies = _Threads(self._painter.renew), _Threads(self._film_anew)
        self._stuck: dict[_Threads, None] = {}
        self._down: asyncio.Future[None] | None = None  # in a run: fails when threads are stuck
        self._films: LruCache[Animation] = LruCache(memory // 4, lambda film: len(film.data))
        self._going: dict[Hashable, asyncio.Task[Any]] = {}
        self._logged = Recent[str, None](LOGGED)

    async def run(self) -> None:
        """Begin with new threads where the old ones are stuck, and watch them; see `bot.app.supervisor`."""
        stuck, self._stuck = self._stuck, {}
        for threads in stuck:
            threads.renew()
        self._down = asyncio.get_running_loop().create_future()
        await self._down

    def _film_anew(self) -> None:
        self._filming.shutdown(wait=False)
        self._filming = _filming()

    def close(self) -> None:
        """Let the threads go. Those who wait for a picture get none."""
        self._painter.close()
        self._filming.shutdown(wait=False, cancel_futures=True)

    async def board(self, view: View, *, scale: int = 2) -> bytes | None:
        """The board of a view, or else its table or its panels, as a PNG file; a board that is to shrink is small, without its strip.

        None: the view has none, or it could not be painted in time, which is logged; show the board as text.
        """
        if view.diagram is None:
            if view.sheet is not None:
                work = partial(asyncio.to_thread, paint_sheet, view.sheet, view.theme)
            elif view.panels is not None:
                work = partial(asyncio.to_thread, paint_panels, view.panels, view.theme)
            else:
                return None
            return await self._once((view.sheet, view.panels, view.theme), work, self._boards)
        small = view.folded is OldBoards.SHRINK
        options = RenderOptions(view.theme, view.flipped, 1 if small else scale, phone=not small)
        picture = await self.diagram(view.diagram, options, None if small else view.strip)
        return await asyncio.to_thread(thumbnail, picture) if small and picture is not None else picture

    async def diagram(
        self, diagram: Diagram, options: RenderOptions = _BOARD, strip: Strip | None = None
    ) -> bytes | None:
        """A diagram as a PNG file; None as for `board`."""
        work = partial(self._painter.painted, diagram, options, strip=strip)
        return await self._once((diagram, options, strip), work, self._boards)

    async def film(
        self,
        key: Hashable,
        frames: Callable[[], Sequence[AnimationFrame]],
        options: RenderOptions = _FILM,
    ) -> Animation | None:
        """A match as an animation; None: it could not be made in time, which is logged.

        The key tells these frames from any others: the match, its revision, the language. They are made in the thread in
        which they are painted.
        """

        async def work() -> Animation:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._filming, lambda: self._animate(frames(), options))

        asked = (key, options)
        film = self._films.get(asked) or await self._once(asked, work, self._movies)
        if film is not None:
            self._films.put(asked, film)
        return film

    async def _once(
        self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]], threads: _Threads
    ) -> T | None:
        if threads in self._stuck:
            return None
        before, seconds = threads.done, self._film_timeout if threads is self._movies else self._timeout
        task: asyncio.Task[T] | None = self._going.get(key)
        if task is None:
            task = asyncio.create_task(work())
            self._going[key] = task
            task.add_done_callback(lambda done: self._finished(key, threads, painted=not done.cancelled()))
        with PICTURES.timed():
            # One that stops waiting does not take the picture away from others who wait for it.
            done, _ = await asyncio.wait((task,), timeout=seconds)
        if not done:
            if threads.done == before:
                self._break(threads, f"nothing was painted for {seconds:g} s")
            task.cancel()
            self._log_once(TimeoutError(f"not painted within {seconds:g} s"))
        elif task.cancelled():
            self._log_once(TimeoutError("no caller waits any more, or the painter is closed"))
        elif (failed := task.exception()) is not None:
            if isinstance(failed, PainterDown):
                self._break(threads, "there are no threads to paint in")
            self._log_once((failed.__cause__ or failed) if isinstance(failed, Unpaintable) else failed)
        else:
            return task.result()
        return None

    def _finished(self, key: Hashable, threads: _Threads, *, painted: bool) -> None:
        self._going.pop(key, None)
        threads.done += painted

    def _break(self, threads: _Threads, reason: str) -> None:
        """Have a run end; where nothing runs, the threads stay as they are."""
        if self._down is not None:
            self._stuck[threads] = None
            if not self._down.done():
                self._down.set_exception(PainterStuck(reason))

    def _log_once(self, failed: BaseException) -> None:
        like = f"{type(failed).__name__}: {failed}"
        if like not in self._logged:
            self._logged[like] = None
            _log.error("a picture could not be painted; the text board is shown", exc_info=failed)


def _filming() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="film")
