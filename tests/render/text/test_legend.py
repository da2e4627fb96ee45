from __future__ import annotations

from dataclasses import replace

import pytest

from render import (
    ASCII,
    EMOJI,
    Alphabet,
    Rim,
    areas,
    ascii_board,
    emoji_board,
    pieces,
    seat_symbol,
    seat_symbols,
)
from render.emoji import EMPTY, NUMBERS, TOGETHER
from render.text import DOT
from rules.core import SEATS, Area, Diagram, Grid, Kind, Piece, Seat, Sign, Zone
from tests.render.text.golden import CASES
from tests.render.text.samples import breakthrough, klopodavka, lgame, squares


@pytest.mark.parametrize(
    ("alphabet", "others"), [(ASCII, (DOT,)), (EMOJI, (*EMPTY, *NUMBERS.values(), *TOGETHER.values()))]
)
def test_no_two_things_share_a_symbol(alphabet: Alphabet, others: tuple[str, ...]) -> None:
    symbols = [
        *alphabet.pieces.values(),
        *alphabet.zones.values(),
        *alphabet.signs.values(),
        *alphabet.rims.values(),
        *others,
    ]
    assert len(set(symbols)) == len(symbols)
    assert set(alphabet.pieces) == {(kind, owner) for kind in Kind for owner in (None, *SEATS)}
    assert (set(alphabet.zones), set(alphabet.signs), set(alphabet.rims)) == (set(Zone), set(Sign), set(Rim))


@pytest.mark.parametrize("name", CASES)
def test_a_legend_has_each_symbol_of_the_board_once(name: str) -> None:
    diagram = CASES[name]
    emoji = emoji_board(diagram)
    for board in (ascii_board(diagram), ascii_board(diagram, columns=100), emoji):
        symbols = [entry.symbol for entry in board.legend]
        assert len(set(symbols)) == len(symbols)
        assert all(set(symbol) <= set(board.text) for symbol in symbols)
        known = "".join(symbols) + "".join(EMPTY) + "".join(NUMBERS.values()) + DOT
        known += "".join(seat_symbol(diagram, seat, EMOJI) for seat in SEATS)
        if board is emoji:
            assert {letter for letter in board.text if ord(letter) > 0x2000} <= {*known, "\u200b"} | {
                chr(0x1F1E6 + n) for n in range(26)
            }


def test_a_legend_tells_whose_and_on_what() -> None:
    told = {(entry.symbol, entry.what, entry.owner, entry.on) for entry in emoji_board(breakthrough()).legend}
    assert told == {
        ("🌕", Kind.MAN, Seat.S1, None),
        ("🟣", Kind.MAN, Seat.S2, None),
        ("🔮", Sign.ENTERED, Seat.S2, Kind.MAN),
        ("💨", Sign.LEFT, None, None),
        ("💥", Sign.CRUSHED, None, None),
    }


def test_a_legend_has_pieces_first_by_seat() -> None:
    board = ascii_board(replace(klopodavka(10, 10, 3), joined_files=True, out=frozenset({Seat.S2})))
    assert [entry.symbol for entry in board.legend] == [*"abcABC+", "[]", "<>", "!"]


def test_a_seat_goes_by_its_live_pieces() -> None:
    bugs = klopodavka(10, 10, 10)
    assert "".join(seat_symbol(bugs, seat, ASCII) for seat in SEATS) == "abcdefghij"
    assert seat_symbol(bugs, Seat.S1, EMOJI) == "🐞"
    assert [seat_symbol(lgame(), seat, ASCII) for seat in (Seat.S1, Seat.S2)] == ["1", "2"]
    assert [seat_symbol(breakthrough(), seat, EMOJI) for seat in (Seat.S1, Seat.S2)] == ["🌕", "🟣"]


def test_walls_stand_beside_the_symbol_of_who_has_any() -> None:
    bug, wall = Piece(Kind.BUG, squares("a1"), Seat.S1), Piece(Kind.WALL, squares("b2"), Seat.S2)
    diagram = Diagram(Grid(3, 3), (bug, wall))
    assert [seat_symbols(diagram, seat, EMOJI) for seat in (Seat.S1, Seat.S2)] == ["🐞", "🦋 🔷"]
    assert [seat_symbols(diagram, seat, ASCII) for seat in (Seat.S1, Seat.S2)] == ["a", "b B"]
    assert seat_symbols(breakthrough(), Seat.S1, EMOJI) == "🌕"


def test_a_seat_without_live_pieces_keeps_its_symbol() -> None:
    walls = Diagram(Grid(3, 3), (Piece(Kind.WALL, squares("a1"), Seat.S1),))
    assert seat_symbol(walls, Seat.S1, ASCII) == "a"
    assert seat_symbol(walls, Seat.S2, ASCII) == "b"
    men = Diagram(Grid(3, 3), (Piece(Kind.MAN, squares("a1"), Seat.S1),))
    assert seat_symbol(men, Seat.S2, ASCII) == "@"
    assert seat_symbol(Diagram(Grid(3, 3), ()), Seat.S3, EMOJI) == "3"


def test_pieces_and_areas_in_words_are_gathered_by_kind_and_owner() -> None:
    diagram = lgame(painted=True, moved=False)
    assert [(group.what, group.owner, " ".join(map(str, group.squares))) for group in pieces(diagram)] == [
        (Kind.TILE, Seat.S1, "b1 b2 b3 c1"),
        (Kind.TILE, Seat.S2, "b4 c2 c3 c4"),
        (Kind.DISC, None, "a4 d1"),
    ]
    assert [(group.what, group.owner, " ".join(map(str, group.squares))) for group in areas(diagram)] == [
        (Zone.PAINTED, None, "a3 a4 b3 b4"),
    ]


def test_groups_hold_every_piece_once() -> None:
    diagram = klopodavka(12, 12, 10)
    held = [(group.what, group.owner, square) for group in pieces(diagram) for square in group.squares]
    assert len(held) == len(diagram.pieces)
    assert set(held) == {(piece.kind, piece.owner, piece.cells[0]) for piece in diagram.pieces}


def test_ranks_of_two_digits_sort_as_numbers() -> None:
    diagram = Diagram(Grid(3, 12), (), (Area(Zone.GOAL, squares("a10 a9 b1 a2"), Seat.S1),))
    assert areas(diagram)[0].squares == squares("a2 a9 a10 b1")
