"""A small game is solved by its rules alone."""

from __future__ import annotations

from functools import cache
from typing import Any

from bench.solving import solve
from engine.core import GameValue
from rules.core import Position
from tests.toy.tictactoe import GAME


@cache
def best(position: Position[Any]) -> GameValue:
    """The value by plain search, which ends because the board fills."""
    if position.outcome is None:
        return GameValue(-min(best(position.play(move)) for move in position.legal_moves()))
    if not position.outcome.winners:
        return GameValue.DRAW
    return GameValue.WIN if position.to_move in position.outcome.winners else GameValue.LOSS


def test_all_positions_have_the_values_of_a_plain_search() -> None:
    start = GAME.start(GAME.choose({}))
    values = solve(start)
    assert values[start] == GameValue.DRAW
    assert len(values) > 5000
    assert all(value == best(position) for position, value in values.items())
