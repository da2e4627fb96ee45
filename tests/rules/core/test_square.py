"""Squares, grids, seats: small values that print as what makes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core import MAX_SEATS, SEATS, BadNotation, Grid, Seat, Spelling, Square, sq

squares = st.builds(Square, st.integers(0, 25), st.integers(0, 98))


@given(squares)
def test_a_square_is_read_back(square: Square) -> None:
    assert sq(str(square)) == square
    assert eval(repr(square), {"sq": sq}) == square
    assert hash(sq(str(square))) == hash(square)


def test_files_then_ranks_from_the_bottom_left() -> None:
    assert sq("a1") == Square(0, 0)
    assert sq("z30") == Square(25, 29)
    assert str(Square(1, 2)) == "b3"
    assert repr(Square(1, 2)) == "sq('b3')"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a1 ",
        " a1",
        "a1\n",
        *["a", "1", "a0", "a01", "a00", "aa1", "A1", "a100", "a-1", "1a", "é1", "a²", "а1"],
    ],
)
def test_what_is_no_square(text: str) -> None:
    with pytest.raises(BadNotation) as refused:
        sq(text)
    assert refused.value.reason is Spelling.NOT_A_SQUARE
    assert set(refused.value.fields) == {"text"}


def test_a_long_word_is_not_repeated_in_full() -> None:
    with pytest.raises(BadNotation) as refused:
        sq("a" * 400)
    assert len(str(refused.value.fields["text"])) < 30


@given(st.integers(1, 26), st.integers(1, 30), squares)
def test_a_grid_counts_along_the_ranks(files: int, ranks: int, square: Square) -> None:
    grid = Grid(files, ranks)
    every = list(grid)
    assert len(every) == len(set(every)) == len(grid) == files * ranks
    assert [grid.index(each) for each in every] == list(range(len(grid)))
    assert [grid.square(index) for index in range(len(grid))] == every
    assert (square in grid) == (square in set(every))
    assert str(grid) == f"{files}x{ranks}"


def test_a_grid_finds_its_own_squares_only() -> None:
    grid = Grid(4, 3)
    assert grid.find("d3") == sq("d3")
    for text in ("e1", "a4", "z99"):
        with pytest.raises(BadNotation) as refused:
            grid.find(text)
        assert refused.value.reason is Spelling.OFF_THE_BOARD
        assert refused.value.fields == {"square": sq(text), "board": grid}
    with pytest.raises(BadNotation) as refused:
        grid.find("4a")
    assert refused.value.reason is Spelling.NOT_A_SQUARE
    for stranger in ((0, 0), "a1", None, Square(-1, 0), Square(0, -1)):
        assert stranger not in grid


def test_seats_are_counted_from_one_and_index_from_nought() -> None:
    assert MAX_SEATS == len(SEATS) == 10
    assert [seat.number for seat in SEATS] == list(range(1, 11))
    assert "abcdefghij"[Seat.S3] == "c"
    for seat in SEATS:
        assert eval(repr(seat), {"Seat": Seat}) is seat
        assert str(seat) == repr(seat)
