"""Exact proofs of Breakthrough, beside two solvers that know nothing but the rules: backwards from all ends, and by trying all steps."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from bench.solving import ForcedWins, solved
from engine import proof_of_start
from engine.breakthrough import SPECIALIST
from engine.breakthrough.engine_base import available
from engine.core import Budget, Engine, EngineKind, GameValue, Proof
from rules import GAMES
from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.core import Position, Seat
from tests.engine.breakthrough.kinds import VARIANTS, games
from tests.rules.breakthrough.oracle import start

Any = Engine[BreakthroughPosition, Move]
Values = Mapping[BreakthroughPosition, tuple[GameValue, int]]
PAID = Budget(nodes=3_000_000)


@cache
def engines() -> Sequence[Any]:
    return SPECIALIST.build(time.monotonic)


@cache
def values(board: str, variant: str) -> Values:
    return solved(start(board, variant))


def best_play(known: Values, here: BreakthroughPosition, line: Sequence[Move]) -> bool:
    """Whether each move of a line keeps the result and the distance, to the end."""
    value, plies = known[here]
    for move in line:
        here = here.play(move)
        value, plies = GameValue(-value), plies - 1
        if known[here] != (value, plies):
            return False
    return here.outcome is not None


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("board", ["2x4", "2x5", pytest.param("3x4", marks=pytest.mark.slow)])
def test_every_position_of_a_small_board_is_solved_as_backwards_from_its_ends(
    board: str, variant: str
) -> None:
    known = values(board, variant)
    going_on = [here for here in known if here.outcome is None]
    for here in random.Random(board).sample(going_on, min(len(going_on), 500)):
        for engine in engines():
            found = engine.solve(here, PAID)
            assert found is not None, here
            assert found.proof == Proof(*known[here], exact=True), (engine.name, here)
            assert found.turn == found.line[:1]
            assert best_play(known, here, found.line), (engine.name, here)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_found_with_little_time_is_so_and_else_nothing_is_claimed(variant: str) -> None:
    known, found = values("2x5", variant), 0
    for here in random.Random(variant).sample([each for each in known if each.outcome is None], 60):
        for engine in engines():
            engine.forget()
            result = engine.solve(here, Budget(nodes=300))
            assert result is None or result.proof == Proof(*known[here], exact=True), here
            found += result is not None
    assert found > 20


@pytest.mark.parametrize("board", ["4x4", "5x5"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_late_positions_of_larger_boards_are_won_by_trying_all_steps(board: str, variant: str) -> None:
    checked = 0
    for here in [*games(board, variant, 6)][::-1]:
        proofs = [result.proof for engine in engines() if (result := engine.solve(here, Budget(nodes=2000)))]
        for proof in proofs:
            assert proof is not None
            if proof.plies > 5:
                continue
            own = proof.result is GameValue.WIN
            wins = ForcedWins(GAME, here.to_move if own else Seat(1 - here.to_move))
            assert wins.within(here, proof.plies), here
            assert not wins.within(here, proof.plies - 1), here
            checked += 1
    assert checked > 5


@pytest.mark.parametrize(
    ("board", "variant"),
    [
        *((board, variant) for board in ("2x4", "2x5", "3x4") for variant in VARIANTS),
        ("2x6", "classic"),
        pytest.param("2x6", "misere", marks=pytest.mark.slow),
    ],
)
def test_starts_are_listed_as_backwards_from_their_ends(board: str, variant: str) -> None:
    here = start(board, variant)
    assert proof_of_start(GAMES["breakthrough"], here.options) == Proof(
        *values(board, variant)[here], exact=True
    )


@pytest.mark.parametrize(
    ("board", "plies"),
    [
        ("4x4", 14),
        ("5x4", 16),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (("3x5", 18), ("6x4", 18))),
    ],
)
def test_starts_are_listed_as_by_trying_all_steps(board: str, plies: int) -> None:
    """`ForcedWins` plays by the rules alone; in each of these the second player wins."""
    here = start(board)
    wins = ForcedWins(GAME, Seat.S2, _ranks_to_go)
    assert wins.within(here, plies)
    assert not wins.within(here, plies - 1)
    assert proof_of_start(GAMES["breakthrough"], here.options) == Proof(GameValue.LOSS, plies, exact=True)


def _ranks_to_go(here: Position, seat: Seat) -> int:  # type: ignore[type-arg]
    assert isinstance(here, BreakthroughPosition)
    men = [square for square in here.options.grid if here.at(square) is seat]
    ranks = here.options.grid.ranks
    left = min((square.rank if seat else ranks - 1 - square.rank for square in men), default=0)
    captures = sum(here.at(square) is Seat(1 - seat) for square in here.options.grid)
    return 2 * min(left, captures) - (here.to_move == seat)


@pytest.mark.slow
def test_the_start_of_5x5_is_lost_in_26_plies() -> None:
    """Natively, in some twenty seconds."""
    if not available():
        pytest.skip("the native core was not built here")
    native = next(engine for engine in engines() if engine.kind is EngineKind.NATIVE)
    found = native.solve(start("5x5"), Budget(seconds=600))
    assert found is not None
    assert found.proof == proof_of_start(GAMES["breakthrough"], start("5x5").options)
