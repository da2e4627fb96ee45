"""The puzzles of the solved L-game: every class of positions once, by the slow solver's distances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from engine.core import Task
from engine.lgame import SPECIALIST
from rules.core import Square
from rules.lgame import GAME, LPosition
from rules.lgame.board import mask_of, squares
from tests.engine.lgame.solving import Key, arrangements, distances, key_of, plies_to_end

CLASSIC = GAME.choose({})


def alike(key: Key) -> Iterator[Key]:
    """An arrangement turned by quarters, and mirrored."""
    for mirrored in (False, True):
        for quarters in range(4):
            yield tuple(mask_of(image(at, quarters, mirrored) for at in squares(mask)) for mask in key)  # type: ignore[misc]


def image(square: Square, quarters: int, mirrored: bool) -> Square:
    if mirrored:
        square = Square(3 - square.file, square.rank)
    for _ in range(quarters):
        square = Square(3 - square.rank, square.file)
    return square


def posed() -> list[tuple[Task, int, LPosition]]:
    return [
        (each.task, each.plies, GAME.notation.parse_position(each.position, CLASSIC))
        for each in SPECIALIST.puzzles()
    ]


def test_every_class_that_is_won_or_lost_and_leaves_a_choice_is_one_puzzle() -> None:
    found = posed()
    assert len({min(alike(key_of(position))) for _, _, position in found}) == len(found)
    wanted = {
        min(alike(key_of(position)))
        for position in arrangements(CLASSIC)
        if (plies := plies_to_end(position)) is not None and plies >= 3
    }
    assert {min(alike(key_of(position))) for _, _, position in found} == wanted
    assert Counter(task for task, _, _ in found) == {Task.WIN: 238, Task.HOLD: 11}
    assert Counter(plies for task, plies, _ in found if task is Task.WIN) == {3: 27, 5: 81, 7: 11, 9: 119}
    for task, plies, position in found:
        assert plies_to_end(position) == plies
        assert (plies % 2 == 1) is (task is Task.WIN)
    for position in (position for task, _, position in found if task is Task.HOLD):
        assert len({plies_to_end(position.play(turn)) for turn in position.legal_moves()}) > 1


@pytest.mark.slow
def test_the_slow_solver_agrees_with_every_puzzle() -> None:
    known = distances(CLASSIC)
    assert all(known[key_of(position)] == plies for _, plies, position in posed())
