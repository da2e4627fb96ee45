"""Pictures as they are painted: boards, sheets and strips."""

from __future__ import annotations

import asyncio
import io
import threading
import unicodedata
import zlib
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from render.picture import (
    Painter,
    Panels,
    RenderOptions,
    Sheet,
    SheetRow,
    Strip,
    StripLine,
    Theme,
    Tone,
    Unpaintable,
    paint_panels,
    paint_sheet,
)
from render.picture.canvas import contrast, over, rgb
from render.picture.fonts import drawable, fitted, heavy, legible, regular, turned
from render.picture.layout import Slot
from render.picture.markings import Patch
from render.picture.painter import LruCache, packed, png
from render.picture.sheet import MOST_ROWS
from render.picture.strip import StripRow, line_patch
from render.picture.themes import BoardPattern, Style
from rules import GAMES
from rules.core import Diagram, Grid, Kind, Seat
from tests.render.picture.golden import CASES, FILMS, FOLDER, PAGE, VIEWS, page, pixels, shoot
from tests.render.picture.reading import opened
from tests.render.text.reading import breakthrough, klopodavka, lgame


def test_one_diagram_is_one_picture_after_any_other_pictures() -> None:
    boards = [klopodavka(9, 9, 3, seed=seed) for seed in range(4)]
    with Painter() as one, Painter() as other:
        before = [one.paint(board, RenderOptions(scale=1)) for board in boards]
        after = [other.paint(board, RenderOptions(scale=1)) for board in reversed(boards)]
        assert before == after[::-1]
        assert one.paint(boards[0], RenderOptions(scale=1)) is before[0]


def test_a_picture_that_fails_is_one_kind_of_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with Painter() as one:
        with pytest.raises(Unpaintable) as caught:
            one.paint(breakthrough(), RenderOptions(scale=3))
        assert isinstance(caught.value.__cause__, ValueError)
        with pytest.raises(Unpaintable):
            one.paint(Diagram(Grid(200, 200), ()))

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


@pytest.mark.parametrize("name", CASES)
def test_the_gallery_is_what_is_painted(painter: Painter, name: str) -> None:
    """Pixel by pixel: fonts are bundled, and FreeType comes with the locked Pillow."""
    golden = (FOLDER / f"{name}.png").read_bytes()
    same = pixels(CASES[name].paint(painter)) == pixels(golden)
    assert same, "repaint: python -m tests.render.picture.golden"


def test_the_film_is_what_is_painted() -> None:
    same = pixels(shoot()) == pixels((FOLDER / "film.gif").read_bytes())
    assert same, "repaint: python -m tests.render.picture.golden"


def test_the_gallery_shows_all_of_them() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
    assert {path.stem for path in FOLDER.iterdir()} == {*CASES, *FILMS, *VIEWS}


# Tables as pictures: bounded in size, readable without colour, the same bytes for the same table.


ROW = SheetRow("Ann", (("1", Tone.BEST), ("X", Tone.POOR), ("", Tone.NONE)), "3", crowned=True)


@pytest.mark.parametrize("theme", Theme)
def test_a_table_is_painted_within_bounds(theme: Theme) -> None:
    rows = tuple(SheetRow("Ім’я " * 30, (("1", Tone.BEST),) * 40, "9" * 9) for _ in range(60))
    with Image.open(BytesIO(paint_sheet(Sheet("т" * 200, ("пн",) * 40, rows), theme))) as image:
        assert image.width < 1500
        assert image.height < 1800
    one = Sheet("Week", ("Mo", "Tu", "We"), (ROW,))
    assert paint_sheet(one, theme) == paint_sheet(one, theme)
    assert paint_sheet(one, theme) != paint_sheet(Sheet("Week", ("Mo", "Tu", "We"), ()), theme)


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize(("count", "rows"), [(1, 1), (2, 1), (3, 2), (5, 3)])
def test_boards_beside_each_other_are_as_wide_as_a_phone_at_most(theme: Theme, count: int, rows: int) -> None:
    for key, chosen in (("lgame", {}), ("breakthrough", {}), ("klopodavka", {"board": "20x20"})):
        game = GAMES[key]
        board = game.draw(game.start(game.choose(chosen)))
        data = paint_panels(Panels((board,) * count), theme)
        with Image.open(BytesIO(data)) as image:
            assert image.width <= min(2, count) * 540
            assert image.height <= rows * 640
        assert len(data) <= 60_000
        assert data != paint_panels(Panels((board,) * count, flipped=True), theme)


