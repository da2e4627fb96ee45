"""Boards as text: in ASCII and emoji, with legends, of every game."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from render import (
    ASCII,
    EMOJI,
    PHONE_COLUMNS,
    PHONE_LINE,
    Alphabet,
    Rim,
    areas,
    ascii_board,
    emoji_board,
    fits,
    pieces,
    seat_symbol,
    seat_symbols,
)
from render.emoji import EMPTY, NUMBERS, TOGETHER
from render.text import DOT, MESSAGE
from rules import GAMES
from rules.core import SEATS, Area, Diagram, Grid, Highlights, Kind, Mark, Piece, Seat, Sign, Zone, sq
from tests.render.text.golden import CASES, FOLDER, page
from tests.render.text.reading import (
    anything,
    breakthrough,
    klopodavka,
    lgame,
    read_ascii,
    read_emoji,
    squares,
    truth,
)

WIDTHS = (PHONE_COLUMNS, 60, 400)
SIZES = [(files, ranks) for files in (3, 9, 10, 11, 15, 16, 20, 25, 26) for ranks in (3, 9, 10, 16, 17, 30)]


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


SYMBOLS = (
    *EMPTY,
    *TOGETHER.values(),
    *EMOJI.pieces.values(),
    *EMOJI.zones.values(),
    *EMOJI.signs.values(),
)


@pytest.mark.parametrize("flipped", [False, True])
def test_everything_on_an_emoji_board_can_be_read_back(*, flipped: bool) -> None:
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
    assert all(NUMBERS[str(number)] in "\n".join(board.rows) for number in range(1, 11))
    assert [(note.label, note.squares) for note in board.notes] == [("11", (sq("e2"),)), ("12", (sq("f2"),))]


def test_the_goal_of_one_side_is_told_below_and_everybodys_in_the_cells() -> None:
    edge = Area(Zone.GOAL, tuple(square for square in Grid(5, 5) if square.rank == 4), Seat.S1)
    board = emoji_board(Diagram(Grid(5, 5), (), (edge, Area(Zone.GOAL, (sq("c3"),)))))
    assert [row.count("🏁") for row in board.rows] == [0, 0, 1, 0, 0, 0]
    assert board.footer == ("🏁 1: a5-e5",)


# Every game and preset there is, in the middle of play, as its own diagrams have it.


PRESETS = [(key, preset) for key, game in GAMES.items() for preset in game.schema.presets]


def _shown(key: str, preset: str) -> Iterator[Diagram]:
    game, chance = GAMES[key], Random(7)
    position = game.start(game.choose({"preset": preset}))
    for ply in range(24):
        moves = position.legal_moves()
        if not moves:
            return
        move = chance.choice(moves)
        if ply % 6 == 0:
            yield game.draw(position)
            yield game.draw(position, Highlights(candidates=moves[:9]))
            steps = game.notation.steps(move)
            for end in range(len(steps)):
                fork = game.fork(position, steps[:end]) if end else game.fork(position, ())
                if all(step.token != steps[end] for step in fork.steps):
                    break
                yield game.draw(position, Highlights(picked=steps[: end + 1]))
        after = position.play(move)
        yield game.draw(after, Highlights(last=(move,), before=position))
        position = after


@pytest.mark.parametrize(("key", "preset"), PRESETS)
def test_every_board_of_a_game_can_be_read_back_and_fits_a_message(key: str, preset: str) -> None:
    for diagram in islice(_shown(key, preset), 0, None, 2):
        told = truth(diagram)
        for flipped in (False, True):
            for columns in (PHONE_COLUMNS, 200):
                board = ascii_board(diagram, flipped=flipped, columns=columns)
                assert read_ascii(board.text, diagram) == told, board.text
                assert len(board.text) < 2000
                assert max(map(len, board.rows)) <= columns
            board = emoji_board(diagram, flipped=flipped)
            assert read_emoji(board.text, diagram) == told, board.text


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


def test_ranks_of_two_digits_sort_as_numbers() -> None:
    diagram = Diagram(Grid(3, 12), (), (Area(Zone.GOAL, squares("a10 a9 b1 a2"), Seat.S1),))
    assert areas(diagram)[0].squares == squares("a2 a9 a10 b1")


@pytest.mark.parametrize("name", CASES)
def test_boards_look_as_they_did(name: str) -> None:
    assert page(CASES[name]) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_golden_board_belongs_to_a_case() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(CASES)
