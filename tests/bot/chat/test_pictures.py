from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from bot.app.supervisor import Part, Supervisor
from bot.chat.pictures import REMEDY, Pictures
from bot.chat.view import View
from render.animation import Animation, AnimationFrame
from render.picture import Painter, RenderOptions, Strip, StripLine, Theme, Unpaintable
from rules.core import Diagram, Grid, Kind, Piece, Seat, sq

BOARD = Diagram(Grid(3, 3), (Piece(Kind.BUG, (sq("a1"),), Seat.S1),))
USUAL = RenderOptions()
STRIP = Strip((StripLine("Аня", Seat.S1, turn=True),))


class Slow(Painter):
    """Paints when it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.go = asyncio.Event()
        self.failure: BaseException | None = None

    async def painted(
        self, diagram: Diagram, options: RenderOptions = USUAL, *, strip: Strip | None = None
    ) -> bytes:
        self.asked += 1
        await self.go.wait()
        if self.failure:
            raise self.failure
        theme, flipped, scale, _ = options
        return f"{diagram.grid.files} {theme} {flipped} {scale} {strip}".encode()

    def renew(self) -> None:
        self.go.set()

    def close(self) -> None:
        self.go.set()


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_view_is_painted_as_it_asks_for() -> None:
    pictures = Pictures()
    view = View(diagram=BOARD, strip=STRIP, theme=Theme.DARK, flipped=True)
    with Painter() as painter:
        expected = painter.paint(BOARD, RenderOptions(theme=Theme.DARK, flipped=True, scale=1), strip=STRIP)
    assert await pictures.board(view, scale=1) == expected
    assert await pictures.board(replace(view, theme=Theme.LIGHT), scale=1) != expected
    assert await pictures.board(View()) is None
    pictures.close()


async def test_what_is_asked_for_twice_at_once_is_painted_once() -> None:
    slow = Slow()
    pictures = Pictures(slow)
    waiting = [asyncio.create_task(pictures.diagram(BOARD)) for _ in range(5)]
    other = asyncio.create_task(pictures.diagram(BOARD, RenderOptions(theme=Theme.WOOD)))
    await settled()
    waiting[0].cancel()  # one waiter that is cancelled takes nothing from the others
    slow.go.set()
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    assert set(found[1:]) == {b"3 light False 2 None"}
    assert await other == b"3 wood False 2 None"
    assert slow.asked == 2
    assert not pictures._going


@pytest.mark.parametrize(
    "failure", [Unpaintable(), ValueError("no such colour"), MemoryError(), asyncio.CancelledError()]
)
async def test_a_failure_is_no_picture_and_is_logged_once(
    failure: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    slow = Slow()
    slow.failure = failure
    slow.go.set()
    pictures = Pictures(slow)
    with caplog.at_level(logging.ERROR, "bot.chat.pictures"):
        assert await pictures.board(View(diagram=BOARD)) is None
        assert await pictures.board(View(diagram=BOARD)) is None
    assert len(caplog.records) == 1
    slow.failure = None
    assert await pictures.board(View(diagram=BOARD)) is not None


async def test_a_picture_that_takes_too_long_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    slow = Slow()
    pictures = Pictures(slow, timeout=0.001)
    assert await pictures.board(View(diagram=BOARD)) is None
    await settled()
    assert not pictures._going
    assert "TimeoutError" in caplog.text


async def test_a_real_painter_that_breaks(caplog: pytest.LogCaptureFixture) -> None:
    pictures = Pictures()
    assert await pictures.diagram(BOARD, RenderOptions(scale=7)) is None
    assert "ValueError" in caplog.text  # the cause, not what wraps it
    assert await pictures.diagram(BOARD) is not None
    pictures.close()
    assert await pictures.diagram(BOARD, RenderOptions(theme=Theme.WOOD)) is None


async def supervised(pictures: Pictures, pauses: list[float]) -> asyncio.Task[None]:
    """Run pictures as the bot does; the pauses between runs are noted, and not made."""

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    part = Part("the painter", pictures.run, REMEDY)
    running = asyncio.create_task(Supervisor(sleep).run([part]))
    await settled()
    return running


async def ended(running: asyncio.Task[None]) -> None:
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_painter_that_is_killed_in_mid_work_is_started_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What it paints is shown all the same, what comes at that moment is text, and what comes later is painted."""
    held, begun = Event(), Event()

    class Held(Painter):
        def paint(self, *args: Any, **more: Any) -> bytes:
            begun.set()
            held.wait()
            return super().paint(*args, **more)

    painter, pauses = Held(), list[float]()
    pictures = Pictures(painter)
    running = await supervised(pictures, pauses)
    going = [asyncio.create_task(pictures.diagram(BOARD, RenderOptions(theme=theme))) for theme in Theme]
    await asyncio.to_thread(begun.wait)
    painter._workers.shutdown(wait=False)
    assert await pictures.diagram(BOARD, RenderOptions(flipped=True)) is None
    await settled()
    held.set()
    assert all(await asyncio.gather(*going))
    assert await pictures.diagram(BOARD, RenderOptions(flipped=True)) is not None
    assert pauses == [0.5]
    assert f"the painter is started again in 0.5 s; {REMEDY}" in caplog.text
    await ended(running)
    pictures.close()


async def test_threads_that_hang_are_replaced_and_films_do_not_stop_boards(
    caplog: pytest.LogCaptureFixture,
) -> None:
    held, films = Event(), 0

    def animate(*_: object, **__: object) -> Animation:
        nonlocal films
        films += 1
        if films == 1:
            held.wait()
        return Animation(b"GIF", 1, 1, 1.0, 1, 1)

    pauses = list[float]()
    pictures = Pictures(animate=animate, film_timeout=0.05)
    running = await supervised(pictures, pauses)
    assert await pictures.film("a", lambda: [AnimationFrame(BOARD)]) is None
    assert await pictures.diagram(BOARD) is not None
    await settled()
    assert await pictures.film("a", lambda: [AnimationFrame(BOARD)]) is not None
    assert pauses == [0.5]
    assert "nothing was painted for 0.05 s" in caplog.text
    await ended(running)
    held.set()
    pictures.close()


async def test_a_waiter_gets_nothing_when_it_is_closed() -> None:
    held, begun = Event(), Event()

    def animate(*_: object, **__: object) -> Animation:
        begun.set()
        held.wait()
        raise AssertionError

    pictures = Pictures(animate=animate)
    first = asyncio.create_task(pictures.film("a", lambda: [AnimationFrame(BOARD)]))
    second = asyncio.create_task(pictures.film("b", lambda: [AnimationFrame(BOARD)]))
    await asyncio.to_thread(begun.wait)
    pictures.close()
    assert await second is None
    held.set()
    assert await first is None


async def test_a_film_is_made_once_of_frames_made_in_its_thread() -> None:
    pictures = Pictures()
    made = []

    def frames() -> list[AnimationFrame]:
        made.append(asyncio._get_running_loop())
        return [AnimationFrame(BOARD), AnimationFrame(replace(BOARD, pieces=()))]

    one, other = await asyncio.gather(pictures.film("m", frames), pictures.film("m", frames))
    assert one is not None
    assert one is other
    assert await pictures.film("m", frames) is one  # it is kept
    assert one.frames == 2
    assert one.data.startswith(b"GIF89a")
    assert made == [None]
    assert await pictures.film("none", list) is None
    pictures.close()
