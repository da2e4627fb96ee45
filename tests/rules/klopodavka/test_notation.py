"""What people type, and what they are told when it cannot be played."""

from __future__ import annotations

import pytest

from rules.core import (
    BadNotation,
    Highlights,
    IllegalMove,
    Legality,
    Reason,
    RulesError,
    Sign,
    Spelling,
    Zone,
)
from rules.klopodavka import GAME, Move
from rules.klopodavka.options import Illegal
from rules.klopodavka.position import KlopodavkaPosition
from tests.rules.klopodavka.reference import played, position, start

parse = GAME.notation.parse
FIGHT = position("4b/3b1/2b2/1a3/a4 1 3 -", board="5x5")


def refused(text: str, here: KlopodavkaPosition) -> RulesError:
    with pytest.raises(RulesError) as error:
        parse(text, here)
    return error.value


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("b3", "b3"),
        ("b3 c2", "b3 c2"),
        ("b3;c2 ,  a3,", "b3 c2 a3"),
        ("  b3   c2 ", "b3 c2"),
        ("xc3", "xc3"),
        ("c3", "xc3"),  # the bug there is crushed with or without x
        ("x c3", "xc3"),
        ("Xc3 d3", "xc3 d3"),
        ("хс3", "xc3"),  # Cyrillic letters that look like Latin ones
        ("ХС3 с2", "xc3 c2"),
        ("×c3", "xc3"),
        ("xc3 xd4 xe5", "xc3 xd4 xe5"),
        ("c3 d4 e5", "xc3 xd4 xe5"),
        ("x c3 x d4,x e5", "xc3 xd4 xe5"),
        ("b3\nc2\ta3", "b3 c2 a3"),
        ("b3-c2-a3", "b3 c2 a3"),
        ("1. b3 – xc3 – xd4", "b3 xc3 xd4"),
        ("b3xc3xd4", "b3 xc3 xd4"),
        ("[b3c2a3]", "b3 c2 a3"),
    ],
)
def test_read(typed: str, canonical: str) -> None:
    assert " ".join(map(GAME.notation.format, parse(typed, FIGHT))) == canonical


def test_the_file_x_is_not_a_crush() -> None:
    here = position("26/26/26/24b1/22a3 1 2 -", board="26x5", bases="w1,y2")
    assert parse("x2", here) == (Move(here.options.board.find("x2")),)
    assert [str(move) for move in parse("x1 y2", here)] == ["x1", "xy2"]
    assert [str(move) for move in parse("x1 xy2", here)] == ["x1", "xy2"]
    far = position("26/26/24a1/23b2/26 1 1 -", board="26x5", bases="y3,x2")
    assert [str(move) for move in parse("xx2", far)] == ["xx2"]
    assert [str(move) for move in parse("x x2", far)] == ["xx2"]
    assert [str(move) for move in parse("x2", far)] == ["xx2"]


@pytest.mark.parametrize(
    ("typed", "reason", "square"),
    [
        ("e1", Illegal.UNREACHABLE, "e1"),
        ("e5", Illegal.UNREACHABLE, "e5"),  # a bug, but too far
        ("a1", Illegal.OWN_BUG, "a1"),
        ("b3 b3", Illegal.REPEATED, "b3"),
        ("c3 a2 xc3", Illegal.REPEATED, "c3"),
        ("xb3", Illegal.NOTHING_TO_CRUSH, "b3"),
        ("b3 xc2", Illegal.NOTHING_TO_CRUSH, "c2"),
        ("xe1", Illegal.NOTHING_TO_CRUSH, "e1"),
        ("a2 a3 b3 c2", Illegal.TOO_MANY, "c2"),
        ("e1 e2 e3 e4 e5", Illegal.TOO_MANY, "e4"),
    ],
)
def test_the_first_bad_cell_is_named_and_nothing_is_played(typed: str, reason: Reason, square: str) -> None:
    error = refused(typed, FIGHT)
    assert isinstance(error, IllegalMove)
    assert error.reason is reason
    assert str(error.fields["square"]) == square


def test_too_many_says_how_many_are_left() -> None:
    here = played(FIGHT, "b3")
    error = refused("a2 a3 c2", here)
    assert error.reason is Illegal.TOO_MANY
    assert error.fields["given"] == 3
    assert error.fields["count"] == 2


@pytest.mark.parametrize(
    ("line", "chosen", "typed", "reason", "seat"),
    [
        ("4b/5/5/1A3/a4 1 3 -", {"board": "5x5"}, "b2", Illegal.OWN_WALL, None),
        ("4b/5/5/1B3/a4 1 3 -", {"board": "5x5"}, "b2", Illegal.ENEMY_WALL, 2),
        ("4b/5/5/1B3/a4 1 3 -", {"board": "5x5"}, "xb2", Illegal.ENEMY_WALL, 2),
        ("4b/4B/3A1/5/a4 1 3 -", {"board": "5x5"}, "c3", Illegal.UNLINKED_WALL, None),
        ("4b/3b1/3A1/5/a4 1 3 -", {"board": "5x5"}, "d4", Illegal.UNLINKED_WALL, None),
        (
            "4b/5/aBa2/5/5 1 3 -",
            {"board": "5x5", "reach": "base", "bases": "a3,e5"},
            "d3",
            Illegal.UNLINKED_BASE,
            None,
        ),
        ("2b/1a1/a2 1 3 -", {"board": "3x3", "base": "immune"}, "c3", Illegal.IMMUNE_BASE, 2),
        ("2b/1a1/a2 1 3 -", {"board": "3x3", "base": "immune"}, "xc3", Illegal.IMMUNE_BASE, 2),
        ("b4c/6/6/6/1C4/a4d 1 3 -", {"board": "6x6", "teams": "2v2"}, "b2", Illegal.ALLY_WALL, 3),
        ("b5/6/6/6/1c4/a4d 1 3 -", {"board": "6x6", "teams": "2v2"}, "b2", Illegal.ALLY_BUG, 3),
    ],
)
def test_what_stands_in_the_way(
    line: str, chosen: dict[str, str], typed: str, reason: Reason, seat: int | None
) -> None:
    error = refused(typed, position(line, **chosen))
    assert error.reason is reason
    assert str(error.fields["square"]) == typed.removeprefix("x")
    if seat:
        assert error.fields["seat"] == seat - 1
    else:
        assert "seat" not in error.fields


