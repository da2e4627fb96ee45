from __future__ import annotations

import asyncio
import io
import threading
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image, ImageChops

from render.picture import Painter, RenderOptions, Strip, StripLine, Theme, Unpaintable
from render.picture.painter import LruCache
from rules.core import Diagram, Grid, Kind, Mark, Piece, Seat, Sign, sq
from tests.render.picture.reading import opened
from tests.render.text.samples import breakthrough, klopodavka, lgame


def test_one_diagram_is_one_picture_after_any_other_pictures() -> None:
    boards = [klopodavka(9, 9, 3, seed=seed) for seed in range(4)]
    with Painter() as one, Painter() as other:
        before = [one.paint(board, RenderOptions(scale=1)) for board in boards]
        after = [other.paint(board, RenderOptions(scale=1)) for board in reversed(boards)]
        assert before == after[::-1]
        assert one.paint(boards[0], RenderOptions(scale=1)) is before[0]


def test_what_is_asked_for_is_what_is_painted(painter: Painter) -> None:
    board, strip = breakthrough(), Strip((StripLine("Ann", Seat.S1),))
    files = [painter.paint(board, RenderOptions(theme=theme)) for theme in Theme]
    files += [
        painter.paint(board, RenderOptions(flipped=True)),
        painter.paint(board, RenderOptions(scale=1)),
        painter.paint(board, strip=strip),
    ]
    assert len(set(files)) == len(files)


@pytest.mark.parametrize("scale", [1, 2])
def test_flipping_turns_the_board_and_not_what_stands_on_it(painter: Painter, scale: int) -> None:
    man = Diagram(Grid(5, 5), (Piece(Kind.MAN, (sq("a1"),), Seat.S1),))
    other = replace(man, pieces=(Piece(Kind.MAN, (sq("e5"),), Seat.S1),))
    upright = opened(painter.paint(man, RenderOptions(scale=scale)))
    turned = opened(painter.paint(other, RenderOptions(scale=scale, flipped=True)))
    inner = (40 * scale, 40 * scale, upright.width - 40 * scale, upright.height - 40 * scale)
    assert upright.crop(inner).tobytes() == turned.crop(inner).tobytes()


def _difference(painter: Painter, one: Diagram, other: Diagram) -> tuple[int, int, int, int]:
    images = [opened(painter.paint(board, RenderOptions(scale=1))) for board in (one, other)]
    box = ImageChops.difference(*images).getbbox()
    assert box
    return box


def test_only_what_changed_changes(painter: Painter) -> None:
    board = klopodavka(8, 8, 2, full=0.3)
    marked = replace(board, marks=(*board.marks, Mark(Sign.PICKED, sq("c3"))))
    left, top, right, bottom = _difference(painter, board, marked)
    assert right - left <= 72
    assert bottom - top <= 72


@pytest.mark.parametrize(
    "grid", [Grid(3, 3), Grid(2, 4), Grid(26, 30), Grid(26, 4), Grid(3, 30), Grid(26, 26)], ids=str
)
def test_boards_of_all_sizes(painter: Painter, grid: Grid) -> None:
    piece = Piece(Kind.BUG, (sq("a1"),), Seat.S1)
    for scale in (1, 2):
        picture = opened(painter.paint(Diagram(grid, (piece,)), RenderOptions(scale=scale)))
        assert max(picture.size) <= 640 * scale


def test_a_picture_that_fails_is_one_kind_of_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with Painter() as one:
        with pytest.raises(Unpaintable) as caught:
            one.paint(breakthrough(), RenderOptions(scale=3))
        assert isinstance(caught.value.__cause__, ValueError)
        with pytest.raises(Unpaintable):
            one.paint(Diagram(Grid(2000, 2000), ()))

        def broken(*_: object) -> None:
            raise MemoryError

        monkeypatch.setattr("render.picture.painter.packed", broken)
        with pytest.raises(Unpaintable):
            one.paint(breakthrough())
        monkeypatch.undo()
        assert one.paint(breakthrough())  # nothing half-made was kept


async def test_painting_is_done_in_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    with Painter() as one:
        paint = one.paint

        def noted(diagram: Diagram, options: RenderOptions, **rest: Any) -> bytes:
            names.append(threading.current_thread().name)
            return paint(diagram, options, **rest)

        monkeypatch.setattr(one, "paint", noted)
        boards = [klopodavka(8, 8, 2, seed=seed) for seed in range(6)]
        together = await asyncio.gather(*(one.painted(board, RenderOptions(scale=1)) for board in boards))
        assert list(together) == [paint(board, RenderOptions(scale=1)) for board in boards]
        assert all(name.startswith("painter") for name in names)
        with pytest.raises(Unpaintable):
            await one.painted(boards[0], RenderOptions(scale=5))
    with pytest.raises(Unpaintable):
        await one.painted(boards[0])


def test_many_threads_paint_the_same() -> None:
    boards = [klopodavka(7, 7, 3, seed=seed) for seed in range(8)]
    with Painter(pictures=0, bands=20_000) as one, Painter() as other:
        expected = [other.paint(board, RenderOptions(scale=1)) for board in boards]
        found: dict[int, list[bytes]] = {}

        def work(at: int) -> None:
            found[at] = [one.paint(board, RenderOptions(scale=1)) for board in boards]

        threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert list(found.values()) == [expected] * 4


def test_a_shelf_keeps_what_was_asked_for_last() -> None:
    shelf: LruCache[bytes] = LruCache(10, len)
    shelf.put("a", b"1234")
    shelf.put("b", b"1234")
    assert shelf.get("a") == b"1234"
    shelf.put("c", b"1234")
    assert shelf.get("b") is None
    assert shelf.get("a") == b"1234"
    assert shelf.bytes == 8
    shelf.put("a", b"12")
    assert (len(shelf), shelf.bytes) == (2, 6)
    shelf.put("d", b"more than there is room for")
    assert len(shelf) == 0
    assert shelf.bytes == 0


def test_what_is_kept_is_bounded() -> None:
    with Painter(pictures=100_000, bands=50_000) as one:
        for seed in range(12):
            one.paint(klopodavka(12, 12, 4, seed=seed), RenderOptions(scale=1))
        assert 0 < one._pictures.bytes <= 100_000
        assert 0 < one._bands.bytes <= 50_000


def test_pictures_of_one_theme_and_kind_share_a_palette(painter: Painter) -> None:
    boards = (klopodavka(8, 8, 2), klopodavka(9, 9, 10), lgame())
    files = [painter.paint(board, RenderOptions(scale=1)) for board in boards]
    assert len({bytes(Image.open(io.BytesIO(data)).getpalette() or ()) for data in files}) == 1


def test_a_board_above_leaves_the_other_as_it_is(painter: Painter) -> None:
    board, strip = breakthrough(), Strip((StripLine("Ann", Seat.S1),))
    alone = opened(painter.paint(board, strip=strip))
    both = opened(painter.paint(replace(board, first=replace(board, pieces=())), strip=strip))
    top = both.height - alone.height
    assert top > alone.height // 2
    assert both.crop((0, top, *both.size)).tobytes() == alone.tobytes()
