from __future__ import annotations

from dataclasses import replace

import pytest

from render import PHONE_COLUMNS, ascii_board
from render.text import MESSAGE
from rules.core import Mark, Sign, sq
from tests.render.text.reading import read_ascii, truth
from tests.render.text.samples import anything, klopodavka, lgame

WIDTHS = (PHONE_COLUMNS, 60, 400)
SIZES = [(files, ranks) for files in (3, 9, 10, 11, 15, 16, 20, 25, 26) for ranks in (3, 9, 10, 16, 17, 30)]


def test_the_start_of_the_l_game_is_the_picture_in_its_rules() -> None:
    assert ascii_board(lgame(moved=False)).rows == (
        "4  o 2 2 .",
        "3  . 1 2 .",
        "2  . 1 2 .",
        "1  . 1 1 o",
        "   a b c d",
    )


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("flipped", [False, True])
def test_everything_on_a_board_can_be_read_back(columns: int, *, flipped: bool) -> None:
    for seed in range(60):
        diagram = anything(seed)
        board = ascii_board(diagram, flipped=flipped, columns=columns, limit=10**6)
        assert read_ascii(board.text, diagram) == truth(diagram), f"seed {seed}\n{board.text}"


def test_boards_are_plain_ascii_without_blanks_at_line_ends() -> None:
    for seed in range(60):
        text = ascii_board(anything(seed)).text
        assert text.isascii()
        assert all(line == line.rstrip() and line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize(("files", "ranks"), SIZES)
def test_every_size_fits_a_phone_and_a_message(files: int, ranks: int) -> None:
    seats = 10 if files * ranks >= 80 else 2
    diagram = replace(klopodavka(files, ranks, seats), joined_files=True, joined_ranks=True)
    for columns in WIDTHS:
        board = ascii_board(diagram, columns=columns)
        assert max(map(len, (*board.rows, *board.footer))) <= columns
        assert len(board.text) <= MESSAGE < 2000


def test_the_widest_form_of_the_largest_board_without_marks_is_under_a_message() -> None:
    diagram = replace(klopodavka(26, 30, 10), areas=(), marks=())
    board = ascii_board(diagram, columns=80)
    assert len(board.rows[1]) == 58
    assert len(board.text) < 1900


def test_flipped_is_the_board_turned_half_round() -> None:
    diagram = klopodavka(7, 9, 4)
    front, back = (ascii_board(diagram, flipped=flipped).rows for flipped in (False, True))
    # Each cell has a mark, a piece and a bracket.
    cut = [[row[at : at + 3].ljust(3) for at in range(2, 2 + 21, 3)] for row in front]
    turned = [list(reversed(row)) for row in (*reversed(cut[:-1]), cut[-1])]
    assert [[row[at : at + 3].ljust(3) for at in range(2, 2 + 21, 3)] for row in back] == turned
    assert [row[0] for row in back[:-1]] == list("123456789")


def test_a_narrow_line_gives_up_brackets_then_labels_then_marks() -> None:
    diagram = replace(
        klopodavka(10, 10, 2), marks=(Mark(Sign.CANDIDATE, sq("a1"), "12"), Mark(Sign.ENTERED, sq("b1")))
    )
    texts = ["\n".join(ascii_board(diagram, columns=columns).rows) for columns in (80, 53, 34, 24, 14)]
    assert ["[" in text for text in texts] == [True, False, True, False, False]
    assert ["12)" in text for text in texts] == [True, True, False, False, False]
    assert ["+" in text for text in texts] == [True, True, True, True, False]
    for columns in (80, 53, 34, 24, 14):
        board = ascii_board(diagram, columns=columns)
        assert read_ascii(board.text, diagram) == truth(diagram)
