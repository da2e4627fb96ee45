"""Ideas behind turns: what is lost for sure is not praised."""

from __future__ import annotations

import pytest

from bot.features.analysis.judging import idea_of
from engine.core import Task
from rules import GAMES
from tests.bot.puzzles.solving import at_start, best, played, posed_of


@pytest.mark.parametrize(("game", "plies"), [("breakthrough", 5), ("klopodavka", 4), ("lgame", 5)])
def test_no_idea_praises_a_turn_in_a_position_that_is_lost(game: str, plies: int) -> None:
    posed = posed_of(game, Task.WIN, plies)
    start = at_start(posed)
    good = best(posed, start)
    assert idea_of(GAMES[game], start, good) is not None
    here = played(posed, start, good.turn)
    bad = best(posed, here)
    assert bad.plies is not None
    assert bad.value < 0
    assert idea_of(GAMES[game], here, bad) is None
