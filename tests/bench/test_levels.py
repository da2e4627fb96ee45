"""The comparison of levels: from where it starts, and that it can be told where."""

from __future__ import annotations

import pytest

from bench.levels import main, opened
from rules import GAMES
from rules.lgame import LPosition
from tests.engine.lgame.solving import plies_to_end

GAME = GAMES["lgame"]


def start(number: int, **words: str) -> LPosition:
    position = opened(GAME, GAME.choose(words), number)
    assert isinstance(position, LPosition)
    return position


@pytest.mark.parametrize("variant", ["classic", "sudden-death", "symmetry"])
def test_openings_of_a_solved_game_are_drawn(variant: str) -> None:
    openings = [start(number, variant=variant) for number in range(10)]
    assert [plies_to_end(opening) for opening in openings] == [None] * 10
    assert len(set(openings)) > 5
    assert openings[3] == start(3, variant=variant)


def test_where_no_opening_is_drawn_one_serves_that_does_not_end_at_once() -> None:
    plies = plies_to_end(start(1, variant="symmetry", symmetry="any"))
    assert plies is not None
    assert plies > 1


def test_the_same_openings_are_the_same_games(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["lgame", "--pairs", "2", "--games", "4", "--seconds", "60"]
    told = []
    for first in ("7", "7"):
        assert main([*asked, "--from", first]) == 0
        told.append(capsys.readouterr().out.partition(" (")[0])
    assert all("level 2 against 1: " in line and "of 4," in line for line in told)
    assert told[0] == told[1]