def test_what_stands_in_a_cell_is_read_on_its_colour() -> None:
    for tone in Tone:
        if tone not in (Tone.NONE, Tone.PLAIN):
            assert contrast(over(rgb(tone.value)), rgb(tone.value)) >= 4.5


def test_a_table_has_words_too() -> None:
    assert Sheet("Week", ("Mo", "Tu", "We"), (ROW,)).lines == ("Week", "Ann · 1 X – · 3")
    many = Sheet("Week", (), (ROW,) * 60)
    assert len(many.lines) == MOST_ROWS + 1


ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Аня", "Аня"),
        ("Їжак Ґудзь", "Їжак Ґудзь"),
        ("  two\n\tlines ", "two lines"),
        ("Катя \N{BRAIN}\N{PARTY POPPER}", "Катя"),
        ("\N{MATHEMATICAL BOLD SCRIPT CAPITAL A}nn", "Ann"),
        ("ＡＢ", "AB"),
        ("1½", "1½"),
        ("שלום", "שלום"),
        ("مرحبا", "مرحبا"),
        ("a\u202eb\u2066c\u200b", "abc"),  # nothing turns the rest of the line round
        ("Z" + "\u0338\u0327\u031b\u0335" * 9, "Z\u0338\u0335"),
        ("", ELLIPSIS),
        ("李明", ELLIPSIS),
    ],
)
def test_what_is_left_of_a_name(name: str, shown: str) -> None:
    assert legible(name) == shown


def test_a_name_that_cannot_be_drawn_has_a_stand_in() -> None:
    assert legible("李明", "Player 2") == "Player 2"
    assert legible("李明 Li", "Player 2") == "Li"  # half of it says who it is
    assert legible("\N{BRAIN}", "Player 2") == "Player 2"
    assert legible("Li", "Player 2") == "Li"


def test_the_font_has_what_the_languages_need() -> None:
    for (
        character
    ) in "АБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯЫЪЭЁабвгґдеєжзиіїйклмнопрстуфхцчшщьюяыъэё«»№—…0123456789:":
        assert drawable(character)
    assert not drawable("李")


@given(st.text(max_size=60), st.integers(0, 400))
def test_any_text_is_cut_to_fit(text: str, width: int) -> None:
    for font in (regular(20), heavy(20)):
        shown = fitted(legible(text), font, width)
        assert font.getlength(shown) <= max(width, font.getlength(ELLIPSIS))
        rest = shown.removesuffix(ELLIPSIS)
        assert legible(text).startswith(rest)
        if shown != legible(text):
            # No letter loses its accents.
            following = legible(text)[len(rest) :].lstrip()[:1]
            assert not following or unicodedata.category(following)[0] != "M"


def test_without_a_layout_engine_right_to_left_letters_are_turned() -> None:
    assert turned("אבג") == "גבא"
    assert turned("Ann אבג דה!") == "Ann הד גבא!"
    assert turned("plain") == "plain"


STYLE = Style(Theme.LIGHT, BoardPattern.RULED, 1, 40, 20)


def _line(
    line: StripLine, *, score: str = "", out: bool = False, stacked: bool = False, width: int = 400
) -> Patch:
    slot = Slot(0, 0, width, 80 if stacked else 42)
    return line_patch(StripRow(line, Kind.BUG, score, out), STYLE, slot, stacked=stacked)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=20), st.booleans(), st.integers(60, 300))
def test_no_text_spoils_a_line(name: str, note: str, clock: str, stacked: bool, width: int) -> None:
    line = StripLine(name, Seat.S3, True, note, clock)
    patch = _line(line, score="12", stacked=stacked, width=width)
    assert {len(row) for row in patch} == {width}


def test_a_long_name_leaves_room_for_note_and_clock() -> None:
    """What stands at the right end does not depend on the length of the name."""
    ends = {
        tuple(row[-150:] for row in _line(StripLine(name, Seat.S1, True, "3 actions left", "12:04")))
        for name in ("W" * 40, "W" * 60)
    }
    assert len(ends) == 1


def test_without_a_strip_points_and_those_out_are_shown_all_the_same(painter: Painter) -> None:
    plain = lgame()
    scored = [replace(plain, scores=scores) for scores in ((3, 4), (3, 5), (2, 4))]
    assert len({painter.paint(one, RenderOptions(scale=1)) for one in (plain, *scored)}) == 4
    bugs = klopodavka(10, 10, 3)
    assert painter.paint(bugs) != painter.paint(replace(bugs, out=frozenset({Seat.S2})))
