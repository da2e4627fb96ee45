"""Which turns each task of the lesson counts as right, of all that can be played, and that its words are true of them."""

from __future__ import annotations

from typing import Final

import pytest

from rules.core import sq
from rules.klopodavka import GAME, KlopodavkaPosition
from rules.klopodavka.lesson import LESSON
from rules.klopodavka.options import Finish
from rules.klopodavka.reach import reach
from tests.rules.conformance import turns
from tests.rules.klopodavka.reference import cells, position

RIGHT: Final = {
    "corners": "b2",
    "steps": "b1 c1 d1, b1 c2 d1, b2 c1 d1, b2 c2 d1",
    "crush": "xc3",
    "walls": "d2, d3, b4, c4, d4",
    "dead-walls": "b3 xe4, b3 xe5, c3 xe4, c3 xe5",
    "cut-off": "xd4",
    "win": "xc4",
    "count-bases": "xd3",
    "headquarters": "xb5",
    "fences": "xe4",
    "team-walls": "xd4",
    "joined-edges": "xe5",
}
"""The right turns, each in one order of its actions; every other turn is wrong."""


TASKS: Final = {task.key: task for task in LESSON}


def _before(key: str) -> KlopodavkaPosition:
    return position(TASKS[key].position, **TASKS[key].chosen)


@pytest.mark.parametrize("key", RIGHT)
def test_the_right_turns_are_these_and_no_others_in_any_order(key: str) -> None:
    task, before = TASKS[key], _before(key)
    right = {frozenset(map(str, plies)) for plies, after in turns(before) if task.right(before, plies, after)}
    wrong = {
        frozenset(map(str, plies)) for plies, after in turns(before) if not task.right(before, plies, after)
    }
    assert right == {frozenset(turn.split()) for turn in RIGHT[key].split(", ")}
    assert wrong
    assert not right & wrong


@pytest.mark.parametrize("key", RIGHT)
def test_no_beginning_of_a_turn_is_right_that_cannot_be_the_whole_of_it(key: str) -> None:
    task, before = TASKS[key], _before(key)
    for plies, _ in turns(before):
        here = before
        for count, move in enumerate(plies[:-1], 1):
            here = here.play(move)
            assert not task.right(before, plies[:count], here)


def test_every_task_is_listed_and_the_learner_is_the_first_seat() -> None:
    assert list(RIGHT) == [task.key for task in GAME.lesson]
    assert {_before(key).seat for key in RIGHT} == {0}
    assert [task.key for task in LESSON if not task.further] == list(RIGHT)[:7]


def _after(key: str, turn: str) -> KlopodavkaPosition:
    here = _before(key)
    for move in GAME.notation.parse(turn, here):
        here = here.play(move)
    return here


def test_what_the_words_say_of_walls() -> None:
    """Dead walls carry nobody before the bug comes; the enemy's lead to all three bugs until d4 is crushed."""
    assert not {"e4", "e5"} & set(cells(_before("dead-walls")).split())
    before, after = _before("cut-off"), _after("cut-off", "xd4")
    assert before.occupancy.bugs[0] & reach(before.ruleset, before.occupancy, 1) != 0
    assert not reach(after.ruleset, after.occupancy, 1) & after.ruleset.board.spread(
        before.occupancy.walls[1]
    )


def test_how_the_winning_turns_end() -> None:
    ends = {key: _after(key, RIGHT[key]) for key in ("win", "count-bases", "fences")}
    assert {key: end.outcome and end.outcome.reason for key, end in ends.items()} == {
        "win": Finish.LAST_LEFT,
        "count-bases": Finish.MOST_BASES,
        "fences": Finish.FENCE,
    }
    assert ends["count-bases"].scores == (2, 1)


def test_what_else_the_enemy_can_do_after_another_crush() -> None:
    """Crushing d4 leaves the bug on c4 a cell; crushing b4 leaves b5, which links, alive."""
    here = _after("win", "xd4")
    assert here.outcome is None
    assert "b4" in cells(here).split()
    for turn in ("xb3", "xb4"):
        after = _after("headquarters", turn)
        assert after.ruleset.board.bits[sq("b5")] & after.occupancy.bugs[1]
