"""The ideas of the games on boards: what they say is true, and the pages for players show the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bot.i18n import LANGUAGES
from bot.i18n import words as words_for
from bot.i18n.catalogues import ROOT
from engine import engine_for
from engine.core import Budget, GameValue
from engine.lgame.ideas import KILLERS
from rules import GAMES
from rules.core import Kind, Lesson, Position, Seat, Square, sq
from rules.lgame import LPosition
from rules.lgame.board import AXES, FULL, bits, fitting, images, mask_of
from tests.engine.lgame.solving import arrangements

PAGES = ROOT / "docs" / "rules"
EVERY = [(key, lesson) for key in GAMES for lesson in GAMES[key].lessons]
SIGNS = {Kind.MAN: "WB", Kind.BUG: "AB", Kind.WALL: "#%", Kind.TILE: "12"}
ARROW = "  →  "


def named(each: object) -> str | None:
    return each.key if isinstance(each, Lesson) else None


def start_of(game: str, lesson: Lesson) -> Position[Any]:
    options = GAMES[game].choose(dict(lesson.options))
    position: Position[Any] = GAMES[game].notation.parse_position(lesson.position, options)
    return position


def after(game: str, lesson: Lesson) -> Position[Any]:
    position = start_of(game, lesson)
    for move in GAMES[game].notation.parse(lesson.turn, position) if lesson.turn else ():
        position = position.play(move)
    return position


def lesson_of(game: str, key: str) -> Lesson:
    return next(each for each in GAMES[game].lessons if each.key == key)


def ranks(game: str, position: Position[Any], marked: Sequence[Square]) -> list[str]:
    """A board as the pages print it, the top rank first; marked cells with nothing on them are an x."""
    diagram = GAMES[game].draw(position)

    def sign(square: Square) -> str:
        piece = diagram.at(square)
        if piece is None:
            return "x" if square in marked else "."
        return "o" if piece.owner is None else SIGNS[piece.kind][piece.owner]

    files = range(diagram.grid.files)
    rows = [
        f"{rank + 1}  " + " ".join(sign(Square(file, rank)) for file in files)
        for rank in reversed(range(diagram.grid.ranks))
    ]
    return [*rows, "   " + " ".join(chr(ord("a") + file) for file in files)]


def block(game: str, lesson: Lesson) -> str:
    """The block of a lesson on a page: the board, or before and after its turn."""
    marked = [sq(name) for name in lesson.squares.split()]
    last = ranks(game, after(game, lesson), marked)
    if not lesson.turn:
        return "".join(f"{row}\n" for row in last)
    first = ranks(game, start_of(game, lesson), ())
    middle = len(last) // 2 - 1
    return "".join(
        f"{one}{ARROW if row == middle else ' ' * len(ARROW)}{two}\n"
        for row, (one, two) in enumerate(zip(first, last, strict=True))
    )


def shown(game: str, lesson: Lesson, language: str) -> str:
    """A lesson as a page has it."""
    said = words_for(language)(f"{game}.lesson.{lesson.key}")
    turn = f" (`{lesson.turn}`)" if lesson.turn else ""
    return f"{said}{turn}\n\n```\n{block(game, lesson)}```\n"


@pytest.mark.parametrize(("game", "lesson"), EVERY, ids=named)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_have_every_lesson(game: str, lesson: Lesson, language: str) -> None:
    page = (PAGES / language / f"{game}.md").read_text("utf-8")
    assert shown(game, lesson, language) in page


def test_every_l_without_a_move_touches_a_corner() -> None:
    corners = mask_of(map(sq, ("a1", "d1", "a4", "d4")))
    lost = [each for each in arrangements(GAMES["lgame"].choose({})) if each.outcome]
    assert lost
    assert all(each.cells(each.to_move) & corners for each in lost)
    assert start_of("lgame", lesson_of("lgame", "corner")).outcome is not None


def test_a_neutral_on_a_killer_cell_takes_room() -> None:
    lesson = lesson_of("lgame", "killer")
    before, moved = start_of("lgame", lesson), after("lgame", lesson)
    assert isinstance(before, LPosition)
    assert isinstance(moved, LPosition)
    assert mask_of(map(sq, lesson.squares.split())) == KILLERS
    own, foe = moved.first, moved.second
    assert len(fitting(own | before.neutrals)) - 1 == 10
    assert len([cells for cells in fitting(own | moved.neutrals) if cells != foe]) == 6


def test_the_block_leaves_only_the_mirror_image_and_a_neutral_takes_that() -> None:
    lesson = lesson_of("lgame", "square")
    here = after("lgame", lesson)
    assert isinstance(here, LPosition)
    assert here.outcome is not None
    closed = mask_of(map(sq, lesson.squares.split()))
    outside = here.neutrals & ~closed
    left = {cells for cells in fitting(here.first | here.neutrals & closed) if cells != here.second}
    assert outside == mask_of([sq("a2")])
    assert len(left) == 1
    assert left <= images(AXES)[here.second]


def test_half_a_board_is_closed_by_the_l_and_each_neutral_is_needed() -> None:
    lesson = lesson_of("lgame", "half")
    here = after("lgame", lesson)
    assert isinstance(here, LPosition)
    assert here.outcome is not None
    half = mask_of(map(sq, lesson.squares.split()))
    assert not here.first & ~half
    assert not here.neutrals & half
    assert not any(not cells & ~half & FULL for cells in fitting(here.first))
    for neutral in bits(here.neutrals):
        assert len(fitting(here.first | here.neutrals ^ neutral)) > 1


def captures(position: Position[Any]) -> set[Square]:
    """The cells that the men of the side to move guard: where an enemy could be captured."""
    return {
        Square(man.cells[0].file + aside, man.cells[0].rank + 1)
        for man in GAMES["breakthrough"].draw(position).pieces
        if man.owner == Seat.S1
        for aside in (-1, 1)
    }


def test_men_guard_what_is_marked() -> None:
    for key in ("pair", "home"):
        lesson = lesson_of("breakthrough", key)
        guarded = captures(start_of("breakthrough", lesson))
        assert set(map(sq, lesson.squares.split())) == {each for each in guarded if 0 <= each.file < 8}
    step = start_of("breakthrough", lesson_of("breakthrough", "step"))
    ends = {move.end for move in step.legal_moves()}
    assert ends == set(map(sq, lesson_of("breakthrough", "step").squares.split()))


def test_a_man_in_a_gap_arrives() -> None:
    lesson = lesson_of("breakthrough", "gap")
    here = after("breakthrough", lesson)
    assert not any(move.captures for move in here.legal_moves())
    game = GAMES["breakthrough"]
    found = engine_for(game, game.choose({}), here).think(here, Budget(depth=3))
    assert found.proof is not None
    assert found.proof.result is GameValue.LOSS
    assert found.proof.plies == 2


def test_walls_carry_until_the_link_is_cut() -> None:
    notation = GAMES["klopodavka"].notation
    link, cut = lesson_of("klopodavka", "link"), lesson_of("klopodavka", "cut")
    reach = {move.square for move in start_of("klopodavka", link).legal_moves()}
    assert set(map(sq, link.squares.split())) <= reach
    here = after("klopodavka", cut)
    assert here.to_move == Seat.S1
    assert not {move.square for move in here.legal_moves()} & {sq("e3"), sq("e4"), sq("e5"), sq("d5")}
    near = start_of("klopodavka", lesson_of("klopodavka", "near"))
    assert len(notation.parse("d4 c3 xb2", near)) == near.plies_left == 3
    blocked = after("klopodavka", lesson_of("klopodavka", "blocked"))
    assert blocked.outcome is not None
    assert blocked.outcome.winners == (Seat.S2,)
