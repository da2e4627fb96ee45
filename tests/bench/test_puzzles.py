"""Puzzles that are made."""

from __future__ import annotations

from bench.puzzles import _loses
from engine.core import Task
from rules import GAMES
from tests.bot.puzzles.solving import at_start, best, played, posed_of


def test_a_position_that_is_lost_is_known_as_such() -> None:
    posed, game = posed_of("lgame", Task.WIN, 5), GAMES["lgame"]
    options = game.choose(dict(posed.puzzle.options))
    start = at_start(posed)
    assert not _loses(game, options, start)
    assert _loses(game, options, played(posed, start, best(posed, start).turn))