def test_headquarters() -> None:
    here = played(start("variant:hq board:6x6"), "c3 c4")
    assert GAME.notation.format_position(here) == "2bbb1/2bbb1/2a3/2a3/1aaa2/1aaa2 1 6 -"
    error = refused("c5", here)
    assert error.reason is Illegal.HEADQUARTERS
    assert error.fields["seat"] == 1
    cut = position("2bbb1/2bbb1/2a3/2B3/1aaa2/1aaa2 1 6 -", variant="hq", board="6x6", actions="8")
    assert refused("b4", cut).reason is Illegal.UNLINKED_HQ


def test_a_move_says_what_it_does() -> None:
    """Typed text finds out; a move made in code must agree with what is there."""
    bug, empty = (FIGHT.options.board.find(text) for text in ("c3", "b3"))
    with pytest.raises(IllegalMove) as error:
        FIGHT.play(Move(bug))
    assert error.value.reason is Illegal.ENEMY_BUG
    with pytest.raises(IllegalMove) as error:
        FIGHT.play(Move(empty, crush=True))
    assert error.value.reason is Illegal.NOTHING_TO_CRUSH
    with pytest.raises(IllegalMove) as error:
        FIGHT.play(Move(start("board:9x9").options.board.find("i9")))
    assert error.value.reason is Spelling.OFF_THE_BOARD


def test_the_turn_may_be_over_before_the_last_cell() -> None:
    here = position("5b/6/6/BB4/1B4/aB3c 1 3 -", players="3", board="6x6")
    error = refused("a2 f5", here)
    assert error.reason is Illegal.TURN_OVER
    assert str(error.fields["square"]) == "f5"
    assert [str(move) for move in parse("a2", here)] == ["a2"]


def test_the_game_may_be_over_before_the_last_cell() -> None:
    here = position("BB1b/1B2/aB2 1 3 -", board="4x3")
    error = refused("a2 b1", here)
    assert error.reason is Illegal.OVER_BEFORE
    assert str(error.fields["square"]) == "b1"
    over = played(here, "a2")
    assert refused("b1", over).reason is Legality.GAME_OVER


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", Spelling.EMPTY),
        ("  ,", Spelling.EMPTY),
        ("b3 c", Spelling.NOT_A_SQUARE),
        ("f1", Spelling.OFF_THE_BOARD),
        ("b3 xz9", Spelling.OFF_THE_BOARD),
        ("b3+c2", Spelling.NOT_A_SQUARE),
        ("xxc3", Spelling.NOT_A_SQUARE),
        ("b٣", Spelling.STRANGE_CHARACTER),
        ("b3 " * 200, Spelling.TOO_LONG),
    ],
)
def test_no_cells_at_all(typed: str, reason: Reason) -> None:
    error = refused(typed, FIGHT)
    assert isinstance(error, BadNotation)
    assert error.reason is reason


@pytest.mark.parametrize(
    ("typed", "quoted"),
    [
        ("L a1-a3-b3", "L"),
        ("B3, Hello there", "Hello"),
        ("b3 соре", "соре"),
        ("b3+C2", "b3+C2"),
        ("xxC3", "xxC3"),
    ],
)
def test_a_refusal_quotes_what_was_typed(typed: str, quoted: str) -> None:
    error = refused(typed, FIGHT)
    assert error.reason is Spelling.NOT_A_SQUARE
    assert error.fields == {"text": quoted}


# Picking a cell, and what is drawn.


def test_headquarters_and_joined_edges_are_drawn() -> None:
    shown = GAME.draw(start("variant:hq topology:torus"))
    assert {area.zone for area in shown.areas} == {Zone.HEADQUARTERS}
    assert all(len(area.cells) == 6 for area in shown.areas)
    assert (shown.joined_files, shown.joined_ranks) == (True, True)
    cylinder = GAME.draw(start("topology:cylinder"))
    assert (cylinder.joined_files, cylinder.joined_ranks) == (True, False)
    plane = GAME.draw(start())
    assert (plane.joined_files, plane.joined_ranks) == (False, False)


def test_the_part_of_the_board_that_is_picked_is_marked_where_it_can_be_acted_on() -> None:
    marks = GAME.draw(start(), Highlights(picked=["a1-e5"])).marks
    assert [str(mark.square) for mark in marks if mark.sign is Sign.PICKED] == ["b1", "a2", "b2"]
    assert GAME.draw(start(), Highlights(picked=["nonsense"])).marks == ()
