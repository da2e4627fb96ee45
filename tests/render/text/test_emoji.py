from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest

from render import EMOJI, PHONE_LINE, emoji_board, fits
from render.text.board import MESSAGE
from render.text.emoji import EMPTY, NUMBERS, TOGETHER
from rules.core import Area, Diagram, Grid, Kind, Mark, Seat, Sign, Zone, sq
from tests.render.text.reading import read_emoji, tokens, truth
from tests.render.text.samples import anything, breakthrough, klopodavka, lgame

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


def test_every_rank_has_as_many_cells_and_its_number() -> None:
    for ranks in (3, 10, 30):
        rows = emoji_board(klopodavka(11, ranks, 4)).rows
        assert [row.rsplit(" ", 1)[1] for row in rows[:-1]] == [str(rank) for rank in range(ranks, 0, -1)]
        assert {len(tokens(row.rsplit(" ", 1)[0])) for row in rows[:-1]} == {11}
        assert rows[-1].count("\u200b") == 10


def test_cells_are_wide_characters_that_are_emoji_everywhere() -> None:
    for symbol in SYMBOLS:
        assert len(symbol) == 1, symbol
        assert unicodedata.east_asian_width(symbol) == "W", symbol


def test_no_symbol_of_a_side_is_a_plain_white_or_black_circle() -> None:
    assert not {"⚪", "⚫", "🔲", "⬛", "⬜"} & set(EMOJI.pieces.values())


def test_flipped_is_the_board_turned_half_round() -> None:
    for seed in range(20):
        diagram = anything(seed)
        front, back = (
            [tokens(row.rsplit(" ", 1)[0]) for row in emoji_board(diagram, flipped=flipped).rows[:-1]]
            for flipped in (False, True)
        )
        assert back == [list(reversed(row)) for row in reversed(front)]


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


def test_what_has_just_moved_shows_in_the_cell() -> None:
    still, moved = breakthrough(), replace(breakthrough(), marks=())
    rows = [emoji_board(diagram).rows for diagram in (still, moved)]
    assert rows[0][1] != rows[1][1]  # where it left
    assert rows[0][2] != rows[1][2]  # where it came


def test_painted_cells_show_under_pieces_too() -> None:
    plain, painted = emoji_board(lgame(moved=False)), emoji_board(lgame(moved=False, painted=True))
    cells = [[tokens(row.rsplit(" ", 1)[0]) for row in board.rows[:-1]] for board in (plain, painted)]
    differing = {
        (file, rank) for rank in range(4) for file in range(4) if cells[0][rank][file] != cells[1][rank][file]
    }
    assert differing == {(0, 0), (1, 0), (0, 1), (1, 1)}
    assert not painted.notes


def test_candidates_to_ten_are_their_own_numbers_and_later_ones_are_noted() -> None:
    marks = tuple(Mark(Sign.CANDIDATE, square, str(n)) for n, square in enumerate(Grid(6, 2), 1))
    board = emoji_board(replace(klopodavka(8, 8, 2), pieces=(), areas=(), marks=marks))
    assert all(number in "\n".join(board.rows) for number in NUMBERS.values())
    assert [(note.label, note.squares) for note in board.notes] == [("11", (sq("e2"),)), ("12", (sq("f2"),))]


def test_a_piece_behind_a_number_is_noted() -> None:
    board = emoji_board(breakthrough(marks=(Mark(Sign.CANDIDATE, sq("a8"), "1"),)))
    assert (Kind.MAN, Seat.S2, (sq("a8"),)) in {(note.what, note.owner, note.squares) for note in board.notes}


def test_the_goal_of_one_side_is_told_below_and_everybodys_in_the_cells() -> None:
    edge = Area(Zone.GOAL, tuple(square for square in Grid(5, 5) if square.rank == 4), Seat.S1)
    board = emoji_board(Diagram(Grid(5, 5), (), (edge, Area(Zone.GOAL, (sq("c3"),)))))
    assert [row.count("🏁") for row in board.rows] == [0, 0, 1, 0, 0, 0]
    assert board.footer == ("🏁 1: a5-e5",)
