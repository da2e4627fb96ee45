from __future__ import annotations

from dataclasses import replace

import pytest

from render import PHONE_COLUMNS, ascii_board
from render.text.board import MESSAGE
from rules.core import Area, Diagram, Grid, Kind, Mark, Piece, Seat, Sign, Zone, sq
from tests.render.text.reading import read_ascii, truth
from tests.render.text.samples import anything, breakthrough, klopodavka, lgame, squares

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


@pytest.mark.parametrize("columns", WIDTHS)
def test_all_ranks_are_equally_long_and_carry_their_numbers(columns: int) -> None:
    diagram = klopodavka(14, 12, 4)
    rows = ascii_board(diagram, columns=columns).rows[:-1]
    assert len(set(map(len, rows))) == 1
    assert [row[:2].strip() for row in rows] == [str(rank) for rank in range(12, 0, -1)]
    assert [row.rsplit(" ", 1)[1] for row in rows] == [str(rank) for rank in range(12, 0, -1)]


def test_small_boards_have_numbers_on_the_left_only_and_tall_ones_letters_on_both_ends() -> None:
    assert not any(row[1:].rstrip()[-1].isdigit() for row in ascii_board(breakthrough()).rows)
    tall = ascii_board(klopodavka(10, 17, 2)).rows
    assert tall[0] == tall[-1]


def test_flipped_is_the_board_turned_half_round() -> None:
    diagram = klopodavka(7, 9, 4)
    front, back = (ascii_board(diagram, flipped=flipped).rows for flipped in (False, True))
    # Each cell has a mark, a piece and a bracket.
    cut = [[row[at : at + 3].ljust(3) for at in range(2, 2 + 21, 3)] for row in front]
    turned = [list(reversed(row)) for row in (*reversed(cut[:-1]), cut[-1])]
    assert [[row[at : at + 3].ljust(3) for at in range(2, 2 + 21, 3)] for row in back] == turned
    assert [row[0] for row in back[:-1]] == list("123456789")


@pytest.mark.parametrize("sign", [Sign.LEFT, Sign.ENTERED, Sign.CRUSHED, Sign.PICKED, Sign.CANDIDATE])
def test_every_sign_shows_on_an_empty_cell_and_on_a_piece(sign: Sign) -> None:
    plain = Diagram(Grid(3, 3), (Piece(Kind.BUG, squares("a1"), Seat.S1),))
    rows = {
        where: ascii_board(replace(plain, marks=(Mark(sign, sq(where)),) if where else ())).rows
        for where in ("", "a1", "b2")
    }
    assert len(set(rows.values())) == 3


def test_candidates_stand_beside_the_piece_they_would_take() -> None:
    diagram = breakthrough(marks=(Mark(Sign.CANDIDATE, sq("e6"), "2"), Mark(Sign.CANDIDATE, sq("a3"), "1")))
    rows = ascii_board(diagram).rows
    assert "2)@" in rows[2]
    assert "1)." in rows[5]


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


def test_overlapping_zones_and_several_labels_on_a_square_are_noted() -> None:
    diagram = Diagram(
        Grid(3, 3),
        (),
        (Area(Zone.PAINTED, squares("a1")), Area(Zone.BASE, squares("a1"), Seat.S2)),
        (Mark(Sign.CANDIDATE, sq("b2"), "1"), Mark(Sign.CANDIDATE, sq("b2"), "2")),
    )
    board = ascii_board(diagram)
    assert {(note.what, note.owner, note.label, note.squares) for note in board.notes} == {
        (Zone.PAINTED, None, "", squares("a1")),
        (Zone.BASE, Seat.S2, "", squares("a1")),
        (Sign.CANDIDATE, None, "2", squares("b2")),
    }
