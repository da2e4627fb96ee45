from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest

from render import EMOJI, PHONE_LINE, emoji_board, fits
from render.emoji import EMPTY, NUMBERS, TOGETHER
from render.text import MESSAGE
from rules.core import Area, Diagram, Grid, Mark, Seat, Sign, Zone, sq
from tests.render.text.reading import read_emoji, truth
from tests.render.text.samples import anything, klopodavka

SYMBOLS = (
    *EMPTY,
    *TOGETHER.values(),
    *EMOJI.pieces.values(),
    *EMOJI.zones.values(),
    *EMOJI.signs.values(),
)


@pytest.mark.parametrize("flipped", [False, True])
def test_everything_on_a_board_can_be_read_back(*, flipped: bool) -> None:
    for seed in range(100):
        diagram = anything(seed)
        board = emoji_board(diagram, flipped=flipped)
        assert read_emoji(board.text, diagram) == truth(diagram), f"seed {seed}\n{board.text}"


def test_letters_never_fuse_into_flags() -> None:
    for files in range(2, 27):
        for flipped in (False, True):
            text = emoji_board(klopodavka(files, 4, 2), flipped=flipped).text
            assert not re.search("[\U0001f1e6-\U0001f1ff]{2}", text)
            assert len(re.findall("[\U0001f1e6-\U0001f1ff]", text)) == files


def test_cells_are_wide_characters_that_are_emoji_everywhere() -> None:
    for symbol in SYMBOLS:
        assert len(symbol) == 1, symbol
        assert unicodedata.east_asian_width(symbol) == "W", symbol


def test_no_symbol_of_a_side_is_a_plain_white_or_black_circle() -> None:
    assert not {"⚪", "⚫", "🔲", "⬛", "⬜"} & set(EMOJI.pieces.values())


@pytest.mark.parametrize(
    ("files", "joined_files", "joined_ranks", "fitting"),
    [
        (3, False, False, True),
        (12, False, False, True),
        (13, False, False, False),
        (12, True, False, True),
        (11, True, True, True),
        (12, True, True, False),
        (26, False, False, False),
    ],
)
def test_a_board_fits_where_a_phone_has_room(
    files: int, *, joined_files: bool, joined_ranks: bool, fitting: bool
) -> None:
    board = replace(klopodavka(files, 30, 2), joined_files=joined_files, joined_ranks=joined_ranks)
    assert fits(board) is fitting
    assert fits(board, line=40)


def test_the_largest_board_that_fits_is_well_within_a_message() -> None:
    busy = replace(
        klopodavka(12, 30, 10, full=1.0),
        out=frozenset(Seat),
        marks=tuple(Mark(Sign.CANDIDATE, square, str(n)) for n, square in enumerate(Grid(5, 5), 1)),
    )
    assert fits(busy)
    assert len(emoji_board(busy).text.encode("utf-16-le")) // 2 <= MESSAGE < 2000
    assert not fits(busy, limit=500)
    assert PHONE_LINE == 13


def test_candidates_to_ten_are_their_own_numbers_and_later_ones_are_noted() -> None:
    marks = tuple(Mark(Sign.CANDIDATE, square, str(n)) for n, square in enumerate(Grid(6, 2), 1))
    board = emoji_board(replace(klopodavka(8, 8, 2), pieces=(), areas=(), marks=marks))
    assert all(number in "\n".join(board.rows) for number in NUMBERS.values())
    assert [(note.label, note.squares) for note in board.notes] == [("11", (sq("e2"),)), ("12", (sq("f2"),))]


def test_the_goal_of_one_side_is_told_below_and_everybodys_in_the_cells() -> None:
    edge = Area(Zone.GOAL, tuple(square for square in Grid(5, 5) if square.rank == 4), Seat.S1)
    board = emoji_board(Diagram(Grid(5, 5), (), (edge, Area(Zone.GOAL, (sq("c3"),)))))
    assert [row.count("🏁") for row in board.rows] == [0, 0, 1, 0, 0, 0]
    assert board.footer == ("🏁 1: a5-e5",)
