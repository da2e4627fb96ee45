"""Squares, grids, seats, and typed text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rules.core import (
    MAX_READINGS,
    MAX_SEATS,
    MAX_TEXT,
    SEATS,
    BadNotation,
    Grid,
    Seat,
    Spelling,
    Square,
    as_typed,
    fold,
    fold_move,
    grid_of,
    quoted,
    readings,
    sq,
)
from rules.core.grid import read_layout, write_layout

# Squares, grids, seats: small values that print as what makes them.


squares = st.builds(Square, st.integers(0, 25), st.integers(0, 98))


@given(squares)
def test_a_square_is_read_back(square: Square) -> None:
    assert sq(str(square)) == square
    assert eval(repr(square), {"sq": sq}) == square
    assert hash(sq(str(square))) == hash(square)


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


# Folding: what people type on any keyboard becomes plain ASCII, or is refused with a reason.


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("a2-a3", "a2-a3"),
        ("  d4   e5\t f6\r\n", "d4 e5 f6"),
        ("d4\u00a0e5\u2009f6\u202fg7", "d4 e5 f6 g7"),
        ("а1 с2 е3 о4 х5", "a1 c2 e3 o4 x5"),
        ("асеорхвнкмтіу", "aceopxbhkmtiy"),
        ("АСЕОРХВНКМТІУ", "aceopxbhkmtiy"),
        ("в2хс3", "b2xc3"),
        ("a4–b2", "a4-b2"),
        ("a‐b‑c‒d–e—f―g−h", "a-b-c-d-e-f-g-h"),
        ("✕✖", "xx"),
        ("a2→a3", "a2-a3"),
        ("a2 -> a3", "a2 - a3"),
        ("«a2-a3».", "a2-a3"),
        ("“d4, e5”…", "d4, e5"),
        ("a3!", "a3"),
        ("L c1-c3 n b2", "l c1-c3 n b2"),
        ("Ａ２－ａ３　ｂ４", "a2-a3 b4"),
    ],
)
def test_reads_what_looks_alike(typed: str, folded: str) -> None:
    assert fold(typed) == folded


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        ("1. b2-b3", "b2-b3"),
        ("12.b2b3", "b2b3"),
        ("1... b7-b6", "b7-b6"),
        ("1… b7-b6", "b7-b6"),
        ("3) b2-b3", "b2-b3"),
        ("１．ｂ２－ｂ３", "b2-b3"),
        ("[b2b3]", "b2b3"),
        ("(1. b2-b3)", "b2-b3"),
        ("1. [b2-b3]!", "b2-b3"),
        ("“1. b2-b3”", "b2-b3"),
        ("b2b3*", "b2b3"),
        ("c5xd4+", "c5xd4"),
        ("b2 to b3", "b2-b3"),
        ("B2 TO B3", "b2-b3"),
        ("b2 на b3", "b2-b3"),
        ("L c1-c3 n a4 до b2", "l c1-c3 n a4-b2"),
        *((left, left) for left in ("d3-e4-f5", "1.2", "12345. b2", "b2]b3", "b2 too b3")),
    ],
)
def test_what_is_written_around_a_move_is_left_out(typed: str, move: str) -> None:
    assert fold_move(typed) == move


@pytest.mark.parametrize("text", ["", " ", "   ", "\t", "\r\n", "\u00a0"])
def test_nothing_is_refused(text: str) -> None:
    with pytest.raises(BadNotation) as refused:
        fold(text)
    assert refused.value.reason is Spelling.EMPTY


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u0663", "\u0663"),  # Arabic-Indic three
        ("a1\0", "U+0000"),
        ("a1\x7f", "U+007F"),
        ("\u202ea1", "U+202E"),
        ("a1\u200b", "U+200B"),
        ("a1\ud800", "U+D800"),
        ("a1\x0b", "U+000B"),
        ("😀", "😀"),
        ("фыва", "ф"),
        ("\u212a2", "\u212a"),  # Kelvin: its lower case would be an ASCII k
    ],
)
def test_no_other_character_gets_through(text: str, shown: str) -> None:
    with pytest.raises(BadNotation) as refused:
        fold(text)
    assert refused.value.reason is Spelling.STRANGE_CHARACTER
    assert refused.value.fields == {"character": shown}


@pytest.mark.parametrize("letter", ["a", "ф", " ", "\0", "😀"])
def test_long_lines_are_refused_unread(letter: str) -> None:
    assert fold("a" * MAX_TEXT) == "a" * MAX_TEXT
    for length in (MAX_TEXT + 1, 10_000):
        with pytest.raises(BadNotation) as refused:
            fold(letter * length)
        assert refused.value.reason is Spelling.TOO_LONG
        assert refused.value.fields == {"limit": MAX_TEXT}
        assert len(str(refused.value)) < 100
    with pytest.raises(BadNotation):
        fold("abc", limit=2)


@given(st.text(max_size=MAX_TEXT + 5))
def test_what_comes_out_is_plain(text: str) -> None:
    try:
        folded = fold(text)
    except BadNotation:
        return
    assert folded.isascii()
    assert folded.isprintable()
    assert folded == folded.lower().strip()
    assert "  " not in folded
    assert fold(folded) == folded


@pytest.mark.parametrize(
    ("word", "text", "typed"),
    [
        ("l", "L a1-a3-b3", "L"),
        ("ball", "a1  BALL", "BALL"),
        ("cope", "a1 соре", "соре"),
        ("hello", "b3, Hello!", "Hello"),
        ("c", "b3c C", "C"),
        ("8x8", "8×8", "8×8"),
        ("xe5", "X e5", "xe5"),  # put together from two parts: there is nothing to repeat
        ("", "  ,", ""),
        ("k2", "İ k2", "k2"),  # lower case is longer here, so places do not agree
    ],
)
def test_a_word_is_found_as_it_was_typed(word: str, text: str, typed: str) -> None:
    assert as_typed(word, text) == typed


@given(st.text(max_size=MAX_TEXT))
@example("0;'0")
@example(";'0")
def test_every_word_of_folded_text_was_typed(text: str) -> None:
    try:
        words = fold(text).split()
    except BadNotation:
        return
    for word in words:
        spoken = word.rstrip(".,;!?")  # which `fold` leaves out at the end of a text
        if spoken:
            assert fold(as_typed(word, text)) == spoken


@given(st.text())
def test_a_quotation_is_short_and_seen(text: str) -> None:
    shown = quoted(text)
    assert shown.isprintable()
    assert len(shown) <= 25
    if text.isprintable() and len(text) <= 24:
        assert shown == text
    else:
        assert shown != text


def test_a_quotation_shows_that_it_is_cut() -> None:
    assert [quoted("a" * length) for length in (24, 25)] == ["a" * 24, "a" * 24 + "…"]
    assert quoted("a\0\u202eb") == "a\ufffd\ufffdb"


def test_cyrillic_letters_are_read_by_look_and_by_sound() -> None:
    assert list(readings("б2-Б3")) == ["b2-b3"]
    assert list(readings("в4")) == ["b4", "v4"]
    assert list(readings("a2-a3")) == []
    assert len(list(readings("вгжнрсух"))) == MAX_READINGS


def test_files_are_read_by_their_places_in_an_alphabet_where_one_looks_like_no_latin_letter() -> None:
    assert list(readings("г3 д4 е5")) == ["g3 d4 e5", "h3 d4 e5", "d3 e4 f5", "d3 f4 g5"]
    assert list(readings("д2 хд3")) == ["d2 xd3", "d2 hd3", "e2 хe3", "f2 хf3"]
    assert list(readings("1. г3 на г4")) == ["g3-g4", "h3-h4", "d3-d4"]
    # Beyond the last letter there is no file.
    assert list(readings("ё3 щ4")) == ["ё3 y4", "g3 щ4", "ё3 щ4"]
    assert list(readings("е5 в3")) == ["e5 b3", "e5 v3"]  # both look like Latin letters


@given(
    st.builds(Grid, st.integers(1, 26), st.integers(1, 30)),
    st.dictionaries(st.builds(Square, st.integers(0, 25), st.integers(0, 29)), st.sampled_from("abAB")),
)
def test_a_layout_tells_its_board(grid: Grid, pieces: dict[Square, str]) -> None:
    held = {square: piece for square, piece in pieces.items() if square in grid}
    layout = write_layout(grid, held)
    assert grid_of(layout) == grid
    assert read_layout(grid, layout) == held
    assert read_layout(Grid(grid.files + 1, grid.ranks), layout) is None


@pytest.mark.parametrize(
    "text", ["", "/", "8/7", "8//8", "27", "9" * 999, "1/" * 99 + "1", "a" * 1001, "²", "٣", "8/8/"]
)
def test_what_is_no_layout_has_no_board(text: str) -> None:
    assert grid_of(text) is None
