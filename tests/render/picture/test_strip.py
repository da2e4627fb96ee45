from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render.picture import Painter, RenderOptions, Strip, StripLine, Theme
from render.picture.fonts import drawable, fitted, heavy, legible, regular, turned
from render.picture.layout import Side, Slot, layout
from render.picture.markings import Patch
from render.picture.strip import StripRow, line_patch
from render.picture.themes import BoardPattern, Style
from rules.core import Kind, Seat
from tests.render.picture.reading import opened
from tests.render.text.samples import klopodavka, lgame

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


@pytest.mark.parametrize("stacked", [False, True])
def test_everything_in_a_line_shows(stacked: bool) -> None:
    line = StripLine("Ann", Seat.S1)
    plain = _line(line, stacked=stacked)
    different = [
        _line(replace(line, name="Bob"), stacked=stacked),
        _line(replace(line, seat=Seat.S2), stacked=stacked),
        _line(replace(line, turn=True), stacked=stacked),
        _line(replace(line, note="3 actions left"), stacked=stacked),
        _line(replace(line, note="2 actions left"), stacked=stacked),
        _line(replace(line, clock="12:04"), stacked=stacked),
        _line(line, score="7", stacked=stacked),
        _line(line, out=True, stacked=stacked),
    ]
    assert len({plain, *different}) == 1 + len(different)


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


def test_strips_stand_below_and_beside(painter: Painter) -> None:
    for diagram, side in ((klopodavka(8, 8, 3), Side.BELOW), (klopodavka(20, 30, 3), Side.BESIDE)):
        strip = Strip(tuple(StripLine(name, Seat(at)) for at, name in enumerate(("Ann", "Bob", "Cyd"))))
        one = layout(diagram.grid, 3, 1)
        assert one.side is side
        picture = opened(painter.paint(diagram, RenderOptions(scale=1), strip=strip))
        assert picture.size == (one.width, one.height)
        for at, slot in enumerate(one.slots):
            shown = StripRow(strip.lines[at], Kind.BUG, "", False)
            style = Style(Theme.LIGHT, BoardPattern.RULED, 1, one.cell, one.margin)
            patch = line_patch(shown, style, slot, stacked=side is Side.BESIDE)
            box = (slot.left, slot.top, slot.left + slot.width, slot.top + slot.height)
            colours = picture.crop(box).quantize(256).getcolors()
            assert colours is not None
            assert len(colours) > 3
            assert len(patch) == slot.height
