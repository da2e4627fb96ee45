"""A small game is solved by its rules alone."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from bench.solving import ForcedWins, solve
from engine.core import BudgetExhausted, GameValue
from rules.core import SEATS, Position
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


def quickest(position: Position[Any], seat: int) -> float:
    """Plies in which a seat forces its win, by plain search without an end; infinite where it cannot."""
    if position.outcome is not None:
        return 0 if seat in position.outcome.winners else float("inf")
    choose = min if position.to_move == seat else max
    return 1 + choose(quickest(position.play(move), seat) for move in position.legal_moves())


def test_forced_wins_are_the_quickest_and_all_there_are() -> None:
    here = GAME.start(GAME.choose({}))
    for move in ("a1", "b1", "a2"):
        here = here.play(GAME.notation.parse(move, here)[0])
    lengths = set()
    for after in map(here.play, here.legal_moves()):
        for seat in SEATS[:2]:
            plies = quickest(after, seat)
            found = ForcedWins(GAME, seat).shortest(after, 9)
            assert found == (None if plies == float("inf") else plies or None if after.outcome else plies)
            lengths.add(found)
    assert {None, 1, 3} <= lengths


def test_a_proof_that_looks_into_more_positions_than_allowed_is_given_up() -> None:
    start = GAME.start(GAME.choose({}))
    with pytest.raises(BudgetExhausted):
        ForcedWins(GAME, SEATS[0], most=50).shortest(start, 9)
