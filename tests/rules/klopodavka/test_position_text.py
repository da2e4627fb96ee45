"""Positions as lines of text: exact both ways, and checked."""

from __future__ import annotations

import pytest

from rules.core import BadNotation, Reason, Spelling
from rules.klopodavka import GAME
from rules.klopodavka.options import Misplaced
from tests.rules.klopodavka.making import chosen, position, start

write, read = GAME.notation.format_position, GAME.notation.parse_position


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("", "9b/10/10/10/10/10/10/10/10/a9 1 3 -"),
        ("first:1", "9b/10/10/10/10/10/10/10/10/a9 1 1 -"),
        ("players:4 board:12x12 actions:4", "b10c/12/12/12/12/12/12/12/12/12/12/a10d 1 4 -"),
        ("variant:hq board:6x7", "2bbb1/2bbb1/6/6/6/1aaa2/1aaa2 1 8 -"),
        ("players:10 board:9x9 actions:10", "2d2e3/c7f/9/9/b7g/9/9/a7h/3j2i2 1 10 -"),
    ],
)
def test_starts(options: str, line: str) -> None:
    assert write(start(options)) == line
    assert read(line, chosen(options)) == start(options)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 1 3", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 1 3 - -", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 0 3 -", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 1 03 -", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 1 3 ,", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 1 3 -\n", Spelling.NOT_A_POSITION),
        ("4b/5/5/14/a4 1 3 -", Misplaced.ROWS),
        ("4b/5/5/5/a04 1 3 -", Spelling.NOT_A_POSITION),
        ("1111b/5/5/5/a4 1 3 -", Misplaced.ROWS),
        ("4b/5/5/a4 1 3 -", Misplaced.ROWS),
        ("4b/5/5/5/a3c 1 3 -", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 3 3 -", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 1 3 3", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 1 3 0", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 1 4 -", Misplaced.LEFT),
        ("4b/5/5/5/a4 1 3 1", Misplaced.UNSETTLED),  # out, and to move, and the game is decided
        ("4b/5/5/5/5 1 3 -", Misplaced.UNSETTLED),  # cannot act, and is not out
        ("4b/5/5/5/a4 2 3 1,1", Spelling.NOT_A_POSITION),
        ("a" * 2000, Spelling.TOO_LONG),
    ],
)
def test_refused(line: str, reason: Reason) -> None:
    with pytest.raises(BadNotation) as refused:
        read(line, chosen("board:5x5"))
    assert refused.value.reason is reason


def test_out_of_order_seats_are_refused() -> None:
    with pytest.raises(BadNotation):
        position("7d/8/8/8/8/8/8/a5bc 1 3 3,2", players="4", board="8x8", bases="a1,g1,h1,h8")


def test_homes_that_cannot_be_crushed_must_stand() -> None:
    with pytest.raises(BadNotation) as refused:
        position("4b/5/5/1a3/5 1 3 -", base="immune", board="5x5")
    assert refused.value.reason is Misplaced.HOME_MISSING
    assert str(refused.value.fields["square"]) == "a1"
    with pytest.raises(BadNotation) as refused:
        position("2bbb1/2bb2/6/6/6/1aaa2/1aaa2 1 8 -", variant="hq", board="6x7", actions="8")
    assert refused.value.reason is Misplaced.HOME_MISSING


def test_a_count_of_bases_needs_a_side_that_cannot_act() -> None:
    with pytest.raises(BadNotation) as refused:
        position("4b/5/5/5/a4 1 3 1", variant="bases", board="5x5")
    assert refused.value.reason is Misplaced.UNSETTLED
    assert position("bBA1/BBA1/bBAa 2 1 2", variant="bases", board="4x3", actions="1").outcome


def test_a_first_turn_has_one_action_left() -> None:
    with pytest.raises(BadNotation) as refused:
        position("4b/5/5/5/a4 1 3 -", board="5x5", first="1")
    assert refused.value.reason is Misplaced.LEFT
    assert position("4b/5/5/1a3/a4 2 3 -", board="5x5", first="1").plies_left == 3
